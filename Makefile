PYTHON ?= python3
BIN = .venv/bin

.PHONY: install test check format constraints documents benchmark

install:
	$(PYTHON) bootstrap.py install

test:
	$(PYTHON) bootstrap.py test

check:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format:
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Universal: one file for Python 3.10 to 3.14, all extras.
constraints:
	uv pip compile pyproject.toml integrations/*/pyproject.toml --all-extras --group dev --group stores --universal \
	  --python-version 3.10 --no-header --no-annotate --no-emit-package nemoparse-loaders --upgrade \
	  -o requirements/constraints.txt
	uv pip compile pyproject.toml integrations/*/pyproject.toml --extra cpu --extra openai --extra pandas \
	  --group dev --group langchain-milvus --universal --python-version 3.10 --no-header --no-annotate \
	  --no-emit-package nemoparse-loaders --upgrade -o requirements/langchain-milvus.txt

documents:
	$(BIN)/python examples/make_documents.py

# The engine against other clients: make benchmark SCENARIO=cpu DOCLING=FOLDER/bin/python
SCENARIO = cpu first slots16 slots64 slots256 memory limit
benchmark:
	$(BIN)/python -m benchmarks.engine --scenario $(SCENARIO) $(if $(DOCLING),--docling $(DOCLING))
