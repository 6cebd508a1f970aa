"""A parse server as a process of its own: ``python -m nemoparse_loaders.testing --slots 16 --latency 0.8``.

Prints one line of JSON with its address and its process id, and stops when its standard input ends (not with
``--stay``) or it gets SIGTERM or SIGINT. ``GET /_stats`` tells what it saw. Requests are not checked unless
that is asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import stat
import sys
import threading
from pathlib import Path

from .latency import parse_latency
from .mix import FAULT_KINDS, random_faults
from .replies import SAMPLE_PAGE, Reply
from .script import Script
from .server import ParseServer


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(
        prog="python -m nemoparse_loaders.testing", description="A parse server for tests and load tests."
    )
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--stay", action="store_true", help="do not stop when standard input ends")
    parser.add_argument("--api-key", help="the key that requests must carry; default: none")
    parser.add_argument("--slots", type=int, help="replies that are made at the same time; default: no limit")
    parser.add_argument("--latency", default="0", help="seconds, uniform:0.5,1.5 or lognormal:0.8,0.5")
    parser.add_argument("--seed", type=int, default=0, help="for latency and faults")
    parser.add_argument("--reply", type=Path, help="file with the model's reply; default: a sample page")
    parser.add_argument(
        "--by-kind",
        action="store_true",
        help="answer parts of pages and detection with samples of their own; all pages must be of one size",
    )
    parser.add_argument("--finish-reason", default="stop")
    parser.add_argument("--model", default="nemotron-parse", help="served name")
    parser.add_argument("--max-model-len", type=int, default=16_384)
    parser.add_argument("--fail-fast", action="store_true", help="503 while all slots are taken")
    parser.add_argument("--fault-rate", type=float, default=0.0, help="part of the page requests that fail")
    parser.add_argument(
        "--faults",
        default=",".join(FAULT_KINDS),
        help=f"of {', '.join(FAULT_KINDS)}; names with commas; default: all",
    )
    parser.add_argument("--check-requests", action="store_true", help="check requests as vLLM does")
    options = parser.parse_args()
    text = options.reply.read_text(encoding="utf-8") if options.reply else SAMPLE_PAGE
    try:
        latency = parse_latency(options.latency, seed=options.seed)
        faults = random_faults(options.fault_rate, options.seed, kinds=options.faults.split(","))
    except ValueError as error:
        parser.error(str(error))
    reply = Reply(text, options.finish_reason)
    server = ParseServer(
        replies=Script(page=reply) if options.by_kind else reply,
        model=options.model,
        api_key=options.api_key,
        latency_s=latency,
        max_model_len=options.max_model_len,
        faults=faults if options.fault_rate else (),
        slots=options.slots,
        fail_fast=options.fail_fast,
        port=options.port,
        keep_bodies=False,
        checks_requests=options.check_requests,
    )
    _serve(server, stays=options.stay)


def _serve(server: ParseServer, *, stays: bool) -> None:
    stop = threading.Event()

    def wait_for_end() -> None:
        # Read unbuffered: the thread may still be in it when the process ends.
        while os.read(sys.stdin.fileno(), 4096):
            pass
        # At the end of a pipe another program wanted that; without any input it comes as a surprise.
        if not stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode):
            sys.stderr.write("Standard input ended, so this server stops; with --stay it goes on.\n")
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with server:
        sys.stdout.write(json.dumps({"base_url": server.base_url, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
        if not stays:
            threading.Thread(target=wait_for_end, daemon=True).start()
        stop.wait()


if __name__ == "__main__":
    main()
