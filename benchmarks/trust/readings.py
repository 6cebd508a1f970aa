"""Pages read by OCR from their pictures alone, with the words that their files store as evidence.

OCR of the CPU backend stands in for the model: it sees the picture and not the text layer, so that what it
reads and what the file stores are two independent accounts of a page. Replies are kept in a folder, because
OCR takes seconds a page; evidence is made anew.
"""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageFilter

from nemoparse_loaders.backends.cpu.backend import CpuBackend
from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import ParsedPage
from nemoparse_loaders.errors import NemoparseError
from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.rendering.page_image import PageEvidence, PageImage
from nemoparse_loaders.sources import load_source

# Digital PDFs of many kinds. Scripts that the OCR cannot read (Arabic, Hebrew) are left out: tests hold them.
PAGES: dict[str, tuple[int, ...]] = {
    "files/160F-2019.pdf": (1,),
    "files/2305.03393v1-pg9.pdf": (1,),
    "files/china.pdf": (1,),
    "files/code_and_formula.pdf": (1, 2),
    "files/discoverworld_crazy_table4.pdf": (1,),
    "files/eu-004.pdf": (1, 3, 5, 8, 11),
    "files/federal-register-2020-17221.pdf": (1, 3, 5, 9, 13),
    "files/multi_column_miss.pdf": (1,),
    "files/multi_page.pdf": (1, 2, 3, 4),
    "files/multimodal_test.pdf": (1, 2, 3),
    "files/nics-background-checks-2015-11.pdf": (1,),
    "files/nics-background-checks-2015-11-rotated.pdf": (1,),
    "files/prefilled_f1040.pdf": (1, 2),
    "files/repeating_references_on_pg9_pg10.pdf": (1, 3, 5, 7, 9),
    "files/senate-expenditures.pdf": (1,),
    "files/spanning_cells.pdf": (1,),
    "files/with-attachment.pdf": (1,),
    "files/zen_of_python_corrupted.pdf": (1,),
    "pages/R-intro.pdf": (5, 20, 45, 60, 88, 100),
    "pages/asymptote_manual.pdf": (5, 20, 50, 100, 150, 190),
    "pages/beamer_talk_slides.pdf": (2, 8, 15, 22),
    "pages/circuitikz_vector.pdf": (3, 20, 60, 120, 180, 240),
    "pages/form_dd0293.pdf": (1, 3),
    "pages/memoir_book.pdf": (20, 80, 150, 250, 330, 400, 500, 600),
    "pages/pypdf_side-by-side-subfig.pdf": (1,),
    "pages/tabula_12s0324.pdf": (1,),
    "pages/tabula_campaign_donors.pdf": (1,),
}
DEGRADED = ("small", "noisy", "jpeg")
"""At half the size; blurred and noisy; at 0.7 of the size as a strong JPEG. "clean" is as drawn."""
OWN = "own"
"""No OCR: the words are the file's own, so that every warning of an undamaged page is a false alarm."""
DEGRADED_EVERY = 3


class Reading(NamedTuple):
    """One page as OCR read it.

    Attributes:
        document: The file, under the data folder.
        number: The page, from 1.
        look: "clean", one of `DEGRADED`, or `OWN`.
        page: The decoded reply.
        evidence: What the file stores.
    """

    document: str
    number: int
    look: str
    page: ParsedPage
    evidence: PageEvidence


def plan() -> list[tuple[str, int, str]]:
    """File, page and look of everything that is read: round by round, so that a part of it is varied, too."""
    clean = [
        (document, numbers[turn], "clean")
        for turn in range(max(map(len, PAGES.values())))
        for document, numbers in PAGES.items()
        if turn < len(numbers)
    ]
    chosen = clean[::DEGRADED_EVERY]
    own = [(document, number, OWN) for document, number, _ in clean]
    return clean + own + [(document, number, look) for look in DEGRADED for document, number, _ in chosen]


def readings(data: Path, work: Path, *, only_kept: bool = False) -> Iterator[Reading]:
    """All readings of the plan; what is not in the work folder is read now.

    Args:
        data: The folder with ``files`` and ``pages``.
        work: Where replies are kept.
        only_kept: Leave out what was not read before.
    """
    work.mkdir(parents=True, exist_ok=True)
    for document, number, look in plan():
        kept = work / f"{document.replace('/', '-')}-{number}-{look}.json"
        path = data / document
        if not path.is_file() or (only_kept and not kept.is_file()):
            continue
        with PageRenderer(load_source(path)) as renderer:
            image = renderer.render(number, RenderSettings(evidence=True, text_layer=look == OWN))
        if kept.is_file():
            reply = json.loads(kept.read_text("utf-8"))
        else:
            reply = _read(replace(image, evidence=None), look)
            if reply is None:
                continue
            kept.write_text(json.dumps(reply, ensure_ascii=False), "utf-8")
        if image.evidence is None:
            continue
        page = decode_page(
            reply["text"], page_number=number, image_size=(int(reply["width"]), int(reply["height"]))
        )
        page = page.model_copy(
            update={"width_pt": image.geometry.width_pt, "height_pt": image.geometry.height_pt}
        )
        yield Reading(document, number, look, page, image.evidence)


def _read(image: PageImage, look: str) -> dict[str, object] | None:
    image = degraded(image, look)

    async def read() -> str:
        async with CpuBackend().session() as session:
            return (await session.read(image)).text

    started = time.monotonic()
    try:
        text = asyncio.run(read())
    except NemoparseError as error:
        print(f"page {image.geometry.number}: {error}")
        return None
    return {
        "text": text,
        "width": image.width,
        "height": image.height,
        "seconds": round(time.monotonic() - started, 1),
    }


def degraded(image: PageImage, look: str) -> PageImage:
    """The picture as a worse camera or printer would give it; the same every time."""
    if look not in DEGRADED:
        return image
    picture = Image.open(io.BytesIO(image.data)).convert("L")
    if look == "noisy":
        picture = picture.filter(ImageFilter.GaussianBlur(1.0))
        noise = np.random.default_rng(0).normal(0.0, 28.0, (picture.height, picture.width))
        values = np.asarray(picture, dtype=np.float32) * 0.75 + 40.0 + noise
        picture = Image.fromarray(values.clip(0, 255).astype(np.uint8))
    else:
        share = 0.5 if look == "small" else 0.7
        size = (round(picture.width * share), round(picture.height * share))
        picture = picture.resize(size, Image.Resampling.BILINEAR)
    buffer = io.BytesIO()
    if look == "jpeg":
        picture.save(buffer, "JPEG", quality=12)
    else:
        picture.save(buffer, "PNG")
    return replace(
        image,
        data=buffer.getvalue(),
        media_type="image/jpeg" if look == "jpeg" else "image/png",
        width=picture.width,
        height=picture.height,
    )
