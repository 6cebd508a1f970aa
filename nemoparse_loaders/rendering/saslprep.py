"""SASLprep (RFC 4013): the normal form in which PDF 2.0 takes passwords."""

from __future__ import annotations

import stringprep
import unicodedata

_PROHIBITED = (
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def saslprep(password: str) -> str | None:
    """The normal form, or None where the rules forbid a character (there is no normal form then).

    The rule on mixed directions is left out: a writer that broke it still made the password from this form.
    """
    mapped = "".join(
        " " if stringprep.in_table_c12(char) else char
        for char in password
        if not stringprep.in_table_b1(char)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    return None if any(prohibits(char) for char in normal for prohibits in _PROHIBITED) else normal
