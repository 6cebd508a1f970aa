#!/usr/bin/env python3
"""Sets up the project in a folder of its own and runs it. Needs Python with pip and nothing else.

    python3 bootstrap.py demo              install, then parse the sample paper with the CPU backend
    python3 bootstrap.py test [pytest...]  install with everything that tests need, then run the tests
      --with stores                        ... and the vector stores; without them their tests skip
      --with langchain-milvus              ... into .venv-langchain-milvus; it cannot be beside the others
    python3 bootstrap.py install           install for development, and run nothing

Everything goes into .venv and .tools beside this file. pip itself only unpacks uv into .tools, so this works
where the system's Python is externally managed (PEP 668) and where the venv module is not installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools" / "uv"
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"
# Dependency groups of pyproject.toml that are asked for by name, with the versions they are installed in.
GROUPS = {"stores": CONSTRAINTS, "langchain-milvus": ROOT / "requirements" / "langchain-milvus.txt"}
UV_REQUIREMENT = ROOT / "requirements" / "uv.txt"
INTEGRATIONS = (
    "llama-index-readers-nemotron-parse",
    "llama-index-node-parser-nemotron-parse",
    "langchain-nemotron-parse",
)


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    """Run a command in the project's folder and leave with its exit status if it fails."""
    result = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False)
    if result.returncode:
        sys.exit(result.returncode)


def uv(*arguments: str | Path) -> None:
    """Run uv, unpacking it first where it is not there yet."""
    if not (TOOLS / "uv" / "__main__.py").is_file():
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", TOOLS)
        # Its warning about the user root is for installations into the system's Python.
        quiet = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
        run(sys.executable, *pip, "--requirement", UV_REQUIREMENT, environment=quiet)
    environment = {
        **os.environ,
        "PYTHONPATH": str(TOOLS),
        "UV_NO_PROGRESS": "1",
        # nltk, which LlamaIndex's splitters use, refuses to read files that are hard links.
        "UV_LINK_MODE": "copy",
    }
    run(sys.executable, "-m", "uv", "--quiet", *arguments, environment=environment)


def install(venv: Path, *, tests: bool, group: str | None = None) -> Path:
    """Install the project into ``venv``.

    Returns:
        The environment's Python.
    """
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        uv("venv", "--no-project", "--python", sys.executable, venv)
    wanted: list[str | Path] = ["--editable", ".[cpu]"]
    if tests:
        wanted = ["--editable", ".[cpu,openai,pandas]", "--group", "dev"]
        for name in INTEGRATIONS:
            wanted += ["--editable", f"integrations/{name}"]
    if group:
        wanted += ["--group", group]
    versions = GROUPS[group] if group else CONSTRAINTS
    uv("pip", "install", "--python", python, "--constraints", versions, *wanted)
    return python


def main() -> None:
    """Read the command line and do what it says."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("command", choices=["demo", "test", "install"])
    parser.add_argument("--venv", type=Path, help="default: .venv beside this file")
    parser.add_argument("--with", dest="group", choices=GROUPS, help="vector stores for the tests")
    options, rest = parser.parse_known_args()
    if sys.version_info < (3, 10):  # noqa: UP036 - this file also runs on an older Python, to say so
        sys.exit(f"Python 3.10 or later is needed; this is {sys.version.split()[0]}")
    if rest and options.command != "test":
        parser.error(f"unknown: {' '.join(rest)}")
    own = ".venv-langchain-milvus" if options.group == "langchain-milvus" else ".venv"
    venv: Path = (options.venv or ROOT / own).resolve()
    print(f"Installing into {venv}; the first time this can take a minute or more.", file=sys.stderr)
    python = install(venv, tests=options.command != "demo", group=options.group)
    if options.command == "demo":
        run(python, ROOT / "examples" / "quickstart.py")
        print(f"The program was examples/quickstart.py. Your own runs with {python}", file=sys.stderr)
    elif options.command == "test":
        run(python, "-m", "pytest", *rest)
    else:
        print(f"Installed. Your programs run with {python}", file=sys.stderr)


if __name__ == "__main__":
    main()
