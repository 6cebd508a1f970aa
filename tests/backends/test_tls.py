"""Servers and proxies behind TLS: which certificates are trusted, and what is said where none is."""

from __future__ import annotations

import asyncio
import logging
import shutil
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.errors import AuthenticationError, BackendError
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import SAMPLE_PAGE, ParseServer

KEY = "sk-a-secret-key-of-some-length"
_AUTHORITY = """\
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = An authority for tests
[extensions]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
"""
_SERVER = """\
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:localhost, DNS:parse.example
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority (ca.pem) and a server's certificate from it (server.pem, server.key)."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the openssl command is not here, so there are no certificates to test with")
    folder = tmp_path_factory.mktemp("authority")
    (folder / "ca.cnf").write_text(_AUTHORITY)
    (folder / "server.cnf").write_text(_SERVER)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for arguments in (
        ["req", "-x509", *key, "-config", "ca.cnf", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2"],
        ["req", *key, "-config", "ca.cnf", "-subj", "/CN=server", "-keyout", "server.key",
         "-out", "server.csr"],
        ["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "2",
         "-days", "2", "-extfile", "server.cnf", "-out", "server.pem"],
    ):  # fmt: skip
        subprocess.run([openssl, *arguments], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(autouse=True)
def _no_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


class Tunnel:
    """Listens on a free port and passes everything on to another one; as a proxy it wants a CONNECT first."""

    def __init__(
        self, target: int, *, tls: ssl.SSLContext | None = None, refuses: bool | None = None
    ) -> None:
        self._target = target
        self._tls = tls
        self._refuses = refuses
        self.heads: list[bytes] = []
        self._ends: set[asyncio.Task[None]] = set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses is not None:
            self.heads.append(await reader.readuntil(b"\r\n\r\n"))
            if self._refuses:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                writer.close()
                return
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
        await asyncio.gather(copy(reader, server_writer), copy(server_reader, writer))

    def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._ends.add(task)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._came, "127.0.0.1", 0, ssl=self._tls)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in self._ends:
                task.cancel()
            await asyncio.gather(*self._ends, return_exceptions=True)


def serving(authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "server.pem", authority / "server.key")
    return context


@asynccontextmanager
async def tls_server(authority: Path) -> AsyncIterator[int]:
    async with ParseServer(api_key=KEY) as server:
        port = int(server.base_url.rpartition(":")[2])
        async with Tunnel(port, tls=serving(authority)).open() as tls_port:
            yield tls_port


async def read(address: str, page: PageImage) -> str:
    async with VllmBackend(address, api_key=SecretStr(KEY)).session() as session:
        return (await session.read(page)).text


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
async def test_an_authority_of_ones_own(
    authority: Path, page: PageImage, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    async with tls_server(authority) as port:
        monkeypatch.setenv(variable, str(authority / "ca.pem"))
        assert await read(f"https://localhost:{port}", page) == SAMPLE_PAGE


async def test_an_unknown_authority_is_refused_and_the_way_out_named(
    authority: Path, page: PageImage
) -> None:
    async with tls_server(authority) as port:
        with pytest.raises(BackendError, match=r"localhost.*certificate.*SSL_CERT_FILE") as caught:
            await read(f"https://localhost:{port}", page)
    assert not caught.value.retryable
    assert KEY not in repr(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__)


async def test_a_certificate_for_another_name_is_refused(
    authority: Path, page: PageImage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
    async with tls_server(authority) as port:
        with pytest.raises(BackendError, match="TLS"):
            await read(f"https://127.0.0.1:{port}", page)


async def test_left_over_settings_do_no_harm(
    authority: Path,
    page: PageImage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority / "gone.pem"))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(authority / "ca.cnf"))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
    with caplog.at_level(logging.WARNING):
        async with tls_server(authority) as port:
            assert await read(f"https://localhost:{port}", page) == SAMPLE_PAGE
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert "REQUESTS_CA_BUNDLE" in said
    assert "CURL_CA_BUNDLE" in said


async def test_plain_http_asks_for_no_certificates(page: PageImage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere")
    monkeypatch.setattr(ssl, "create_default_context", lambda: pytest.fail("no TLS here"))
    async with ParseServer(api_key=KEY) as server:
        assert await read(server.base_url, page) == SAMPLE_PAGE


# TLS inside of TLS is there from Python 3.11 on.
@pytest.mark.parametrize("proxy_tls", [False, True] if sys.version_info >= (3, 11) else [False])
async def test_through_a_proxy_with_a_login(
    authority: Path, page: PageImage, monkeypatch: pytest.MonkeyPatch, proxy_tls: bool
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority / "ca.pem"))
    monkeypatch.setenv("NO_PROXY", "10.0.0.0/8,::1,fd00::/8")
    async with tls_server(authority) as port:
        proxy = Tunnel(port, tls=serving(authority) if proxy_tls else None, refuses=False)
        async with proxy.open() as proxy_port:
            scheme = "https" if proxy_tls else "http"
            monkeypatch.setenv("HTTPS_PROXY", f"{scheme}://user:pass-word@localhost:{proxy_port}")
            assert await read("https://parse.example:8443", page) == SAMPLE_PAGE
    (head,) = proxy.heads
    assert head.startswith(b"CONNECT parse.example:8443 ")
    assert b"Proxy-Authorization: Basic " in head
    assert KEY.encode() not in head


async def test_a_proxy_that_refuses_shows_no_login(page: PageImage, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Tunnel(9, refuses=True).open() as proxy_port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://user:pass-word@127.0.0.1:{proxy_port}")
        with pytest.raises(BackendError, match=r"proxy.*407") as caught:
            await read("https://parse.example:8443", page)
    error = caught.value
    assert not isinstance(error, AuthenticationError)
    said = repr(error) + str(error) + repr(error.__cause__) + repr(error.__context__)
    assert "pass-word" not in said
    assert KEY not in said


async def test_loopback_with_tls_goes_past_the_proxy(
    authority: Path, page: PageImage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    async with tls_server(authority) as port:
        assert await read(f"https://localhost:{port}", page) == SAMPLE_PAGE
