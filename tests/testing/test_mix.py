"""A random mix of faults: what a picture meets depends on the seed alone."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable

import pytest

from nemoparse_loaders.testing import (
    FAULT_KINDS,
    Fault,
    Hang,
    HttpError,
    ParseServer,
    RecordedRequest,
    random_faults,
)

from .test_server import chat_body, fetch

Choose = Callable[[RecordedRequest], Fault | None]


def request_for(picture: str) -> RecordedRequest:
    request = RecordedRequest("POST", "/v1/chat/completions", {})
    request.keep_picture("image/png", encoded=base64.b64encode(picture.encode()))
    return request


def met(choose: Choose, pictures: list[str]) -> dict[str, list[Fault | None]]:
    found: dict[str, list[Fault | None]] = {}
    for picture in pictures:
        found.setdefault(picture, []).append(choose(request_for(picture)))
    return found


def test_order_does_not_matter() -> None:
    pictures = [f"page {number}" for number in range(50)] * 4
    first = met(random_faults(0.5, 7), pictures)
    random.Random(1).shuffle(pictures)
    assert met(random_faults(0.5, 7), pictures) == first
    assert met(random_faults(0.5, 8), pictures) != first


def test_rate_and_kinds() -> None:
    choose = random_faults(0.25, 1, kinds=["503", Hang()])
    faults = [choose(request_for(f"page {number}")) for number in range(2000)]
    hit = [fault for fault in faults if fault is not None]
    assert 400 < len(hit) < 600
    assert 150 < hit.count(HttpError(503)) < 350
    assert set(hit) == {HttpError(503), Hang()}


def test_most_for_one_picture() -> None:
    found = met(random_faults(1.0, 1, most=2), ["a", "b"] * 5)
    for faults in found.values():
        assert [fault is not None for fault in faults] == [True, True, False, False, False]


def test_only_pages_are_hit() -> None:
    with ParseServer(faults=random_faults(1.0, 1, kinds=["500"], most=1)) as server:
        assert fetch(f"{server.base_url}/v1/models")[0] == 200
        address = f"{server.base_url}/v1/chat/completions"
        assert [fetch(address, chat_body())[0] for _ in range(3)] == [500, 200, 200]


def test_names() -> None:
    assert all(isinstance(fault, Fault) for fault in FAULT_KINDS.values())
    with pytest.raises(ValueError, match="there is no fault '504'; there are 500, 503"):
        random_faults(0.1, 1, kinds=["504"])
    with pytest.raises(ValueError, match="from 0 to 1"):
        random_faults(1.1, 1)
    with pytest.raises(ValueError, match="no kinds"):
        random_faults(0.1, 1, kinds=[])
