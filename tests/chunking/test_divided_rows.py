"""Rows that a page break divides are one row, and rows with an empty label stay what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.captions import bind_captions
from nemoparse_loaders.chunking.continuations import WholeTable, join_tables
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage, Table, TableCell

from .invariants import assert_sound

Row = Sequence[str]

HEAD = ("Risk", "What it is", "What we do")
OIL = ("Oil", "It wears the planets of", "We look at it.")
SAND = ("Sand", "It gets into all of the bearings.", "We wash them.")


def document_of(*pages: Sequence[Row], header_rows: int = 1) -> ParsedDocument:
    parsed = []
    for number, rows in enumerate(pages, start=1):
        cells = tuple(
            TableCell(row=row, col=col, text=text, is_header=row < header_rows)
            for row, texts in enumerate(rows)
            for col, text in enumerate(texts)
        )
        table = Table(cells=cells, n_rows=len(rows), n_cols=len(rows[0]), header_rows=header_rows)
        element = Element(
            id=f"p{number}e1",
            type="Table",
            bbox=BBox(0.1, 0.1, 0.9, 0.9),
            table=table,
            markdown=table.to_markdown(),
            text="\n".join(table.to_lines()),
        )
        parsed.append(ParsedPage(number=number, elements=(element,)))
    return ParsedDocument(doc_id="d", pages=tuple(parsed), total_pages=len(parsed))


def joined(*pages: Sequence[Row]) -> WholeTable:
    body = body_of(document_of(*pages))
    (whole,) = join_tables(body, bind_captions(body)).values()
    return whole


def test_the_rest_of_a_row_goes_back_into_its_cells() -> None:
    whole = joined([HEAD, SAND, OIL], [HEAD, ("", "the gearbox.", ""), SAND])

    assert whole.table.grid()[1:] == [
        list(SAND),
        ["Oil", "It wears the planets of the gearbox.", "We look at it."],
        list(SAND),
    ]
    assert [(part.first_row, part.n_rows, part.skipped) for part in whole.parts] == [(0, 3, 0), (2, 2, 1)]


@pytest.mark.parametrize(
    ("last", "rest", "together"),
    [
        # A sentence ends in one column where it goes on in another.
        (OIL, ("", "the gearbox.", "Then we wash it."), (*OIL[:1], "the gearbox.", "We look at it. Then we")),
        # The label is divided too.
        (
            ("Oil and", *OIL[1:]),
            ("the sand", "the gearbox.", ""),
            ("Oil and the sand", "of the gearbox.", ""),
        ),
        (
            ("Oil", "It wears the gear-", "We look."),
            ("", "box at night.", ""),
            ("Oil", "gear-box at night.", ""),
        ),
        (
            ("Oil", "It wears planets,", "We look."),
            ("", "suns and shafts.", ""),
            ("Oil", "planets, suns and", ""),
        ),
        (
            ("Oil", "It wears all planets", "We look."),
            ("", "in the gearbox.", ""),
            ("Oil", "planets in the", ""),
        ),
    ],
)
def test_evidence_in_one_column_is_enough(last: Row, rest: Row, together: Row) -> None:
    whole = joined([HEAD, SAND, last], [HEAD, rest, SAND])

    assert whole.table.n_rows == 4
    assert all(text in (found or "") for text, found in zip(together, whole.table.grid()[2], strict=True))


@pytest.mark.parametrize(
    ("last", "rest"),
    [
        # Sentences that end.
        (("Oil", "It wears the planets.", "We look at it."), ("", "the suns wear as well.", "")),
        # Words in upper case.
        (OIL, ("", "The gearbox wears.", "")),
        # A label of its own.
        (OIL, ("Rust", "the gearbox.", "")),
        # Values.
        (("Oil", "It wears the planets of", "23"), ("", "the gearbox.", "31")),
        # Words under an empty cell.
        (("Oil", "It wears the planets of", ""), ("", "the gearbox.", "We look at it.")),
        # Names, one below the other.
        (("Oil", "planet", "wash"), ("", "sun", "look")),
        # A list.
        (("Oil", "It wears all planets", "We look."), ("", "a) of the gearbox", "")),
        (("Oil", "It wears all planets", "We look."), ("", "", "")),
    ],
)
def test_other_rows_stay_apart(last: Row, rest: Row) -> None:
    whole = joined([HEAD, SAND, last], [HEAD, rest, SAND])

    assert whole.table.grid()[2:4] == [list(last), list(rest)]


def test_in_a_column_of_names_lower_case_says_nothing() -> None:
    names = ("Oil", "wear of the planets", "We look.")

    whole = joined([HEAD, names, names], [HEAD, ("", "rust of the shafts", ""), names])

    assert whole.table.n_rows == 5


def test_the_rest_of_a_row_shows_that_a_part_without_header_goes_on() -> None:
    whole = joined([HEAD, SAND, OIL], [("", "the gearbox.", ""), SAND])

    assert whole.table.n_rows == 4
    assert whole.table.header_rows == 1
    assert whole.table.grid()[2][1] == "It wears the planets of the gearbox."


def test_a_row_may_go_on_over_several_pages() -> None:
    whole = joined(
        [HEAD, SAND, OIL], [HEAD, ("", "the gearbox and", "")], [HEAD, ("", "its shafts.", ""), SAND]
    )

    assert whole.table.grid()[2][1] == "It wears the planets of the gearbox and its shafts."
    assert [(part.first_row, part.n_rows) for part in whole.parts] == [(0, 3), (2, 1), (2, 2)]


def test_a_label_that_spans_rows_goes_on_below_the_rest() -> None:
    document = document_of(
        [HEAD, SAND, OIL], [HEAD, ("", "the gearbox.", ""), ("", "It rusts.", "We wash it.")]
    )
    second = document.pages[1].elements[0]
    assert second.table is not None
    cells = [
        cell.model_copy(update={"rowspan": 2}) if (cell.row, cell.col) == (1, 0) else cell
        for cell in second.table.cells
        if (cell.row, cell.col) != (2, 0)
    ]
    spanned = second.model_copy(update={"table": second.table.model_copy(update={"cells": tuple(cells)})})
    page = document.pages[1].model_copy(update={"elements": (spanned,)})
    body = body_of(document.model_copy(update={"pages": (document.pages[0], page)}))

    (whole,) = join_tables(body, {}).values()

    assert whole.table.grid()[2:] == [
        ["Oil", "It wears the planets of the gearbox.", "We look at it."],
        ["", "It rusts.", "We wash it."],
    ]


def test_the_chunk_of_a_divided_row_has_both_pages() -> None:
    document = document_of(
        [HEAD, *[SAND] * 4, OIL], [HEAD, ("", "the gearbox in the turbine.", ""), *[SAND] * 4]
    )

    chunks = assert_sound(document, LayoutChunker(max_tokens=40))

    (row,) = [chunk for chunk in chunks if "gearbox" in chunk.text]
    assert "Oil It wears the planets of the gearbox in the turbine." in row.embed_text
    assert {span.page for span in row.spans} == {1, 2}
    assert row.metadata["pages"] == "1,2"
    assert sum("Oil" in chunk.text for chunk in chunks) == 1


WORD = st.sampled_from(["oil", "sand", "gearbox", "planets", "wear", "rust", "turbine", "shafts", "water"])
SENTENCE = st.lists(WORD, min_size=8, max_size=14).map(lambda words: f"{' '.join(words).capitalize()}.")


@settings(max_examples=50)
@given(st.lists(st.tuples(SENTENCE, SENTENCE, SENTENCE), min_size=2, max_size=6), st.data())
def test_a_divided_table_is_what_it_was(rows: list[tuple[str, str, str]], data: st.DataObject) -> None:
    """A row is divided between the words of some of its cells, of the label only where the others are too."""
    index = data.draw(st.integers(0, len(rows) - 1))
    ends: list[tuple[str, str]] = []
    for col, text in enumerate(rows[index]):
        words = text.split()
        must = col == 1 or (col == 2 and bool(ends[0][1]))
        cut = data.draw(st.integers(3, len(words) - 2)) if must or data.draw(st.booleans()) else len(words)
        ends.append((" ".join(words[:cut]), " ".join(words[cut:])))
    first = [HEAD, *rows[:index], [before for before, _ in ends]]
    second = [HEAD, [rest for _, rest in ends], *rows[index + 1 :]]

    whole = joined(first, second)

    assert whole.table.grid() == [list(row) for row in (HEAD, *rows)]


CELL = st.sampled_from(["", "", "Oil", "It wears the planets of", "the gearbox.", "and its shafts", "23"])


def _with_text(cell: TableCell, is_meant: bool, row: Row) -> TableCell:
    return cell.model_copy(update={"text": row[cell.col]}) if is_meant else cell


@st.composite
def long_tables(draw: st.DrawFn) -> ParsedDocument:
    """A table on each page, its last row perhaps divided; cells of the first two columns may span rows."""
    pages = []
    for number in range(1, draw(st.integers(2, 4)) + 1):
        n_rows = draw(st.integers(1, 4))
        cells = [TableCell(row=0, col=col, text=text, is_header=True) for col, text in enumerate(HEAD)]
        for col in range(3):
            row = 1
            while row <= n_rows:
                rowspan = draw(st.integers(1, min(2, n_rows - row + 1))) if col < 2 else 1
                cells.append(TableCell(row=row, col=col, rowspan=rowspan, text=draw(CELL)))
                row += rowspan
        if draw(st.booleans()):
            cells = [_with_text(cell, cell.row == 1, ("", "the gearbox and", "")) for cell in cells]
        if draw(st.booleans()):
            is_last = [cell.row + cell.rowspan > n_rows for cell in cells]
            cells = [_with_text(cell, last, OIL) for cell, last in zip(cells, is_last, strict=True)]
        cells.sort(key=lambda cell: (cell.row, cell.col))
        table = Table(cells=tuple(cells), n_rows=n_rows + 1, n_cols=3, header_rows=1)
        element = Element(
            id=f"p{number}e1", type="Table", table=table, markdown=table.to_markdown(), text="words"
        )
        pages.append(ParsedPage(number=number, elements=(element,)))
    return ParsedDocument(doc_id="d", pages=tuple(pages), total_pages=len(pages))


@given(long_tables(), st.sampled_from([32, 64, 400]))
def test_joining_loses_and_doubles_no_word_of_a_cell(document: ParsedDocument, max_tokens: int) -> None:
    body = body_of(document)

    for whole in join_tables(body, bind_captions(body)).values():
        printed = Counter(
            word
            for part in whole.parts
            for cell in part.table.cells
            if cell.row >= part.skipped
            for word in cell.text.split()
        )
        assert Counter(word for cell in whole.table.cells for word in cell.text.split()) == printed
        taken = Counter(
            (row, col)
            for cell in whole.table.cells
            for row in range(cell.row, cell.row + cell.rowspan)
            for col in range(cell.col, cell.col + cell.colspan)
        )
        assert max(taken.values()) == 1, "cells lie over each other"
        assert max(row for row, _ in taken) < whole.table.n_rows
        for before, part in pairwise(whole.parts):
            assert before.first_row + before.n_rows - part.first_row in (0, 1)
        assert whole.parts[-1].first_row + whole.parts[-1].n_rows == whole.table.n_rows
    assert_sound(document, LayoutChunker(max_tokens=max_tokens))
