from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pypdfium2.internal as pdfium_internal
import pytest

from nemoparse_loaders.errors import CorruptSourceError, PageRenderError, SourceError, SourceNotFoundError
from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]
SMALL = RenderSettings(max_image_size=(200, 200))


def open_handles() -> int:
    return sum(len(handles) for handles in pdfium_internal.ObjectTracker.values())


def test_closes_everything_also_after_errors(make_pdf: MakePdf, tmp_path: Path) -> None:
    before = open_handles()
    path = tmp_path / "two.pdf"
    path.write_bytes(make_pdf([b"/MediaBox[0 0 9 9]", b"/MediaBox[0 0 9 9]/CropBox[50 50 60 60]"]))
    with PageRenderer(load_source(path)) as renderer:
        renderer.render(1)
        with pytest.raises(PageRenderError):
            renderer.render(2)
        assert open_handles() > before
    assert open_handles() == before
    with pytest.raises(CorruptSourceError, match="no PDF can be read"):
        PageRenderer(load_source(b"%PDF-1.7\nnothing")).__enter__()
    assert open_handles() == before


def test_a_forgotten_renderer_is_closed_with_its_last_reference(make_pdf: MakePdf) -> None:
    before = open_handles()
    renderer = PageRenderer(load_source(make_pdf()))
    renderer.__enter__()
    del renderer
    gc.collect()
    assert open_handles() == before


def test_only_works_while_open(make_pdf: MakePdf) -> None:
    renderer = PageRenderer(load_source(make_pdf()))
    with pytest.raises(RuntimeError, match="not open"):
        renderer.render(1)
    with renderer:
        assert renderer.page_count == 1
        with pytest.raises(RuntimeError, match="open already"):
            renderer.__enter__()
    renderer.close()
    with pytest.raises(RuntimeError, match="not open"):
        _ = renderer.page_count


def test_does_not_pickle_and_says_what_does(make_pdf: MakePdf) -> None:
    with pytest.raises(TypeError, match="send its Source"):
        pickle.dumps(PageRenderer(load_source(make_pdf())))


def test_a_file_that_is_gone_is_not_called_damaged(make_pdf: MakePdf, tmp_path: Path) -> None:
    path = tmp_path / "gone.pdf"
    path.write_bytes(make_pdf())
    source = load_source(path)
    path.unlink()
    with pytest.raises(SourceNotFoundError, match=r"gone\.pdf"), PageRenderer(source):
        pass


def test_threads_draw_the_same_as_one(make_pdf: MakePdf) -> None:
    sources = [
        load_source(make_pdf([b"/MediaBox[0 0 300 400]/Rotate %d" % turn] * 3)) for turn in (0, 90, 180)
    ]

    def draw(source_index: int, page: int) -> bytes:
        with PageRenderer(sources[source_index]) as renderer:
            return renderer.render(page, SMALL).data

    jobs = [(index, page) for index in range(3) for page in range(1, 4)] * 4
    alone = {job: draw(*job) for job in set(jobs)}
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda job: draw(*job), jobs)) == [alone[job] for job in jobs]


def test_one_renderer_serves_many_threads(make_pdf: MakePdf) -> None:
    with PageRenderer(load_source(make_pdf([b"/MediaBox[0 0 300 400]"] * 8))) as renderer:
        with ThreadPoolExecutor(4) as pool:
            pages = list(pool.map(lambda number: renderer.render(number, SMALL), range(1, 9)))
        assert [page.geometry.number for page in pages] == list(range(1, 9))
        assert len({page.data for page in pages}) == 1


def run_python(code: str, data: bytes, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code), data.hex()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


OPEN_IT = """
import os, sys, threading
from nemoparse_loaders.rendering import PageRenderer
from nemoparse_loaders.sources import load_source
source = load_source(bytes.fromhex(sys.argv[1]))
renderer = PageRenderer(source).__enter__()
"""


def test_the_interpreter_leaves_quietly_with_a_document_open(make_pdf: MakePdf) -> None:
    done = run_python(
        OPEN_IT + "page = renderer.render(1)\nkept = [renderer]\n", make_pdf(), "-W", "error", "-X", "dev"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_can_draw_while_the_parent_draws(make_pdf: MakePdf) -> None:
    code = """
    drawing = threading.Event()
    def work():
        for _ in range(40):
            renderer.render(1)
            drawing.set()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    drawing.wait()
    for _ in range(3):
        child = os.fork()
        if child == 0:
            with PageRenderer(source) as mine:
                os._exit(0 if mine.render(1).width == 1536 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for thread in threads:
        thread.join()
    """
    done = run_python(OPEN_IT + textwrap.dedent(code), make_pdf(), "-W", "ignore")
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_renderer_loads_neither_pdfium_nor_pillow() -> None:
    code = "import nemoparse_loaders.rendering, sys; print({'pypdfium2', 'PIL', 'isal'} & set(sys.modules))"
    assert run_python(code, b"").stdout.strip() == "set()"


def test_the_lock_is_free_after_errors(make_pdf: MakePdf) -> None:
    with pytest.raises(SourceError):
        PageRenderer(load_source(b"%PDF-1.7\nnothing")).__enter__()
    done = threading.Event()

    def draw() -> None:
        with PageRenderer(load_source(make_pdf())) as renderer:
            renderer.render(1)
        done.set()

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join(60)
    assert done.is_set()
