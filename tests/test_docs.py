"""The documents in docs/ and README.md agree with the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_table_of_options_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate_options.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_has_exactly_two_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shell = re.findall(r"^```(?:bash|sh|shell|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    commands = [line for block in shell for line in block.splitlines() if line.strip()]
    assert commands == ["python3 bootstrap.py demo", "python3 bootstrap.py test"]


PAGES = sorted(
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "examples")
    for path in folder.glob("*.md" if folder == ROOT else "**/*.md")
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_in_the_pages_compiles(page: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        compile(block, str(page), "exec", flags=0x2000)  # PyCF_ALLOW_TOP_LEVEL_AWAIT
