"""Scripts: replies and faults by what a request is for."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from PIL import Image

from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.backends.nvidia import NvidiaBackend
from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import BBox
from nemoparse_loaders.errors import BackendError
from nemoparse_loaders.rendering import PageImage, PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source
from nemoparse_loaders.testing import (
    OTHERS,
    SAMPLE_DETECTION,
    SAMPLE_PAGE,
    SAMPLE_REGION,
    HttpError,
    Loop,
    ParseServer,
    RecordedRequest,
    Reply,
    Script,
    picture_name,
)

Pictures = tuple[PageImage, PageImage, PageImage]


@pytest.fixture
def pictures(make_pdf: Callable[..., bytes]) -> Pictures:
    """A page and two parts of it."""
    settings = RenderSettings(max_image_size=(400, 500))
    with PageRenderer(load_source(make_pdf("a page of words"))) as renderer:
        boxes = (BBox(0.0, 0.0, 0.5, 0.2), BBox(0.5, 0.5, 0.9, 1.0))
        first, second = (renderer.render_region(1, settings, box).image for box in boxes)
        return renderer.render(1, settings), first, second


async def ask(server: ParseServer, pictures: Pictures) -> list[ModelReply]:
    """The page, its first part, detection, its second part."""
    page, first, second = pictures
    async with VllmBackend(server.base_url).session() as session:
        return [
            await session.read(page),
            await session.read(first),
            await session.detect(page),
            await session.read(second),
        ]


async def test_each_kind_has_its_replies(pictures: Pictures) -> None:
    async with ParseServer(replies=Script()) as server:
        replies = await ask(server, pictures)
    assert [reply.text for reply in replies] == [SAMPLE_PAGE, SAMPLE_REGION, SAMPLE_DETECTION, SAMPLE_REGION]
    assert [request.kind for request in server.page_requests] == ["page", "region", "detection", "region"]


async def test_replies_of_a_kind_come_one_by_one(pictures: Pictures) -> None:
    script = Script(
        region=["right", Reply("cut", "length")], page="whole", detection=lambda request: request.task
    )
    async with ParseServer(replies=script) as server:
        replies = await ask(server, pictures)
        replies += await ask(server, pictures)
    said = [(reply.text, reply.finish_reason) for reply in replies if "<" not in reply.text]
    once = [("whole", "stop"), ("right", "stop"), ("cut", "length")]
    assert said == [*once, ("whole", "stop"), ("cut", "length"), ("cut", "length")]


async def test_replies_by_picture(pictures: Pictures) -> None:
    script = Script(
        region={picture_name(pictures[2].data): "the second", OTHERS: "another"},
        detection={picture_name(pictures[0].data): "where"},
    )
    async with ParseServer(replies=script, checks_requests=False) as server:
        replies = await ask(server, pictures)
    assert [reply.text for reply in replies] == [SAMPLE_PAGE, "another", "where", "the second"]


async def test_a_picture_that_no_script_knows_is_told(
    pictures: Pictures, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(page={"0" * 64: "other"})
    async with ParseServer(replies=script) as server, VllmBackend(server.base_url).session() as session:
        with pytest.raises(BackendError, match="500"):
            await session.read(pictures[0])
    assert picture_name(pictures[0].data) in caplog.text


async def test_each_kind_has_its_faults(pictures: Pictures) -> None:
    def by_function(request: RecordedRequest) -> Loop | None:
        return Loop() if "no_text" in request.task else None

    script = Script(
        page_faults=[None, HttpError(503)],
        region_faults={picture_name(pictures[1].data): Loop(reason="repetition")},
        detection_faults=by_function,
    )
    async with ParseServer(replies=script) as server:
        page, first, detection, second = await ask(server, pictures)
        async with VllmBackend(server.base_url).session() as session:
            with pytest.raises(BackendError, match="503"):
                await session.read(pictures[0])
            assert (await session.read(pictures[1])).finish_reason == "repetition"
    assert (page.text, second.text) == (SAMPLE_PAGE, SAMPLE_REGION)
    assert first.finish_reason == "repetition"
    assert len(detection.text) > len(SAMPLE_DETECTION)


async def test_one_fault_for_all_of_a_kind_leaves_the_others(pictures: Pictures) -> None:
    async with ParseServer(replies=Script(detection_faults=HttpError(500))) as server:
        with pytest.raises(BackendError, match="500"):
            await ask(server, pictures)
    assert [request.status for request in server.requests] == [200, 200, 200, 500]


async def test_faults_of_the_server_go_over_those_of_the_script(pictures: Pictures) -> None:
    script = Script(page_faults=HttpError(500))
    async with ParseServer(replies=script, faults=[HttpError(503)]) as server:
        with pytest.raises(BackendError, match="503"):
            await ask(server, pictures)


async def test_pages_of_several_sizes_are_named(pictures: Pictures) -> None:
    page, first, _ = pictures
    script = Script(page_sizes=[(page.width, page.height), (first.width, first.height)])
    async with ParseServer(replies=script) as server:
        await ask(server, pictures)
    assert [request.kind for request in server.page_requests] == ["page", "page", "detection", "region"]


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("checks", [True, False])
async def test_sizes_of_pictures(pictures: Pictures, form: str, checks: bool) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (123, 45), "red").save(stream, form)
    image = replace(pictures[0], data=stream.getvalue(), media_type=f"image/{form.lower()}")
    async with ParseServer(checks_requests=checks) as server:
        async with VllmBackend(server.base_url).session() as session:
            await session.read(image)
        assert server.page_requests[0].picture_size() == (123, 45)
        assert server.page_requests[0].has_picture
        assert (server.requests[0].picture_size(), server.requests[0].has_picture) == ((0, 0), False)
        assert server.requests[0].kind is None


async def test_a_nim_knows_pages_and_parts(pictures: Pictures) -> None:
    script = Script()
    async with ParseServer(replies=script) as server, NvidiaBackend(server.base_url).session() as session:
        texts = [(await session.read(picture)).text for picture in pictures]
    assert texts == [SAMPLE_PAGE, SAMPLE_REGION, SAMPLE_REGION]


def test_the_samples_belong_together() -> None:
    page, detected = decode_page(SAMPLE_PAGE), decode_page(SAMPLE_DETECTION)
    assert [(element.type, element.bbox) for element in detected.elements] == [
        (element.type, element.bbox) for element in page.elements
    ]
    assert not any(element.markdown for element in detected.elements)
    (table,) = decode_page(SAMPLE_REGION).tables
    assert [table] == page.tables


def test_as_a_process() -> None:
    command = [sys.executable, "-m", "nemoparse_loaders.testing", "--by-kind"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "base_url" in done.stdout
