"""What every chunk must hold, on every document: ``python -m benchmarks.chunk_invariants --help``."""
