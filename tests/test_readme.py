"""The README's Python blocks run as they stand, and what it names exists."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)


def test_there_are_blocks() -> None:
    """A README without examples would pass the test below."""
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number: int) -> None:
    """Each in a process of its own, warnings being errors."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", BLOCKS[number]], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_files_named_exist() -> None:
    """Every path of the layout and of the commands."""
    named = set(re.findall(r"\b(?:examples|tests|core|vfs|state|capi|python)/[\w./]*\w", README)) | {".ci/run"}
    missing = [n for n in sorted(named) if not (ROOT / n).exists()]
    assert not missing
