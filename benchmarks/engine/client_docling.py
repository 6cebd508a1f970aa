"""docling's VLM pipeline with its API engine and its nemotron_parse_v3_5 preset, in docling's environment."""

from __future__ import annotations

import logging
from typing import Any

from docling.datamodel.base_models import InputFormat
from docling.datamodel.pipeline_options import VlmConvertOptions, VlmPipelineOptions
from docling.datamodel.settings import settings
from docling.datamodel.vlm_engine_options import ApiVlmEngineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling.pipeline.vlm_pipeline import VlmPipeline
from pypdfium2 import PdfDocument

from .measure import Job, Meter, read_job

# At this resolution only the size limit counts.
HIGH_DPI = 1440.0


def longest_side(name: str, box: tuple[int, int]) -> int:
    """docling limits the longer side alone; this one makes the picture as large as it is in the box."""
    with PdfDocument(name) as document:
        width, height = document[0].get_size()
    return int(min(box[0] / width, box[1] / height) * max(width, height) + 0.5)


def converter(job: Job, max_size: int) -> DocumentConverter:
    in_flight = job.in_flight or 64
    engine: Any = ApiVlmEngineOptions(
        url=f"{job.base_url}/v1/chat/completions", concurrency=in_flight, timeout=600
    )
    options = VlmConvertOptions.from_preset("nemotron_parse_v3_5", engine_options=engine)
    options.scale = (job.dpi or HIGH_DPI) / 72
    options.max_size = max_size
    pipeline = VlmPipelineOptions(vlm_options=options, enable_remote_services=True)
    form = PdfFormatOption(pipeline_cls=VlmPipeline, pipeline_options=pipeline)
    return DocumentConverter(format_options={InputFormat.PDF: form})


def main() -> None:
    job = read_job()
    logging.getLogger("docling").setLevel(logging.ERROR)
    settings.perf.page_batch_size = job.in_flight or 64
    meter = Meter()
    converters: dict[int, DocumentConverter] = {}
    for name in job.files:
        size = longest_side(name, job.box)
        if size not in converters:
            converters[size] = converter(job, size)
        document = converters[size].convert(name).document
        filled = {item.prov[0].page_no for item, _ in document.iterate_items() if getattr(item, "prov", None)}
        for number in document.pages:
            meter.page(ok=number in filled)
    meter.report()


if __name__ == "__main__":
    main()
