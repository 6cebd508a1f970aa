"""A second Python beside this one: where it is, how it is started so that it finds the same modules."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

_PYTHON = re.compile(r"(?:python|pypy|graalpy)[\d.]*t?w?(?:_d)?(?:\.exe)?", re.IGNORECASE)
_NO_PROCESSES = ("emscripten", "wasi", "ios", "android")
_CODE = "import sys; sys.path[:] = {path}; from {module} import main; main({parent})"
_PIPE_BYTES = 1 << 20  # a page has 0.6 MB: its worker can go on before it is fetched


def find_python() -> str | None:
    """An interpreter to start children with; None where there is none.

    A frozen program and one that embeds Python name themselves as the executable: started again they would
    do who knows what.
    """
    if getattr(sys, "frozen", False) or sys.platform in _NO_PROCESSES:
        return None
    if sys.executable and _PYTHON.fullmatch(Path(sys.executable).name):
        return sys.executable
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for place in (f"bin/python{version}", "python.exe"):
        path = Path(sys.prefix) / place
        if path.is_file():
            return str(path)
    return None


def usable_cores() -> int:
    """Cores that this process may use, at least 1; in a container those that it is granted."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    cores = len(os.sched_getaffinity(0))
    try:
        granted = granted_cores(Path("/sys/fs/cgroup/cpu.max").read_text("ascii"))
    except (OSError, ValueError):
        return cores
    return cores if granted is None else min(cores, granted)


def granted_cores(cpu_max: str) -> int | None:
    """What a control group's ``cpu.max`` grants, rounded up; None for no limit.

    Raises:
        ValueError: It is no such text.
    """
    quota, period = cpu_max.split()
    return None if quota == "max" else max(1, math.ceil(int(quota) / int(period)))


def start_python(executable: str, module: str, stderr: BinaryIO | None) -> subprocess.Popen[bytes]:
    """Run ``main(parent_pid)`` of a module of this package; input and output are pipes.

    The user's own main module is not run. Folder and environment are this process's.

    Args:
        executable: From `find_python`.
        module: Its full name.
        stderr: Where its errors go; None for nowhere.

    Raises:
        OSError: It cannot be started.
    """
    code = _CODE.format(path=ascii(_search_path()), module=module, parent=os.getpid())
    windows = sys.platform == "win32"
    process = subprocess.Popen(  # noqa: S603  # this interpreter, with code from here
        [executable, *_flags(), "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if stderr is None else stderr,
        # Ctrl-C is for the parent alone. On Windows a child of a program with windows must not show one.
        start_new_session=not windows,
        creationflags=_windows_flags() if windows else 0,
    )
    if process.stdout is not None:
        _widen(process.stdout.fileno())
    return process


def _search_path() -> list[str]:
    # The package itself comes last: it is found even where the parent's path was relative and it has moved.
    return [*(path for path in sys.path if isinstance(path, str)), str(Path(__file__).resolve().parents[2])]


def _flags() -> list[str]:
    if sys.flags.isolated:
        return ["-I"]
    flags = [("-E", sys.flags.ignore_environment), ("-s", sys.flags.no_user_site), ("-S", sys.flags.no_site)]
    return [flag for flag, is_set in flags if is_set]


def _windows_flags() -> int:
    names = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
    return sum(int(getattr(subprocess, name, 0)) for name in names)


def _widen(descriptor: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        pass  # another system, or the user's share of pipe memory is used up: it works without, slower
