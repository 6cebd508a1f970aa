"""A cell as a reader found it: before spans are settled and places are given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class SourceCell:
    """One cell as printed.

    Attributes:
        text: Markdown inline text.
        rowspan: Rows it claims; negative where it claims those above (LaTeX allows that).
        colspan: Columns it claims.
        is_head: Marked as a header cell.
    """

    text: str = ""
    rowspan: int = 1
    colspan: int = 1
    is_head: bool = False


# Most cells are text and nothing else, so a plain string is a cell, too.
Row = list["SourceCell | str"]


def cell_text(cell: SourceCell | str) -> str:
    """The text of either form."""
    return cell if isinstance(cell, str) else cell.text
