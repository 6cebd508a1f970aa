"""The process of the real vLLM server: where it is installed, how it starts, how it is stopped for sure."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL_NAME = "nemotron-parse"
CONTEXT_TOKENS = 2048
# A busy machine takes a minute and a half.
_START_SECONDS = 240.0
_STOP_SECONDS = 20.0
_SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
}


class ServerStartError(Exception):
    """The server did not come up; the message ends with the last lines of its log."""


def cache_folder() -> Path:
    """Where install.sh puts things; the same rule as there."""
    if chosen := os.environ.get("NEMOPARSE_VLLM_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "nemoparse-loaders" / "vllm-server"


def find_environment() -> Path | None:
    """The environment with the server in it, or None where it is not installed."""
    if chosen := os.environ.get("NEMOPARSE_VLLM_ENV"):
        return Path(chosen)
    if not sys.platform.startswith("linux"):
        return None
    result = subprocess.run(
        ["bash", HERE / "install.sh", "--where"], check=True, capture_output=True, text=True
    )
    environment = Path(result.stdout.strip())
    mark = environment / ".complete"
    if not mark.exists():
        return None
    # install.sh clears away what has not been used for two weeks.
    mark.touch()
    return environment


def model_folder(environment: Path) -> Path:
    """The tiny checkpoint, written on the first call; a change of its code makes a new one."""
    digest = hashlib.sha256()
    for path in sorted([HERE / "checkpoint.py", HERE / "script.py", *HERE.glob("model_files/*.py")]):
        digest.update(path.read_bytes())
    folder = cache_folder() / f"model-{digest.hexdigest()[:12]}"
    if not folder.is_dir():
        command = [environment / "bin" / "python", HERE / "checkpoint.py", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class VllmProcess:
    """A server in a process group of its own.

    Attributes:
        environment: The installation.
        model: The model's folder.
        log: Where its output goes.
        api_key: What it asks for, or None.
        port: Where it listens on 127.0.0.1.
    """

    environment: Path
    model: Path
    log: Path
    api_key: str | None = None
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def base_url(self) -> str:
        """Its address, without ``/v1``."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def expected_page(self) -> str:
        """What it replies to the default prompt of generation 3.5."""
        return (self.model / "expected_page.txt").read_text(encoding="utf-8")

    def start(self) -> None:
        """Start it and wait until it is healthy.

        Raises:
            ServerStartError: It ended, or took too long.
        """
        caches = {
            "HF_HOME": str(cache_folder() / "huggingface"),
            "VLLM_CACHE_ROOT": str(cache_folder() / "vllm"),
        }
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **_SETTINGS, **caches},
                # Its workers come along, and go with it.
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self.is_healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                tail = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-30:]
                raise ServerStartError("vLLM did not start:\n" + "\n".join(tail))
            time.sleep(0.5)

    def is_healthy(self) -> bool:
        """Whether ``/health`` answers 200 now."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.base_url}/health", timeout=2) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def metric(self, name: str) -> float:
        """The value of a metric, summed over its labels."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.base_url}/metrics", timeout=10) as response:
            lines = response.read().decode().splitlines()
        values = [line.rpartition(" ")[2] for line in lines if line.startswith((f"{name}{{", f"{name} "))]
        return sum(map(float, values))

    def interrupt(self) -> None:
        """Ask it to end, as a system that is shut down does, and return at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """End the whole group: first kindly, then for sure."""
        process, self._process = self._process, None
        if process is None:
            return
        for how in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, how)
            except ProcessLookupError:
                break
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        process.wait()

    def _command(self) -> list[str]:
        command = [str(self.environment / "bin" / "vllm"), "serve", str(self.model)]
        command += ["--served-model-name", MODEL_NAME, "--trust-remote-code", "--host", "127.0.0.1"]
        command += ["--port", str(self.port), "--max-model-len", str(CONTEXT_TOKENS)]
        command += ["--max-num-seqs", "8", "--enforce-eager", "--dtype", "bfloat16"]
        command += ["--limit-mm-per-prompt", '{"image":1}']
        if self.api_key is not None:
            command += ["--api-key", self.api_key]
        return command


def main() -> None:
    """Start the server, print its address, and keep it until Ctrl-C."""
    environment = find_environment()
    if environment is None:
        sys.exit("the real vLLM server is not installed: run tests/vllm_server/install.sh")
    with tempfile.TemporaryDirectory() as folder:
        server = VllmProcess(environment, model_folder(environment), Path(folder) / "server.log")
        sys.stderr.write("Starting; this takes a minute or more.\n")
        try:
            server.start()
            sys.stdout.write(f"{server.base_url}\n")
            sys.stdout.flush()
            signal.pause()
        except KeyboardInterrupt:
            pass
        except ServerStartError as error:
            sys.exit(str(error))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
