"""What loader, blob parser and chunker say to the name of an option that they do not have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from nemoparse_loaders import OptionError

_CHUNKS = "for chunks give chunker=LayoutChunker(max_tokens=..., overlap_sentences=...)"

OF_LOADERS = {
    "mode": 'say split="document", "page", "element" or "chunk"',
    "chunk_size": _CHUNKS,
    "chunk_overlap": _CHUNKS,
}
"""What other loaders call what has another name here -> what to say."""

OF_SPLITTERS = {
    "mode": "what becomes a Document is split= of NemotronParseLoader",
    "chunk_size": "say max_tokens, in tokens; chunker=LayoutChunker(max_tokens=...) is for loaders",
    "chunk_overlap": "say overlap_sentences, in sentences",
}
"""The same of other text splitters."""


def names_of(function: Callable[..., Any]) -> set[str]:
    """Its named parameters, without ``self``."""
    named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind in named} - {"self"}


def refuse_unknown(given: Iterable[str], known: Iterable[str], elsewhere: Mapping[str, str]) -> None:
    """Refuse names that are no option, and say which was meant.

    Args:
        given: What the caller named.
        known: All options, in any order.
        elsewhere: What other libraries call an option, and what to say of it.

    Raises:
        OptionError: A name is not known; it tells of all of them.
    """
    known = sorted(known)
    problems = []
    for name in given:
        if name not in known:
            alike = get_close_matches(name, known, n=1)
            hint = elsewhere.get(name) or (f"did you mean {alike[0]}?" if alike else "")
            problems.append(f"there is no option {name}" + (f"; {hint}" if hint else ""))
    if problems:
        raise OptionError("; ".join(problems))
