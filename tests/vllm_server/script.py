"""What the tiny model says: its vocabulary, and three replies as chains of tokens that each occur once."""

from __future__ import annotations

from collections.abc import Iterable

BASE_TOKENS = ("<s>", "<pad>", "</s>", "<unk>")
END = "</s>"
PROMPT_TOKENS = (
    "<predict_bbox>",
    "<no_bbox>",
    "<predict_classes>",
    "<predict_no_classes>",
    "<output_markdown>",
    "<output_plain>",
    "<output_no_text>",
    "<predict_text_in_pic>",
    "<predict_no_text_in_pic>",
)
CLASSES = (
    "Text",
    "Title",
    "Section-header",
    "List-item",
    "Table",
    "Formula",
    "Picture",
    "Caption",
    "Footnote",
    "Page-header",
    "Page-footer",
    "Bibliography",
    "TOC",
    "Chart",
    "Code",
    "Inline-formula",
    "Floating-text",
)
_GRID = 1024


def x(step: int) -> str:
    """The token of a horizontal position, in steps of 1/1024."""
    return f"<x_{step / _GRID:.4f}>"


def y(step: int) -> str:
    """The token of a vertical position, in steps of 1/1024."""
    return f"<y_{step / _GRID:.4f}>"


def _block(left: int, top: int, words: Iterable[str], right: int, bottom: int, name: str) -> list[str]:
    return [x(left), y(top), *words, x(right), y(bottom), f"<class_{name}>"]


# No token may occur in two places: the model knows nothing but the last one. Hence the uneven boxes.
PAGE: tuple[str, ...] = (
    *_block(103, 52, ("# ", "A tiny", " heading"), 922, 95, "Title"),
    *_block(
        104, 120, ("First paragraph,", " with *markup*", " and caf\u00e9 \u2014 \u20ac."), 921, 210, "Text"
    ),
    *_block(
        105,
        230,
        (
            "\\begin{tabular}{cc}",
            "\nName",
            " & ",
            "Qty",
            " \\\\ ",
            "\nbolt",
            "  &  ",
            "42",
            "\n\\end{tabular}",
        ),
        920,
        400,
        "Table",
    ),
    *_block(106, 420, ("\\(E = mc^2\\)",), 500, 450, "Formula"),
    *_block(107, 460, (), 919, 800, "Picture"),
    *_block(108, 810, ("- item one", "\n- item two"), 918, 860, "List-item"),
    *_block(
        110,
        870,
        (
            '<chart type="bar">',
            "\ntitle: Sales",
            "\n| Year | Units |\n|---|---|",
            "\n| 2024 | 10 |",
            "\n| 2025 | 12 |",
            "\n</chart>",
        ),
        916,
        990,
        "Chart",
    ),
    *_block(109, 1000, ("page 7 of 9",), 917, 1020, "Page-footer"),
)
LOOP: tuple[str, ...] = (x(1), y(1), "again", " and again,")
PLAIN: tuple[str, ...] = ("plain text only", " for </markdown>", x(2), y(2), x(3), y(3), "<class_TOC>")

SPECIAL_TOKENS: tuple[str, ...] = (
    *BASE_TOKENS,
    *PROMPT_TOKENS,
    *(f"<class_{name}>" for name in CLASSES),
    *(x(step) for step in range(_GRID + 1)),
    *(y(step) for step in range(_GRID + 1)),
)
WORDS: tuple[str, ...] = tuple(
    dict.fromkeys(token for token in (*PAGE, *LOOP, *PLAIN) if token not in SPECIAL_TOKENS)
)


def followers() -> dict[str, str]:
    """Which token comes after which; after all others the reply ends."""
    after: dict[str, str] = {}
    for first, reply in (
        ("<predict_text_in_pic>", (*PAGE, END)),
        ("<predict_no_text_in_pic>", (*LOOP, LOOP[0])),
        ("<output_plain>", (*PLAIN, END)),
    ):
        last = first
        for token in reply:
            if after.setdefault(last, token) != token:
                raise ValueError(f"{last!r} occurs in two places")
            last = token
    after[END] = END
    return after
