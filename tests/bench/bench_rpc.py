"""What a call over JSON-RPC costs, by transport, beside the same call in process.

    python tests/bench/bench_rpc.py

The client is that of the tests, written from capi/RPC.md alone, with a thread that reads: a part of the time is its.
"""

from __future__ import annotations

import base64
import functools
import pathlib
import statistics
import sys
import tempfile
import time
from typing import Any, Callable, Dict, Tuple

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from eryxsh import Sandbox
from rpc_client import Server

CALLS: Tuple[Tuple[str, str, Dict[str, Any]], ...] = (
    ("ping", "ping", {}),
    ("run, echo hi", "run", {"command": "echo hi"}),
    ("files.read, 1 KB", "files.read", {"path": "/k"}),
    ("snapshot.create", "snapshot.create", {}),
    ("files.read, 1 MB", "files.read", {"path": "/m"}),
)


def median(call: Callable[[], object], seconds: float = 1.0) -> float:
    """Microseconds."""
    samples = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        call()
        samples.append((time.perf_counter() - started) * 1e6)
    return statistics.median(samples)


def main() -> None:
    """Print the table."""
    files = {"/k": b"x" * 1024, "/m": b"y" * (1 << 20)}
    texts = {path: base64.b64encode(data).decode() for path, data in files.items()}
    columns: Dict[str, Callable[..., object]] = {}
    with tempfile.TemporaryDirectory() as folder, Sandbox(files=files) as here:
        columns["sb.rpc"] = here.rpc
        servers = {"stdio": [], "Unix socket": ["--socket", f"{folder}/s"], "TCP": ["--port", "0"]}
        servers["own process"] = ["--isolation", "process"]
        running = {name: Server(*words) for name, words in servers.items()}
        for name, server in running.items():
            client = server.connect()
            client.call("create", files=texts)
            columns[name] = client.call
        print(f"{'µs a call':<20}" + "".join(f"{name:>14}" for name in columns))
        for title, method, params in CALLS:
            figures = (median(functools.partial(call, method, **params)) for call in columns.values())
            print(f"{title:<20}" + "".join(f"{figure:>14.1f}" for figure in figures), flush=True)
        for server in running.values():
            server.stop()


if __name__ == "__main__":
    main()
