"""The examples with LangGraph and DBOS, from their real packages, and the benchmark of forks on Ray in short."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

import servers
from test_examples import example

BENCH = pathlib.Path(__file__).parent / "bench" / "bench_ray.py"


def needs(*modules: str) -> None:
    """Skip, with the reason, where a framework is not installed."""
    for module in modules:
        pytest.importorskip(module, reason=f"{module} is not installed: pip install 'eryxsh[frameworks]'")


def test_langgraph() -> None:
    """Each part of a script in a process of its own; the example counts node executions and calls itself."""
    needs("langgraph.graph", "langgraph.checkpoint.sqlite")
    told = example("langgraph_interrupt.py")
    assert told.startswith("publish intro?\n  yes\npublish usage?\n  no\npublish faq?\n  yes\n2 of 3 pages published\n")
    assert "4 parts of one script in 4 processes, 2 tool calls: each once\n" in told


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_dbos(database: str) -> None:
    """Killed at requests to the bank, each order is charged once; the example looks at the bank's books itself."""
    needs("dbos")
    where = []
    if database == "postgresql":
        try:
            where = ["--database", servers.postgres().url]
        except servers.Unavailable as reason:
            pytest.skip(str(reason))
    told = example("durable_dbos.py", "--orders", "5", "--kills", "2", *where)
    assert told.startswith("charged 15 in 5 orders\n2 kills; 5 charges")


def test_bench_ray() -> None:
    """What travels for each of 100 forks is its difference."""
    try:
        servers.ray()
    except servers.Unavailable as reason:
        pytest.skip(str(reason))
    command = [sys.executable, str(BENCH), "--forks", "100", "--workers", "2", "--mb", "10"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (sent, received) = re.findall(r"travelled for each: (\d+) bytes there, (\d+) bytes back", done.stdout)[0]
    assert int(sent) + int(received) < 6000, done.stdout
    (fewer,) = re.findall(r"ratios: (\d+) times fewer bytes", done.stdout)
    assert int(fewer) > 1000, done.stdout
