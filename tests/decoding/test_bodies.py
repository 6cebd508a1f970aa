"""What a body of each class becomes: Markdown, plain text, flags."""

from __future__ import annotations

import pytest

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import Element


def decode(body: str, name: str = "Text") -> Element:
    (element,) = decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.2><class_{name}>").elements
    return element


@pytest.mark.parametrize(
    ("body", "markdown", "text"),
    [
        ("plain words", "plain words", "plain words"),
        ("**bold** and _it_ and <u>u</u>", "**bold** and _it_ and <u>u</u>", "bold and it and u"),
        ("foo_bar_baz 5*3*2 a_1", "foo_bar_baz 5*3*2 a_1", "foo_bar_baz 5*3*2 a_1"),
        ("H<sub>2</sub>O, mc<sup>2</sup>", "H<sub>2</sub>O, mc<sup>2</sup>", "H₂O, mc²"),
        (r"\- \> \< \* \$5 \_x\_ \\", r"\- \> \< \* \$5 \_x\_ \\", "- > < * $5 _x_ \\"),
        (r"\*\*not bold\*\*", r"\*\*not bold\*\*", "**not bold**"),
        ("a<br>b <br>\nc", "a<br>b <br>\nc", "a\nb\nc"),
        (r"Here \(a_{i}<b_{j}\) holds.", r"Here \(a_{i}<b_{j}\) holds.", "Here a_{i}<b_{j} holds."),
        ("3 < 4 > 2 & <LOQ <script>", "3 < 4 > 2 & <LOQ <script>", "3 < 4 > 2 & <LOQ <script>"),
        (
            "https://example.com/a_b_c?x=1&y=2#frag",
            "https://example.com/a_b_c?x=1&y=2#frag",
            "https://example.com/a_b_c?x=1&y=2#frag",
        ),
    ],
)
def test_text(body: str, markdown: str, text: str) -> None:
    element = decode(body)

    assert element.markdown == markdown
    assert element.text == text
    assert element.raw == body
    assert element.issues == ()


@pytest.mark.parametrize(
    ("body", "text", "before", "after"),
    [
        ("<tbc>went on.", "went on.", True, False),
        ("goes on<tbc>", "goes on", False, True),
        ("<tbc> both <tbc>", "both", True, True),
        ("in the <tbc>middle", "in the middle", False, False),
    ],
)
def test_blocks_that_go_on_elsewhere(body: str, text: str, before: bool, after: bool) -> None:
    element = decode(body)

    assert element.text == element.markdown == text
    assert (element.continues_before, element.continues_after) == (before, after)
    assert element.raw == body


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"Total \unknown 25 units", "Total 25 units"),
        (r"Total \<|unk|\> 25", "Total 25"),
        ("a<|unk|>b", "ab"),
        (r"\unknown\unknown x \unknown", "x"),
        (r"the \unknowns stay", r"the \unknowns stay"),
    ],
)
def test_unreadable_glyphs_go_and_are_flagged(body: str, text: str) -> None:
    element = decode(body)

    assert element.text == text
    assert [issue.code for issue in element.issues] == (["unreadable"] if text != body else [])
    assert all(issue.severity == "info" for issue in element.issues)


@pytest.mark.parametrize(
    ("body", "name", "text"),
    [
        ("# Annual **Report**", "Title", "Annual Report"),
        ("### 1.2 Method", "Section-header", "1.2 Method"),
        ("**Abstract**", "Section-header", "Abstract"),
        ("#1 in sales", "Section-header", "#1 in sales"),
        ("# Not a heading here", "Text", "# Not a heading here"),
    ],
)
def test_headings_lose_their_marks_in_text_and_keep_them_in_markdown(body: str, name: str, text: str) -> None:
    element = decode(body, name)

    assert element.text == text
    assert element.markdown == body


@pytest.mark.parametrize(
    ("body", "name", "formula"),
    [
        (r"\(x^2\)", "Formula", "x^2"),
        (r"\[ a < b \text{ and } c<d \]", "Formula", r"a < b \text{ and } c<d"),
        ("$$x$$", "Formula", "x"),
        ("$x$", "Inline-formula", "x"),
        (r"\(x=1\) (3.2)", "Formula", "x=1 (3.2)"),
        (r"\(\begin{x}a&=b\\[2pt]c&=d\end{x}\)", "Formula", r"\begin{x}a&=b\\[2pt]c&=d\end{x}"),
        (r"\(\left( x", "Formula", r"\left( x"),
    ],
)  # fmt: skip
def test_formulas_have_no_delimiters(body: str, name: str, formula: str) -> None:
    element = decode(body, name)

    assert element.markdown == element.text == formula


def test_code_is_kept_as_it_is() -> None:
    code = "    def f(a, b):\n\n        return a < b && c_d_e > 0  # **not** \\(math\\)"

    element = decode(f"\n{code}\n", "Code")

    assert element.markdown == element.text == element.raw == code


@pytest.mark.parametrize(
    ("body", "markdown", "text"),
    [
        (r"\- Built it", "- Built it", "Built it"),
        ("• a\n• b", "- a\n- b", "a\nb"),
        ("* a", "- a", "a"),
        ("First item", "- First item", "First item"),
        (r"\>\> Founded in 1993", r"- \>\> Founded in 1993", ">> Founded in 1993"),
        ("1. First\n2) Second", "1. First\n2) Second", "1. First\n2) Second"),
        (r"1\. First", "1. First", "1. First"),
        ("(a) First", "- (a) First", "(a) First"),
        ("- a\n  - b\nmore", "- a\n  - b\n  more", "a\nb\nmore"),
        ("- **a** -1", "- **a** -1", "a -1"),
        ("  - a\n    - b\n- c", "- a\n  - b\n- c", "a\nb\nc"),
        ("-5 degrees", "- -5 degrees", "-5 degrees"),
    ],
)
def test_list_items_have_one_bullet(body: str, markdown: str, text: str) -> None:
    element = decode(body, "List-item")

    assert element.markdown == markdown
    assert element.text == text


CHART = """<chart type="stacked bar">
title: Load: peak **and** mean
panel: a ; pie ; Left
panel: b ; line
table[a]:
| Year | Sales |
| --- | ---: |
| 2020 | 10 |
table[b]:
| k | v |
| --- | --- |
| x\\|y |
note below
</chart>"""


def test_a_chart() -> None:
    element = decode(CHART, "Chart")

    assert element.chart is not None
    assert element.chart.type == "stacked bar"
    assert element.chart.title == "Load: peak **and** mean"
    assert element.chart.panels == ("a ; pie ; Left", "b ; line")
    assert [table.grid() for table in element.chart.tables] == [
        [["Year", "Sales"], ["2020", "10"]],
        [["k", "v"], ["x|y", ""]],
    ]
    assert element.text.split("\n") == [
        "Load: peak and mean",
        "stacked bar chart",
        "note below",
        "a ; pie ; Left",
        "b ; line",
        "Year | Sales",
        "2020 | 10",
        "k | v",
        "x|y",
    ]
    assert "| 2020 | 10 |" in element.markdown
    assert element.table is None


@pytest.mark.parametrize(
    ("body", "kind", "title", "n_tables"),
    [
        ("| x | y |\n| --- | --- |\n| 1 | 2 |", "", "", 1),
        ("<chart type=bar>\ntitle: T", "bar", "T", 0),
        ("<chart>\ntable: | a |\n| - |", "", "", 1),
        ('<chart type="line">\n| a | b |\n|---|---|\n| 1 | 2', "line", "", 1),
        ("Title: T\n| a |\n|---|", "", "T", 1),
        (
            '<chart type="bar">\n| a |\n| - |\n</chart>\n<chart type="pie">\n| b |\n| - |\n</chart>',
            "bar",
            "",
            2,
        ),
    ],
)
def test_other_forms_of_a_chart(body: str, kind: str, title: str, n_tables: int) -> None:
    chart = decode(body, "Chart").chart

    assert chart is not None
    assert (chart.type, chart.title, len(chart.tables)) == (kind, title, n_tables)
    assert "chart>" not in decode(body, "Chart").text


def test_a_chart_that_is_only_words_is_text() -> None:
    element = decode("Sales went up", "Chart")

    assert element.chart is None
    assert element.text == "Sales went up"


def test_a_cut_chart_or_table_without_a_class_is_known_by_its_content() -> None:
    chart = decode_page(
        '<x_0.1><y_0.2><chart type="bar">\n| Year | Sales |\n| --- | --- |\n| 2021 | 1', "length"
    )
    table = decode_page("<x_0.1><y_0.2>\\begin{tabular}{cc}\nItem & Qty \\\\\nBolt & 4", "length")

    assert chart.elements[0].type == "Chart"
    assert chart.elements[0].text == "bar chart\nYear | Sales\n2021 | 1"
    assert table.elements[0].type == "Table"
    assert table.elements[0].text == "Item | Qty\nBolt | 4"
    assert chart.status == table.status == "partial"


def test_a_chart_with_a_tabular() -> None:
    tagged = decode(
        '<chart type="bar">\ntitle: T\n\\begin{tabular}{cc}a & b\\\\1 & 2\\end{tabular}\n</chart>', "Chart"
    )
    bare = decode("\\begin{tabular}{cc}a & b\\\\1 & 2\\end{tabular}", "Chart")

    assert tagged.chart is not None
    assert bare.chart is not None
    assert (tagged.chart.title, tagged.chart.tables) == ("T", bare.chart.tables)
    assert bare.chart.tables[0].grid() == [["a", "b"], ["1", "2"]]


@pytest.mark.parametrize(
    "body", ["\\unknown = 1", "print('<|unk|>')", "a <tbc> b", "\\newcommand{\\unknown}{<tbc>}"]
)
def test_code_may_speak_of_artefacts(body: str) -> None:
    (element,) = decode_page(f"<x_0><y_0>{body}<x_1><y_1><class_Code>").elements

    assert element.text == element.raw == body
    assert not element.issues


def test_code_goes_on_elsewhere() -> None:
    (element,) = decode_page("<x_0><y_0><tbc>return <tbc> 1<tbc><x_1><y_1><class_Code>").elements

    assert (element.text, element.continues_before, element.continues_after) == ("return <tbc> 1", True, True)


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ("table[a]:\n| x |\n|---|\n| 1 |\ntable[b]:\n| y |\n|---|\n| 2 |", ("a", "b")),
        ("table[ 2020 ]: | x | y |\n| 1 | 2 |", ("2020",)),
        ("| x |\n|---|\n| 1 |\n\ntable[b]:\n| y |\n|---|\n| 2 |", ("", "b")),
        ("table[t]:\n\\begin{tabular}{c} x \\\\ 1 \\end{tabular}", ("t",)),
        ("table:\n| x |\n|---|\n| 1 |", ()),
        ("| x |\n|---|\n| 1 |", ()),
    ],
)
def test_tables_of_a_chart_keep_their_ids(body: str, ids: tuple[str, ...]) -> None:
    reply = f'<x_0><y_0><chart type="bar">\n{body}\n</chart><x_1><y_1><class_Chart>'

    (element,) = decode_page(reply).elements

    assert element.chart is not None
    assert element.chart.table_ids == ids
    assert len(element.chart.tables) == max(1, len(ids))
    (again,) = decode_page(encode_page([element.model_copy(update={"raw": ""})])).elements
    assert again.chart == element.chart
