"""How long the import takes, as a multiple of ``import pydantic`` (target: at most 1.5).

python benchmarks/import_time.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys

RUNS = 15
TARGET = 1.5


def seconds(module: str) -> float:
    """Time of one import in a fresh interpreter."""
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Interleave the runs, so that a busy moment hits both alike."""
    pairs = [(seconds("nemoparse_loaders"), seconds("pydantic")) for _ in range(RUNS)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(
        f"nemoparse_loaders {ours * 1000:.1f} ms, pydantic {theirs * 1000:.1f} ms: {ours / theirs:.2f} times"
    )
    if ours > TARGET * theirs:
        sys.exit(f"more than {TARGET} times")


if __name__ == "__main__":
    main()
