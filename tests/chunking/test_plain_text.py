"""Plain Markdown to chunks: nothing lost, headings found, places left open."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders import METADATA_KEYS, LayoutChunker, split_text
from nemoparse_loaders.chunking.plain_text import _blocks

MARKDOWN = """# Boats
There are boats.

## Sails

Sails are white.
They are large.

```python
a = 1

# no heading
```

| a | b |
|---|---|
| 1 | 2 |"""


def test_blocks() -> None:
    assert list(_blocks(MARKDOWN)) == [
        "# Boats",
        "There are boats.",
        "## Sails",
        "Sails are white.\nThey are large.",
        "```python\na = 1\n\n# no heading\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ]


def test_a_fence_that_is_never_closed_keeps_its_text() -> None:
    assert list(_blocks("```\na\n\nb")) == ["```\na\n\nb"]


def test_headings_lead_to_paths_and_places_are_open() -> None:
    chunks = split_text(MARKDOWN, doc_id="d", chunker=LayoutChunker(16)).chunks
    assert any(chunk.metadata["section_path"] == "Boats > Sails" for chunk in chunks)
    for chunk in chunks:
        assert set(chunk.metadata) == set(METADATA_KEYS)
        for key, value in chunk.metadata.items():
            assert type(value) is METADATA_KEYS[key]
        assert (chunk.metadata["page_number"], chunk.metadata["pages"], chunk.metadata["page_label"]) == (
            0,
            "",
            "",
        )
        assert (chunk.metadata["bboxes"], chunk.metadata["element_ids"]) == ("[]", "")


def test_ids_follow_from_the_id_given() -> None:
    first, again, other = (
        [chunk.id for chunk in split_text(MARKDOWN, doc_id=doc_id).chunks] for doc_id in ("d", "d", "e")
    )
    assert first == again
    assert not set(first) & set(other)


lines = st.sampled_from(["# ab", "cd ef.", "", "  ", "```", "gh", "- ij", "| k | l |", "\x0b", "mn\r"])


@given(st.lists(lines, max_size=20))
def test_no_word_is_lost(text: list[str]) -> None:
    whole = "\n".join(text)
    words = Counter(re.findall(r"[a-z]+", whole))
    chunker = LayoutChunker(512, overlap_sentences=0)
    chunks = split_text(whole, doc_id="d", chunker=chunker).chunks
    found = Counter(re.findall(r"[a-z]+", "\n".join(chunk.text for chunk in chunks)))
    assert words - found == Counter()
