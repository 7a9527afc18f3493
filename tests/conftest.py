"""What several test files need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from typing import Callable

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--isolation", choices=["process"], help="the sandboxes of the tests are in processes of their own")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "in_process: means nothing where each sandbox has a process (--isolation)")
    if config.getoption("--isolation"):
        from eryxsh import Sandbox
        from eryxsh._runs import Run

        for function in (Sandbox.__init__, Sandbox._out_of.__func__, Sandbox.from_state.__func__, Run.load.__func__):
            function.__kwdefaults__["isolation"] = "process"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--isolation"):
        for item in items:
            if item.get_closest_marker("in_process"):
                item.add_marker(pytest.mark.skip(reason="of sandboxes in this process"))


@pytest.fixture
def python() -> Callable[..., str]:
    """Run code in a fresh interpreter, warnings as errors; give what it printed. It must end cleanly."""

    def run(code: str, *, status: int = 0, timeout: float = 60, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **(env or {})},
        )
        assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        if status == 0:
            assert done.stderr == ""
        return done.stdout

    return run


# A shell without job control starts what runs in the background with SIGINT
# ignored, and every process from there inherits that: nothing could be interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)
