from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders.document import BBox, ParsedPage
from nemoparse_loaders.rendering import PageRenderer, RenderSettings, TextLayer
from nemoparse_loaders.rendering.line_art import join_lines
from nemoparse_loaders.rendering.page_image import PageGeometry
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]
WIDTH, HEIGHT = 400.0, 600.0
SETTINGS = RenderSettings(max_image_size=(200, 200), text_layer=True)


def draw(paint: Callable[[Canvas], None], *, size: tuple[float, float] = (WIDTH, HEIGHT)) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size, invariant=1)
    paint(canvas)
    canvas.showPage()
    canvas.save()
    return stream.getvalue()


def layer_of(data: bytes) -> tuple[TextLayer, PageGeometry]:
    with PageRenderer(load_source(data)) as renderer:
        image = renderer.render(1, SETTINGS)
    assert image.text_layer is not None
    return image.text_layer, image.geometry


def texts(layer: TextLayer) -> list[str]:
    return [word.text for word in layer.words]


def points(box: BBox, width: float = WIDTH, height: float = HEIGHT) -> tuple[float, float, float, float]:
    return box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height


def test_words_have_their_place_and_their_type() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 20)
        canvas.drawString(50, 500, "Plain text")
        canvas.setFont("Helvetica-BoldOblique", 10)
        canvas.drawString(50, 400, "Strong")
        canvas.setFont("Courier", 8)
        canvas.drawString(50, 300, "code")

    layer, _ = layer_of(draw(paint))
    plain, text, strong, code = layer.words
    assert texts(layer) == ["Plain", "text", "Strong", "code"]
    assert (plain.size_pt, strong.size_pt, code.size_pt) == pytest.approx((20, 10, 8))
    assert (plain.bold, plain.italic, plain.mono) == (False, False, False)
    assert (strong.bold, strong.italic, strong.mono) == (True, True, False)
    assert (code.bold, code.italic, code.mono) == (False, False, True)
    assert (plain.font, code.font) == ("Helvetica", "Courier")
    left, top, right, bottom = points(plain.bbox)
    # The baseline is at 500 from below, so at 100 from above.
    assert left == pytest.approx(50, abs=2)
    assert top < 100 - 10 < 100 < bottom < 110
    assert right < text.bbox.x0 * WIDTH
    assert all(word.visible and word.angle == 0 for word in layer.words)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", ["", "/CropBox[20 30 280 350]"])
def test_boxes_are_those_of_the_displayed_page(make_pdf: MakePdf, rotation: int, crop: str) -> None:
    page = f"/MediaBox[0 0 300 400]/Rotate {rotation}{crop}".encode()
    layer, geometry = layer_of(make_pdf([page], content=b"BT /F 24 Tf 40 300 Td (Hello) Tj ET"))
    (word,) = layer.words
    parsed = ParsedPage(number=1, rotation=geometry.rotation, pdf_box=geometry.pdf_box)
    left, bottom, right, top = parsed.to_pdf_space(word.bbox)
    assert left == pytest.approx(40, abs=3)
    assert bottom < 300 < top < 330
    assert 90 < right < 110
    assert word.angle == rotation
    assert word.size_pt == pytest.approx(24)


def test_sizes_count_the_text_matrix_and_the_user_unit(make_pdf: MakePdf) -> None:
    content = b"BT /F 1 Tf 12 0 0 12 40 300 Tm (Hello) Tj ET"
    layer, _ = layer_of(make_pdf([b"/MediaBox[0 0 300 400]/UserUnit 2"], content=content))
    assert layer.words[0].size_pt == pytest.approx(24)


def test_text_that_reads_upwards_has_its_angle() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.rotate(90)
        canvas.drawString(100, -50, "upwards we go")

    layer, _ = layer_of(draw(paint))
    assert texts(layer) == ["upwards", "we", "go"]
    assert {word.angle for word in layer.words} == {270}
    assert layer.words[0].bbox.y0 > layer.words[2].bbox.y1


def test_invisible_text_is_marked() -> None:
    def paint(canvas: Canvas) -> None:
        text = canvas.beginText(50, 500)
        text.textOut("seen ")
        text.setTextRenderMode(3)
        text.textOut("hidden")
        canvas.drawText(text)

    layer, _ = layer_of(draw(paint))
    assert [(word.text, word.visible) for word in layer.words] == [("seen", True), ("hidden", False)]


def test_text_outside_of_the_page_is_left_out(make_pdf: MakePdf) -> None:
    content = b"BT /F 12 Tf 40 300 Td (in) Tj 0 500 Td (above) Tj 900 -500 Td (beside) Tj ET"
    layer, _ = layer_of(make_pdf(content=content))
    assert texts(layer) == ["in"]


def test_superscripts_are_words_of_their_own() -> None:
    def paint(canvas: Canvas) -> None:
        text = canvas.beginText(50, 500)
        text.setFont("Helvetica", 12)
        text.textOut("Halvorsen")
        text.setFont("Helvetica", 7)
        text.setRise(4)
        text.textOut("1")
        canvas.drawText(text)

    layer, _ = layer_of(draw(paint))
    assert [(word.text, round(word.size_pt)) for word in layer.words] == [("Halvorsen", 12), ("1", 7)]


def test_far_off_pieces_are_words_without_a_space_between() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(50, 500, "left")
        canvas.drawString(300, 500, "right")
        canvas.drawString(300, 460, "below")

    layer, _ = layer_of(draw(paint))
    assert texts(layer) == ["left", "right", "below"]


def test_a_hyphen_at_a_line_end_stays_and_ends_the_word() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(50, 500, "the gear-")
        canvas.drawString(50, 486, "box of a turbine")

    layer, _ = layer_of(draw(paint))
    assert texts(layer) == ["the", "gear-", "box", "of", "a", "turbine"]


def test_no_control_characters_and_no_ligatures_come_out(make_pdf: MakePdf) -> None:
    to_unicode = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"5 beginbfchar <41> <FB01> <42> <0000> <43> <0007> <44> <D800> <45> <202E> endbfchar endcmap end"
    )
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    stream = b"<</Length %d>>stream\n%b\nendstream" % (len(to_unicode), to_unicode)
    page = b"/MediaBox[0 0 300 400]/Resources<</Font<</G 5 0 R>>>>"
    content = b"BT /G 24 Tf 40 300 Td (AnBdCeDxE) Tj ET"
    data = make_pdf([page], content=content, extra=[font, stream])
    data = data.replace(b"/Resources<</Font<</F 3 0 R>>>>", b"                               ")
    layer, _ = layer_of(data)
    assert "".join(texts(layer)) == "findex"


def test_strokes_boxes_and_thin_boxes_are_rulings() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.line(50, 500, 350, 500)
        canvas.line(50, 500, 50, 300)
        canvas.rect(100, 100, 200, 80)
        canvas.rect(50, 250, 300, 1, stroke=0, fill=1)
        canvas.line(50, 60, 350, 90)
        canvas.line(10, 10, 12, 10)

    layer, _ = layer_of(draw(paint))
    assert not layer.images
    level = sorted(
        tuple(round(value) for value in points(line)) for line in layer.rulings if line.height == 0
    )
    upright = sorted(
        tuple(round(value) for value in points(line)) for line in layer.rulings if line.width == 0
    )
    assert len(level) + len(upright) == len(layer.rulings)
    assert [(x0, x1) for x0, _, x1, _ in level] == [(50, 350), (50, 350), (100, 300), (100, 300)]
    assert [y for _, y, _, _ in level] == pytest.approx([100, 350, 420, 500], abs=1)
    assert [(x0, y0, y1) for x0, y0, _, y1 in upright] == [(50, 100, 300), (100, 420, 500), (300, 420, 500)]


def test_white_and_transparent_boxes_are_no_rulings() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFillColorRGB(1, 1, 1)
        canvas.rect(100, 100, 200, 80, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0, alpha=0)
        canvas.rect(100, 300, 200, 80, stroke=0, fill=1)
        canvas.rect(0, 0, 50, 50, stroke=0, fill=0)

    assert layer_of(draw(paint))[0].rulings == ()


def test_looks_into_forms_and_finds_images() -> None:
    picture = ImageReader(Image.new("RGB", (20, 10), "red"))

    def paint(canvas: Canvas) -> None:
        canvas.beginForm("inner")
        canvas.line(0, 0, 100, 0)
        canvas.drawImage(picture, 0, 10, 40, 20)
        canvas.endForm()
        canvas.translate(200, 300)
        canvas.doForm("inner")

    layer, _ = layer_of(draw(paint))
    (line,) = layer.rulings
    (image,) = layer.images
    assert points(line) == pytest.approx((200, 300, 300, 300), abs=1)
    assert points(image) == pytest.approx((200, 270, 240, 290), abs=1)


def test_pieces_of_one_line_become_one() -> None:
    def paint(canvas: Canvas) -> None:
        for index in range(10):
            canvas.line(50 + 30 * index, 200, 80 + 30 * index, 200)

    (line,) = layer_of(draw(paint))[0].rulings
    assert points(line) == pytest.approx((50, 400, 350, 400), abs=1)


def test_a_drawing_of_many_paths_stays_bounded() -> None:
    def paint(canvas: Canvas) -> None:
        for index in range(30_000):
            x, y = 7 * (index % 50), 3 * (index // 50 % 190)
            canvas.line(x, y, x + 5, y + index % 2)

    layer, _ = layer_of(draw(paint))
    assert 0 < len(layer.rulings) <= 4_000


def test_a_page_without_anything_has_an_empty_layer() -> None:
    assert layer_of(draw(lambda canvas: None))[0] == TextLayer()


@given(
    st.lists(
        st.tuples(
            st.sampled_from([10.0, 50.0, 90.0]),
            st.floats(0, 100).map(lambda value: round(value, 1)),
            st.floats(0, 60).map(lambda value: round(value, 1)),
        ),
        max_size=20,
    )
)
@settings(max_examples=60, deadline=None)
def test_joined_lines_cover_what_their_pieces_cover(pieces: list[tuple[float, float, float]]) -> None:
    lines = [(at, start, start + length) for at, start, length in pieces]
    joined = join_lines(lines)
    assert joined == sorted(joined)
    for at, start, end in lines:
        if end - start >= 4:
            assert any(abs(at - other) < 1 and low <= start and end <= high for other, low, high in joined)
    for at, low, high in joined:
        assert any(at == other and low == start for other, start, _ in lines)
        assert any(at == other and high == end for other, _, end in lines)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "words"),
    [("arabic.pdf", 28), ("federal-register-2020-17221.pdf", 947), ("type3_font_nomapping.pdf", 0)],
)
def test_reads_real_layers(data_dir: Path, name: str, words: int) -> None:
    layer, _ = layer_of((data_dir / "files" / name).read_bytes())
    assert len(layer.words) == words
    assert all(word.text.strip() == word.text != "" for word in layer.words)


@pytest.mark.data
def test_lam_and_alef_keep_their_order(data_dir: Path) -> None:
    layer, _ = layer_of((data_dir / "files" / "right_to_left_01.pdf").read_bytes())
    assert layer.words[1].text == "الإنتاجية"


@pytest.mark.data
def test_a_turned_page_has_the_same_words(data_dir: Path) -> None:
    upright, _ = layer_of((data_dir / "files" / "nics-background-checks-2015-11.pdf").read_bytes())
    turned, _ = layer_of((data_dir / "files" / "nics-background-checks-2015-11-rotated.pdf").read_bytes())
    assert sorted(texts(turned)) == sorted(texts(upright))
    assert {word.angle for word in turned.words} == {90}
    for one, other in zip(upright.words[:1300], turned.words[:1300], strict=True):
        assert one.text == other.text
        assert other.bbox == pytest.approx(
            (1 - one.bbox.y1, one.bbox.x0, 1 - one.bbox.y0, one.bbox.x1), abs=0.01
        )
