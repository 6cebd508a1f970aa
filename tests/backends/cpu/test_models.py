from __future__ import annotations

import builtins
import logging
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from PIL import Image, ImageDraw

from nemoparse_loaders.backends.cpu import CpuBackend
from nemoparse_loaders.backends.cpu.models import Models, missing_message
from nemoparse_loaders.backends.cpu.picture import Picture, decode_picture
from nemoparse_loaders.errors import MissingDependencyError
from nemoparse_loaders.rendering.page_image import PageImage

AsPage = Callable[..., PageImage]


@pytest.fixture(scope="module")
def letter(as_page: AsPage) -> Picture:
    image = Image.new("L", (1000, 700), 255)
    draw = ImageDraw.Draw(image)
    draw.text((80, 60), "Oil condition", fill=0, font_size=44)
    for row, text in enumerate(
        ["Viscosity fell by three percent", "and never left its range.", "Water stayed low."]
    ):
        draw.text((80, 180 + 50 * row), text, fill=0, font_size=30)
    return decode_picture(as_page(image).data)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("the models ask for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
def test_reads_and_sees_without_a_network_and_without_noise(
    letter: Picture, capfd: pytest.CaptureFixture[str]
) -> None:
    level = logging.getLogger().level
    fresh = Models.load()
    found = fresh.text(letter.colours)
    assert [line.text for line in found][:2] == ["Oil condition", "Viscosity fell by three percent"]
    assert [word for word, _ in found[1].words] == ["Viscosity", "fell", "by", "three", "percent"]
    kinds = {region.kind for region in fresh.regions(letter.colours)}
    assert kinds & {"text", "title", "reference", "figure"}
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert logging.getLogger().level == level


def test_tells_which_lines_stand_on_their_heads(models: Models, letter: Picture) -> None:
    crops = [letter.colours[175:225, 70:600], letter.colours[225:275, 70:500]]
    assert models.upside_down([crop.copy() for crop in crops]) == 0
    assert models.upside_down([crop[::-1, ::-1].copy() for crop in crops]) == 2


def test_threads_may_share_the_models(models: Models, letter: Picture) -> None:
    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda _: models.text(letter.colours[40:130, :500].copy()), range(3)))
        regions = list(pool.map(lambda _: models.regions(letter.colours), range(4)))
    assert all(found == texts[0] for found in texts)
    assert all(found == regions[0] for found in regions)


@pytest.mark.parametrize("missing", ["onnxruntime", "rapidocr", "rapid_layout", "cv2"])
async def test_a_missing_package_names_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingDependencyError, match=missing) as caught:
        async with CpuBackend().session():
            pass
    assert 'pip install "nemoparse-loaders[cpu]"' in str(caught.value)


async def test_a_missing_libgl_names_the_one_opencv(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def broken(name: str, *args: Any, **kwargs: Any) -> Any:
        return real(name, *args, **kwargs)

    def find(name: str, package: str | None = None) -> Any:
        if name == "cv2":
            raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")
        return broken(name)

    monkeypatch.setattr("nemoparse_loaders.backends.cpu.models.importlib.import_module", find)
    with pytest.raises(MissingDependencyError) as caught:
        async with CpuBackend().session():
            pass
    assert "pip uninstall -y opencv-python" in str(caught.value)
    assert "pip install --force-reinstall --no-deps opencv-python-headless" in str(caught.value)


def test_messages_tell_the_two_cases_apart() -> None:
    assert "[cpu]" in missing_message("rapidocr", "No module named 'rapidocr'")
    assert "[cpu]" not in missing_message("cv2", "libGL.so.1: cannot open shared object file")


def test_importing_the_backend_loads_nothing_heavy() -> None:
    code = """
    import sys
    from nemoparse_loaders.backends.cpu import CpuBackend
    CpuBackend().session()
    heavy = {"numpy", "cv2", "onnxruntime", "rapidocr", "rapid_layout", "PIL", "pypdfium2"} & set(sys.modules)
    print(sorted(heavy))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_models_are_loaded_when_first_needed(monkeypatch: pytest.MonkeyPatch, letter: Picture) -> None:
    import onnxruntime

    loaded: list[str] = []
    real = onnxruntime.InferenceSession

    def note(path: str, *args: Any, **kwargs: Any) -> Any:
        loaded.append(str(path))
        return real(path, *args, **kwargs)

    monkeypatch.setattr(onnxruntime, "InferenceSession", note)
    fresh = Models.load()
    assert loaded == []
    fresh.regions(letter.colours)
    fresh.regions(letter.colours)
    assert len(loaded) == 1
    assert loaded[0].endswith("layout_cdla.onnx")
