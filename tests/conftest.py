"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of hard files, recorded replies and wire recordings that is kept beside the project."""
    value = os.environ.get("NEMOPARSE_TEST_DATA")
    if not value:
        pytest.skip("NEMOPARSE_TEST_DATA is not set: the shared test data is not at hand")
    path = Path(value)
    if not path.is_dir():
        pytest.fail(f"NEMOPARSE_TEST_DATA names no folder: {value}")
    return path
