"""Options can be printed: nothing secret is in what is shown of them."""

from __future__ import annotations

import copy
import pickle

import pytest

from nemoparse_loaders import DocumentParser, ParseOptions


@pytest.mark.parametrize("address", ["http://user:hunter2@gpu:8000/v1", "https://gpu/v1#hunter2"])
def test_an_address_is_shown_without_its_secrets(address: str) -> None:
    parser = DocumentParser(
        base_url=address, backend="vllm", api_key="hunter2", password="hunter2", headers={"X": "hunter2"}
    )
    for shown in (repr(parser), repr(parser.options), str(parser.options), f"{parser.backend}"):
        assert "hunter2" not in shown
        assert "gpu" in shown
    for again in (copy.deepcopy(parser), pickle.loads(pickle.dumps(parser))):
        assert again.options == parser.options
        assert again.options.base_url == address
    assert ParseOptions().base_url is None
