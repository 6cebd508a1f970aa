"""Which metadata of a chunk an embedder and an LLM do not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from nemoparse_loaders import METADATA_KEYS

# Of our own keys the only one that means as much for a document as for its chunks, and so the only one whose
# exclusion on the document says what its owner wants.
FILE_NAME = "file_name"


def excluded(
    metadata: Mapping[str, Any], theirs: Mapping[str, Any], listed: Sequence[str], shown: Set[str]
) -> list[str]:
    """Keys kept from a prompt or an embedding: theirs as the document says, ours as they are meant.

    Args:
        metadata: Of the chunk, the document's own on top.
        theirs: The document's own.
        listed: Keys that the document excludes.
        shown: Our keys that may be shown.
    """
    hidden_keys = [key for key in dict.fromkeys(listed) if key not in METADATA_KEYS]
    for key, value in metadata.items():
        if key in theirs or key == FILE_NAME:
            hidden = key in listed or (key not in theirs and key not in shown)
        else:
            hidden = key not in shown or value == ""
        if hidden and key not in hidden_keys:
            hidden_keys.append(key)
    return hidden_keys
