"""Decoding: the model's reply to elements, and back. Pure functions, linear in the length of the text.

The parts, in the order of the data: `markers` (tokens of the envelope), `blocks` (one body each),
`artefacts` (what is no text), `frames` (boxes), `elements` (one rule a class), `tables` and
`charts`; `encode` is the way back. What is wrong with a reply is judged in `checks`.
"""

from .encode import encode_page
from .page import decode_page

__all__ = ["decode_page", "encode_page"]
