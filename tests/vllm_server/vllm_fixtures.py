"""A pytest plugin: the fixture `vllm_server`, one real server for the whole run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vllm_process import VllmProcess, find_environment, model_folder

API_KEY = "a-key-for-tests"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "stops_vllm_server: ends the real server, so it runs after all others")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order stays as it is, but what stops the server comes last."""
    items.sort(key=lambda item: item.get_closest_marker("stops_vllm_server") is not None)


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmProcess]:
    """A real vLLM server with the tiny checkpoint; it asks for a key."""
    environment = find_environment()
    if environment is None:
        pytest.skip("the real vLLM server is not installed: run tests/vllm_server/install.sh")
    log = tmp_path_factory.mktemp("vllm") / "server.log"
    server = VllmProcess(environment, model_folder(environment), log, API_KEY)
    server.start()
    try:
        yield server
    finally:
        server.stop()
