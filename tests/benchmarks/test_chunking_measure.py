"""What the benchmark of chunking counts, and what it makes of page text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.chunking.bootstrap import difference
from benchmarks.chunking.layout_set import QUESTIONS
from benchmarks.chunking.pages import classified, page_of
from benchmarks.chunking.words import RUN, covered, letters, plain


@pytest.mark.parametrize(
    "text",
    [
        r"Model & $\mathbf{0 . 6 4 9}$ & GPT-4 \\ \hline",
        "| Model | **0.649** | GPT-4 |\n| --- | --- | --- |",
        r"\begin{tabular}{|c|l|} Model & \multicolumn{2}{|c|}{0.649} & GPT-4 \end{tabular}",
        "<b>Model</b> 0.649, gpt-4",
    ],
)
def test_evidence_reads_the_same_in_every_markup(text: str) -> None:
    assert letters(text) == "model0649gpt4"


def test_evidence_is_found_in_runs_and_not_by_single_letters() -> None:
    evidence = letters("the quick brown fox jumps over the lazy dog")
    half = evidence[: len(evidence) // 2 + 2]

    assert covered(evidence, [evidence]) == 1.0
    assert covered(evidence, ["".join(sorted(evidence))]) == 0.0
    assert covered(evidence, [half]) == pytest.approx(len(half) / len(evidence))
    assert covered(evidence, [half, evidence[len(half) - 3 :]]) == 1.0


@given(st.text(alphabet="abc0", min_size=1, max_size=60), st.integers(0, 60))
def test_evidence_that_is_cut_in_two_texts_is_lost_only_around_the_cut(evidence: str, cut: int) -> None:
    found = covered(evidence, [evidence[:cut], evidence[cut:]])

    assert 0.0 <= found <= 1.0
    assert found >= 1.0 - 2 * RUN / len(evidence) or len(evidence) <= 2 * RUN


def test_short_evidence_has_to_be_found_whole() -> None:
    assert covered("293", ["129312"]) == 1.0
    assert covered("293", ["2 93", "29"]) == 0.0


def test_plain_words_keep_the_content_of_cells() -> None:
    assert plain("| a | b |\n| --- | --- |\n| 1 | `2` |").split() == ["a", "b", "1", "2"]


def test_page_text_becomes_blocks_with_classes() -> None:
    text = "\n".join(
        [
            "3.2 Training",
            "",
            "The model is trained",
            "for ten epochs. See below:",
            "- on one machine",
            "Table 2: Results of it",
            r"\begin{tabular}{|c|c|}",
            r"  Model & \begin{tabular}{l} A \\ B \end{tabular} \\",
            r"  ours & 1 \\",
            r"\end{tabular}",
            r"\footnotetext{",
            r"${ }^{1}$ A note.",
            r"}",
        ]
    )

    assert [kind for kind, _ in classified(text)] == [
        "Section-header",
        "Text",
        "List-item",
        "Caption",
        "Table",
        "Footnote",
    ]
    (table,) = page_of(text, 1).tables
    assert (table.n_rows, table.n_cols) == (2, 2)


def test_numbered_lines_in_a_row_are_steps_and_no_headings() -> None:
    steps = "4. Pull shelf straight out.\n5. Lift it.\n\n6. Cleaning\n\nUse a soft cloth for it."

    kinds = [kind for kind, _ in classified(steps)]
    assert kinds == ["List-item", "List-item", "List-item", "Text"]
    assert [kind for kind, _ in classified("6. Cleaning\n\nUse a soft cloth.")] == ["Section-header", "Text"]
    assert [kind for kind, _ in classified("2. Leases ..... 12")] != ["Section-header"]


def test_a_tabular_without_an_end_is_text() -> None:
    assert [kind for kind, _ in classified("before\n\n\\begin{tabular}{c} a & b")] == ["Text", "Text"]


def test_the_interval_is_around_the_difference_and_zero_for_equals() -> None:
    document_of = {str(number): str(number % 7) for number in range(70)}
    theirs = dict.fromkeys(document_of, 0.5)
    ours = {question: 0.5 + 0.01 * (int(question) % 7) for question in document_of}

    seen = difference(ours, theirs, document_of)
    assert seen.low < seen.mean < seen.high
    assert seen.mean == pytest.approx(3.0)
    same = difference(theirs, theirs, document_of)
    assert (same.low, same.mean, same.high) == (0.0, 0.0, 0.0)


def test_the_second_set_names_a_source_for_each_document() -> None:
    data = json.loads(QUESTIONS.read_text(encoding="utf-8"))

    assert len(data["questions"]) >= 40
    assert {row["document"] for row in data["questions"]} == set(data["documents"])
    assert all(letters(text) for row in data["questions"] for text in row["evidence"])
    assert all(entry["source"] and entry["licence"] for entry in data["documents"].values())
