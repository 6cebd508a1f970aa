"""Children under scripts of every kind: nothing of the script is run again, and no child stays behind."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nemoparse_loaders.rendering import RenderSettings, child
from nemoparse_loaders.rendering.drawer import Document, Task
from nemoparse_loaders.rendering.interpreter import find_python, start_python
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]

# pidfd is the one way to learn of the end of somebody else's child without asking again and again.
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs pidfd, which only Linux has")

DRAW = """
import asyncio, sys, threading
from nemoparse_loaders.rendering import RenderSettings
from nemoparse_loaders.rendering.pool import RenderPool
from nemoparse_loaders.sources import load_source

print("main")

async def draw(count=3):
    async with RenderPool(2) as pool:
        opened = await pool.open(load_source(sys.argv[1]))
        small = RenderSettings(max_image_size=(100, 100))
        images = await asyncio.gather(*(pool.render(opened, 1, small) for _ in range(count)))
        print("drawn", len(images), flush=True)
"""


@pytest.fixture
def pdf(make_pdf: MakePdf, tmp_path: Path) -> Path:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf())
    return path


def run(code: str, pdf: Path, *flags: str, folder: Path | None = None) -> list[str]:
    script = pdf.with_suffix(".py")
    script.write_text(DRAW + code)
    done = subprocess.run(
        [sys.executable, *flags, str(script), str(pdf)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_a_script_without_a_guard_again_and_again(pdf: Path) -> None:
    code = """
asyncio.run(draw())
asyncio.run(draw())
thread = threading.Thread(target=asyncio.run, args=(draw(),))
thread.start()
thread.join()
"""
    assert run(code, pdf, "-W", "error", "-X", "dev") == ["main"] + ["drawn 3"] * 3


def test_the_parent_loads_neither_pdfium_nor_pillow(pdf: Path) -> None:
    code = (
        "asyncio.run(draw())\nprint([name for name in ('pypdfium2', 'PIL', 'isal') if name in sys.modules])"
    )
    assert run(code, pdf) == ["main", "drawn 3", "[]"]


def test_the_child_loads_no_more_than_it_needs() -> None:
    code = "import nemoparse_loaders.rendering.child, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"aiohttp", "PIL", "pypdfium2", "tokenizers", "nemoparse_loaders.rendering.pool"}


@pytest.mark.parametrize("busy", [False, True])
def test_the_end_of_its_input_is_the_end_of_a_child(pdf: Path, busy: bool) -> None:
    executable = find_python()
    assert executable is not None
    with start_python(executable, child.__name__, None) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert pickle.load(process.stdout) == child.HELLO
        if busy:
            # So many pages that it is at one of them when the input ends; nobody reads what comes of them.
            document = Document(load_source(pdf), None, None)
            for number in range(500):
                task = Task(number, 1, "render", document, 1, RenderSettings())
                pickle.dump(task, process.stdin)
            process.stdin.flush()
            assert pickle.load(process.stdout).id == 0
        process.stdin.close()
        assert process.wait(30) == 0


def test_where_the_interpreter_and_the_path_are_odd(pdf: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    code = f"""
import os
os.chdir({str(elsewhere)!r})
asyncio.run(draw())
print(os.listdir("."))
"""
    assert run(code, pdf, folder=tmp_path) == ["main", "drawn 3", "[]"]
    package = Path(__file__).parents[2]
    code = "asyncio.run(draw())"
    script = pdf.with_suffix(".py")
    script.write_text(f"import sys; sys.path.insert(0, {str(package)!r})\n" + DRAW + code)
    done = subprocess.run(
        [sys.executable, "-I", str(script), str(pdf)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["main", "drawn", "3"]


def test_a_daemonic_process_may_draw(pdf: Path) -> None:
    code = """
import multiprocessing, time

def work():
    asyncio.run(draw())

context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
if __name__ == "__main__":
    process = context.Process(target=work, daemon=True)
    process.start()
    process.join()
    print(process.exitcode)
"""
    assert [line for line in run(code, pdf) if line != "main"] == ["drawn 3", "0"]


def test_a_fork_leaves_the_children_of_its_parent_alone(pdf: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    code = """
import os, warnings
from nemoparse_loaders.rendering.workers import _end_all as end_all
warnings.simplefilter("ignore")

async def main():
    async with RenderPool(1) as pool:
        opened = await pool.open(load_source(sys.argv[1]))
        pid = os.fork()
        if not pid:
            pool.__del__()
            end_all()
            os._exit(0)  # the loop is shared with the parent: leave it alone
        os.waitpid(pid, 0)
        await pool.render(opened, 1, RenderSettings())
        print(len(pool.pids), flush=True)

asyncio.run(main())
"""
    out = run(code, pdf)
    assert out[-1] == "1"


def test_a_pool_that_is_never_left(pdf: Path) -> None:
    code = """
async def main():
    pool = RenderPool(1)
    await pool.__aenter__()
    await pool.open(load_source(sys.argv[1]))
    return pool

loop = asyncio.new_event_loop()
kept = loop.run_until_complete(main())
loop.close()
print("end")
"""
    assert run(code, pdf) == ["main", "end"]


HANGING = """
async def main():
    async with RenderPool(2) as pool:
        opened = await pool.open(load_source(sys.argv[1]))
        both = [asyncio.ensure_future(pool.render(opened, 1, RenderSettings())) for _ in range(4)]
        while len(pool.pids) < 2:
            await asyncio.sleep(0.001)
        print(*pool.pids, flush=True)
        await asyncio.gather(*both)

asyncio.run(main())
"""


@pytest.fixture
def hanging(pdf: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A script in whose children a page is drawn for ever, in a process group of its own."""
    package = tmp_path / "isal"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "isal_zlib.py").write_text("def compress(data, level):\n    while True: pass\n")
    script = tmp_path / "hanging.py"
    script.write_text(DRAW + HANGING)
    command = [sys.executable, str(script), str(pdf)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        process.kill()


def watch(process: subprocess.Popen[str]) -> list[int]:
    assert process.stdout is not None
    assert process.stdout.readline() == "main\n"
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    return [os.pidfd_open(pid) for pid in pids]


def assert_end(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        ready, _, _ = select.select([descriptor], [], [], 30)
        assert ready, "a child has outlived its parent by 30 seconds"
        os.close(descriptor)


@linux_only
def test_children_end_with_a_parent_that_is_killed(hanging: subprocess.Popen[str]) -> None:
    children = watch(hanging)
    hanging.kill()
    hanging.wait()
    assert_end(children)


@linux_only
def test_ctrl_c_ends_parent_and_children(hanging: subprocess.Popen[str]) -> None:
    children = watch(hanging)
    os.killpg(hanging.pid, signal.SIGINT)
    assert hanging.wait() != 0
    assert_end(children)
    assert hanging.stderr is not None
    # Python 3.10 tells of the page that was not drawn besides.
    assert "KeyboardInterrupt" in hanging.stderr.read()
