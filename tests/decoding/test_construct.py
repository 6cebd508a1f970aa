"""What is built without validation equals what validation would have made of it."""

from __future__ import annotations

import copy
import json
import pickle

from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.decoding.construct import build_cells, build_element, build_issue, build_plain_table
from nemoparse_loaders.document import BBox, Element, Issue, ParsedPage, Table, TableCell

from .strategies import FRAGMENTS, boxes, pages_like


def fields_given(value: object) -> object:
    """All of a page, with the fields that pydantic holds to be given."""
    if isinstance(value, (Element, Table, TableCell, ParsedPage, Issue)):
        return {name: fields_given(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, tuple):
        return [fields_given(item) for item in value]
    return value


def assert_as_validated(page: ParsedPage) -> None:
    again = ParsedPage.model_validate(page.model_dump())

    assert again == page
    assert fields_given(again) == fields_given(page)
    assert page.model_dump_json() == again.model_dump_json()
    assert ParsedPage.model_validate_json(page.model_dump_json()) == page


@given(pages_like())
@settings(max_examples=30)
def test_a_decoded_page_is_as_validated(elements: list[Element]) -> None:
    assert_as_validated(decode_page(encode_page(elements)))


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
@settings(max_examples=100)
def test_the_page_of_any_reply_is_as_validated(reply: str) -> None:
    assert_as_validated(decode_page(reply))


@given(boxes())
def test_an_element_has_all_of_its_fields(bbox: BBox) -> None:
    element = build_element("p1e1", "Text", bbox, "m", "t", "r")

    validated = Element(id="p1e1", type="Text", bbox=bbox, markdown="m", text="t", raw="r")
    assert element == validated
    assert set(element.__dict__) == set(Element.model_fields)
    assert json.loads(element.model_dump_json()) == json.loads(validated.model_dump_json())


def test_an_issue_has_all_of_its_fields() -> None:
    issue = build_issue("loop", "It loops.", "warning", 2, "p2e3")

    validated = Issue(code="loop", message="It loops.", severity="warning", page=2, element_id="p2e3")
    assert issue == validated
    assert set(issue.__dict__) == set(Issue.model_fields)
    assert pickle.loads(pickle.dumps(issue)) == validated


def test_copies_and_pickles_are_equal_and_their_own() -> None:
    element = build_element("p1e1", "Table", None, table=build_plain_table([["a"], []], 1, 1))

    for other in (copy.copy(element), copy.deepcopy(element), pickle.loads(pickle.dumps(element))):
        assert other == element
    changed = element.model_copy(update={"text": "x"})
    assert (changed.text, element.text) == ("x", "")
    assert hash(changed) != hash(element)


def test_cells_and_short_rows() -> None:
    (cell,) = build_cells([(1, 2, 3, 4, "a", True)])

    assert cell == TableCell(row=1, col=2, rowspan=3, colspan=4, text="a", is_header=True)
    assert build_plain_table([["a", "b"], ["c"]], 2, 1) == Table(
        cells=(
            TableCell(row=0, col=0, text="a", is_header=True),
            TableCell(row=0, col=1, text="b", is_header=True),
            TableCell(row=1, col=0, text="c"),
            TableCell(row=1, col=1),
        ),
        n_rows=2,
        n_cols=2,
        header_rows=1,
    )
