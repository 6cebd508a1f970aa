"""The table of rooms in docs/architecture.md: no room imports from one that it does not name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import nemoparse_loaders

PACKAGE = Path(nemoparse_loaders.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"


class Room(NamedTuple):
    """A row of the table.

    Attributes:
        members: Modules and packages, as paths without suffix.
        allowed: Those that it may import from, likewise.
        late: Those that its functions may import when they are called.
    """

    members: tuple[str, ...]
    allowed: frozenset[str]
    late: frozenset[str]


def rooms() -> list[Room]:
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("| `") and "*" not in line.split("|")[1]
    ]
    groups = [tuple(re.findall(r"`(\w+)(?:/|\.py)`", cell[0])) for cell in cells]
    group_of = {member: group for group in groups for member in group}
    public = {module.replace(".", "/") for module in nemoparse_loaders._HOME}
    found = []
    for number, (group, (_, _, right)) in enumerate(zip(groups, cells, strict=True)):
        allowed = set(group)
        late = set(re.findall(r"`(\w+)` when called", right))
        for words in re.sub(r"\(.*?\)", "", right).split(","):
            name = words.strip(" `").removesuffix(".py")
            if name == "all above":
                allowed.update(member for earlier in groups[:number] for member in earlier)
            elif name == "the public names":
                allowed |= public
            else:
                allowed.update(group_of.get(name, (name,)))
        found.append(Room(group, frozenset(allowed), frozenset(late)))
    return found


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """What a file imports of the package, as paths, and whether only when a function is called."""
    folder = path.relative_to(PACKAGE).parent.parts
    tree = ast.parse(path.read_text("utf-8"))
    late = {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = folder[: len(folder) + 1 - node.level]
            module = (*base, *(node.module.split(".") if node.module else ()))
            for target in [module] if module else [(alias.name,) for alias in node.names]:
                yield "/".join(target), id(node) in late


ROOMS = rooms()


def test_every_module_has_a_room() -> None:
    named = {member for room in ROOMS for member in room.members}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")}
    assert packages | modules - {"__init__"} == named


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.members[0])
def test_a_room_imports_what_the_table_says(room: Room) -> None:
    for member in room.members:
        place = PACKAGE / member
        for path in place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
            for target, is_late in imports(path):
                allowed = room.allowed | room.late if is_late else room.allowed
                is_named = any(target == name or target.startswith(f"{name}/") for name in allowed)
                assert is_named or target == "__version__", f"{path.relative_to(PACKAGE)} imports {target}"


def test_integrations_import_public_names_only() -> None:
    for path in (PACKAGE.parent / "integrations").glob("*/*/**/*.py"):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not (module or "").startswith("nemoparse_loaders."), path
            assert not any(name.startswith("nemoparse_loaders.") for name in names), path
