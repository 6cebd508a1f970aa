"""Markdown inline text to plain text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.export.plain import markdown_to_text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("", ""),
        ("**b** *i* _i_ __b__ ***bi***", "b i i b bi"),
        ("**a _b_ c**", "a b c"),
        ("a**b**c", "abc"),
        ("2 * 3 * 4 and 5*6*7", "2 * 3 * 4 and 5*6*7"),
        ("snake_case_name __init__ x_1", "snake_case_name init x_1"),
        ("**open", "**open"),
        ("**a\n\nb**", "**a\n\nb**"),
        ("* not a mark", "* not a mark"),
        (r"\\ \* \_ \# \[x\] \( \a", r"\ * _ # [x] ( \a"),
        (r"\\*", r"\*"),
        (r"\(x_1\) and \[y^2\] and \[1\]", "x_1 and y^2 and [1]"),
        (r"\(a **b** c\) **d**", "a **b** c d"),
        (r"\( never closed **b**", "( never closed b"),
        ("m<sup>2</sup> 10<sup>-3</sup> x<sup>n</sup>", "m² 10⁻³ xⁿ"),
        ("1<sup>st</sup> 4<sup>th</sup>", "1st 4th"),
        ("Smith<sup>a,b</sup> word<sup>1,2</sup> <sup>†</sup>", "Smith^a,b word¹,² †"),
        ("CO<sub>2</sub> x<sub>max</sub> H<sub>2</sub>SO<sub>4</sub>", "CO₂ x_max H₂SO₄"),
        ("<sup>**a**</sup>", "^a"),
        ("<sup></sup>x", "x"),
        ("<sup>open", "<sup>open"),
        ("a</sup>", "a</sup>"),
        ("<u>u</u> <b>b</b> <B>x</B> <i>i</i>", "u b x i"),
        ("<b> open <LOQ a < b", "<b> open <LOQ a < b"),
        ("a<br>b<br/>c <br />\n d", "a\nb\nc\nd"),
        ("<sup>" + "long words " * 8 + "</sup>", "long words " * 8),
    ],
)
def test_marks(markdown: str, text: str) -> None:
    assert markdown_to_text(markdown) == text


@given(st.text(alphabet="ab1 *_\\<>()[]supbr/\n", max_size=60))
@settings(max_examples=300)
def test_letters_survive_and_nothing_raises(markdown: str) -> None:
    text = markdown_to_text(markdown)

    letters = [character for character in markdown if character in "ab"]
    tags = sum(markdown.count(tag) for tag in ("<b>", "</b>", "<sub>", "</sub>", "<br>", "<br/>", "<br />"))
    assert len([character for character in text if character in "ab"]) >= len(letters) - tags


@given(st.text(alphabet="ab *_\\<>bsu/\n\u00a0", max_size=8))
@settings(max_examples=300)
def test_bold_alone_is_read_as_bold_beside_text(inner: str) -> None:
    """Where bold is all there is, it is not taken apart."""
    bold = f"**{inner}**"
    # A full stop, which is no part of a word, changes what no mark means.
    assert markdown_to_text(bold) + "." == markdown_to_text(f"{bold}.")


@given(st.text(alphabet="abc éß漢12.,;:!?()-+=/\n", max_size=60))
def test_text_without_marks_is_unchanged(text: str) -> None:
    assert markdown_to_text(text) == text
