"""The envelope: whole and broken blocks, boxes, duplicates, cut replies, status."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import ParsedPage
from nemoparse_loaders.errors import OptionError
from nemoparse_loaders.profiles import PROFILES

from .strategies import FRAGMENTS

GOOD = "<x_0.1><y_0.05>Good block.<x_0.9><y_0.09><class_Text>"


def block(body: str, name: str = "Text", top: float = 0.1, bottom: float = 0.2) -> str:
    return f"<x_0.1><y_{top}>{body}<x_0.9><y_{bottom}><class_{name}>"


NO_CLASS = block("Lost").replace("<class_Text>", "")


def texts(page: ParsedPage) -> list[tuple[str, str]]:
    return [(element.type, element.text) for element in page.elements]


def codes(page: ParsedPage) -> set[str]:
    inner = {issue.code for element in page.elements for issue in element.issues}
    return inner | {issue.code for issue in page.issues}


def test_a_page_keeps_the_whole_reply_and_numbers_its_elements() -> None:
    reply = f"</s><s><predict_bbox>{GOOD}\n\n{block('Two')}</s>"

    page = decode_page(reply, page_number=7)

    assert page.number == 7
    assert page.raw == reply
    assert page.status == "ok"
    assert page.finish_reason == "stop"
    assert [element.id for element in page.elements] == ["p7e1", "p7e2"]
    assert page.elements[0].bbox == (0.1, 0.05, 0.9, 0.09)


@pytest.mark.parametrize(
    "reply",
    [
        "<x_0.1><y_0.2>Body<x_0.8><y_0.3><class_Text>",
        "<x_0.1> <y_0.2> Body <x_0.8>\n<y_0.3> <class_Text>",
        "<x_.1><y_0.20000>Body<x_0.8000><y_3e-1><class_Text>",
        "<x_0,1><y_0.2>Body<x_0.8><y_0.3><class_Text>",
        "<x_0.8><y_0.3>Body<x_0.1><y_0.2><class_Text>",
        "<x_0.1 ><y_0.2>Body<x_0.8<y_0.3><class_Text>",
    ],
)
def test_forms_of_one_block(reply: str) -> None:
    (element,) = decode_page(reply).elements

    assert element.bbox == pytest.approx((0.1, 0.2, 0.8, 0.3))
    assert (element.type, element.text, element.raw, element.issues) == ("Text", "Body", "Body", ())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (NO_CLASS + "\n\n" + GOOD, [("Text", "Lost"), ("Text", "Good block.")]),
        (NO_CLASS + "\n" + GOOD, [("Text", "Lost"), ("Text", "Good block.")]),
        (NO_CLASS + GOOD, [("Text", "Lost"), ("Text", "Good block.")]),
        (
            "<x_0.3><y_0.1>Head<class_Page-header>\n\n" + GOOD,
            [("Page-header", "Head"), ("Text", "Good block.")],
        ),
        ("<x_0.3><y_0.1>No end\n\n" + GOOD, [("Text", "No end"), ("Text", "Good block.")]),
        ("Orphan<x_0.5><y_0.2><class_Caption>" + GOOD, [("Caption", "Orphan"), ("Text", "Good block.")]),
        (
            GOOD + "\n\nfloating\n\n" + block("b"),
            [("Text", "Good block."), ("Text", "floating"), ("Text", "b")],
        ),
        (GOOD + "<class_Picture>", [("Text", "Good block."), ("Picture", "")]),
        (GOOD + "<class_Text>", [("Text", "Good block.")]),
        (block("left <x_0.3><y_0.31>right"), [("Text", "left right")]),
        (block("left<x_0.3><y_0.31>right"), [("Text", "left right")]),
        (block("a literal <x_0.25>\nand more"), [("Text", "a literal \nand more")]),
        (block("half pair").replace("<x_0.9>", ""), [("Text", "half pair")]),
    ],
)
def test_a_broken_block_keeps_its_text_and_swallows_nothing(
    reply: str, expected: list[tuple[str, str]]
) -> None:
    page = decode_page(reply)

    assert texts(page) == expected
    assert page.status == "ok"


@pytest.mark.parametrize(
    "reply",
    [
        NO_CLASS + "\n\n" + GOOD,
        "<x_0.3><y_0.1>Head<class_Page-header>" + GOOD,
        "Orphan<x_0.5><y_0.2><class_Text>" + GOOD,
        GOOD + "\n\nfloating\n\n" + block("Next"),
    ],
)
def test_a_broken_block_is_flagged_and_a_whole_one_is_not(reply: str) -> None:
    page = decode_page(reply)

    flagged = [bool(element.issues) for element in page.elements]
    assert any(flagged)
    assert not page.elements[[element.text for element in page.elements].index("Good block.")].issues
    issue = next(issue for element in page.elements for issue in element.issues)
    assert (issue.code, issue.page) == ("malformed", 1)
    assert issue.element_id in {element.id for element in page.elements}


def test_a_stray_pair_leaves_the_outer_corners() -> None:
    page = decode_page(block("a <x_0.3><y_0.31> b"))

    assert page.elements[0].bbox == (0.1, 0.1, 0.9, 0.2)


@pytest.mark.parametrize("name", ["Infographic", "Foo bar", "class"])
def test_an_unknown_class_survives_by_name(name: str) -> None:
    assert texts(decode_page(block("words", name))) == [(name, "words")]


def test_exact_repetitions_go_and_equal_words_elsewhere_stay() -> None:
    page = decode_page("\n".join([GOOD, GOOD, GOOD, block("Good block."), block("Good block.", "Caption")]))

    assert texts(page) == [("Text", "Good block."), ("Text", "Good block."), ("Caption", "Good block.")]
    assert codes(page) == {"duplicate"}
    assert page.status == "ok"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Plain words.\n\nMore, 3 < 4 <", [("Text", "Plain words.\n\nMore, 3 < 4 <")]),
        ("</s><s><no_bbox><no_classes># A\n\nb</s>", [("Text", "# A\n\nb")]),
        ("see <s>old</s> new", [("Text", "see <s>old</s> new")]),
        ("an <x_i> and <y_j, z>", [("Text", "an <x_i> and <y_j, z>")]),
        ("# A<class_Title>\n\nb<class_Text>", [("Title", "A"), ("Text", "b")]),
        ("<x_0.1><y_0.1>a<x_0.2><y_0.2>\n\n<x_0.1><y_0.3>b<x_0.2><y_0.4>", [("Text", "a"), ("Text", "b")]),
        (
            "<x_0.1><y_0.1><x_0.9><y_0.15><class_Title><x_0.1><y_0.2><x_0.9><y_0.4><class_Text>",
            [("Title", ""), ("Text", "")],
        ),
    ],
)
def test_replies_of_other_tasks_are_whole(reply: str, expected: list[tuple[str, str]]) -> None:
    page = decode_page(reply)

    assert texts(page) == expected
    assert page.status == "ok"
    assert codes(page) == set()


@pytest.mark.parametrize("reply", ["", "  \n", "</s><s></s>", "<s>"])
def test_an_empty_reply_failed(reply: str) -> None:
    page = decode_page(reply)

    assert page.status == "failed"
    assert codes(page) == {"empty"}
    assert page.elements == ()


WHOLE = GOOD + "\n\n" + block("A **second** block, with a tail.")


@pytest.mark.parametrize("end", range(len(GOOD) + 3, len(WHOLE)))
def test_a_reply_cut_anywhere_keeps_what_came_and_shows_it(end: int) -> None:
    page = decode_page(WHOLE[:end])

    assert page.status == "partial"
    assert codes(page) == {"truncated"}
    assert page.elements[0].text == "Good block."
    said = " ".join(element.markdown for element in page.elements)
    assert not any(token in said for token in ("<x", "<y", "<cl", ">"))
    assert said in "Good block. A **second** block, with a tail."


@pytest.mark.parametrize("reason", ["stop", "tool_calls", None])
def test_whole_replies(reason: str | None) -> None:
    assert decode_page(GOOD, reason).status == "ok"


@pytest.mark.parametrize(
    ("reason", "code"),
    [("length", "truncated"), ("abort", "abort"), ("repetition", "loop"), ("content_filter", "truncated")],
)
def test_replies_that_are_not_whole(reason: str, code: str) -> None:
    page = decode_page(GOOD, reason)

    assert page.status == "partial"
    assert codes(page) == {code}
    assert page.finish_reason == reason
    assert texts(page) == [("Text", "Good block.")]


@pytest.mark.parametrize(
    ("profile", "size", "expected"),
    [
        # Small images are centred on the canvas, not scaled up: the canvas reaches far outside of them.
        ("2.0", (800, 400), (0.0, 0.0, 1.0, 1.0)),
        ("3.5", None, (0.25, 0.25, 0.75, 0.75)),
        # Twice too large: scaled to 1664x2048 exactly.
        ("1.2", (3328, 4096), (0.25, 0.25, 0.75, 0.75)),
        # As wide as the canvas, half as high: the strip in the middle.
        ("1.2", (1664, 1024), (0.25, 0.0, 0.75, 1.0)),
        ("1.1", (1648, 1024), (0.25, 0.0, 0.75, 1.0)),
    ],
)
def test_frames(
    profile: str, size: tuple[int, int] | None, expected: tuple[float, float, float, float]
) -> None:
    page = decode_page("<x_0.25><y_0.25>Body<x_0.75><y_0.75><class_Text>", profile=profile, image_size=size)

    assert page.elements[0].bbox == pytest.approx(expected)


def test_a_small_image_is_centred() -> None:
    # 832x1024 pixels lie in the middle of 1664x2048: from 0.25 to 0.75.
    reply = "<x_0.25><y_0.25>a<x_0.5><y_0.75><class_Text>"

    page = decode_page(reply, profile=PROFILES["2.0"], image_size=(832, 1024))

    assert page.elements[0].bbox == pytest.approx((0.0, 0.0, 0.5, 1.0))


def test_the_callers_own_mistakes_are_errors() -> None:
    with pytest.raises(OptionError, match="image_size"):
        decode_page(GOOD, profile="2.0")
    with pytest.raises(OptionError, match="positive"):
        decode_page(GOOD, profile="2.0", image_size=(0, 10))
    with pytest.raises(OptionError, match=r"4\.7"):
        decode_page(GOOD, profile="4.7")
    assert decode_page("words without boxes", profile="2.0").status == "ok"


def test_the_grid_of_the_first_generation() -> None:
    page = decode_page(
        "<x_17><y_0>table text<x_1007><y_1280><class_Table>\n<x_0><y_1>t<x_10><y_20><class_Text>"
    )

    assert page.elements[0].bbox == pytest.approx((17 / 1024, 0, 1007 / 1024, 1))
    assert page.elements[1].bbox == pytest.approx((0, 1 / 1280, 10 / 1024, 20 / 1280))


def test_control_characters_and_lone_surrogates_do_not_get_through() -> None:
    page = decode_page(block("a\x00b\ud800c\r\nd"))

    assert page.elements[0].text == "abc\nd"
    assert ParsedPage.model_validate_json(page.model_dump_json()) == page


TOOL_CALL = (
    '[[{"bbox": {"xmin": 0.1, "ymin": 0.2, "xmax": 0.3, "ymax": 0.4}, "text": "## Head", "type": '
    '"Section-header"}, {"bbox": {"xmin": 0.1, "ymin": 0.5, "xmax": 0.3, "ymax": 0.6}, "text": "a\\n'
    '\\u00e9 end", "type": "Text"}]]'
)


@pytest.mark.parametrize("reply", [TOOL_CALL, TOOL_CALL[1:-1]])
def test_a_tool_call_gives_the_same_elements(reply: str) -> None:
    # Its boxes are fractions of the image: the canvas of 1.1 plays no part.
    page = decode_page(reply, "tool_calls", profile="1.1")

    assert texts(page) == [("Section-header", "Head"), ("Text", "a\né end")]
    assert page.elements[0].bbox == (0.1, 0.2, 0.3, 0.4)
    assert page.status == "ok"


def test_a_cut_tool_call_keeps_the_words_that_came() -> None:
    page = decode_page(TOOL_CALL[: TOOL_CALL.index(" end")], "tool_calls", profile="1.1")

    assert texts(page) == [("Section-header", "Head"), ("Text", "a\né")]
    assert page.status == "partial"


def test_a_tool_call_with_strange_values_is_no_error() -> None:
    page = decode_page(
        '[{"text": 5, "bbox": {"xmin": 1e999, "ymin": 0, "xmax": 1, "ymax": 1}}, 7, {"text": "\\ud800x"}]'
    )

    assert [element.text for element in page.elements] == ["", "7", "x"]
    assert all(element.bbox is None for element in page.elements)


@given(
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=40).map("".join),
    st.sampled_from(["stop", "length", None, "abort", "repetition", "odd"]),
    st.sampled_from(["3.5", "1.1"]),
)
@settings(max_examples=400)
def test_no_reply_is_an_error(reply: str, reason: str | None, profile: str) -> None:
    page = decode_page(reply, reason, profile=profile, image_size=(700, 900))

    assert ParsedPage.model_validate_json(page.model_dump_json()) == page
    assert [element.id for element in page.elements] == [f"p1e{n + 1}" for n in range(len(page.elements))]
    for element in page.elements:
        if element.bbox is not None:
            assert 0.0 <= element.bbox.x0 <= element.bbox.x1 <= 1.0
            assert 0.0 <= element.bbox.y0 <= element.bbox.y1 <= 1.0
        if element.table is not None:
            _assert_sound(element.table.grid(), element.table.n_rows, element.table.n_cols)


def _assert_sound(grid: list[list[str | None]], n_rows: int, n_cols: int) -> None:
    assert len(grid) == n_rows
    assert all(len(row) == n_cols for row in grid)


# One character of the grammar again and again, in every place where text may stand. An expression that can
# match such a run in more than one way would never come back.
@pytest.mark.parametrize(
    "unit", [*"<>\\&{}$|*_`#-:=.[](/ \n\t1ax", "<x", "<c", "</", "\\\\", "\\(", "<b", "&\\", "<t "]
)
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "<x_0.1><y_0.1>{}<x_0.9><y_0.9><class_Text>",
        "<x_0.1><y_0.1>{}",
        "<x_0.1><y_0.1>a<x_0.9><y_0.9><class_{}>",
        "<x_0.1><y_0.1>\\begin{{tabular}}{{c}}{}\\end{{tabular}}<x_0.9><y_0.9><class_Table>",
        "<x_0.1><y_0.1>\\begin{{tabular}}{{{}",
        "<x_0.1><y_0.1><table><tr><td {}</table><x_0.9><y_0.9><class_Table>",
        '<x_0.1><y_0.1><chart type="{}\ntable[{}\ntitle:{}<x_0.9><y_0.9><class_Chart>',
        "<x_0.1><y_0.1>1 {}<x_0.9><y_0.9><class_TOC>",
        '[[{{"text": "{}',
    ],
)
def test_a_run_of_any_character_ends(frame: str, unit: str) -> None:
    reply = frame.format(*[f"{unit * 400}b{unit * 400}"] * 3)

    page = decode_page(reply)

    assert page.elements or page.status != "ok"


def test_classes_alone_are_blocks_where_no_box_was_asked_for() -> None:
    assert texts(decode_page("<class_Title><class_Text>")) == [("Title", ""), ("Text", "")]


@pytest.mark.parametrize("start", ["\\begin", "\\begin{", "\\begin{tab", "\\begin{tabular*"])
def test_a_reply_cut_in_the_beginning_of_a_table_has_no_command_as_text(start: str) -> None:
    page = decode_page(f"{GOOD}\n\n<x_0.1><y_0.1>Table 1\n{start}", "length")

    assert [element.text for element in page.elements] == ["Good block.", "Table 1"]
    assert page.elements[1].raw == f"Table 1\n{start}"


@pytest.mark.parametrize("before", ["", GOOD + "\n\n"])
@pytest.mark.parametrize(
    "body", ["Cut", "<x_0.1><y_0.3>Cut", "Cut<x_0.9><y_0.4>", "<x_0.1><y_0.3>Cut<x_0.9><y_0.4>"]
)
@pytest.mark.parametrize(
    "end", ["<cla", "<class_", "<class_Te", "<class_Te \n", "<class_Text", "<x<class_Te"]
)
def test_a_block_that_is_cut_in_its_class_is_flagged(before: str, body: str, end: str) -> None:
    page = decode_page(before + body + end)

    cut = page.elements[-1]
    assert (cut.type, cut.text, [issue.code for issue in cut.issues]) == ("Text", "Cut", ["truncated"])
    assert page.status == "partial"
    assert not any(element.issues for element in page.elements[:-1])


@pytest.mark.parametrize("token", ["\\<x_0.5\\>", "\\<y_0.5\\>", "\\<class_Text\\>", "\\<class_\\>"])
@pytest.mark.parametrize("before", ["", "Lost<class_Text>\n\n"])
def test_escaped_tokens_are_text(token: str, before: str) -> None:
    page = decode_page(before + block(f"Print {token} here") + GOOD)

    assert texts(page)[-2:] == [
        ("Text", "Print " + token.replace("\\", "") + " here"),
        ("Text", "Good block."),
    ]
