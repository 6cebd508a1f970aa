"""One bad page costs one page: workers that die, hang, take all memory, babble, or never start."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nemoparse_loaders.errors import PageRenderError, SourceError
from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.rendering.interpreter import find_python, granted_cores
from nemoparse_loaders.rendering.pdfium import PDFIUM_LOCK
from nemoparse_loaders.rendering.pool import OpenedSource, RenderPool
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]
SMALL = RenderSettings(max_image_size=(100, 100))
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit or file")

# Stands in for the library that compresses each page, in the children only: obeys orders left in its folder.
SABOTEUR = """
import os, time, zlib

HERE = os.path.dirname(__file__)


def compress(data, level):
    for name in sorted(os.listdir(HERE)):
        path = os.path.join(HERE, name)
        if name.startswith("order"):
            with open(path) as file:
                order, _, value = file.read().partition(" ")
            try:
                os.unlink(path)
            except FileNotFoundError:
                continue
            if order == "signal":
                os.kill(os.getpid(), int(value))
            elif order == "exit":
                os._exit(int(value))
            elif order == "hang":
                time.sleep(3600)
            elif order == "take":
                bytearray(int(value))
            elif order == "raise":
                raise LookupError(value)
            elif order == "print":
                print(value)
                os.write(1, value.encode())
                os.write(2, value.encode())
            elif order == "meet":  # both sides wait here for the other
                os.close(os.open(value, os.O_RDONLY))
            break
    return zlib.compress(data, level)
"""


class Saboteur:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def order(self, *orders: str) -> None:
        for order in orders:
            self._count += 1
            draft = self._folder / "draft"
            draft.write_text(order)
            draft.rename(self._folder / f"order{self._count:03}")


@pytest.fixture
def saboteur(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Saboteur:
    folder = tmp_path / "first" / "isal"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "isal_zlib.py").write_text(SABOTEUR)
    monkeypatch.setattr(sys, "path", [str(folder.parent), *sys.path])
    return Saboteur(folder)


async def opened_in(pool: RenderPool, make_pdf: MakePdf, name: str = "a.pdf") -> OpenedSource:
    return await pool.open(load_source(make_pdf([b"/MediaBox[0 0 300 400]"] * 5), file_name=name))


async def test_a_page_gets_one_more_try(
    make_pdf: MakePdf, saboteur: Saboteur, caplog: pytest.LogCaptureFixture
) -> None:
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        before = pool.pids
        saboteur.order(f"signal {int(signal.SIGSEGV)}")
        assert (await pool.render(opened, 1, SMALL)).geometry.number == 1
        assert set(pool.pids) != set(before)
    assert [record.message for record in caplog.records] == [
        "A render process was ended by SIGSEGV at a.pdf, page 1. "
    ]


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (f"signal {int(signal.SIGSEGV)}", "was ended by SIGSEGV; a second try went the same way$"),
        (f"signal {int(signal.SIGKILL)}", r"was ended by SIGKILL; .*\(out of memory, most likely"),
        ("exit 7", "left with code 7; a second try"),
    ],
)
async def test_a_page_that_ends_two_workers_fails_alone(
    make_pdf: MakePdf, saboteur: Saboteur, order: str, reason: str
) -> None:
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        other = await opened_in(pool, make_pdf, "b.pdf")
        saboteur.order(order, order)
        ends = await asyncio.gather(
            pool.render(opened, 1, SMALL),
            pool.render(opened, 2, SMALL),
            pool.render(other, 3, SMALL),
            return_exceptions=True,
        )
        failed = [end for end in ends if isinstance(end, BaseException)]
        assert len(failed) == 1
        with pytest.raises(PageRenderError, match=r"a.pdf, page 1: the process that drew it " + reason):
            raise failed[0]


async def test_opening_may_fail_like_that_as_well(
    make_pdf: MakePdf, saboteur: Saboteur, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A library that ends the process when it is imported, so with the first PDF.
    package = tmp_path / "first" / "pypdfium2"
    package.mkdir()
    (package / "__init__.py").write_text("import os; os._exit(9)")
    async with RenderPool(1) as pool:
        with pytest.raises(SourceError, match=r"a.pdf: the process that opened it left with code 9"):
            await opened_in(pool, make_pdf)


async def test_a_page_that_takes_too_long_is_given_up(make_pdf: MakePdf, saboteur: Saboteur) -> None:
    async with RenderPool(1, timeout=3) as pool:
        opened = await opened_in(pool, make_pdf)
        before = pool.pids
        saboteur.order("hang")
        hanging = asyncio.ensure_future(pool.render(opened, 1, SMALL))
        following = asyncio.ensure_future(pool.render(opened, 2, SMALL))
        with pytest.raises(
            PageRenderError, match=r"a.pdf, page 1: drawing took longer than 3 s \(render_timeout=\)"
        ):
            await hanging
        assert (await following).geometry.number == 2
        assert not set(before) & set(pool.pids)


async def test_a_file_that_takes_too_long_to_open(make_pdf: MakePdf) -> None:
    for workers in (1, 0):
        async with RenderPool(workers, timeout=1e-6) as pool:
            # A thread of this process cannot open it meanwhile, however fast it is.
            with (
                PDFIUM_LOCK,
                pytest.raises(SourceError, match=r"a.pdf: opening it took longer than 1e-06 s"),
            ):
                await opened_in(pool, make_pdf)


async def test_a_page_that_hangs_in_a_thread_is_given_up_as_well(make_pdf: MakePdf) -> None:
    async with RenderPool(0, timeout=1) as pool:
        opened = await opened_in(pool, make_pdf)
        with PDFIUM_LOCK:
            first = asyncio.ensure_future(pool.render(opened, 1, SMALL))
            with pytest.raises(PageRenderError, match=r"a.pdf, page 1: drawing took longer than 1 s"):
                await first
        assert (await pool.render(opened, 2, SMALL)).geometry.number == 2


@linux_only
async def test_a_page_that_takes_all_memory_fails_alone(make_pdf: MakePdf, saboteur: Saboteur) -> None:
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        before = pool.pids
        saboteur.order(f"take {5 << 30}")
        with pytest.raises(PageRenderError, match=r"a.pdf, page 1: there is not enough memory"):
            await pool.render(opened, 1, SMALL)
        assert await pool.render(opened, 2, SMALL)
        assert pool.pids == before


async def test_what_nobody_expected_is_an_error_of_the_page(
    make_pdf: MakePdf, saboteur: Saboteur, caplog: pytest.LogCaptureFixture
) -> None:
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        saboteur.order("raise of hands")
        with pytest.raises(PageRenderError, match=r"page 1: failed unexpectedly \(LookupError: of hands\)"):
            await pool.render(opened, 1, SMALL)
        assert await pool.render(opened, 1, SMALL)
    assert "in compress" in caplog.text


async def test_stray_prints_disturb_nothing(
    make_pdf: MakePdf, saboteur: Saboteur, capfd: pytest.CaptureFixture[str]
) -> None:
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        saboteur.order(*["print hello"] * 3)
        for number in (1, 2, 3):
            assert (await pool.render(opened, number, SMALL)).geometry.number == number
    assert capfd.readouterr() == ("", "")


async def test_an_idle_worker_that_dies_is_replaced(make_pdf: MakePdf) -> None:
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        (before,) = pool.pids
        os.kill(before, signal.SIGTERM)
        images = await asyncio.gather(*(pool.render(opened, number, SMALL) for number in (1, 2, 3)))
        assert [image.geometry.number for image in images] == [1, 2, 3]
        assert before not in pool.pids


@linux_only
async def test_leaving_in_the_middle_of_a_page_ends_its_worker(
    make_pdf: MakePdf, saboteur: Saboteur, tmp_path: Path
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    async with RenderPool(1) as pool:
        opened = await opened_in(pool, make_pdf)
        descriptor = os.pidfd_open(pool.pids[0])
        saboteur.order(f"meet {fifo}", "hang")
        drawing = [asyncio.ensure_future(pool.render(opened, number, SMALL)) for number in (1, 2)]
        os.close(await asyncio.to_thread(os.open, fifo, os.O_WRONLY))
        await drawing[0]
        drawing[1].cancel()
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    await asyncio.wait_for(ended.wait(), 30)
    loop.remove_reader(descriptor)
    os.close(descriptor)


@pytest.fixture
def no_python(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """In turn: there is no such program, it fails at once, it says something else, the program is frozen."""
    kind: str = request.param
    program = tmp_path / "python3"
    if kind == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        return "there is no Python interpreter"
    monkeypatch.setattr(sys, "executable", str(program))
    if kind == "missing":
        return "it cannot be started (No such file"
    code = (
        "import sys; sys.exit(3)"
        if kind == "fails"
        else "import pickle,sys; pickle.dump(1, sys.stdout.buffer)"
    )
    program.write_text(f"#!{os.path.realpath('/proc/self/exe')} -S\n{code}\n")
    program.chmod(0o755)
    return "it left with code 3" if kind == "fails" else "it left with code 0"


@linux_only
@pytest.mark.parametrize("no_python", ["missing", "fails", "babbles", "frozen"], indirect=True)
async def test_without_children_a_thread_draws(
    make_pdf: MakePdf, no_python: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with RenderPool(2) as pool:
        opened = await opened_in(pool, make_pdf)
        images = await asyncio.gather(*(pool.render(opened, number, SMALL) for number in (1, 2)))
        assert (pool.width, pool.pids) == (1, ())
    with PageRenderer(opened.source) as renderer:
        assert images == [renderer.render(1, SMALL), renderer.render(2, SMALL)]
    warnings = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert warnings[0].startswith(f"No process can be started to draw pages in ({no_python}")


@pytest.mark.parametrize(
    ("text", "cores"), [("max 100000\n", None), ("50000 100000\n", 1), ("250000 100000\n", 3)]
)
def test_cores_that_a_container_is_granted(text: str, cores: int | None) -> None:
    assert granted_cores(text) == cores


def test_programs_that_embed_python_are_not_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_python() == sys.executable
    for name in ("uwsgi", "blender", "pythonservice.exe", "mypy", ""):
        monkeypatch.setattr(sys, "executable", name and str(tmp_path / name))
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
        assert find_python() is None
    program = tmp_path / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    program.parent.mkdir()
    program.touch()
    assert find_python() == str(program)
