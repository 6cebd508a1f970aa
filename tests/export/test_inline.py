"""Markdown inline text as HTML: well formed and escaped whatever the text is."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.export.html_text import inline_html
from nemoparse_loaders.export.inline import has_marks, inline_pieces


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        ("**m<sup>2</sup>** _i_", "<strong>m<sup>2</sup></strong> <em>i</em>"),
        ("***x*** __y__", "<strong><em>x</em></strong> <strong>y</strong>"),
        ("**a _b** c_", "<strong>a _b</strong> c_"),
        ("<sup>a<sub>b</sup>c</sub>", "<sup>a&lt;sub&gt;b</sup>c&lt;/sub&gt;"),
        ("<B>x</b> <em>y</EM>", "<strong>x</strong> <em>y</em>"),
        ("a<br> \nb\nc", "a<br>b<br>c"),
        (r"\(a<b\) \*x\* \<b\>", r"\(a&lt;b\) *x* &lt;b&gt;"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("foo_bar_baz", "foo_bar_baz"),
        ("**a**b** <br>**c**", "<strong>a</strong>b**<br><strong>c</strong>"),
        (r"\(a\)**b** \[1\]__c__", r"\(a\)<strong>b</strong> [1]<strong>c</strong>"),
        # A hint that it is a formula stands within its first 200 characters.
        ("\\[" + "*a" * 99 + "x^\\]", "\\(" + "*a" * 99 + "x^\\)"),
        ("\\[" + "*a" * 100 + "^\\]", "[" + "*a" * 100 + "^]"),
        # A long s is no s, whatever its capital letter is.
        (
            "a</\u017fup> <\u017ftrong>b</\u017ftrong>",
            "a&lt;/\u017fup&gt; &lt;\u017ftrong&gt;b&lt;/\u017ftrong&gt;",
        ),
    ],
)
def test_html(markdown: str, expected: str) -> None:
    assert inline_html(markdown) == expected


class _Nesting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("strong", "em", "sup", "sub", "u", "br")
        assert not attrs
        if tag != "br":
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


PIECES = [
    "**",
    "*",
    "_",
    "***",
    "a",
    " ",
    "b",
    "<sup>",
    "</sup>",
    "<sub>",
    "</sub>",
    "<u>",
    "</u>",
    "<b>",
    "</b>",
]
PIECES += ["<", ">", "&", "\\", "\\(", "\\)", "\n\n", "<br>", "<script>", "'", '"']


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=300)
def test_html_is_well_formed(markdown: str) -> None:
    parser = _Nesting()

    parser.feed(inline_html(markdown))
    parser.close()

    assert parser.opened == []


@given(st.text(alphabet="ab1 \t\n.,()[]>/|#-$&'é漢\u017f\u00a0", max_size=40))
def test_a_text_without_marks_is_one_piece_also_where_it_is_taken_apart(text: str) -> None:
    texts, nodes = inline_pieces(text)

    assert not has_marks(text)
    assert ("".join(texts), nodes) == (text, {})
