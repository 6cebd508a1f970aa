"""What the fuzzer calls: bytes in, an AssertionError or another exception where a promise is broken."""

from __future__ import annotations

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.decoding.tables import find_tables
from nemoparse_loaders.decoding.tables.found import FoundTable
from nemoparse_loaders.document import ParsedPage, Table

PROFILES = ("3.5", "2.0", "1.2", "1.1")
REASONS = ("stop", "length", None, "repetition", "abort", "tool_calls")
MOST_PLACES = 200_000


def check_reply(data: bytes) -> None:
    """`decode_page` on any reply: no exception, a valid page; a whole one comes back when it is printed."""
    if not data:
        return
    profile = PROFILES[data[0] % len(PROFILES)]
    reason = REASONS[data[0] // len(PROFILES) % len(REASONS)]
    reply = data[1:].decode("utf-8", errors="surrogateescape" if data[0] & 128 else "replace")

    page = decode_page(reply, reason, profile=profile, image_size=(1700, 2200))

    check_page(page)
    again = decode_page(
        encode_page(page.elements, profile=profile, image_size=(1700, 2200)),
        profile=profile,
        image_size=(1700, 2200),
    )
    check_page(again)
    if profile == "3.5" and _is_whole(page):
        assert again.elements == page.elements


def _is_whole(page: ParsedPage) -> bool:
    """Sound blocks, each of which is one element: a block with several tables comes back as several."""
    boxes = {element.bbox for element in page.elements}
    return (
        page.status == "ok"
        and None not in boxes
        and len(boxes) == len(page.elements)
        and not any(element.issues for element in page.elements)
    )


def check_table(data: bytes) -> None:
    """The table reader on any body: no exception, no cell that overlaps another."""
    body = data[1:].decode("utf-8", errors="replace")
    parts = find_tables(body, expected=bool(data[:1] < b"\x80"), marked_only=data[:1] == b"\x01")
    for part in parts:
        if isinstance(part, FoundTable):
            check_grid(part.table)


def check_page(page: ParsedPage) -> None:
    """A page as the contract has it."""
    assert ParsedPage.model_validate(page.model_dump()) == page
    assert page.model_dump_json()
    assert page.status in ("ok", "partial", "failed")
    assert len({element.id for element in page.elements}) == len(page.elements)
    for element in page.elements:
        if element.bbox is not None:
            assert 0.0 <= element.bbox.x0 <= element.bbox.x1 <= 1.0
            assert 0.0 <= element.bbox.y0 <= element.bbox.y1 <= 1.0
        assert {(issue.page, issue.element_id) for issue in element.issues} <= {(page.number, element.id)}
        if element.table is not None:
            check_grid(element.table)
        for table in element.chart.tables if element.chart else ():
            check_grid(table)


def check_grid(table: Table) -> None:
    """Cells fill the table, in order, and none overlaps another."""
    assert table.n_rows * table.n_cols <= MOST_PLACES
    assert table.header_rows <= table.n_rows
    places = [(cell.row, cell.col) for cell in table.cells]
    assert places == sorted(places)
    covered = {
        (cell.row + down, cell.col + right)
        for cell in table.cells
        for down in range(cell.rowspan)
        for right in range(cell.colspan)
    }
    assert len(covered) == sum(cell.rowspan * cell.colspan for cell in table.cells)
    assert len(covered) == table.n_rows * table.n_cols
    assert all(row < table.n_rows and col < table.n_cols for row, col in covered)
    assert all(cell.is_header == (cell.row < table.header_rows) for cell in table.cells)
