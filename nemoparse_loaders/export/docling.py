"""A document as a `DoclingDocument`, where docling-core (extra ``docling``) is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..document import ParsedDocument
from ..errors import MissingDependencyError

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument


def document_to_docling(document: ParsedDocument) -> DoclingDocument:
    """The document with labels, boxes, captions and table cells in docling's places.

    Raises:
        MissingDependencyError: docling-core is not installed.
    """
    try:
        from .docling_items import DoclingWriter
    except ImportError as error:
        raise MissingDependencyError(
            "a DoclingDocument needs docling-core: pip install 'nemoparse-loaders[docling]'"
        ) from error
    return DoclingWriter(document).write()
