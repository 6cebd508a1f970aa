r"""Formulas: words set in two dimensions to LaTeX.

Fraction bars come from rulings, superscripts and subscripts from size and height, Greek letters and operators
from their code points. Radicals, matrices and stretched brackets are not rebuilt: their signs stay in a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .aligned_grid import text_rows
from .geometry import Rect, bounds
from .parts import Block, Line, Region, Word

_SURE = 0.5
_SMALL = 0.85
_NUMBER = re.compile(r"^\(([A-Z]?\.?\d{1,3}(?:[.-]\d{1,3})*[a-z]?)\)$")
_MAX_DEPTH = 8

_SIGNS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi",
    "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "∆": "Delta", "Θ": "Theta",
    "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "≤": "leq",
    "≥": "geq", "≠": "neq", "≈": "approx", "≡": "equiv", "∼": "sim", "∝": "propto", "±": "pm", "∓": "mp",
    "×": "times", "÷": "div", "⋅": "cdot", "·": "cdot", "∗": "ast", "∑": "sum", "∏": "prod", "∫": "int",
    "∮": "oint", "√": "sqrt", "∂": "partial", "∇": "nabla", "∞": "infty", "∈": "in", "∉": "notin",
    "⊂": "subset", "⊆": "subseteq", "∪": "cup", "∩": "cap", "∧": "wedge", "∨": "vee", "¬": "neg",
    "∀": "forall", "∃": "exists", "→": "to", "←": "leftarrow", "⇒": "Rightarrow", "↔": "leftrightarrow",
    "⇔": "Leftrightarrow", "…": "ldots", "⋯": "cdots", "∅": "emptyset", "‖": "|", "∥": "parallel",
    "⊥": "perp", "⟨": "langle", "⟩": "rangle",
}  # fmt: skip
_PLAIN = {"−": "-", "–": "-", "∕": "/", "′": "'"}
_ESCAPED = frozenset("%#&_{}$")


_MATH = re.compile(r"[=<>≤≥≈≠±×÷∑∏∫√∂∇∞∈∉⊂⊆∪∩∧∨¬∀∃→⇒↔⇔∝·∙⋅α-ωΑ-Ω+−^]")
_MATH_FONT = re.compile(
    r"^(?:CM(?:MI|SY|EX|BSY|MIB)|MSAM|MSBM|LMMath|STIX.*Math|.*Math|Symbol|Euclid|MTSY|MTMI|rsfs)",
    re.IGNORECASE,
)
_MOST_PROSE = 0.15


def is_formula(words: Sequence[Word], *, seen: bool) -> bool:
    """Whether the words are a formula rather than a sentence.

    Args:
        words: Of one block.
        seen: Whether the layout model sees an equation there; then one sign is enough.
    """
    signs = len(_MATH.findall(" ".join(word.text for word in words)))
    signs += sum(bool(_MATH_FONT.match(word.font)) for word in words)
    prose = sum(
        len(word.text) >= 4 and word.text.isalpha() and not _MATH_FONT.match(word.font) for word in words
    )
    if prose > _MOST_PROSE * len(words):
        return False
    return signs >= 1 if seen else signs >= max(2, 0.35 * len(words))


def equation_blocks(words: Sequence[Word], rules: Sequence[Rect], regions: Sequence[Region]) -> list[Block]:
    """A Formula block for each region in which the layout model sees an equation, with its number.

    Args:
        words: Those of the page that belong to no table or figure.
        rules: Horizontal rules, among them fraction bars.
        regions: What the layout model found.
    """
    blocks: list[Block] = []
    seen = [region for region in regions if region.kind == "equation" and region.score >= _SURE]
    for region in sorted(seen, key=lambda region: -region.score):
        box = region.box.grown(2.0)
        held = [word for word in words if box.holds(*word.box.middle)]
        if not is_formula(held, seen=True) or any(box.share_in(block.box) > 0.3 for block in blocks):
            continue
        around = bounds([word.box for word in held])
        number = _number_beside(around, [word for word in words if word not in held])
        blocks.append(formula_block(held, rules, number))
    return blocks


def _number_beside(box: Rect, words: Sequence[Word]) -> Word | None:
    """The equation's number, at the end of its line."""
    row = [
        word
        for word in words
        if _NUMBER.match(word.text) and box.y0 <= word.box.middle[1] <= box.y1 and word.box.x0 >= box.x1
    ]
    nearest = min(row, key=lambda word: word.box.x0, default=None)
    if nearest is None:
        return None
    # A word in between belongs to another column, and then so does the number.
    between = Rect(box.x1, nearest.box.y0, nearest.box.x0, nearest.box.y1)
    return None if any(between.holds(*word.box.middle) for word in words) else nearest


def formula_block(words: Sequence[Word], rules: Sequence[Rect], number: Word | None = None) -> Block:
    """A Formula block of these words.

    Args:
        words: The formula.
        rules: Horizontal rules of the page.
        number: The word that holds the equation's number.
    """
    held = [*words, number] if number else list(words)
    box = bounds([word.box for word in held])
    bars = [rule for rule in rules if rule.width > rule.height and box.holds(*rule.middle)]
    body = to_latex(words, bars)
    if number and (match := _NUMBER.match(number.text)):
        body += rf" \tag{{{match.group(1)}}}"
    lines = [Line(tuple(row)) for row in text_rows(held)]
    return Block(box, lines, type="Formula", region="equation", body=body)


def to_latex(words: Sequence[Word], bars: Sequence[Rect], depth: int = 0) -> str:
    """Words of one formula to LaTeX without delimiters.

    Args:
        words: With their places.
        bars: Horizontal rules that may be fraction bars.
        depth: How deep this is nested; from a depth of 8 on fractions are written in a line.
    """
    if not words:
        return ""
    split = _fraction(words, bars) if depth < _MAX_DEPTH else None
    if split is not None:
        bar, before, over, under, after = split
        rest = [other for other in bars if other is not bar]
        fraction = rf"\frac{{{to_latex(over, rest, depth + 1)}}}{{{to_latex(under, rest, depth + 1)}}}"
        parts = (to_latex(before, rest, depth + 1), fraction, to_latex(after, rest, depth + 1))
        return " ".join(part for part in parts if part)
    largest = max(word.size for word in words)
    base = [word for word in words if word.size >= _SMALL * largest]
    rows = text_rows(base)
    if len(rows) == 1:
        return _line(words, base)
    middles = [sum(word.box.middle[1] for word in row) / len(row) for row in rows]
    members: list[list[Word]] = [[] for _ in rows]
    for word in words:
        nearest = min(range(len(rows)), key=lambda index: abs(middles[index] - word.box.middle[1]))
        members[nearest].append(word)
    return r" \\ ".join(
        _line(row, [word for word in row if word.size >= _SMALL * largest]) for row in members if row
    )


Split = tuple[Rect, list[Word], list[Word], list[Word], list[Word]]


def _fraction(words: Sequence[Word], bars: Sequence[Rect]) -> Split | None:
    """The widest bar with words right above and right below it, and the words around it."""
    for bar in sorted(bars, key=lambda bar: -bar.width):
        inside = [word for word in words if bar.x0 - 1 <= word.box.middle[0] <= bar.x1 + 1]
        over = [word for word in inside if word.box.middle[1] < bar.y0]
        under = [word for word in inside if word.box.middle[1] >= bar.y0]
        if over and under:
            before = [word for word in words if word.box.middle[0] < bar.x0 - 1]
            after = [word for word in words if word.box.middle[0] > bar.x1 + 1]
            return bar, before, over, under, after
    return None


def _line(words: Sequence[Word], base: Sequence[Word]) -> str:
    """One line: small words become superscripts and subscripts of what stands before them."""
    ordered = sorted(words, key=lambda word: word.box.x0)
    if not base:
        return " ".join(_text(word.text) for word in ordered)
    full = {id(word) for word in base}
    middle = sorted(word.box.middle[1] for word in base)[len(base) // 2]
    parts: list[str] = []
    pending: dict[str, list[str]] = {}
    for word in ordered:
        if id(word) in full:
            parts.extend(_scripts(pending))
            pending = {}
            parts.append(_text(word.text))
        else:
            pending.setdefault("^" if word.box.middle[1] < middle else "_", []).append(_text(word.text))
    parts.extend(_scripts(pending))
    line = ""
    for part in parts:
        line += part if not line or part[0] in "^_" else f" {part}"
    return line


def _scripts(pending: dict[str, list[str]]) -> list[str]:
    return [f"{sign}{{{' '.join(texts)}}}" for sign, texts in sorted(pending.items(), reverse=True)]


def _text(text: str) -> str:
    """Characters to LaTeX."""
    pieces: list[str] = []
    for char in text:
        if char in _SIGNS:
            pieces.append(f"\\{_SIGNS[char]} ")
        elif char in _ESCAPED:
            pieces.append(f"\\{char}")
        elif char == "\\":
            pieces.append(r"\backslash ")
        else:
            pieces.append(_PLAIN.get(char, char))
    return "".join(pieces).strip()
