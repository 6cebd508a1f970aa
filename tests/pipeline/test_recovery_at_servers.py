"""Pages that a server reads badly, through the whole parser: what is asked, and where boxes end up."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from nemoparse_loaders import DocumentParser, ParsedDocument
from nemoparse_loaders.testing import ParseServer, RecordedRequest, Reply

LOOP = Reply("<x_0.1><y_0.1>again<x_0.5><y_0.2><class_Text>" * 30, "length")
BLOCK = "<x_0.1><y_0.25>a block<x_0.5><y_0.75><class_Text>"
LINES = "\n".join(f"Line number {number} of this page" for number in range(20))


def height(request: RecordedRequest) -> float:
    """Of the picture, in widths: 1.33 for the whole page, a half and a quarter of it for its bands."""
    with Image.open(io.BytesIO(request.image or b"")) as picture:
        return float(picture.height / picture.width)


def parse(
    server: ParseServer, pdf: bytes, *, backend: Any = "vllm", text_layer_fallback: bool = False
) -> ParsedDocument:
    parser = DocumentParser(
        base_url=server.base_url,
        backend=backend,
        text_layer_fallback=text_layer_fallback,
        render_workers=0,
        max_retries=0,
    )
    return parser.parse(pdf)


def steps(document: ParsedDocument) -> list[str]:
    return [step.action for step in document.pages[0].steps]


def test_other_sampling_is_asked_of_the_server(make_pdf: Callable[..., bytes]) -> None:
    def reply(request: RecordedRequest) -> Reply | str:
        return BLOCK if request.json["seed"] == 1 else LOOP

    with ParseServer(replies=reply) as server:
        document = parse(server, make_pdf(LINES))
    assert (document.pages[0].status, steps(document)) == ("ok", ["reread"])
    assert document.report is not None
    assert (document.report.recovered, document.report.requests) == (1, 2)


@pytest.mark.parametrize(("readable", "bands"), [(0.9, 2), (0.45, 4)])
def test_bands_come_back_on_their_places(make_pdf: Callable[..., bytes], readable: float, bands: int) -> None:
    with ParseServer(replies=lambda asked: BLOCK if height(asked) < readable else LOOP) as server:
        document = parse(server, make_pdf(LINES))
    page = document.pages[0]
    assert (page.status, steps(document)) == ("ok", ["reread", "bands"])
    assert [element.id for element in page.elements] == [f"p1e{number + 1}" for number in range(bands)]
    for number, element in enumerate(page.elements):
        assert element.bbox is not None
        # From a quarter to three quarters of its band; cuts lie near equal shares.
        assert element.bbox.y0 == pytest.approx((number + 0.25) / bands, abs=0.1)
        assert element.bbox.height == pytest.approx(0.5 / bands, abs=0.1)
    assert page.attempts == len(server.page_requests) <= 8


@pytest.mark.parametrize("ill", [Reply(""), LOOP])
def test_bands_go_to_another_server_than_the_one_that_reads_badly(
    make_pdf: Callable[..., bytes], ill: Reply
) -> None:
    pdf = make_pdf(*(f"Page {number}\n{LINES}" for number in range(12)))
    with ParseServer(replies=ill) as one, ParseServer(replies=BLOCK) as other:
        parser = DocumentParser(base_url=[one.base_url, other.base_url], render_workers=0, max_retries=0)
        document = parser.parse(pdf)
    assert [page.status for page in document.pages] == ["ok"] * 12
    assert one.page_requests
    assert sum(page.attempts for page in document.pages) == len(one.page_requests + other.page_requests)


def test_a_nim_is_not_asked_for_other_sampling(make_pdf: Callable[..., bytes]) -> None:
    with ParseServer(replies=lambda asked: BLOCK if height(asked) < 1 else LOOP) as server:
        document = parse(server, make_pdf(LINES), backend="nvidia")
    assert (document.pages[0].status, steps(document)) == ("ok", ["bands"])
    assert len(server.page_requests) == 3


def test_the_files_own_text_in_the_end(make_pdf: Callable[..., bytes]) -> None:
    pdf = make_pdf(LINES)
    with ParseServer(replies=LOOP) as server:
        kept = parse(server, pdf)
        document = parse(server, pdf, text_layer_fallback=True)
    assert kept.pages[0].status == "partial"
    assert {element.text for element in kept.pages[0].elements} == {"again"}
    page = document.pages[0]
    assert (page.status, steps(document)[-1]) == ("partial", "text_layer")
    assert " ".join(element.text for element in page.elements) == LINES.replace("\n", " ")
    assert document.report is not None
    assert [issue.code for issue in document.report.failures] == ["text_layer"]


def test_a_good_page_costs_one_request(make_pdf: Callable[..., bytes]) -> None:
    with ParseServer() as server:
        document = parse(server, make_pdf(LINES))
    assert (steps(document), len(server.page_requests)) == ([], 1)
