"""How a DocumentParser is configured: options, the environment, secrets, copies."""

from __future__ import annotations

import copy
import pickle

import pytest

from nemoparse_loaders import DocumentParser, OptionError, ParseOptions
from nemoparse_loaders.backends.nvidia import NvidiaBackend


def test_pickles_and_copies() -> None:
    parser = DocumentParser(base_url="http://127.0.0.1:9/v1", api_key="not-a-real-key", model="m")
    again = pickle.loads(pickle.dumps(parser))
    assert again.options == parser.options
    assert copy.deepcopy(parser).backend == parser.backend


@pytest.mark.parametrize(("max_tokens", "warnings"), [(None, 0), (1_000, 0), (999, 1)])
def test_a_limit_that_looks_like_that_of_chunks_is_warned_of_once(
    max_tokens: int | None, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    options = ParseOptions.build(base_url="http://127.0.0.1:9/v1", model="m", max_tokens=max_tokens)
    pickle.loads(pickle.dumps(options))
    assert not caplog.records, "options alone say nothing"
    parser = DocumentParser(options=options)
    copy.deepcopy(pickle.loads(pickle.dumps(parser)))
    assert [record.levelname for record in caplog.records] == ["WARNING"] * warnings
    for told in (f"max_tokens={max_tokens} limits the model's reply", "chunker=LayoutChunker(max_tokens="):
        assert (told in caplog.text) is bool(warnings)


def test_no_secret_is_shown() -> None:
    parser = DocumentParser(
        base_url="http://127.0.0.1:9",
        api_key="not-a-real-key",
        password="not-a-real-password",
        headers={"X-Token": "not-a-real-token"},
    )
    for shown in (repr(parser), str(parser.options), repr(parser.backend)):
        assert "not-a-real" not in shown


def test_a_misspelt_option_is_named() -> None:
    with pytest.raises(OptionError, match="max_concurency"):
        DocumentParser(backend="cpu", max_concurency=3)  # type: ignore[call-arg]


def test_a_bad_value_is_named_and_not_repeated() -> None:
    with pytest.raises(OptionError, match="base_url") as caught:
        DocumentParser(base_url="ftp://user:not-a-real-key@host")
    assert "not-a-real-key" not in str(caught.value)


def test_an_object_that_is_no_backend() -> None:
    with pytest.raises(OptionError, match="not int"):
        DocumentParser(backend=42)  # type: ignore[arg-type]


def test_a_parser_option_in_the_wrong_place() -> None:
    with pytest.raises(OptionError, match="pages"):
        DocumentParser(backend="cpu").parse(b"%PDF-1.7", pages="1")  # type: ignore[call-arg]


def test_vllm_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEMOTRON_PARSE_BASE_URL", raising=False)
    with pytest.raises(OptionError, match="base_url"):
        DocumentParser(backend="vllm")


def test_auto_takes_the_server_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_BASE_URL", "http://127.0.0.1:9/v1")
    assert DocumentParser().backend.name == "vllm"


def test_a_key_alone_sends_nothing_to_nvidia(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEMOTRON_PARSE_BASE_URL", raising=False)
    monkeypatch.delenv("NEMOTRON_PARSE_BACKEND", raising=False)
    monkeypatch.setenv("NVIDIA_API_KEY", "not-a-real-key")
    try:
        backend = DocumentParser().backend.name
    except OptionError:
        return
    assert backend == "cpu"


def test_the_key_of_an_own_server_does_not_go_to_nvidia(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_API_KEY", "not-a-real-key-of-ours")
    monkeypatch.setenv("NVIDIA_API_KEY", "not-a-real-key-of-theirs")
    backend = DocumentParser(backend="nvidia").backend
    assert isinstance(backend, NvidiaBackend)
    assert backend.api_key is not None
    assert backend.api_key.get_secret_value() == "not-a-real-key-of-theirs"


def test_nvidia_when_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_BACKEND", "nvidia")
    monkeypatch.setenv("NVIDIA_API_KEY", "not-a-real-key")
    assert DocumentParser().backend.name == "nvidia"


def test_an_unknown_backend_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_BACKEND", "vlm")
    with pytest.raises(OptionError, match="NEMOTRON_PARSE_BACKEND"):
        DocumentParser()
