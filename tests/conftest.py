"""What several test files need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from typing import Callable

import pytest


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
