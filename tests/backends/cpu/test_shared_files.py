"""Real files, against what people or other tools say is in them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemoparse_loaders.backends.cpu.models import Models
from nemoparse_loaders.backends.cpu.reader import read_page
from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import Element, ParsedPage, Table
from nemoparse_loaders.errors import PageRenderError, SourceError
from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source

pytestmark = pytest.mark.data

# Full scans take seconds each through OCR; test_ocr_words and a few files below stand for them.
SLOW = re.compile(
    r"2206\.01062\.tif|baiona|congress|lincoln|^ocr_|rotation_mismatch|Vicksburg|asymptote|nemotron"
)


def read(models: Models, path: Path, *numbers: int) -> Iterator[ParsedPage]:
    with PageRenderer(load_source(path)) as renderer:
        for number in numbers or range(1, renderer.page_count + 1):
            image = renderer.render(number, RenderSettings(text_layer=True))
            reply = encode_page(read_page(image, models), image_size=(image.width, image.height))
            yield decode_page(reply, page_number=number)


def bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"<[^>]+>", "", text)).lower()


def tables(pages: Iterator[ParsedPage]) -> list[Table]:
    return [table for page in pages for table in page.tables]


def test_files_of_all_kinds_give_pages_or_a_typed_error(models: Models, data_dir: Path) -> None:
    seen: Counter[str] = Counter()
    unnamed: list[str] = []
    pages = sorted((data_dir / "pages").iterdir())[::3]
    for path in [*sorted((data_dir / "files").iterdir()), *pages]:
        if path.is_dir() or path.suffix == ".tsv" or SLOW.search(path.name):
            continue
        try:
            (page,) = read(models, path, 1)
        except (SourceError, PageRenderError) as error:
            seen[type(error).__name__] += 1
            unnamed += [path.name] if path.name not in str(error) else []
        else:
            seen[page.status] += 1
            assert page.status != "partial", (path.name, page.issues)
            assert all(element.bbox is not None for element in page.elements), path.name
    assert unnamed == []
    assert seen["ok"] > 45
    assert seen["EncryptedSourceError"] >= 3


Relation = tuple[str, str, str]
Cell = tuple[int, int, int, int, str]  # first row, last row, first column, last column, text


def neighbours(cells: list[Cell]) -> set[Relation]:
    """Which text stands right of and below which: how the ICDAR 2013 competition compares tables."""
    found: set[Relation] = set()
    filled = [cell for cell in cells if cell[4]]
    for top, bottom, left, right, text in filled:
        beside = [c for c in filled if c[2] > right and c[0] <= bottom and c[1] >= top]
        below = [c for c in filled if c[0] > bottom and c[2] <= right and c[3] >= left]
        found |= {(text, c[4], "right") for c in beside if c[2] == min(other[2] for other in beside)}
        found |= {(text, c[4], "below") for c in below if c[0] == min(other[0] for other in below)}
    return found


def test_the_tables_of_the_competition_file_are_exact(models: Models, data_dir: Path) -> None:
    root = ET.parse(data_dir / "files" / "reference" / "camelot__eu-004-str.xml").getroot()
    wanted: dict[int, list[set[Relation]]] = {}
    for region in root.iter("region"):
        cells: list[Cell] = []
        for cell in region.iter("cell"):
            row, col = int(cell.get("start-row", "0")), int(cell.get("start-col", "0"))
            last_row, last_col = int(cell.get("end-row") or row), int(cell.get("end-col") or col)
            cells.append((row, last_row, col, last_col, bare(cell.findtext("content") or "")))
        wanted.setdefault(int(region.get("page", "0")), []).append(neighbours(cells))
    for page in read(models, data_dir / "files" / "eu-004.pdf", *sorted(wanted)[::2]):
        found = [
            neighbours(
                [
                    (
                        cell.row,
                        cell.row + cell.rowspan - 1,
                        cell.col,
                        cell.col + cell.colspan - 1,
                        bare(cell.text),
                    )
                    for cell in table.cells
                ]
            )
            for table in page.tables
        ]
        for relations in wanted[page.number]:
            best = max(found, key=lambda other: len(other & relations))
            assert best == relations, page.number


@pytest.mark.parametrize(
    "name", ["nics-background-checks-2015-11.pdf", "nics-background-checks-2015-11-rotated.pdf"]
)
def test_the_columns_of_the_gun_statistics_add_up(models: Models, data_dir: Path, name: str) -> None:
    (table,) = tables(read(models, data_dir / "files" / name, 1))
    rows = table.grid()
    start = next(index for index, row in enumerate(rows) if row[0] == "Alabama")
    body = rows[start:]
    assert len(body) == 56
    assert body[-1][0] == "Totals"
    for column in range(1, table.n_cols):
        numbers = [int(re.sub(r"[, ]", "", row[column] or "0") or 0) for row in body]
        assert sum(numbers) == 2 * numbers[-1], column


def test_spanning_cells(models: Models, data_dir: Path) -> None:
    first, second = tables(read(models, data_dir / "files" / "spanning_cells.pdf", 1))
    assert (first.n_rows, first.n_cols, second.n_rows, second.n_cols) == (21, 6, 4, 6)
    spanning = [(cell.row, cell.colspan, cell.text) for cell in first.cells if cell.colspan > 1]
    assert spanning == [
        (0, 6, "Improved operation scenario"),
        (7, 6, "Best practice scenario"),
        (14, 6, "State-of-the-art scenario"),
    ]
    assert first.grid()[4] == ["Localized data centers", "1,512", "1,586", "1,646", "1,677", "1,693"]


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("2305.03393v1-pg9.pdf", "docling__2305.03393v1-pg9.md"),
        ("code_and_formula.pdf", "docling__code_and_formula.md"),
        ("multi_page.pdf", "docling__multi_page.md"),
        ("right_to_left_01.pdf", "docling__right_to_left_01.md"),
    ],
)
def test_no_words_are_lost(models: Models, data_dir: Path, name: str, reference: str) -> None:
    def words(text: str) -> Counter[str]:
        return Counter(bare(word) for word in re.split(r"[\s|]+", text) if bare(word))

    said = "\n".join(
        element.text for page in read(models, data_dir / "files" / name) for element in page.elements
    )
    wanted = words((data_dir / "files" / "reference" / reference).read_text("utf-8"))
    missing = wanted - words(said)
    assert sum(missing.values()) <= 0.05 * sum(wanted.values()), missing


@pytest.mark.parametrize("name", ["multi_column_miss.pdf", "discoverworld_crazy_table4.pdf"])
def test_what_people_say_of_a_page(models: Models, data_dir: Path, name: str) -> None:
    (page,) = read(models, data_dir / "files" / name, 1)
    furniture = {"Page-header", "Page-footer"}
    said = bare(" ".join(element.text for element in page.elements if element.type not in furniture))
    checks = [
        json.loads(line)
        for line in (data_dir / "files" / "reference" / "olmocr__dataset.jsonl")
        .read_text("utf-8")
        .splitlines()
        if name in line
    ]
    kinds = Counter(check["type"] for check in checks)
    passed: Counter[str] = Counter()
    for check in checks:
        if check["type"] == "present":
            passed["present"] += bare(check["text"]) in said
        elif check["type"] == "absent":
            passed["absent"] += bare(check["text"]) not in said
        elif check["type"] == "order":
            before, after = said.find(bare(check["before"])), said.find(bare(check["after"]))
            passed["order"] += 0 <= before < after
    assert passed["present"] == kinds["present"]
    assert passed["absent"] == kinds["absent"]
    assert passed["order"] == kinds["order"]


def test_a_scan_reads_the_same_at_every_rotation(models: Models, data_dir: Path) -> None:
    pages = list(read(models, data_dir / "files" / "nemotron_multipage.pdf", 2, 3))
    texts = {bare(" ".join(element.text for element in page.elements)) for page in pages}
    assert texts == {"doclingbundlespdfdocumentconversiontojsonandmarkdowninaneasyselfcontainedpackage"}


@pytest.mark.parametrize(("name", "text"), [("scan-bad.pdf", "pdf.js"), ("type3_font_nomapping.pdf", "ua")])
def test_a_useless_text_layer_is_replaced_by_ocr(
    models: Models, data_dir: Path, name: str, text: str
) -> None:
    (page,) = read(models, data_dir / "files" / name, 1)
    assert [element.text for element in page.elements] == [text]


def test_hidden_instructions_are_not_read(models: Models, data_dir: Path) -> None:
    (page,) = read(models, data_dir / "files" / "invisible_text_layer.pdf", 1)
    assert "Invisible" not in " ".join(element.text for element in page.elements)
    assert "Visible heading line" in " ".join(element.text for element in page.elements)


def test_columns_of_a_gazette_are_read_one_after_the_other(models: Models, data_dir: Path) -> None:
    (page,) = read(models, data_dir / "files" / "federal-register-2020-17221.pdf", 4)
    texts: list[Element] = [element for element in page.elements if element.type == "Text" and element.bbox]
    columns = [round((element.bbox.x0 if element.bbox else 0) * 3.3) for element in texts]
    assert columns == sorted(columns)
    assert set(columns) == {0, 1, 2}
