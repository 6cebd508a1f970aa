"""The shared conformance cases: each is a reply and what must come out of it."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .conformance_adapter import parse

pytestmark = pytest.mark.data


def _case_files() -> list[Any]:
    root = os.environ.get("NEMOPARSE_TEST_DATA")
    if root:
        return sorted(Path(root, "conformance", "cases").glob("*.json"))
    reason = "NEMOPARSE_TEST_DATA is not set: the shared test data is not at hand"
    return [pytest.param(Path("cases"), marks=pytest.mark.skip(reason=reason))]


@pytest.fixture(scope="module")
def suite(data_dir: Path) -> ModuleType:
    """The suite's own comparison."""
    path = data_dir / "conformance" / "run_suite.py"
    spec = importlib.util.spec_from_file_location("conformance_run_suite", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cases_are_there(data_dir: Path) -> None:
    assert len(list((data_dir / "conformance" / "cases").glob("*.json"))) >= 90


@pytest.mark.parametrize("path", _case_files(), ids=lambda path: path.stem)
def test_case(path: Path, suite: ModuleType) -> None:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))

    got = parse(case["input"], case.get("finish_reason", "stop"))

    assert suite.compare(case["expect"], got) is None, case["why"]
