"""Pages from child processes are those that this process draws."""

from __future__ import annotations

import asyncio
import csv
import os
import pickle
import random
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from nemoparse_loaders.errors import (
    EncryptedSourceError,
    NemoparseError,
    OptionError,
    PageRenderError,
    SourceError,
    SourceNotFoundError,
)
from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.rendering import pool as pool_module
from nemoparse_loaders.rendering.pool import RenderPool
from nemoparse_loaders.sources import Source, load_source

pytestmark = pytest.mark.asyncio(loop_scope="module")

MakePdf = Callable[..., bytes]
SMALL = RenderSettings(max_image_size=(208, 256), text_layer=True)
COSTLY = {"hugemono.pdf"}  # takes seconds wherever it is drawn
PASSWORDS = {
    "libreoffice-writer-password.pdf": "openpassword",
    "saslprep-r6.pdf": "S\u00aaSL\u00adprep",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=[2, 0])
async def pool(request: pytest.FixtureRequest) -> AsyncIterator[RenderPool]:
    async with RenderPool(request.param) as pool:
        yield pool


def wide(make_pdf: MakePdf, width: int, pages: int = 3) -> Source:
    return load_source(make_pdf([b"/MediaBox[0 0 %d 400]" % width] * pages), file_name=f"{width}.pdf")


async def test_a_page_and_its_parts(pool: RenderPool, make_pdf: MakePdf) -> None:
    source = wide(make_pdf, 300)
    opened = await pool.open(source)
    with PageRenderer(source) as renderer:
        assert (opened.page_count, opened.title, opened.issues) == (3, renderer.title, renderer.issues)
        assert await pool.render(opened, 2, SMALL) == renderer.render(2, SMALL)
        assert await pool.render_bands(opened, 2, SMALL, 2) == renderer.render_bands(2, SMALL, 2)
        assert await pool.text_layer(opened, 2) == renderer.render(2, SMALL).text_layer
    await pool.close(opened)


async def test_errors_are_those_of_the_renderer(pool: RenderPool, make_pdf: MakePdf, tmp_path: Path) -> None:
    opened = await pool.open(wide(make_pdf, 300))
    with pytest.raises(PageRenderError, match=r"300.pdf, page 9: there is no such page; the file has 3"):
        await pool.render(opened, 9, SMALL)
    path = tmp_path / "gone.pdf"
    path.write_bytes(make_pdf())
    source = load_source(path)
    path.unlink()
    with pytest.raises(SourceNotFoundError, match=r"gone.pdf: there is no such file"):
        await pool.open(source)


async def test_closed_sources_and_pools_say_so(pool: RenderPool, make_pdf: MakePdf) -> None:
    opened = await pool.open(wide(make_pdf, 300))
    waiting = [asyncio.ensure_future(pool.render(opened, 1, SMALL)) for _ in range(10)]
    await asyncio.sleep(0)
    await pool.close(opened)
    await pool.close(opened)
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert any("was closed before" in str(end) for end in ends)
    with pytest.raises(RuntimeError, match="the source is closed"):
        await pool.render(opened, 1, SMALL)
    with pytest.raises(RuntimeError, match="the RenderPool is not open"):
        await RenderPool(1).open(opened.source)


async def test_a_pool_that_is_left_answers_those_who_wait(make_pdf: MakePdf) -> None:
    async with RenderPool(1) as pool:
        opened = await pool.open(wide(make_pdf, 300))
        waiting = [asyncio.ensure_future(pool.render(opened, 1, SMALL)) for _ in range(10)]
        await asyncio.sleep(0)
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert any("the RenderPool was closed" in str(end) for end in ends)
    assert all(not isinstance(end, BaseException) or isinstance(end, PageRenderError) for end in ends)


@pytest.mark.parametrize("arguments", [{"workers": -1}, {"timeout": 0}, {"timeout": float("nan")}])
async def test_values_that_cannot_work(arguments: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        RenderPool(**arguments)  # type: ignore[arg-type]


async def test_what_is_opened_travels_without_its_secret(pool: RenderPool, make_pdf: MakePdf) -> None:
    opened = await pool.open(wide(make_pdf, 300), "hush-hush")
    assert pickle.loads(pickle.dumps(opened)) == opened
    assert "hush-hush" not in repr(opened)
    assert b"hush-hush" not in pickle.dumps(opened)


async def test_hundreds_of_documents_at_once(pool: RenderPool, make_pdf: MakePdf) -> None:
    async def read(width: int) -> None:
        opened = await pool.open(wide(make_pdf, width))
        images = await asyncio.gather(*(pool.render(opened, number, SMALL) for number in (3, 1, 2)))
        assert [(image.geometry.number, image.geometry.width_pt) for image in images] == [
            (number, width) for number in (3, 1, 2)
        ]
        await pool.close(opened)

    await asyncio.gather(*(read(width) for width in range(300, 500)))


async def test_cancelled_pages_disturb_nobody(pool: RenderPool, make_pdf: MakePdf) -> None:
    chance = random.Random(3)
    opened = [await pool.open(wide(make_pdf, width, 9)) for width in range(300, 308)]
    tasks = {
        (document.source.file_name, number): asyncio.ensure_future(pool.render(document, number, SMALL))
        for document in opened
        for number in range(1, 10)
    }
    cancelled = set()
    for key in chance.sample(sorted(tasks), 40):
        for _ in range(chance.randrange(30)):
            await asyncio.sleep(0)
        if tasks[key].cancel():
            cancelled.add(key)
    ends = dict(zip(tasks, await asyncio.gather(*tasks.values(), return_exceptions=True), strict=True))
    assert cancelled
    for (name, number), end in ends.items():
        if (name, number) in cancelled:
            assert isinstance(end, asyncio.CancelledError)
        else:
            assert not isinstance(end, BaseException)
            assert (f"{end.geometry.width_pt:.0f}.pdf", end.geometry.number) == (name, number)
    await asyncio.gather(*map(pool.close, opened))


async def test_a_file_that_is_changed_or_gone(pool: RenderPool, make_pdf: MakePdf, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    content = make_pdf()
    path.write_bytes(content)
    opened = await pool.open(load_source(path))
    first = await pool.render(opened, 1, SMALL)
    os.utime(path, ns=(1, 1))  # touched: it is still the same
    assert await pool.render(opened, 1, SMALL) == first
    path.write_bytes(make_pdf(content=b"0 0 9 9 re f"))
    with pytest.raises(PageRenderError, match=r"a.pdf, page 1: the file was changed while it was being read"):
        await pool.render(opened, 1, SMALL)
    path.unlink()
    with pytest.raises(PageRenderError, match=r"a.pdf, page 1: there is no such file"):
        await pool.render(opened, 1, SMALL)
    path.write_bytes(content)
    assert await pool.render(opened, 1, SMALL) == first


async def test_a_file_that_is_changed_before_it_is_opened(
    pool: RenderPool, make_pdf: MakePdf, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf())
    source = load_source(path)
    os.utime(path, ns=(1, 1))  # touched: it is still the same
    await pool.close(await pool.open(source))
    path.write_bytes(make_pdf(content=b"0 0 9 9 re f"))
    with pytest.raises(SourceError, match=r"a.pdf: the file was changed while it was being read"):
        await pool.open(source)


@pytest.mark.parametrize("limits", [{"_PAGES_A_WORKER": 4}, {"_LEAST_PAGES": 3, "_TIRED_BYTES": 1 << 20}])
async def test_workers_are_few_until_pages_wait_and_are_renewed(
    make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
) -> None:
    if "_TIRED_BYTES" in limits and sys.platform != "linux":
        pytest.skip("only Linux says how much memory a process takes now")
    for name, value in limits.items():
        monkeypatch.setattr(pool_module, name, value)
    async with RenderPool(2) as pool:
        assert (pool.pids, pool.width) == ((), 2)
        opened = await pool.open(wide(make_pdf, 300, 12))
        assert len(pool.pids) == 1
        await pool.render(opened, 1, SMALL)
        assert len(pool.pids) == 1
        before = pool.pids
        images = await asyncio.gather(*(pool.render(opened, number, SMALL) for number in range(1, 13)))
        assert [image.geometry.number for image in images] == list(range(1, 13))
        assert len(pool.pids) <= 2
        assert not set(before) & set(pool.pids)


async def outcome(pool: RenderPool, source: Source, password: str | None) -> list[object]:
    try:
        opened = await pool.open(source, password)
    except NemoparseError as error:
        return [(type(error), str(error))]
    numbers = range(1, min(2, opened.page_count) + 1)
    pages = await asyncio.gather(*(pool.render(opened, n, SMALL) for n in numbers), return_exceptions=True)
    await pool.close(opened)
    facts = (opened.page_count, opened.title, opened.issues)
    return [facts, *((type(page), str(page)) if isinstance(page, Exception) else page for page in pages)]


def drawn_here(source: Source, password: str | None) -> list[object]:
    try:
        with PageRenderer(source, password) as renderer:
            facts = (renderer.page_count, renderer.title, renderer.issues)
            return [facts, *(page_here(renderer, n) for n in range(1, min(2, renderer.page_count) + 1))]
    except NemoparseError as error:
        return [(type(error), str(error))]


def page_here(renderer: PageRenderer, number: int) -> object:
    try:
        return renderer.render(number, SMALL)
    except PageRenderError as error:
        return type(error), str(error)


@pytest.mark.data
async def test_hard_files_come_out_the_same(data_dir: Path, pool: RenderPool) -> None:
    with (data_dir / "files" / "MANIFEST.tsv").open(newline="", encoding="utf-8") as file:
        names = [row["file"] for row in csv.DictReader(file, delimiter="\t")]
    assert len(names) > 60
    for name in names[:: 1 if pool.pids else 6]:
        if name in COSTLY:
            continue
        try:
            source = load_source(data_dir / "files" / name)
        except NemoparseError:
            continue
        password = PASSWORDS.get(name)
        assert await outcome(pool, source, password) == drawn_here(source, password), name


@pytest.mark.data
async def test_passwords_reach_every_worker(data_dir: Path, pool: RenderPool) -> None:
    source = load_source(data_dir / "files" / "saslprep-r6.pdf")
    with pytest.raises(EncryptedSourceError, match="a password is needed"):
        await pool.open(source)
    opened = await pool.open(source, PASSWORDS[source.file_name])
    images = await asyncio.gather(*(pool.render(opened, 1, SMALL) for _ in range(6)))
    assert len({image.data for image in images}) == 1
