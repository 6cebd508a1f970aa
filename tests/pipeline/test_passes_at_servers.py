"""Double and triple pass and escalation through the whole parser, against a server with a script."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders import DocumentParser, ParsedDocument
from nemoparse_loaders.testing import (
    Fault,
    FinishReason,
    HttpError,
    ParseServer,
    RecordedRequest,
    Reply,
    Script,
)

# Where `make_pdf` writes its lines.
HEAD = "<x_0.08><y_0.09># Results of the year<x_0.7><y_0.135><class_Section-header>"
TEXT = "<x_0.08><y_0.298>The results are given above.<x_0.7><y_0.34><class_Text>"
ROWS = ("year & north & south", "2023 & 41 & 17", "2024 & 43 & 19", "2025 & 48 & 23")
GOOD = r"\begin{tabular}{ccc} " + r" \\ ".join(ROWS) + r" \\ \end{tabular}"
CUT = r"\begin{tabular}{ccc} " + r" \\ ".join(ROWS[:2]) + r" \\ "
LAYER = "Results of the year\n" + "\n".join(ROWS).replace("& ", "") + "\nThe results are given above."


def page_with(table: str) -> str:
    return f"{HEAD}\n<x_0.08><y_0.135>{table}<x_0.7><y_0.298><class_Table>\n{TEXT}"


REGION = f"<x_0.05><y_0.05>{GOOD}<x_0.95><y_0.95><class_Table>"
DETECTION = (
    "<x_0.08><y_0.09><x_0.7><y_0.135><class_Section-header>"
    "<x_0.08><y_0.135><x_0.7><y_0.298><class_Table>"
    "<x_0.08><y_0.298><x_0.7><y_0.34><class_Text>"
)


def parse(server: ParseServer, pdf: bytes, **options: Any) -> ParsedDocument:
    values: dict[str, Any] = {"backend": "vllm", "render_workers": 0, "max_retries": 0, "verify": False}
    return DocumentParser(base_url=server.base_url, **(values | options)).parse(pdf)


def kinds(server: ParseServer) -> Counter[str | None]:
    return Counter(request.kind for request in server.page_requests)


def cells(document: ParsedDocument) -> list[list[str]]:
    (table,) = document.tables
    return [[cell.text for cell in table.cells if cell.row == row] for row in range(table.n_rows)]


WHOLE = [row.split(" & ") for row in ROWS]


def test_a_table_is_read_again_by_itself_and_the_better_one_is_taken(make_pdf: Callable[..., bytes]) -> None:
    worse = GOOD.replace("48", "")
    with ParseServer(replies=Script(page=page_with(worse), region=REGION)) as server:
        document = parse(server, make_pdf(LAYER), passes="double")
    assert cells(document) == WHOLE
    page = document.pages[0]
    assert [element.type for element in page.elements] == ["Section-header", "Table", "Text"]
    (other,) = page.elements[1].alternatives
    assert other.table is not None
    assert "48" not in other.text
    assert kinds(server) == {"page": 1, "region": 1}
    assert [step.action for step in page.steps] == ["region"]
    assert page.attempts == 2
    assert document.report is not None
    assert document.report.requests == 2
    assert {stage.stage: stage.requests for stage in document.report.stages} == {"page": 1, "region": 1}
    tokens = sum(stage.completion_tokens for stage in document.report.stages)
    assert tokens == document.report.completion_tokens > 0


def test_triple_asks_for_the_regions_alone_and_puts_in_what_the_page_missed(
    make_pdf: Callable[..., bytes],
) -> None:
    with ParseServer(replies=Script(page=f"{HEAD}\n{TEXT}", region=REGION, detection=DETECTION)) as server:
        document = parse(server, make_pdf(LAYER), passes="triple")
    page = document.pages[0]
    assert [element.type for element in page.elements] == ["Section-header", "Table", "Text"]
    assert [element.id for element in page.elements] == ["p1e1", "p1e2", "p1e3"]
    assert cells(document) == WHOLE
    box = page.elements[1].bbox
    assert box is not None
    assert box == pytest.approx((0.08, 0.135, 0.7, 0.298), abs=0.03)
    assert kinds(server) == {"page": 1, "detection": 1, "region": 1}
    assert page.attempts == 3
    assert [step.action for step in page.steps] == ["detection", "region"]


@pytest.mark.parametrize("passes", ["double", "triple"])
@pytest.mark.parametrize(
    "region",
    [
        Reply(""),
        Reply("no token at all"),
        Reply(REGION[:60], "length"),
        Reply("<x_0.1><y_0.1>again and<x_0.5><y_0.2><class_Text>" * 30, "length"),
        Reply("<x_0.1><y_0.1>words in place of it<x_0.5><y_0.2><class_Text>"),
    ],
    ids=["empty", "no tokens", "cut", "loop", "other class"],
)
def test_a_bad_reply_to_a_region_takes_nothing_from_the_page(
    make_pdf: Callable[..., bytes], region: Reply, passes: str
) -> None:
    with ParseServer(replies=Script(page=page_with(GOOD), region=region, detection=DETECTION)) as server:
        document = parse(server, make_pdf(LAYER), passes=passes)
    assert cells(document) == WHOLE
    assert document.pages[0].status == "ok"


def test_a_region_that_gets_no_reply_costs_nothing_and_is_asked_for_in_the_next_run(
    make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    script = Script(page=page_with(GOOD), region=REGION, region_faults=[HttpError(500)])
    with ParseServer(replies=script) as server:
        first = parse(server, make_pdf(LAYER), passes="double", cache_dir=tmp_path)
        second = parse(server, make_pdf(LAYER), passes="double", cache_dir=tmp_path)
        third = parse(server, make_pdf(LAYER), passes="double", cache_dir=tmp_path)
    assert [cells(document) for document in (first, second, third)] == [WHOLE] * 3
    assert kinds(server) == {"page": 2, "region": 2}
    assert third.pages == second.pages


def test_a_page_from_the_cache_is_the_merged_one(make_pdf: Callable[..., bytes], tmp_path: Path) -> None:
    script = Script(page=page_with(GOOD.replace("48", "")), region=REGION, detection=DETECTION)
    with ParseServer(replies=script) as server:
        documents = [
            parse(server, make_pdf(LAYER), passes="triple", cache_dir=tmp_path, verify=True) for _ in range(2)
        ]
    assert documents[0].pages == documents[1].pages
    assert len(server.page_requests) == 3
    assert documents[1].report is not None
    assert documents[1].report.requests == 0


def test_a_server_without_detection_works_as_in_double_pass(
    make_pdf: Callable[..., bytes], caplog: pytest.LogCaptureFixture
) -> None:
    worse = GOOD.replace("48", "")
    script = Script(page=page_with(worse), region=REGION)
    with ParseServer(replies=script) as server, caplog.at_level(logging.WARNING, logger="nemoparse_loaders"):
        document = parse(
            server, make_pdf(LAYER, LAYER), backend="nvidia", api_key="fake-key", passes="triple"
        )
    assert [message for message in caplog.messages if "regions alone" in message] == [
        "The nvidia engine with a model of generation 3.5 cannot be asked for regions alone: "
        "a triple pass works as a double pass."
    ]
    assert kinds(server) == {"page": 2, "region": 2}
    assert [table.n_rows for table in document.tables] == [4, 4]


def test_failed_detection_leaves_a_double_pass(make_pdf: Callable[..., bytes]) -> None:
    script = Script(
        page=page_with(GOOD.replace("48", "")),
        region=REGION,
        detection=DETECTION,
        detection_faults=HttpError(500),
    )
    with ParseServer(replies=script) as server:
        document = parse(server, make_pdf(LAYER), passes="triple")
    assert cells(document) == WHOLE
    reasons = [step.reason for step in document.pages[0].steps if step.action == "detection"]
    assert len(reasons) == 1
    assert reasons[0].startswith("no reply came to the request for regions alone")


def test_the_file_bears_a_right_page_out(make_pdf: Callable[..., bytes]) -> None:
    with ParseServer(replies=page_with(GOOD)) as server:
        document = parse(server, make_pdf(LAYER), verify=True)
    page = document.pages[0]
    assert page.confidence is not None
    assert page.confidence > 0.8
    assert not page.needs_review


def test_only_what_is_in_doubt_is_escalated(make_pdf: Callable[..., bytes]) -> None:
    wrong = page_with(GOOD.replace("43", "77"))
    pages = [page_with(GOOD), wrong, page_with(GOOD)]
    with ParseServer(replies=Script(page=pages, region=REGION)) as server:
        document = parse(server, make_pdf(*[LAYER] * 3), verify=True, escalate="double", max_concurrency=1)
    assert [page.needs_review for page in document.pages] == [False] * 3
    assert [[step.action for step in page.steps] for page in document.pages] == [
        [],
        ["escalate", "region"],
        [],
    ]
    assert kinds(server) == {"page": 3, "region": 1}
    report = document.report
    assert report is not None
    assert (report.escalated, report.settled, report.needs_review) == (1, 1, 0)
    assert {stage.stage: stage.requests for stage in report.stages} == {"page": 3, "escalation": 1}
    assert all("77" not in table.to_csv() for table in document.tables)
    # The other reading had another number; that the file decided is said, and is no doubt.
    severities = {issue.code: issue.severity for issue in document.pages[1].elements[1].issues}
    assert severities == {"table_reread": "info", "table_disagreement": "info"}


@pytest.mark.parametrize("wrong", ["page", "region"])
def test_one_wrong_number_of_a_large_table_is_settled_by_the_file(
    make_pdf: Callable[..., bytes], wrong: str
) -> None:
    rows = [[f"{row}{column}.{row + column}" for column in range(1, 8)] for row in range(1, 12)]
    layer = "\n".join(" ".join(row) for row in rows)
    right = (
        r"\begin{tabular}{ccccccc} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \\ \end{tabular}"
    )
    false = right.replace("64.10", "64.70")
    page, region = (false, right) if wrong == "page" else (right, false)
    script = Script(
        page=f"<x_0.08><y_0.08>{page}<x_0.95><y_0.6><class_Table>",
        region=f"<x_0.05><y_0.05>{region}<x_0.95><y_0.95><class_Table>",
    )
    with ParseServer(replies=script) as server:
        document = parse(server, make_pdf(layer), verify=True, passes="double")
    assert cells(document) == rows
    (element,) = document.pages[0].elements
    assert [issue.severity for issue in element.issues if issue.code == "table_disagreement"] == ["info"]
    assert not document.pages[0].needs_review
    assert "64.70" in element.alternatives[0].text


@pytest.mark.parametrize("fuller", ["page", "region"])
@pytest.mark.parametrize("less", [GOOD.replace("43", ""), CUT[: CUT.index("2023")] + r"\end{tabular}"])
def test_a_table_that_the_file_does_not_store_is_not_emptied(
    make_pdf: Callable[..., bytes], fuller: str, less: str
) -> None:
    # The header is text, as the words around it are; the rows below it are an image.
    layer = "Results of the year\nyear north south\n\n\n\nThe results are given above."
    page, region = (GOOD, less) if fuller == "page" else (less, GOOD)
    script = Script(page=page_with(page), region=f"<x_0.05><y_0.05>{region}<x_0.95><y_0.95><class_Table>")
    with ParseServer(replies=script) as server:
        document = parse(server, make_pdf(layer), verify=True, passes="double")
    assert cells(document) == WHOLE
    assert document.pages[0].needs_review


@pytest.mark.parametrize(
    "larger",
    [
        "<x_0.1><y_0.1>Hello<x_0.9><y_0.2><class_Text>",
        f"{HEAD}\n{TEXT}",
    ],
    ids=["next to nothing", "no table"],
)
def test_a_larger_reading_that_holds_less_does_not_take_the_place(
    make_pdf: Callable[..., bytes], larger: str
) -> None:
    first = page_with(GOOD.replace("43", "77"))
    with ParseServer(replies=[first, larger]) as server:
        document = parse(server, make_pdf(LAYER), verify=True, escalate="larger", max_image_size=(600, 800))
    assert len(server.page_requests) == 2
    assert [element.type for element in document.pages[0].elements] == ["Section-header", "Table", "Text"]
    assert document.pages[0].needs_review


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("detection", HttpError(500)),
        ("detection", FinishReason("abort")),
        ("region", HttpError(503)),
        ("region", FinishReason("abort")),
    ],
)
def test_what_a_fault_left_out_is_asked_for_in_the_next_run(
    make_pdf: Callable[..., bytes], tmp_path: Path, part: str, fault: Fault
) -> None:
    replies = {"page": f"{HEAD}\n{TEXT}", "region": REGION, "detection": DETECTION}
    with ParseServer(replies=Script(**replies, **{f"{part}_faults": fault})) as server:  # type: ignore[arg-type]
        parse(server, make_pdf(LAYER), passes="triple", cache_dir=tmp_path)
    with ParseServer(replies=Script(**replies)) as server:  # type: ignore[arg-type]
        again = parse(server, make_pdf(LAYER), passes="triple", cache_dir=tmp_path)
        kept = parse(server, make_pdf(LAYER), passes="triple", cache_dir=tmp_path)
    assert cells(again) == WHOLE
    assert len(server.page_requests) == 3
    assert kept.pages == again.pages


def test_a_larger_reading_that_no_reply_came_for_is_asked_for_in_the_next_run(
    make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    wrong = page_with(GOOD.replace("43", "77"))
    options: dict[str, Any] = {"verify": True, "escalate": "larger", "max_image_size": (600, 800)}
    with ParseServer(replies=wrong, faults=[None, HttpError(500)]) as server:
        document = parse(server, make_pdf(LAYER), cache_dir=tmp_path, **options)
    assert document.report is not None
    assert (document.report.escalated, document.report.needs_review) == (0, 1)
    assert [step.action for step in document.pages[0].steps] == ["escalate", "escalate"]
    assert document.pages[0].steps[-1].reason.startswith("no reply came to the larger picture")
    with ParseServer(replies=[wrong, page_with(GOOD)]) as server:
        again = parse(server, make_pdf(LAYER), cache_dir=tmp_path, **options)
        kept = parse(server, make_pdf(LAYER), cache_dir=tmp_path, **options)
    assert len(server.page_requests) == 2
    assert cells(again) == WHOLE
    assert kept.pages == again.pages


@pytest.mark.parametrize(
    "options", [{"escalate": "larger"}, {"escalate": "double", "passes": "triple"}], ids=["larger", "double"]
)
def test_escalation_that_can_change_nothing_is_said(
    make_pdf: Callable[..., bytes], caplog: pytest.LogCaptureFixture, options: dict[str, Any]
) -> None:
    with ParseServer() as server, caplog.at_level(logging.WARNING, logger="nemoparse_loaders"):
        parse(server, make_pdf(LAYER, LAYER), verify=True, **options)
    assert len([message for message in caplog.messages if "every page is read so already" in message]) == 1


def test_a_region_that_is_too_large_for_the_server_is_sent_smaller(make_pdf: Callable[..., bytes]) -> None:
    sizes: list[int] = []

    def too_large(request: RecordedRequest) -> Fault | None:
        sizes.append(len(request.image or b""))
        return HttpError(413) if len(sizes) == 1 else None

    script = Script(page=page_with(GOOD.replace("48", "")), region=REGION, region_faults=too_large)
    rows = ("".join(chr(33 + (7 * row + 3 * column) % 90) for column in range(60)) for row in range(20))
    noise = "\n".join(rows)
    with ParseServer(replies=script) as server:
        document = parse(server, make_pdf(noise), passes="double")
    assert cells(document) == WHOLE
    assert sizes[1] <= sizes[0] // 2
    assert document.pages[0].attempts == len(server.page_requests) == 3


def test_detection_goes_to_the_server_that_had_the_page(make_pdf: Callable[..., bytes]) -> None:
    script = {"page": f"{HEAD}\n{TEXT}", "region": REGION, "detection": DETECTION}
    pdf = make_pdf(*[LAYER] * 8)
    with ParseServer(replies=Script(**script)) as one, ParseServer(replies=Script(**script)) as other:  # type: ignore[arg-type]
        parser = DocumentParser(
            backend="vllm",
            base_url=[one.base_url, other.base_url],
            passes="triple",
            render_workers=0,
            verify=False,
        )
        document = parser.parse(pdf)
    assert len(document.tables) == 8
    for server in (one, other):
        seen = kinds(server)
        assert seen["page"] == seen["detection"] == seen["region"] > 0


def test_whether_pages_are_checked_decides_what_is_escalated_also_with_a_cache(
    make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    script = Script(page=page_with(GOOD.replace("43", "77")), region=REGION)
    with ParseServer(replies=script) as server:
        unchecked, checked = (
            parse(server, make_pdf(LAYER), verify=verify, escalate="double", cache_dir=tmp_path)
            for verify in (False, True)
        )
    assert "77" in unchecked.tables[0].to_csv()
    assert cells(checked) == WHOLE


@pytest.mark.parametrize("on_page_error", ["keep", "skip"])
def test_requests_of_a_page_without_a_reply_add_up(
    make_pdf: Callable[..., bytes], on_page_error: str
) -> None:
    script = Script(page=page_with(GOOD), page_faults=HttpError(500), detection=DETECTION)
    with ParseServer(replies=script) as server:
        document = parse(server, make_pdf(LAYER), passes="triple", on_page_error=on_page_error, max_retries=1)
    assert document.report is not None
    assert document.report.requests == len(server.page_requests)
    assert sum(stage.requests for stage in document.report.stages) == len(server.page_requests)


def test_a_page_in_doubt_is_read_from_a_larger_picture(make_pdf: Callable[..., bytes]) -> None:
    replies = [page_with(GOOD.replace("43", "77")), page_with(GOOD)]
    with ParseServer(replies=replies) as server:
        document = parse(server, make_pdf(LAYER), verify=True, escalate="larger", max_image_size=(600, 800))
    sizes = [request.picture_size() for request in server.page_requests]
    assert sizes[0][1] <= 800 < sizes[1][1] <= 2048
    assert cells(document) == WHOLE
    assert document.report is not None
    assert (document.report.escalated, document.report.settled) == (1, 1)


def test_a_reading_that_is_no_surer_changes_nothing_but_the_record(make_pdf: Callable[..., bytes]) -> None:
    replies = [page_with(GOOD.replace("43", "77")), page_with(GOOD.replace("43", "78").replace("19", "91"))]
    with ParseServer(replies=replies) as server:
        document = parse(server, make_pdf(LAYER), verify=True, escalate="larger", max_image_size=(600, 800))
    page = document.pages[0]
    assert "77" in page.elements[1].text
    assert page.needs_review
    assert [step.action for step in page.steps] == ["escalate", "escalate"]
    assert page.steps[-1].reason == "the larger reading is no surer; the first one stays"
    assert page.attempts == 2
    assert document.report is not None
    assert (document.report.escalated, document.report.settled) == (1, 0)


def test_checks_of_a_page_from_the_cache_cost_no_request(
    make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    with ParseServer(replies=page_with(GOOD)) as server:
        runs = [
            parse(server, make_pdf(LAYER), verify=verify, cache_dir=tmp_path)
            for verify in (False, True, True, False)
        ]
    assert len(server.page_requests) == 1
    assert [run.pages[0].confidence is not None for run in runs] == [False, True, True, False]
    assert runs[1].pages == runs[2].pages
    assert runs[0].pages == runs[3].pages


def test_an_engine_that_goes_by_the_files_text_is_asked_once(
    make_pdf: Callable[..., bytes], caplog: pytest.LogCaptureFixture
) -> None:
    parser = DocumentParser(backend="cpu", passes="triple", escalate="larger", render_workers=0)
    with caplog.at_level(logging.WARNING, logger="nemoparse_loaders"):
        document = parser.parse(make_pdf(LAYER))
    assert document.pages[0].attempts == 1
    assert [message for message in caplog.messages if "change nothing" in message] == [
        "The cpu engine goes by the text that a file stores: passes= and escalate= change nothing."
    ]
