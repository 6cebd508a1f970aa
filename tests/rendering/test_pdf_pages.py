from __future__ import annotations

import ctypes
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from nemoparse_loaders.document import BBox, ParsedPage
from nemoparse_loaders.errors import CorruptSourceError, EmptySourceError, PageRenderError
from nemoparse_loaders.rendering import PageGeometry, PageImage, PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source

Decoded = Callable[[PageImage], Image.Image]
MakePdf = Callable[..., bytes]


def draw(data: bytes, number: int = 1, **options: Any) -> PageImage:
    with PageRenderer(load_source(data)) as renderer:
        return renderer.render(number, RenderSettings(**options))


def codes(page: PageImage) -> list[str]:
    return [issue.code for issue in page.issues]


def plain_render(data: bytes, width: int, height: int, index: int = 0) -> Image.Image:
    """The page by the plainest way there is: packed BGR, forms drawn, converted by Pillow."""
    with pdfium.PdfDocument(data) as document:
        document.init_forms()
        page = document[index]
        bitmap = pdfium.PdfBitmap.new_native(width, height, pdfium_c.FPDFBitmap_BGR)
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
        place = (bitmap, page, 0, 0, width, height, 0, pdfium_c.FPDF_ANNOT)
        pdfium_c.FPDF_RenderPageBitmap(*place)
        if page.formenv:
            pdfium_c.FPDF_FFLDraw(page.formenv, *place)
        image: Image.Image = bitmap.to_pil().copy()
        bitmap.close()
        page.close()
        return image


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_pixel_for_pixel_what_pdfium_draws(make_pdf: MakePdf, decoded: Decoded, rotation: int) -> None:
    data = make_pdf([b"/MediaBox[0 0 301 407]/Rotate %d" % rotation])
    page = draw(data, max_image_size=(333, 333))
    assert max(page.width, page.height) == 333
    image = decoded(page)
    expected = plain_render(data, page.width, page.height)
    assert ImageChops.difference(image, expected).getbbox() is None
    assert len(image.getcolors(1 << 20) or []) > 10  # there is something to compare


def test_colours_are_rgb(make_pdf: MakePdf, decoded: Decoded) -> None:
    image = decoded(draw(make_pdf(content=b"1 0 0 rg 0 0 300 400 re f")))
    assert image.getpixel((50, 50)) == (255, 0, 0)


def test_fills_the_largest_size_unless_dpi_says_less(make_pdf: MakePdf) -> None:
    data = make_pdf([b"/MediaBox[0 0 832 1024]"])
    assert (draw(data).width, draw(data).height) == (1664, 2048)
    assert (draw(data, dpi=72).width, draw(data, dpi=72).height) == (832, 1024)
    assert draw(data, dpi=10_000).width == 1664
    assert codes(draw(data, dpi=20)) == []  # as asked for, so no surprise


def test_the_visible_box_is_crop_box_within_media_box(make_pdf: MakePdf, decoded: Decoded) -> None:
    data = make_pdf([b"/MediaBox[10 20 310 420]/CropBox[0 0 120 120]"])
    page = draw(data, max_image_size=(220, 220))
    assert page.geometry.pdf_box == (10, 20, 120, 120)
    assert (page.geometry.width_pt, page.geometry.height_pt) == (110, 100)
    image = decoded(page)
    assert image.size == (220, 200)
    assert image.getpixel((30, 190)) == (255, 0, 0)  # 15 points in: the rectangle begins at 20, the box at 10
    assert image.getpixel((10, 190)) == (255, 255, 255)


@pytest.mark.parametrize(("value", "rotation"), [(-90, 270), (450, 90), (720, 0), (45, 0)])
def test_odd_rotations_are_brought_to_four(make_pdf: MakePdf, value: int, rotation: int) -> None:
    page = draw(make_pdf([b"/MediaBox[0 0 100 200]/Rotate %d" % value]))
    assert page.geometry.rotation == rotation
    assert (page.width > page.height) == (rotation in (90, 270))


boxes = st.tuples(
    st.integers(-500, 500), st.integers(-500, 500), st.integers(40, 1500), st.integers(40, 1500)
).map(lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3]))


@given(
    media=boxes, rotation=st.sampled_from([0, 90, 180, 270]), crop=st.booleans(), unit=st.sampled_from([1, 3])
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_boxes_go_to_pdf_space_where_pdfium_puts_them(
    make_pdf: MakePdf, media: tuple[int, int, int, int], rotation: int, crop: bool, unit: int
) -> None:
    page_dict = b"/MediaBox[%d %d %d %d]/Rotate %d/UserUnit %d" % (*media, rotation, unit)
    if crop:
        page_dict += b"/CropBox[%d %d %d %d]" % (media[0] + 7, media[1] + 5, media[2] - 3, media[3] + 50)
    data = make_pdf([page_dict])
    with PageRenderer(load_source(data)) as renderer:
        geometry = renderer.geometry(1)
    parsed = parsed_page(geometry)
    corners = [(0.0, 0.0), (1.0, 1.0), (0.25, 0.5), (0.75, 0.125)]
    with pdfium.PdfDocument(data) as document:
        page = document[0]
        expected = [device_to_page(page, x, y) for x, y in corners]
        page.close()
    for index in (0, 2):
        (x0, y0), (x1, y1) = corners[index : index + 2]
        left, bottom, right, top = parsed.to_pdf_space(BBox.clamped(x0, y0, x1, y1))
        xs, ys = zip(*expected[index : index + 2], strict=True)
        assert (left, right) == pytest.approx((min(xs), max(xs)), abs=0.1)
        assert (bottom, top) == pytest.approx((min(ys), max(ys)), abs=0.1)
    assert parsed.to_points(BBox(0, 0, 1, 1))[2:] == (geometry.width_pt, geometry.height_pt)
    width = geometry.pdf_box[2] - geometry.pdf_box[0] if geometry.pdf_box else math.nan
    shown = geometry.height_pt if rotation in (90, 270) else geometry.width_pt
    assert shown == pytest.approx(width * unit)


def parsed_page(geometry: PageGeometry) -> ParsedPage:
    return ParsedPage(
        number=1,
        width_pt=geometry.width_pt,
        height_pt=geometry.height_pt,
        rotation=geometry.rotation,
        pdf_box=geometry.pdf_box,
        user_unit=geometry.user_unit,
    )


def device_to_page(page: Any, x: float, y: float) -> tuple[float, float]:
    size = 1 << 20  # PDFium takes whole device pixels: many of them make small steps
    at_x, at_y = ctypes.c_double(), ctypes.c_double()
    ok = pdfium_c.FPDF_DeviceToPage(page, 0, 0, size, size, 0, round(x * size), round(y * size), at_x, at_y)
    assert ok
    return at_x.value, at_y.value


@pytest.mark.parametrize("value", [b"2", b"2.5", b".5"])
def test_user_unit_makes_points(make_pdf: MakePdf, value: bytes) -> None:
    unit = float(value)
    data = make_pdf([b"/MediaBox[0 0 100 200]", b"/MediaBox[0 0 100 200]/UserUnit " + value])
    with PageRenderer(load_source(data)) as renderer:
        assert renderer.geometry(1).user_unit == 1.0
        geometry = renderer.geometry(2)
        page = renderer.render(2, RenderSettings(dpi=72))
    assert (geometry.user_unit, geometry.width_pt, geometry.height_pt) == (unit, 100 * unit, 200 * unit)
    assert (page.width, page.height) == (100 * unit, 200 * unit)


def test_user_unit_is_found_in_object_streams(tmp_path: Path) -> None:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 200]/UserUnit 4>>"
    packed = zlib.compress(b"3 0 " + page)
    stream = b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>\nstream\n%b\nendstream" % (
        len(packed),
        packed,
    )
    body = bytearray(b"%PDF-1.6\n")
    offsets = []
    for number, text in [
        (1, b"<</Type/Catalog/Pages 2 0 R>>"),
        (2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>"),
        (4, stream),
    ]:
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    table = b"".join(
        bytes((kind,)) + value.to_bytes(4, "big") + bytes((index,))
        for kind, value, index in [
            (0, 0, 255),
            (1, offsets[0], 0),
            (1, offsets[1], 0),
            (2, 4, 0),
            (1, offsets[2], 0),
            (1, len(body), 0),
        ]
    )
    xref = len(body)
    body += (
        b"5 0 obj\n<</Type/XRef/Size 6/W[1 4 1]/Root 1 0 R/Length %d>>\nstream\n%b\nendstream\nendobj\n"
        % (len(table), table)
    )
    body += b"startxref\n%d\n%%%%EOF" % xref
    path = tmp_path / "packed.pdf"
    path.write_bytes(body)
    with PageRenderer(load_source(path)) as renderer:
        assert renderer.geometry(1).user_unit == 4.0
        assert renderer.geometry(1).width_pt == 400.0


def test_labels_and_title(make_pdf: MakePdf) -> None:
    title = "Über\u00a0uns\u0000\n".encode("utf-16-be")
    data = make_pdf(
        [b"/MediaBox[0 0 9 9]"] * 4,
        catalog=b"/PageLabels<</Nums[0<</S/r>>2<</S/D/P(A-)/St 7>>3<<>>]>>",
        extra=[b"<</Title<feff%b>>>" % title.hex().encode()],
        trailer=b"/Info 5 0 R",
    )
    with PageRenderer(load_source(data)) as renderer:
        assert [renderer.geometry(number).label for number in range(1, 5)] == ["i", "ii", "A-7", "4"]
        assert renderer.title == "Über uns"
    with PageRenderer(load_source(make_pdf())) as renderer:
        assert renderer.geometry(1).label == "1"
        assert renderer.title == ""


FIELD = (
    b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Filled)/DA(/Helv 20 Tf 0 g)/Rect[20 100 280 140]/F 4"
    b"/AP<</N 6 0 R>>>>"
)
LOOK = (
    b"<</Type/XObject/Subtype/Form/BBox[0 0 260 40]/Length 22>>\nstream\n0 0 1 rg 0 0 99 30 re f\nendstream"
)


@pytest.fixture
def form(make_pdf: MakePdf) -> bytes:
    return make_pdf(
        [b"/MediaBox[0 0 300 400]/Annots[5 0 R]"],
        content=b"",
        catalog=b"/AcroForm<</Fields[5 0 R]/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 0 Tf 0 g)>>",
        extra=[FIELD, LOOK],
    )


def test_form_fields_are_drawn(form: bytes, decoded: Decoded) -> None:
    page = draw(form)
    assert not page.is_blank
    assert (0, 0, 255) in {colour for _, colour in decoded(page).getcolors(1 << 20) or []}


def test_a_form_that_cannot_be_set_up_is_said_and_the_page_is_drawn(
    form: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object) -> bool:
        raise pdfium.PdfiumError("no form")

    monkeypatch.setattr(pdfium.PdfDocument, "init_forms", fail)
    page = draw(form)
    assert [(issue.code, issue.severity, issue.page) for issue in page.issues] == [
        ("forms_failed", "info", 1)
    ]


def test_attachments_are_said(make_pdf: MakePdf) -> None:
    extra = [
        b"<</Type/EmbeddedFile/Length 1>>\nstream\nx\nendstream",
        b"<</Type/Filespec/F(a.txt)/EF<</F 5 0 R>>>>",
    ]
    names = b"/Names<</EmbeddedFiles<</Names[(a.txt)6 0 R]>>>>"
    for mode, severity in [(b"", "info"), (b"/PageMode/UseAttachments", "warning")]:
        with PageRenderer(load_source(make_pdf(catalog=names + mode, extra=extra))) as renderer:
            assert [(issue.code, issue.severity) for issue in renderer.issues] == [("attachments", severity)]


@pytest.mark.parametrize(
    ("content", "blank", "expected"),
    [
        (b"", True, []),
        (b"BT /F 24 Tf 40 300 Td (   ) Tj ET", True, []),
        (b"0 1 0 rg 0 0 300 400 re f", True, []),
        (b"BT /F 24 Tf 3 Tr 40 300 Td (Hidden) Tj ET", True, ["hidden_text"]),
        (b"1 g BT /F 24 Tf 40 300 Td (White) Tj ET", True, ["hidden_text"]),
        (b"0 0 9 9 re W n BT /F 24 Tf 40 300 Td (Shown) Tj ET", True, ["fonts_missing"]),
        (b"BT /F 24 Tf 40 300 Td (Hello) Tj ET", False, []),
    ],
)
def test_blank_is_a_page_without_marks_and_text_behind_it_is_reported(
    make_pdf: MakePdf, content: bytes, blank: bool, expected: list[str]
) -> None:
    page = draw(make_pdf(content=content))
    assert page.is_blank == blank
    assert codes(page) == expected


@pytest.mark.parametrize(
    ("box", "text"),
    [
        (b"0 0 300 400", b"/F 24 Tf 400 300 Td"),  # beside the page
        (b"0 0 300 400", b"/F 24 Tf 40 -300 Td"),  # below it
        (b"0 0 14400 14400", b"/F 1 Tf 500 500 Td"),  # a tenth of a pixel high
        (b"0 0 .001 .001", b"/F 24 Tf 0 0 Td"),  # inside of a letter
    ],
)
def test_text_that_cannot_be_seen_lacks_no_font(make_pdf: MakePdf, box: bytes, text: bytes) -> None:
    page = draw(make_pdf([b"/MediaBox[%b]" % box], content=b"BT %b (Hello) Tj ET" % text))
    assert page.is_blank
    assert "hidden_text" in codes(page)
    assert "fonts_missing" not in codes(page)


def test_absurd_sizes_are_drawn_small_and_said(make_pdf: MakePdf, decoded: Decoded) -> None:
    for box, size in [(b"0 0 595 2147483647", (16, 2048)), (b"0 0 20000 20000", (1664, 1664))]:
        page = draw(make_pdf([b"/MediaBox[%b]" % box]))
        assert decoded(page).size == size
        assert codes(page) == ["scale_capped"]
        assert page.issues[0].page == 1


def test_a_size_that_memory_cannot_hold_is_typed(make_pdf: MakePdf) -> None:
    with pytest.raises(PageRenderError, match="no memory"):
        draw(make_pdf(), max_image_size=(1 << 30, 1 << 30))


def test_a_page_without_area_fails_alone(make_pdf: MakePdf) -> None:
    data = make_pdf(
        [b"/MediaBox[0 0 9 9]", b"/MediaBox[0 0 9 9]/CropBox[50 50 60 60]", b"/MediaBox[0 0 9 9]"]
    )
    with PageRenderer(load_source(data, file_name="odd.pdf")) as renderer:
        assert renderer.page_count == 3
        assert renderer.render(3).geometry.number == 3
        assert renderer.geometry(2).width_pt == 0
        with pytest.raises(PageRenderError, match=r"odd\.pdf, page 2: .*nothing to draw"):
            renderer.render(2)
        assert renderer.render(1).geometry.number == 1


@pytest.mark.parametrize("number", [0, -1, 2])
def test_pages_that_do_not_exist(make_pdf: MakePdf, number: int) -> None:
    with (
        PageRenderer(load_source(make_pdf())) as renderer,
        pytest.raises(PageRenderError, match="no such page"),
    ):
        renderer.render(number)


def test_no_pages_is_empty_and_lost_pages_are_damage(make_pdf: MakePdf) -> None:
    with pytest.raises(EmptySourceError, match="no pages"), PageRenderer(load_source(make_pdf([]))):
        pass
    lost = make_pdf().replace(b"/Kids[5 0 R]/Count 1", b"/Kids[]/Count 0     ")
    with pytest.raises(CorruptSourceError, match="page tree"), PageRenderer(load_source(lost)):
        pass


def test_a_claim_of_many_pages_is_not_believed(make_pdf: MakePdf) -> None:
    for claim, count, expected in [(3, 3, []), (99_999, 1, ["pages_missing"])]:
        data = make_pdf().replace(b"/Count 1", b"/Count %d" % claim)
        with PageRenderer(load_source(data)) as renderer:
            assert renderer.page_count == count
            assert [issue.code for issue in renderer.issues] == expected
            assert not renderer.render(1).is_blank
    nowhere = make_pdf().replace(b"/Kids[5 0 R]/Count 1", b"/Kids[9 0 R]/Count 99999")
    with pytest.raises(CorruptSourceError, match="page tree is damaged"), PageRenderer(load_source(nowhere)):
        pass


@pytest.mark.parametrize("junk", [1, 500, 1_000, 1_023, 1_030, 20_000, 60_000])
def test_junk_before_the_header_is_skipped(make_pdf: MakePdf, tmp_path: Path, junk: int) -> None:
    data = b"x" * junk + make_pdf()
    path = tmp_path / "junk.pdf"
    path.write_bytes(data)
    for source in (load_source(data), load_source(path)):
        with PageRenderer(source) as renderer:
            assert not renderer.render(1).is_blank


def test_the_text_layer_comes_only_when_asked_for(make_pdf: MakePdf) -> None:
    assert draw(make_pdf()).text_layer is None
    layer = draw(make_pdf(), text_layer=True).text_layer
    assert layer is not None
    assert [word.text for word in layer.words] == ["Hello"]
