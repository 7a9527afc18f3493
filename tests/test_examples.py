"""The programs of examples/ (main_job.py is README's, run by test_readme.py)."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def example(name: str, *arguments: str) -> str:
    """What an example prints; it must end well and say nothing on stderr."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def test_approval() -> None:
    """A question per process, each killed, in a folder and in SQLite: the same story twice."""
    told = example("approval.py")
    first, second = told.split("SQLiteStore:\n")
    assert first.startswith("FileStore:\n")

    def plain(text: str) -> str:
        return re.sub(r"process \d+|r[0-9a-f]+-\d+", "X", text)

    assert plain(second) == plain(first.partition("\n")[2])
    assert second.count("uploads") == 2
    assert "a.csv: approved by Ada\nb.csv: refused by Ada\nc.csv: approved by Ada\n2 uploaded\n" in second
    assert len(set(re.findall(r"process (\d+)", told))) == 4


def test_approval_by_hand(tmp_path: pathlib.Path) -> None:
    """The verbs, without kills."""
    store = str(tmp_path / "runs.db")
    example("approval.py", "submit", store)
    for verdict in ("no", "no", "no"):
        call_id, question = example("approval.py", "pending", store).split(" ", 1)
        assert question.startswith("upload")
        told = example("approval.py", "answer", store, call_id, verdict)
    assert told.endswith("c.csv: refused by Ada\n0 uploaded\n")
    assert example("approval.py", "pending", store) == ""


def test_worker_loop() -> None:
    """Killed again and again, every order is charged once; the example checks the bank's books itself."""
    told = example("worker_loop.py", "--seconds-between-kills", "0.5", "--orders", "30")
    assert "charged 115 in 30 orders\n" in told
    assert int(re.findall(r"(\d+) kills", told)[0]) >= 1


@pytest.mark.parametrize("beam", ["1", "4"])
def test_tree_search(beam: str) -> None:
    """A wider beam packs better than the greedy one."""
    told = example("tree_search.py", "--beam", beam)
    heaviest = int(re.findall(r"heaviest van (\d+)", told)[0])
    assert heaviest <= {"1": 150, "4": 141}[beam]
    assert int(re.findall(r"(\d+) futures", told)[0]) == 8 + 23 * 8 * int(beam)


def test_coordinator() -> None:
    """Runs end as if they had never moved, and they did move."""
    told = example("coordinator.py", "--workers", "2", "--runs", "6")
    assert "run 1: 5; Atlantis: unknown; Cairo: hot, 33; Lima: 19; Perth: hot, 27; Quito: 15\n" in told
    assert "6 runs ended; each of them ran in at least 2 of 2 processes\n" in told
