from __future__ import annotations

import io

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders.errors import EncryptedSourceError
from nemoparse_loaders.rendering import PageRenderer
from nemoparse_loaders.sources import Source, load_source


def locked(user: str, owner: str) -> Source:
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(user, owner, strength=128))
    canvas.drawString(100, 100, "Secret")
    canvas.save()
    return load_source(out.getvalue(), file_name="locked.pdf")


@pytest.mark.parametrize("password", ["open sesame", "owner"])
def test_either_password_opens(password: str) -> None:
    with PageRenderer(locked("open sesame", "owner"), password=password) as renderer:
        assert not renderer.render(1).is_blank


@pytest.mark.parametrize("password", [None, ""])
def test_says_that_a_password_is_needed(password: str | None) -> None:
    with pytest.raises(
        EncryptedSourceError, match=r"^locked\.pdf: a password is needed: give password= \(--password\)$"
    ):
        PageRenderer(locked("open sesame", "owner"), password=password).__enter__()


@pytest.mark.parametrize("password", ["hunter2", "Passwört", "\u00aa", "\u0007", "\ud800", "a\x00b"])
def test_says_that_the_password_is_wrong(password: str) -> None:
    with pytest.raises(EncryptedSourceError, match=r"^locked\.pdf: the password is wrong$") as caught:
        PageRenderer(locked("open sesame", "owner"), password=password).__enter__()
    assert password not in str(caught.value)


def test_an_owner_password_alone_locks_nothing() -> None:
    with PageRenderer(locked("", "owner")) as renderer:
        assert renderer.page_count == 1


def test_a_password_for_an_open_file_does_no_harm(make_pdf: object) -> None:
    assert callable(make_pdf)
    with PageRenderer(load_source(make_pdf()), password="needless") as renderer:
        assert renderer.page_count == 1
