"""Coverage-guided fuzzing of the decoder: see README.md in this folder."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Not a dependency, not even for development: only who fuzzes installs it.
atheris: Any = importlib.import_module("atheris")


def main() -> None:
    """fuzz_decoding.py reply|table [options and folders of libFuzzer]"""
    name, *options = sys.argv[1:]
    sys.path.insert(0, str(HERE))
    with atheris.instrument_imports(include=["nemoparse_loaders"]):
        targets = importlib.import_module("targets")
    target = {"reply": targets.check_reply, "table": targets.check_table}[name]
    atheris.Setup([sys.argv[0], f"-dict={HERE / 'tokens.dict'}", "-timeout=10", *options], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
