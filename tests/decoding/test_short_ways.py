"""The decoder's short ways, for what most pages are made of, say what the long ways say."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.decoding.artefacts import storable
from nemoparse_loaders.decoding.block import Block
from nemoparse_loaders.decoding.elements import elements_from_block, page_elements
from nemoparse_loaders.document import BBox, ElementType, ParsedPage

from .strategies import FRAGMENTS, HARD_CHARACTERS, PIECES

CORNERS = [
    "<x_0.1><y_0.2>",
    "<x_0.3><y_0.4>",
    "<x_1><y_1.0>",
    "<x_-0.1><y_7.9>",
    "<x_512><y_640>",
    "<x_0.1> <y_0.2>",
]
ENDS = [
    "<class_Text>",
    "<class_Table>\n\n",
    "<class_ Title >",
    "<class_ >",
    "<class_a\\>",
    f"<class_{'n' * 48}>",
]
BODIES = st.lists(st.sampled_from(FRAGMENTS + PIECES), max_size=8).map("".join)
BLOCKS = st.builds(
    "{}{}{}{}".format, st.sampled_from(CORNERS), BODIES, st.sampled_from(CORNERS), st.sampled_from(ENDS)
)


def said(page: ParsedPage) -> object:
    return page.model_dump(exclude={"raw"})


@given(st.lists(st.one_of(BLOCKS, st.sampled_from(CORNERS + ENDS + FRAGMENTS)), max_size=6).map("".join))
@example("<x_9><y_9>On a grid.<x_512><y_640><class_Text>" * 2)
@example("<x_0.1><y_0.1>" + "<" * 3_000 + "<x_0.2><y_0.2><class_Text>")
@settings(max_examples=300)
def test_blocks_taken_in_one_step_are_those_read_token_by_token(rest: str) -> None:
    first = "<x_{}><y_0.1>First.<x_0.9><y_0.2><class_Text>\n\n"

    # From a number in another form on, everything is read token by token.
    assert said(decode_page(first.format("0.1") + rest)) == said(decode_page(first.format(".1") + rest))


@given(
    st.one_of(BODIES, st.text(HARD_CHARACTERS + "\n", max_size=30), st.text(max_size=30)),
    st.sampled_from([*(kind.value for kind in ElementType), "Infographic", None]),
)
@example("<TBC>word", "Text")
@example("\\Unknown", "Title")
@example("a | b\n---|---\n1 | 2", "Caption")
@settings(max_examples=500)
def test_a_little_text_is_read_as_any_body_is(body: str, name: str | None) -> None:
    block, bbox = Block(body, name), BBox(0.1, 0.1, 0.2, 0.2)

    elements, loops = page_elements([block], [bbox], page_number=3)

    assert (elements, loops) == elements_from_block(block, bbox, page_number=3, first_number=1)


@given(
    st.text(st.one_of(st.characters(), st.characters(max_codepoint=0x9F), st.characters(categories=["Cs"])))
)
def test_only_what_no_store_takes_is_left_out(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    refused = [*map(chr, range(9)), "\x0b", "\x0c", *map(chr, range(14, 32)), "\x7f"]

    kept = [char for char in lines if char not in refused and unicodedata.category(char) != "Cs"]
    assert storable(text) == "".join(kept)
