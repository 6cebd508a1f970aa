"""What one writes in an afternoon: threads, pypdfium2, Pillow, the openai client, a regular expression."""

from __future__ import annotations

import base64
import io
import re
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import openai
import pypdfium2

from .measure import Job, Meter, read_job

BLOCK = re.compile(r"<x_([\d.]+)><y_([\d.]+)>(.*?)<x_([\d.]+)><y_([\d.]+)><class_([^>]+)>", re.DOTALL)
TASK = "</s><s><predict_bbox><predict_classes><output_markdown><predict_text_in_pic>"
# PDFium takes one caller at a time.
LOCK = threading.Lock()


def png(document: pypdfium2.PdfDocument, number: int, job: Job) -> bytes:
    with LOCK:
        page = document[number]
        width, height = page.get_size()
        scale = job.dpi / 72 if job.dpi else min(job.box[0] / width, job.box[1] / height) - 1e-6
        picture = page.render(scale=scale).to_pil()
        page.close()
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


def read(client: openai.OpenAI, document: pypdfium2.PdfDocument, number: int, job: Job) -> bool:
    picture = base64.b64encode(png(document, number, job)).decode()
    answer = client.chat.completions.create(
        model="nemotron-parse",
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
                    {"type": "text", "text": TASK},
                ],
            }
        ],
        max_tokens=9000,
        temperature=0,
        extra_body={"skip_special_tokens": False, "repetition_penalty": 1.1},
    )
    return bool(BLOCK.findall(answer.choices[0].message.content or ""))


def main() -> None:
    job = read_job()
    client = openai.OpenAI(base_url=f"{job.base_url}/v1", api_key="none", timeout=600)
    meter = Meter()
    documents = [pypdfium2.PdfDocument(name) for name in job.files]
    with ThreadPoolExecutor(job.in_flight) as pool:
        pages = [
            pool.submit(read, client, document, number, job)
            for document in documents
            for number in range(len(document))
        ]
        for page in as_completed(pages):
            meter.page(ok=page.result())
    meter.report()


if __name__ == "__main__":
    main()
