"""What form fields and notes show on a page is among the words of its file."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.rendering.page_image import PageEvidence
from nemoparse_loaders.rendering.text_fields import ShownValue, place_words
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]
WIDTH, HEIGHT = 400.0, 600.0


def evidence_of(data: bytes) -> PageEvidence:
    with PageRenderer(load_source(data)) as renderer:
        evidence = renderer.render(1, RenderSettings(evidence=True)).evidence
    assert evidence is not None
    return evidence


def form(paint: Callable[[Canvas], None]) -> PageEvidence:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(WIDTH, HEIGHT), invariant=1)
    canvas.drawString(50, 560, "Form")
    paint(canvas)
    canvas.showPage()
    canvas.save()
    return evidence_of(stream.getvalue())


def shown(evidence: PageEvidence) -> list[str]:
    return [word.text for word in evidence.words if not word.hidden]


def test_a_filled_text_field_stands_where_it_shows() -> None:
    evidence = form(
        lambda canvas: canvas.acroForm.textfield(
            name="a", value="Jane Example 4711", x=100, y=300, width=200, height=20, fontSize=11
        )
    )
    assert shown(evidence) == ["Form", "Jane", "Example", "4711"]
    jane, example, number = evidence.words[1:]
    assert 100 / WIDTH <= jane.bbox.x0 < jane.bbox.x1 < example.bbox.x0 < number.bbox.x1 < 250 / WIDTH
    for word in evidence.words[1:]:
        assert 280 / HEIGHT <= word.bbox.y0 < word.bbox.y1 <= 300 / HEIGHT


def test_choices_are_what_is_chosen_and_check_boxes_no_words() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.acroForm.choice(
            name="b", value="Second one", options=["First", "Second one"], x=100, y=200, width=120, height=20
        )
        canvas.acroForm.checkbox(name="c", x=100, y=150, checked=True)
        canvas.acroForm.textfield(name="d", value="", x=100, y=100, width=200, height=20)

    assert shown(form(paint)) == ["Form", "Second", "one"]


@pytest.mark.parametrize("flags", ["hidden", "noview"])
def test_a_field_that_is_not_drawn_says_nothing(flags: str) -> None:
    evidence = form(
        lambda canvas: canvas.acroForm.textfield(
            name="a", value="secret", x=100, y=300, width=200, height=20, annotationFlags=flags
        )
    )
    assert [word.text for word in evidence.words] == ["Form"]


def test_a_password_is_not_told() -> None:
    evidence = form(
        lambda canvas: canvas.acroForm.textfield(
            name="a", value="secret", x=100, y=300, width=200, height=20, fieldFlags="password"
        )
    )
    assert [word.text for word in evidence.words] == ["Form"]


def with_annotation(make_pdf: MakePdf, annotation: bytes) -> bytes:
    page = b"/MediaBox[0 0 300 400]/Annots[<</Type/Annot/F 4/Rect[50 100 250 160]" + annotation + b">>]"
    return make_pdf([page], content=b"BT /F 24 Tf 40 300 Td (seen) Tj ET")


def test_free_text_that_is_drawn_counts_and_that_is_not_drawn_is_hidden(make_pdf: MakePdf) -> None:
    note = b"/Subtype/FreeText/Contents(Checked by Kim)/DA(/Helv 12 Tf 0 g)"
    evidence = evidence_of(with_annotation(make_pdf, note))
    assert {word.hidden for word in evidence.words if word.text == "Checked"} <= {"", "no_ink"}
    assert [word.text for word in evidence.words] == ["seen", "Checked", "by", "Kim"]


def test_a_stamp_may_show_words_that_no_file_tells(make_pdf: MakePdf) -> None:
    def paint(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="a", value="Send", x=100, y=300, width=200, height=60)

    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(WIDTH, HEIGHT), invariant=1)
    paint(canvas)
    canvas.showPage()
    canvas.save()
    # The same annotation with its appearance, as a stamp.
    field, stamp = b"/Subtype /Widget", b"/Subtype /Stamp "
    assert field in stream.getvalue()
    evidence = evidence_of(stream.getvalue().replace(field, stamp))
    assert evidence.words == ()
    assert evidence.raster == pytest.approx(200 * 60 / (WIDTH * HEIGHT), abs=0.01)
    bare = evidence_of(with_annotation(make_pdf, b"/Subtype/Stamp/Name/Approved"))
    assert bare.raster == 0


def test_a_value_that_is_too_long_to_be_read_is_told(make_pdf: MakePdf) -> None:
    note = b"/Subtype/FreeText/DA(/Helv 12 Tf 0 g)/Contents(%s)"
    short = evidence_of(with_annotation(make_pdf, note % (b"word " * 10)))
    assert not short.cut
    long = evidence_of(with_annotation(make_pdf, note % (b"word " * 5_000)))
    assert [word.text for word in long.words] == ["seen"]
    assert long.cut


def test_a_link_says_nothing(make_pdf: MakePdf) -> None:
    evidence = evidence_of(with_annotation(make_pdf, b"/Subtype/Link/Contents(not shown)"))
    assert [word.text for word in evidence.words] == ["seen"]
    assert evidence.raster == 0


def test_words_of_a_long_value_wrap_and_what_is_cut_off_is_left_out() -> None:
    long = ShownValue(("one two three four five six",), (0, 0, 0, 0), 10.0, wraps=True)
    placed = list(place_words(long, (0.1, 0.1, 0.3, 0.2), 400, 600))
    assert [word for word, _ in placed] == ["one", "two", "three", "four", "five", "six"]
    assert len({box[1] for _, box in placed}) > 1
    assert all(0.1 <= box[0] <= box[2] <= 0.3 and 0.1 <= box[1] < box[3] <= 0.2 + 1e-9 for _, box in placed)
    line = ShownValue(("word " * 40,), (0, 0, 0, 0), 10.0)
    assert 0 < len(list(place_words(line, (0.1, 0.1, 0.3, 0.13), 400, 600))) < 10


def test_characters_in_cells_are_spread_over_the_field() -> None:
    value = ShownValue(("12 34",), (0, 0, 0, 0), 10.0, comb=True)
    (_, first), (_, second) = place_words(value, (0.0, 0.1, 1.0, 0.13), 400, 600)
    assert first[0] < 0.05
    assert second[2] > 0.9


def test_a_value_that_stands_at_the_right_is_placed_there(make_pdf: MakePdf) -> None:
    field = (
        b"<</Type/Annot/Subtype/Widget/F 4/Rect[50 100 250 120]/FT/Tx/T(a)/V(1,250)/Q 2/DA(/Helv 12 Tf 0 g)>>"
    )
    pdf = make_pdf(
        [b"/MediaBox[0 0 300 400]/Annots[5 0 R]"],
        catalog=b"/AcroForm<</Fields[5 0 R]/DR<</Font<</Helv 3 0 R>>>>>>",
        extra=[field],
    )
    word = evidence_of(pdf).words[-1]
    assert (word.text, word.hidden) == ("1,250", "")
    assert 200 / 300 < word.bbox.x0 < word.bbox.x1 <= 250 / 300
