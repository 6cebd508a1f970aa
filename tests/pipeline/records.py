"""Records of pages, and where a cache keeps them."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import strategies as st

from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.document import BBox, Issue, PageStep, Usage
from nemoparse_loaders.pipeline.cache import page_key
from nemoparse_loaders.pipeline.cache_folder import FOLDER_NAME
from nemoparse_loaders.pipeline.record import PageRecord, RegionReply, ReplyPart
from nemoparse_loaders.pipeline.regions import Region
from nemoparse_loaders.rendering import PageGeometry, RenderSettings
from nemoparse_loaders.rendering.page_image import EvidenceWord, PageEvidence

BLOCK = 4096

# Everything that a Python string can hold, surrogates on their own and side by side too.
_TEXT = st.text(st.characters() | st.sampled_from("\ud83d\ude00\udfff\x00\u2028\\\"'<>\uffff"))
_NUMBER = st.floats(allow_nan=False, allow_infinity=False)
_COUNT = st.integers(0, 2**63)

_replies = st.builds(
    ModelReply,
    text=_TEXT | st.builds(lambda text, times: text * times, _TEXT, st.just(5000)),
    finish_reason=st.none() | _TEXT,
    usage=st.builds(Usage, prompt_tokens=st.none() | _COUNT, completion_tokens=st.none() | _COUNT),
    model=_TEXT,
)
_geometries = st.builds(
    PageGeometry,
    number=st.integers(1, 10**6),
    label=_TEXT,
    width_pt=_NUMBER,
    height_pt=_NUMBER,
    rotation=st.sampled_from((0, 90, 180, 270)),
    pdf_box=st.none() | st.tuples(_NUMBER, _NUMBER, _NUMBER, _NUMBER),
    user_unit=_NUMBER,
)
_issues = st.builds(
    Issue,
    code=_TEXT,
    message=_TEXT,
    severity=st.sampled_from(("info", "warning", "error")),
    page=st.none() | _COUNT,
    element_id=st.none() | _TEXT,
)
_steps = st.builds(
    PageStep,
    action=st.sampled_from(
        ("retry", "busy", "smaller", "reread", "bands", "text_layer", "detection", "region", "escalate")
    ),
    reason=_TEXT,
)
_parts = st.builds(
    ReplyPart, reply=_replies, image_size=st.tuples(_COUNT, _COUNT), top=_NUMBER, bottom=_NUMBER
)

_boxes = st.builds(BBox, _NUMBER, _NUMBER, _NUMBER, _NUMBER)
_regions = st.builds(
    RegionReply,
    region=st.builds(Region, box=_boxes, type=_TEXT, subject=_TEXT),
    box=_boxes,
    reply=st.none() | _replies,
    image_size=st.tuples(_COUNT, _COUNT),
)
_words = st.builds(
    EvidenceWord,
    text=_TEXT,
    bbox=_boxes,
    hidden=st.sampled_from(("", "mode", "tiny", "no_ink", "off_page")),
)
_evidence = st.builds(
    PageEvidence,
    words=st.lists(_words, max_size=3).map(tuple),
    usable=st.booleans(),
    raster=_NUMBER,
    cut=st.booleans(),
)

records = st.builds(
    PageRecord,
    geometry=_geometries,
    issues=st.lists(_issues, max_size=3).map(tuple),
    parts=st.lists(_parts, max_size=3).map(tuple),
    steps=st.lists(_steps, max_size=3).map(tuple),
    attempts=_COUNT,
    detection=st.none() | _parts,
    regions=st.lists(_regions, max_size=3).map(tuple),
    evidence=st.none() | _evidence,
)


def record_of(text: str, *, finish_reason: str | None = "stop") -> PageRecord:
    """A page that was answered with this text."""
    part = ReplyPart(
        ModelReply(text, finish_reason, Usage(completion_tokens=len(text)), "model"), (1664, 2048)
    )
    return PageRecord(PageGeometry(1, "1", 595.0, 842.0), parts=(part,), attempts=1)


def key_of(number: int) -> str:
    """The key of one of many pages."""
    return page_key("c0ffee", number, RenderSettings(), "model", "vllm")


def files_in(folder: Path, pattern: str = "*.page") -> list[Path]:
    return sorted((folder / FOLDER_NAME).rglob(pattern))


def entry_of(folder: Path, key: str) -> Path:
    (path,) = (path for path in files_in(folder) if path.parent.name + path.stem == key)
    return path


def set_age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))
