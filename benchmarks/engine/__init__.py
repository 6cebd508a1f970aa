"""The engine's benchmark: this library, a naive client and docling's against the same server.

``python -m benchmarks.engine --help``, from the project's folder.
"""
