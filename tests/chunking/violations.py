"""Everything that the chunks of a document must hold, checked at once."""

from __future__ import annotations

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking import ChunkTree
from nemoparse_loaders.document import ParsedDocument
from tests.chunking.check_shape import shape_problems
from tests.chunking.check_tables import table_problems
from tests.chunking.check_text import Held, text_problems


def violations(document: ParsedDocument, chunker: LayoutChunker, tree: ChunkTree | None = None) -> list[str]:
    """What is wrong with the chunks of a document, one line each; nothing where all is well.

    Args:
        document: The document.
        chunker: Makes its chunks and parents.
        tree: They, where they have been made already.
    """
    tree = tree or chunker.chunk_tree(document)
    held = Held.of(document, chunker, tree.chunks)
    return [*shape_problems(held, tree.parents), *text_problems(held), *table_problems(held)]
