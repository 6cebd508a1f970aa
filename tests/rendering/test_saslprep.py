from __future__ import annotations

import pytest

from nemoparse_loaders.rendering.saslprep import saslprep


@pytest.mark.parametrize(
    ("password", "normal"),
    [
        ("I\u00adX", "IX"),  # the examples of RFC 4013, section 3
        ("user", "user"),
        ("USER", "USER"),
        ("\u00aa", "a"),
        ("\u2168", "IX"),
        ("S\u00aaSL\u00adprep", "SaSLprep"),
        ("a\u00a0b", "a b"),
        ("\u0007", None),
        ("", ""),
    ],
)
def test_brings_passwords_to_their_normal_form(password: str, normal: str | None) -> None:
    assert saslprep(password) == normal
