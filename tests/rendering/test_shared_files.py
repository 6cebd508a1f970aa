"""Every hard file of the shared test data opens and draws, or raises an error that names it."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from nemoparse_loaders.errors import (
    CorruptSourceError,
    EmptySourceError,
    EncryptedSourceError,
    PageRenderError,
    SourceError,
    UnsupportedSourceError,
)
from nemoparse_loaders.rendering import PageImage, PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source

pytestmark = pytest.mark.data

Decoded = Callable[[PageImage], Image.Image]

SMALL = RenderSettings(max_image_size=(416, 512))
PASSWORDS = {
    "libreoffice-writer-password.pdf": "openpassword",
    "r6-user-password.pdf": "asdfzxcv",
    "saslprep-r6.pdf": "S\u00aaSL\u00adprep",
    "docling_password_2206.01062_pg3.pdf": "1234",
}
CANNOT_OPEN = {
    "zero_byte.pdf": (EmptySourceError, "empty"),
    "invalid.pdf": (CorruptSourceError, "no PDF can be read"),
    "poppler-395-0-fuzzed.pdf": (CorruptSourceError, "page tree"),
    "decompression_bomb.gif": (UnsupportedSourceError, "too large"),
    "multimodal_test.docx": (UnsupportedSourceError, "DOCX"),
    "multimodal_test.pptx": (UnsupportedSourceError, "PPTX"),
    "word_tables.docx": (UnsupportedSourceError, "DOCX"),
    "docx_external_image.docx": (UnsupportedSourceError, "DOCX"),
    "xlsx_04_inflated.xlsx": (UnsupportedSourceError, "XLSX"),
}
CANNOT_DRAW = {("Pages-tree-refs.pdf", 2), ("boundingBox_invalid.pdf", 3)}
# The manifest counts the frames of animations; here an animation is one page.
ONE_PAGE = {"iss634.apng"}


@pytest.fixture(scope="module")
def files(data_dir: Path) -> Path:
    return data_dir / "files"


@pytest.fixture(scope="module")
def manifest(files: Path) -> dict[str, dict[str, str]]:
    with (files / "MANIFEST.tsv").open(newline="", encoding="utf-8") as file:
        return {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}


def open_it(path: Path) -> PageRenderer:
    return PageRenderer(load_source(path), PASSWORDS.get(path.name))


def draw(path: Path, number: int = 1, settings: RenderSettings = SMALL) -> PageImage:
    with open_it(path) as renderer:
        return renderer.render(number, settings)


def codes(page: PageImage) -> list[str]:
    return [issue.code for issue in page.issues]


def test_every_file_draws_or_says_why_not(
    files: Path, manifest: dict[str, dict[str, str]], decoded: Decoded
) -> None:
    assert len(manifest) > 60
    for name, row in manifest.items():
        if name in CANNOT_OPEN:
            kind, reason = CANNOT_OPEN[name]
            with pytest.raises(kind, match=reason) as caught, open_it(files / name):
                pass
            assert str(caught.value).startswith(f"{name}: ")
            continue
        with open_it(files / name) as renderer:
            expected = 1 if name in ONE_PAGE else int(row["expected_pages"])
            assert renderer.page_count == expected, name
            for number in range(1, min(expected, 4) + 1):
                if (name, number) in CANNOT_DRAW:
                    with pytest.raises(PageRenderError, match=f"{name}, page {number}: "):
                        renderer.render(number, SMALL)
                else:
                    page = renderer.render(number, SMALL)
                    image = decoded(page)
                    assert image.width <= 416
                    assert image.height <= 512
                    assert page.geometry == renderer.geometry(number)


def test_pages_of_the_large_files(data_dir: Path, decoded: Decoded) -> None:
    paths = sorted((data_dir / "pages").glob("*.pdf"))
    assert len(paths) > 10
    chance = random.Random(7)
    for path in paths:
        with open_it(path) as renderer:
            for number in {1, renderer.page_count, chance.randint(1, renderer.page_count)}:
                page = renderer.render(number)
                assert max(page.width / 1664, page.height / 2048) <= 1
                assert page.width == 1664 or page.height == 2048
                assert not any(issue.severity == "error" for issue in page.issues)


@pytest.mark.parametrize("name", sorted(PASSWORDS))
def test_locked_files(files: Path, name: str) -> None:
    source = load_source(files / name)
    with pytest.raises(EncryptedSourceError, match="a password is needed"), PageRenderer(source):
        pass
    with pytest.raises(EncryptedSourceError, match="the password is wrong"), PageRenderer(source, "no"):
        pass
    with PageRenderer(source, PASSWORDS[name]) as renderer:
        assert renderer.render(1, SMALL).geometry.number == 1


def test_page_labels(files: Path) -> None:
    with open_it(files / "PageLabelsTest.pdf") as renderer:
        labels = [renderer.geometry(number).label for number in range(1, 17)]
    assert labels[:8] == ["i", "ii", "iii", "iv", "1", "2", "3", "4"]
    assert labels[12] == "Long Label - 11"


def test_filled_form_values_are_visible(
    files: Path, decoded: Decoded, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pypdfium2

    for name in ("prefilled_f1040.pdf", "160F-2019.pdf"):
        with_forms = decoded(draw(files / name, settings=RenderSettings()))
        with monkeypatch.context() as patch:
            patch.setattr(pypdfium2.PdfDocument, "init_forms", lambda self: False)
            without = decoded(draw(files / name, settings=RenderSettings()))
        difference = ImageChops.difference(with_forms, without).convert("L")
        assert sum(difference.histogram()[32:]) > 400, name


def test_rotations(files: Path) -> None:
    for name, number, rotation in [
        ("rotation.pdf", 1, 0),
        ("rotation.pdf", 2, 90),
        ("issue-1054-example.pdf", 1, 270),
        ("nemotron_multipage.pdf", 2, 180),
        ("nics-background-checks-2015-11-rotated.pdf", 1, 90),
    ]:
        page = draw(files / name, number)
        assert page.geometry.rotation == rotation, name
        shown = page.geometry.width_pt / page.geometry.height_pt
        assert page.width / page.height == pytest.approx(shown, rel=0.02)


def test_the_visible_box_with_a_negative_origin(files: Path) -> None:
    geometry = draw(files / "160F-2019.pdf").geometry
    assert geometry.pdf_box is not None
    left, bottom, right, top = geometry.pdf_box
    assert left < 0 < bottom
    assert (right - left, top - bottom) == pytest.approx((geometry.width_pt, geometry.height_pt), abs=0.01)


def test_missing_fonts_are_said(files: Path) -> None:
    page = draw(files / "noembed-eucjp.pdf")
    # Where this machine has the fonts, there is something to see.
    assert ("fonts_missing" in codes(page)) == page.is_blank


def test_blank_pages(files: Path) -> None:
    assert draw(files / "blanktext.pdf").is_blank
    assert draw(files / "empty#hash.pdf").is_blank
    assert not draw(files / "invisible_text_layer.pdf").is_blank


def test_huge_pages_are_capped_and_said(files: Path) -> None:
    for name, number in [("poppler-85140-0.pdf", 1), ("hugemono.pdf", 1), ("skinnypage.pdf", 2)]:
        assert codes(draw(files / name, number, RenderSettings())) == ["scale_capped"], name
    assert codes(draw(files / "lincoln_letter.pdf", 1, RenderSettings())) == []


def test_what_is_to_know_about_the_whole_file(files: Path) -> None:
    for name, expected in [
        ("synthetic_portfolio.pdf", [("attachments", "warning")]),
        ("with-attachment.pdf", [("attachments", "info")]),
        ("xfa_issue14315.pdf", [("xfa", "warning")]),
        ("rotation.pdf", []),
    ]:
        with open_it(files / name) as renderer:
            assert [(issue.code, issue.severity) for issue in renderer.issues] == expected, name


@pytest.mark.parametrize("name", ["16bit.cropped.tif", "16bit.MM.cropped.tif"])
def test_16_bit_pictures_are_not_white(files: Path, decoded: Decoded, name: str) -> None:
    page = draw(files / name)
    assert not page.is_blank
    low, high = decoded(page).convert("L").getextrema()
    assert (low, high) == (0, 255)


def test_images(files: Path, decoded: Decoded) -> None:
    assert codes(draw(files / "truncated_jpeg.jpg")) == ["truncated_image"]
    assert codes(draw(files / "iss634.apng")) == ["animation"]
    alpha = decoded(draw(files / "baiona_alpha.png", settings=RenderSettings()))
    with Image.open(files / "baiona_alpha.png") as image:
        paper = Image.new("RGBA", image.size, "white")
        paper.alpha_composite(image.convert("RGBA"))
        assert ImageChops.difference(alpha, paper.convert("RGB")).getbbox() is None
    with Image.open(files / "pil_sample_cmyk.jpg") as image:
        cmyk = decoded(draw(files / "pil_sample_cmyk.jpg"))
        assert ImageChops.difference(cmyk, image.convert("RGB")).getbbox() is None
    # Stored lying on its side, with EXIF orientation 6.
    with Image.open(files / "hopper_orientation_6.jpg") as image:
        turned = image.transpose(Image.Transpose.ROTATE_270)
        upright = decoded(draw(files / "hopper_orientation_6.jpg"))
        assert ImageChops.difference(upright, turned.convert("RGB")).getbbox() is None


def test_cut_and_spoiled_files_never_raise_anything_else(files: Path, tmp_path: Path) -> None:
    chance = random.Random(11)
    names = [
        "multi_page.pdf",
        "prefilled_f1040.pdf",
        "2206.01062.tif",
        "iss634.apng",
        "hopper_orientation_6.jpg",
    ]
    for name in [*names, "decompression_bomb.gif", "multipage.tiff", "baiona_alpha.png", "rotation.pdf"]:
        whole = (files / name).read_bytes()
        for _ in range(6):
            spoiled = bytearray(whole[: chance.randint(1, len(whole))])
            for _ in range(chance.randint(0, 30)):
                spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
            try:
                with PageRenderer(load_source(bytes(spoiled), file_name=name)) as renderer:
                    for number in range(1, min(3, renderer.page_count) + 1):
                        renderer.render(number, SMALL)
            except (SourceError, PageRenderError) as error:
                assert str(error).startswith(name)  # noqa: PT017
