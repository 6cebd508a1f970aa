"""Checks of a reply: whether it loops, is cut, is broken or empty, and what is said of it where.

The decoder says what it found and did; here is the judgement, as issues on the page and on its elements.
Whether the text of a page agrees with the words that its file stores is judged in `evidence`.
"""

from .block import BlockFacts, block_notes
from .evidence import supported_by, verified
from .loops import is_token_stutter, repeated_blocks, shorten_loops
from .reply import ReplyFacts, page_issues, page_status

__all__ = [
    "BlockFacts",
    "ReplyFacts",
    "block_notes",
    "is_token_stutter",
    "page_issues",
    "page_status",
    "repeated_blocks",
    "shorten_loops",
    "supported_by",
    "verified",
]
