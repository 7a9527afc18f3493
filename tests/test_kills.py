"""The short form of tests/kills.py."""

from __future__ import annotations

import pathlib
import subprocess
import sys

KILLS = pathlib.Path(__file__).parent / "kills.py"


def test_exactly_once_over_kills() -> None:
    """In a process of its own: it forks, and the library must not be in use where it does."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(KILLS), "--kills", "30", "--seed", "5"], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "30 kills" in done.stdout
