"""Writes docs/options.md from the field descriptions of ParseOptions.

python docs/generate_options.py          write it
python docs/generate_options.py --check  fail if it is not up to date
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

from pydantic import JsonValue, SecretStr

from nemoparse_loaders import ParseOptions

_NAMES: dict[object, str] = {SecretStr: "secret str", JsonValue: "JSON value"}

PAGE = Path(__file__).with_name("options.md")

HEAD = """# Options

One set of options stands behind `DocumentParser(...)`, `NemotronParseReader(...)`, `NemotronParseLoader(...)`
and `nemoparse parse`. This table is made from the code (`python docs/generate_options.py`).

| option | type | default | meaning |
|---|---|---|---|
"""

TAIL = """
`DocumentParser` also takes `backend=` as an object of your own with the protocol of
`nemoparse_loaders.backends.base.Backend`, `client=` (an `openai.OpenAI` or `AsyncOpenAI`, extra `openai`)
whose base URL, key and headers are used, `progress=` (a function that is told of every page, see
[throughput](throughput.md#how-far-it-is)), and `options=` with all options at once. `nemoparse parse --help`
lists what the command line has of these.

## Environment

| variable | meaning |
|---|---|
| `NEMOTRON_PARSE_BASE_URL` | the server, where `base_url` is not given |
| `NEMOTRON_PARSE_API_KEY` | its key, where `api_key` is not given; never sent to NVIDIA |
| `NEMOTRON_PARSE_BACKEND` | what `backend="auto"` means: `vllm`, `nvidia` or `cpu` |
| `NVIDIA_API_KEY` | the key of the hosted endpoint; used with `backend="nvidia"` only |
| `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` | proxies; never used for this machine's own addresses |
| `SSL_CERT_FILE`, `SSL_CERT_DIR` | trusted certificates, in place of the system's |
| `REQUESTS_CA_BUNDLE`, `CURL_CA_BUNDLE` | certificates that are trusted besides |
| `NEMOPARSE_PASSWORD` | password of encrypted PDFs, for `nemoparse parse` |
| `NEMOPARSE_CACHE_DIR` | folder of the page cache, for `nemoparse parse` and `nemoparse cache` |

A key alone in the environment never sends a page anywhere: the hosted endpoint is used only where it is
named.
"""


def _type_name(annotation: object) -> str:
    """The type in words that fit into a table cell."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f'"{value}"' for value in arguments)
    if origin in (Union, UnionType):
        return " or ".join(_type_name(part) for part in arguments if part is not NoneType)
    if origin is Mapping:
        return f"mapping of {_type_name(arguments[0])} to {_type_name(arguments[1])}"
    if origin is tuple:
        return f"({', '.join('...' if part is Ellipsis else _type_name(part) for part in arguments)})"
    return _NAMES.get(annotation, getattr(annotation, "__name__", str(annotation)))


def make_page() -> str:
    """The whole page as Markdown."""
    rows = []
    for name, field in ParseOptions.model_fields.items():
        default = "none" if field.default_factory else f"`{field.default!r}`"
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{name}` | {_type_name(field.annotation)} | {default} | {meaning} |")
    return HEAD + "\n".join(rows) + "\n" + TAIL


def main() -> None:
    """Write the page, or check it."""
    text = make_page()
    if "--check" in sys.argv[1:]:
        if not PAGE.is_file() or PAGE.read_text("utf-8") != text:
            sys.exit("docs/options.md is not up to date: run python docs/generate_options.py")
        return
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
