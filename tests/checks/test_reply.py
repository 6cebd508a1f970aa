"""Issues of a page and of its elements, and the status that follows."""

from __future__ import annotations

import pytest

from nemoparse_loaders.checks import BlockFacts, ReplyFacts, block_notes, page_issues, page_status
from nemoparse_loaders.decoding import decode_page


@pytest.mark.parametrize(
    ("facts", "codes", "status"),
    [
        (ReplyFacts(), [], "ok"),
        (ReplyFacts(finish_reason=None), [], "ok"),
        (ReplyFacts(finish_reason="tool_calls"), [], "ok"),
        (ReplyFacts(finish_reason="length"), ["truncated"], "partial"),
        (ReplyFacts(finish_reason="content_filter"), ["truncated"], "partial"),
        (ReplyFacts(finish_reason="abort"), ["abort"], "partial"),
        (ReplyFacts(finish_reason="repetition"), ["loop"], "partial"),
        (ReplyFacts(cut=True), ["truncated"], "partial"),
        (ReplyFacts(empty=True), ["empty"], "failed"),
        (ReplyFacts(empty=True, finish_reason="length"), ["truncated", "empty"], "failed"),
        (ReplyFacts(empty=True, noise=99), ["loop"], "partial"),
        (ReplyFacts(dropped=2), ["duplicate"], "ok"),
        (ReplyFacts(dropped=50), ["loop"], "partial"),
        (ReplyFacts(repeated=4), ["loop"], "partial"),
        (ReplyFacts(runs=1), ["loop"], "partial"),
        (ReplyFacts(runs=2, finish_reason="length"), ["loop", "truncated"], "partial"),
    ],
)
def test_what_is_said_of_a_reply(facts: ReplyFacts, codes: list[str], status: str) -> None:
    issues = page_issues(facts, 7)

    assert [issue.code for issue in issues] == codes
    assert page_status(issues) == status
    assert {issue.page for issue in issues} <= {7}


@pytest.mark.parametrize(
    ("facts", "codes"),
    [
        (BlockFacts(), []),
        (BlockFacts(problem="its class is missing"), ["malformed"]),
        (BlockFacts(damage="a group has no end"), ["malformed"]),
        (BlockFacts(cut=True, problem="its end is missing"), ["truncated"]),
        (BlockFacts(table_cut=True, damage="a group has no end"), ["truncated"]),
        (BlockFacts(unreadable=2), ["unreadable"]),
        (BlockFacts(repeats=True), ["loop"]),
        (BlockFacts(left_out=5_000), ["loop"]),
    ],
)
def test_what_is_said_of_a_block(facts: BlockFacts, codes: list[str]) -> None:
    notes = block_notes(facts)

    assert [code for code, _, _ in notes] == codes
    assert all(message.endswith(".") for _, message, _ in notes)


def test_a_loop_is_told_where_it_is_and_what_was_done() -> None:
    shifted = "".join(
        f"<x_0.1><y_{0.2 + n / 1000:.3f}>Same<x_0.9><y_{0.3 + n / 1000:.3f}><class_Text>" for n in range(6)
    )
    zeros = f"<x_0.1><y_0.8>{'0' * 9_000}<x_0.9><y_0.9><class_Text>"

    page = decode_page(shifted + zeros, "stop")

    assert page.status == "partial"
    assert [issue.code for issue in page.issues] == ["loop", "loop"]
    marked = [element.id for element in page.elements if any(i.code == "loop" for i in element.issues)]
    assert marked == ["p1e2", "p1e3", "p1e4", "p1e5", "p1e6", "p1e7"]
    assert "left out" in page.elements[-1].issues[0].message
    assert set(page.elements[-1].text) == {"0"}
    assert "0" * 9_000 in page.raw


def test_the_head_of_a_table_that_loops_is_good() -> None:
    rows = "1 & 2 \\\\\n" + "0 & 0 \\\\\n" * 3_000
    page = decode_page(
        f"<x_0><y_0>\\begin{{tabular}}{{cc}}A & B \\\\\n{rows}\\end{{tabular}}<x_1><y_1><class_Table>"
    )

    (element,) = page.elements
    assert element.table is not None
    assert element.table.grid()[:3] == [["A", "B"], ["1", "2"], ["0", "0"]]
    assert element.table.n_rows < 300
    assert [issue.code for issue in element.issues] == ["loop"]
