#!/bin/sh
# Makes docling's environment, which is large because it brings torch:
#   benchmarks/engine/docling_env.sh FOLDER
# Then: python -m benchmarks.engine ... --docling FOLDER/bin/python
set -eu
folder=${1:?the folder to make the environment in}
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet "docling==2.143.0"
