"""What ParseOptions says to names and values that cannot work."""

from __future__ import annotations

import pytest

from nemoparse_loaders import DocumentParser, OptionError, ParseOptions
from nemoparse_loaders.options import OptionValues


def test_a_misspelt_option_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(
        OptionError, match=r"^there is no option max_concurency; did you mean max_concurrency\?$"
    ):
        ParseOptions.build(max_concurency=2)


def test_a_name_like_no_other_is_refused_without_a_guess() -> None:
    with pytest.raises(OptionError, match=r"^there is no option zzz$"):
        DocumentParser(backend="cpu", zzz=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mode", r"split= of readers and loaders"),
        ("chunk_size", r"LayoutChunker\(max_tokens=\.\.\., overlap_sentences=\.\.\.\)"),
        ("chunk_overlap", r"LayoutChunker\(max_tokens=\.\.\., overlap_sentences=\.\.\.\)"),
    ],
)
def test_what_is_chosen_elsewhere_is_refused_with_the_place(name: str, told: str) -> None:
    with pytest.raises(OptionError, match=f"^there is no option {name}; .*{told}"):
        DocumentParser(backend="cpu", **{name: 1})  # type: ignore[arg-type]


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(OptionError, match=r"backend: .*'nvidia'.*; timeout: .*; there is no option page; "):
        ParseOptions.build(backend="nim", timeout=0, page=2)


def test_a_value_is_never_repeated() -> None:
    with pytest.raises(OptionError) as caught:
        ParseOptions.build(api_key={"a": "the-key-of-the-test"}, password=["the-key-of-the-test"])
    assert "the-key-of-the-test" not in str(caught.value)


def test_our_own_checks_speak_for_themselves() -> None:
    with pytest.raises(OptionError, match=r"^base_url: must be an http\(s\) URL such as "):
        ParseOptions.build(base_url="localhost:8000")


@pytest.mark.parametrize(
    "wrong", [{"timeout": float("inf")}, {"timeout": float("nan")}, {"dpi": float("inf")}]
)
def test_numbers_are_finite(wrong: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(wrong))}: .*finite"):
        ParseOptions.build(**wrong)


def test_type_checkers_know_every_option() -> None:
    assert OptionValues.__annotations__.keys() | {"backend"} == ParseOptions.model_fields.keys()


def test_an_empty_name_is_no_folder_of_a_cache() -> None:
    with pytest.raises(OptionError, match=r"^cache_dir: "):
        ParseOptions.build(cache_dir="")
