"""Nodes that show an embedder other words than the reader: the chunk's ``embed_text``."""

from __future__ import annotations

import hashlib

from llama_index.core.schema import ImageNode, MetadataMode, TextNode
from pydantic import Field

from nemoparse_loaders import EMBED_KEYS


def text_mark(text: str) -> str:
    """A short hash that tells whether a text is still the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class NemotronParseNode(TextNode):
    """A chunk: Markdown for a reader, and plain words under their headings for an embedder.

    Stores write it as the plain TextNode that LlamaIndex can load, and give that back: then the heading path,
    the caption and the Markdown are what is embedded. So it is where the text was changed since.

    Attributes:
        embed_text: What is embedded in place of the text; heading path and caption stand in it.
        embed_text_for: Which text it stands for, see `text_mark`.
    """

    embed_text: str = Field(default="", exclude=True, repr=False, description="What is embedded.")
    embed_text_for: str = Field(default="", exclude=True, repr=False, description="Mark of the text.")

    def get_content(self, metadata_mode: MetadataMode = MetadataMode.NONE) -> str:
        """As for any node; for an embedder ``embed_text`` under the metadata that your own code added."""
        if metadata_mode != MetadataMode.EMBED or self.embed_text_for != text_mark(self.text):
            return super().get_content(metadata_mode)
        hidden = {*self.excluded_embed_metadata_keys, *EMBED_KEYS}
        shown = self.metadata_separator.join(
            self.metadata_template.format(key=key, value=str(value))
            for key, value in self.metadata.items()
            if key not in hidden
        ).strip()
        if not shown:
            return self.embed_text
        return self.text_template.format(content=self.embed_text, metadata_str=shown).strip()


class NemotronParseImageNode(NemotronParseNode, ImageNode):
    """A figure or chart with its picture: words, caption and heading path as for any chunk."""
