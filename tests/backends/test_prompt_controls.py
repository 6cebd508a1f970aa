"""What a page is asked for: tasks of each generation, detection, and engines that have no prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from nemoparse_loaders import DocumentParser, ParseOptions
from nemoparse_loaders.backends.base import DetectingSession, can_detect
from nemoparse_loaders.backends.nvidia import NvidiaBackend
from nemoparse_loaders.backends.resolve import resolve_backends
from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.errors import OptionError
from nemoparse_loaders.profiles import PROFILES, Profile, ProfileName, PromptControls
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import HttpError, ParseServer, RecordedRequest, Reply

DETECTION = "</s><s><predict_bbox><predict_classes><output_no_text><predict_no_text_in_pic>"
BARE = "# Ledger\n\nPaid in full.\n\n\\begin{tabular}{ll}\nA & B \\\\\n1 & 2 \\\\\n\\end{tabular}"


@pytest.fixture
def server() -> Iterator[ParseServer]:
    with ParseServer() as server:
        yield server


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_defaults_give_the_task_of_the_generation(profile: Profile) -> None:
    assert profile.task_for(PromptControls()) == profile.task


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_one_token_of_each_group_in_their_order(profile: Profile) -> None:
    by_name: dict[tuple[bool, ...], str] = {}
    for boxes, classes, plain, pictures in product((True, False), repeat=4):
        if profile.name == "1.1":
            controls, expected_end = PromptControls(boxes, classes, plain), ""
        else:
            controls = PromptControls(boxes, classes, plain, pictures)
            expected_end = "<predict_text_in_pic>" if pictures else "<predict_no_text_in_pic>"
        by_name[boxes, classes, plain, pictures] = profile.task_for(controls)
        assert profile.task_for(controls) == (
            "</s><s>"
            + ("<predict_bbox>" if boxes else "<no_bbox>")
            + ("<predict_classes>" if classes else "<no_classes>")
            + ("<output_plain>" if plain else "<output_markdown>")
            + expected_end
        )
    assert len(set(by_name.values())) == (8 if profile.name == "1.1" else 16)


@pytest.mark.parametrize("wanted", [True, False])
def test_the_first_generation_has_no_choice_about_pictures(wanted: bool) -> None:
    with pytest.raises(OptionError, match=r"text_in_pictures: generation 1\.1"):
        PROFILES["1.1"].task_for(PromptControls(text_in_pictures=wanted))


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ({"boxes": False}, "<no_bbox><predict_classes><output_markdown><predict_text_in_pic>"),
        ({"classes": False}, "<predict_bbox><no_classes><output_markdown><predict_text_in_pic>"),
        ({"plain_text": True}, "<predict_bbox><predict_classes><output_plain><predict_text_in_pic>"),
        (
            {"text_in_pictures": False},
            "<predict_bbox><predict_classes><output_markdown><predict_no_text_in_pic>",
        ),
    ],
)
def test_options_reach_the_prompt(
    server: ParseServer, make_pdf: Callable[..., bytes], values: dict[str, Any], task: str
) -> None:
    DocumentParser(base_url=server.base_url, render_workers=0, **values).parse(make_pdf("words"))
    assert [request.task for request in server.page_requests] == [f"</s><s>{task}"]


def test_a_choice_that_the_served_generation_lacks_ends_the_run(make_pdf: Callable[..., bytes]) -> None:
    with ParseServer(model="nemotron-parse-v1.1") as server:
        parser = DocumentParser(base_url=server.base_url, render_workers=0, text_in_pictures=True)
        with pytest.raises(OptionError, match=r"generation 1\.1 has no such choice"):
            parser.parse(make_pdf("words"))
    assert server.page_requests == []


async def test_the_fingerprint_has_the_task(server: ParseServer) -> None:
    fingerprints = []
    for controls in (PromptControls(), PromptControls(text_in_pictures=True), PromptControls(boxes=False)):
        async with VllmBackend(server.base_url, controls=controls).session() as session:
            fingerprints.append(session.fingerprint)
    # The default said aloud is still the default.
    assert fingerprints[0] == fingerprints[1] != fingerprints[2]
    assert json.loads(fingerprints[0])["messages"] == [PROFILES["3.5"].task]


@pytest.mark.parametrize(
    "values", [{"boxes": False}, {"classes": False}, {"plain_text": True}, {"text_in_pictures": True}]
)
@pytest.mark.parametrize("backend", ["nvidia", "cpu"])
def test_engines_without_a_prompt_refuse(backend: str, values: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(values))}: the {backend} backend takes none"):
        resolve_backends(ParseOptions.build(backend=backend, **values))


def test_engines_without_a_prompt_take_the_defaults() -> None:
    options = ParseOptions.build(boxes=True, classes=True, plain_text=False, text_in_pictures=None)
    assert resolve_backends(options.model_copy(update={"backend": "cpu"}))[0].name == "cpu"
    assert resolve_backends(options.model_copy(update={"backend": "nvidia"}))[0].name == "nvidia"


@pytest.mark.parametrize("name", ["3.5", "2.0", "1.2"])
async def test_detection_differs_in_its_task_only(
    server: ParseServer, page: PageImage, name: ProfileName
) -> None:
    backend = VllmBackend(server.base_url, profile=name, controls=PromptControls(boxes=False))
    async with backend.session() as session:
        assert can_detect(session)
        await session.read(page)
        reply = await session.detect(page)
    first, second = server.page_requests
    assert second.task == DETECTION
    assert second.image == first.image == page.data
    first.json["messages"] = second.json["messages"] = None
    assert second.json == first.json
    assert reply.finish_reason == "stop"


async def test_a_generation_without_detection_says_so(server: ParseServer, page: PageImage) -> None:
    async with VllmBackend(server.base_url, profile="1.1").session() as session:
        assert isinstance(session, DetectingSession)
        assert not can_detect(session)
        with pytest.raises(OptionError, match=r"1\.1"):
            await session.detect(page)


async def test_a_nim_cannot_detect(server: ParseServer) -> None:
    async with NvidiaBackend(server.base_url).session() as session:
        assert not can_detect(session)


async def test_detection_does_without_a_loop_detector_that_is_refused(page: PageImage) -> None:
    def refuses(request: RecordedRequest) -> HttpError | None:
        asks = "repetition_detection" in (request.json or {})
        return HttpError(400, {"error": "unknown field repetition_detection"}) if asks else None

    async with ParseServer(faults=refuses) as server, VllmBackend(server.base_url).session() as session:
        await session.detect(page)
        await session.read(page)
    assert [request.status for request in server.page_requests] == [400, 200, 200]


@pytest.mark.parametrize(
    ("values", "reply", "types"),
    [
        ({"boxes": False, "classes": False}, BARE, ["Table"]),
        ({"boxes": False, "classes": False, "plain_text": True}, "Ledger\n\nPaid in full.", ["Text"]),
        (
            {"boxes": False},
            "# Ledger<class_Title>\n\nPaid.<class_Text>\n\n<class_Picture>",
            ["Title", "Text", "Picture"],
        ),
        (
            {"classes": False},
            "<x_0.1><y_0.1># Ledger<x_0.9><y_0.2>\n\n<x_0.1><y_0.3>Paid.<x_0.9><y_0.4>",
            ["Text", "Text"],
        ),
        (
            {"text_in_pictures": False},
            "<x_0.1><y_0.1>Paid.<x_0.9><y_0.2><class_Text>\n<x_0.1><y_0.3><x_0.9><y_0.4><class_Picture>",
            ["Text", "Picture"],
        ),
    ],
)
def test_replies_without_all_of_it_are_whole(
    make_pdf: Callable[..., bytes], values: dict[str, Any], reply: str, types: list[str]
) -> None:
    with ParseServer(replies=Reply(reply)) as server:
        document = DocumentParser(base_url=server.base_url, render_workers=0, **values).parse(
            make_pdf("words")
        )
    (page,) = document.pages
    assert (page.status, page.attempts) == ("ok", 1)
    assert [element.type for element in page.elements] == types
    # What they say is not what the file says, and that may be noted; how they are made is sound.
    issues = [*page.issues, *(issue for element in page.elements for issue in element.issues)]
    assert not {"malformed", "truncated", "duplicate", "loop"} & {issue.code for issue in issues}
    assert "Paid" in document.to_markdown()
