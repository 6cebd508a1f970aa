"""The client under test: `DocumentParser`, as a process of its own."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

# What the parser imports when it is first used; the other clients import all of theirs at once, too.
import nemoparse_loaders.backends.http
import nemoparse_loaders.pipeline.engine
import nemoparse_loaders.rendering.pdf_pages  # noqa: F401
from nemoparse_loaders import DocumentParser
from nemoparse_loaders.backends.base import ModelReply, Session
from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.profiles import Profile
from nemoparse_loaders.rendering.page_image import PageImage

from .measure import Job, Meter, read_job


class CachedImages:
    """A backend that sends pictures made beforehand, so that rendering costs nothing."""

    needs_text_layer = False

    def __init__(self, inner: VllmBackend, pictures: list[bytes]) -> None:
        self._inner = inner
        self._pictures = pictures

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def base_url(self) -> str:
        # What makes it a server, with a limit that adapts.
        return self._inner.base_url

    @property
    def max_concurrency(self) -> int:
        return self._inner.max_concurrency

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        async with self._inner.session() as session:
            yield CachedSession(session, itertools.cycle(self._pictures))


class CachedSession:
    """Its session."""

    def __init__(self, inner: Session, pictures: Iterator[bytes]) -> None:
        self._inner = inner
        self._pictures = pictures

    @property
    def profile(self) -> Profile:
        return self._inner.profile

    @property
    def model(self) -> str:
        return self._inner.model

    async def read(self, image: PageImage) -> ModelReply:
        return await self._inner.read(replace(image, data=next(self._pictures), media_type="image/png"))


def parser_for(job: Job) -> DocumentParser:
    values: dict[str, Any] = {
        "max_concurrency": job.in_flight,
        "timeout": 600,
        "passes": job.passes,
        "verify": job.verify,
    }
    if job.render_workers is not None:
        values["render_workers"] = job.render_workers
    if job.cached_images:
        pictures = [Path(name).read_bytes() for name in job.cached_images]
        # Small pages: their pictures are thrown away.
        values["max_image_size"] = (128, 160)
        inner = VllmBackend(job.base_url, timeout=600, max_concurrency=job.in_flight or 64)
        return DocumentParser(backend=CachedImages(inner, pictures), **values)
    return DocumentParser(base_url=job.base_url, max_image_size=job.box, dpi=job.dpi, **values)


def main() -> None:
    job = read_job()
    parser = parser_for(job)
    meter = Meter()
    if job.streams:
        for page in parser.iter_pages(job.files[0]):
            meter.page(ok=page.status == "ok")
    else:
        for document in parser.parse_many(job.files):
            for page in document.pages:
                meter.page(ok=page.status == "ok")
    meter.report()


if __name__ == "__main__":
    main()
