"""Tables in a body: LaTeX tabulars, HTML tables and pipe tables, to one grid of cells with spans."""

from .find import find_tables

__all__ = ["find_tables"]
