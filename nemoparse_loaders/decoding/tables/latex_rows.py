r"""What a reader of a ``tabular`` returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from .source_cell import Row


@dataclass(slots=True)
class TabularRows:
    r"""A tabular as read.

    Attributes:
        rows: Its cells.
        declared_cols: Columns of its specification, 0 without one.
        midrules: Numbers of rows above each ``\midrule``.
        hlines: Numbers of rows above each ``\hline``.
        captions: What stands in it and is no row.
        damage: What did not fit, in words.
    """

    rows: list[Row] = field(default_factory=list)
    declared_cols: int = 0
    midrules: list[int] = field(default_factory=list)
    hlines: list[int] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    damage: str = ""
