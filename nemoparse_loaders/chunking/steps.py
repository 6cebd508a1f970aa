"""Which steps of the algorithm are taken; all of them, but for measuring what each one is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Steps:
    """Switches for an ablation. Every step is taken by default.

    Whatever is switched off, no chunk goes over its budget and no text is lost.

    Attributes:
        furniture: Running heads and feet are found by repetition as well as by class. Off: by class alone.
        levels: Headings get levels of their own from numbers, marks, boxes and capitals. Off: all are alike.
        joins: Paragraphs, lists and tables that go on in the next column or page are put together.
        captions: Captions go with their tables and figures. Off: they are running text.
        bindings: Lead-ins, lines of units, footnotes and the words around a formula go with what they belong
            to.
        sections: Sections are chunks, and small ones are merged under the path that they share. Off: blocks
            are packed in reading order.
        header_rows: Pieces of a table repeat its header rows, and the section row that they stand under.
        overlap: Pieces of an over-long text repeat sentences of the piece before.
        paths: The heading path is embedded.
    """

    furniture: bool = True
    levels: bool = True
    joins: bool = True
    captions: bool = True
    bindings: bool = True
    sections: bool = True
    header_rows: bool = True
    overlap: bool = True
    paths: bool = True


ALL_STEPS = Steps()
