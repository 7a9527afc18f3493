"""A child process that runs hostile scripts, and a parent that watches its memory and its clock.

The child is this file run as a program: it reads a job a line, runs it in a new sandbox and answers in a line. The
parent reads the child's resident memory from /proc, and ends it when it is over a cap or past its time: what a script
does to its host is then a result like any other.
"""

from __future__ import annotations

import dataclasses
import json
import os
import select
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List, Optional

MIB = 1 << 20
POLL = 0.02  # seconds between two looks at the child


@dataclasses.dataclass(frozen=True)
class Job:
    """One script and the bounds it runs under."""

    script: str
    timeout: float = 1.0
    memory: int = 128 * MIB
    file_bytes: int = 64 * MIB
    stdin: str = ""
    shown: bool = False
    """The output is part of the outcome."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a script did: to itself and to its host."""

    status: Optional[int]  # None: the child died or was ended
    error: str = ""  # class of the error or name of the limit, "" if there was none
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of the processor
    waited: float = 0.0  # seconds that its thread waited for a processor: the machine's noise
    grown: int = 0  # bytes of resident memory at most, beyond those at the start
    died: str = ""  # why there is no status
    stderr: str = ""
    stdout: str = ""  # of a job that asks for it


def _field(pid: int, name: str) -> int:
    """A size of /proc/PID/status in bytes, 0 if the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0


def waited(thread: int = 0) -> float:
    """Seconds that this process's threads, or the one of a native id, were ready and had no processor."""
    nanoseconds = 0
    try:
        for task in [str(thread)] if thread else os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/schedstat", encoding="ascii") as stat:
                nanoseconds += int(stat.read().split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return nanoseconds / 1e9


class Child:
    """The process that runs scripts; it is started anew when one has ended it."""

    def __init__(self, cap: int = 3 << 30, patience: float = 3.0) -> None:
        self.cap = cap
        """Bytes of resident memory above which the child is ended."""
        self.patience = patience
        """Seconds beyond a job's timeout after which the child is ended."""
        self._process: Optional[subprocess.Popen[str]] = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def run(self, job: Job) -> Outcome:
        """Runs one script and watches it."""
        child = self._process
        if child is None:
            child = self._process = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            assert child.stdout is not None
            child.stdout.readline()  # it has imported everything
        assert child.stdin is not None
        assert child.stdout is not None
        start = _field(child.pid, "VmRSS")
        try:
            child.stdin.write(json.dumps(dataclasses.asdict(job)) + "\n")
            child.stdin.flush()
        except BrokenPipeError:
            self.end()
            return Outcome(None, died="was dead")
        began, most = time.monotonic(), 0
        while True:
            ready, _, _ = select.select([child.stdout], [], [], POLL)
            spent = time.monotonic() - began
            if ready:
                line = child.stdout.readline()
                if not line:
                    code = child.wait()
                    self.end()
                    return Outcome(None, seconds=spent, grown=most, died=f"the process died: {code}")
                answer: Dict[str, Any] = json.loads(line)
                return Outcome(**answer)
            most = max(most, _field(child.pid, "VmRSS") - start)
            if most > self.cap:
                self.end()
                return Outcome(None, seconds=spent, grown=most, died="took too much memory")
            if spent > job.timeout + self.patience:
                self.end()
                return Outcome(None, seconds=spent, grown=most, died="hung")


def _serve() -> None:
    """The child: a job a line, an answer a line."""
    from eryxsh import EryxshError, Limits, Sandbox

    here = threading.get_native_id()
    Sandbox().commands.run("echo")
    print("ready", flush=True)
    for line in sys.stdin:
        job = Job(**json.loads(line))
        with Sandbox(limits=Limits(memory=job.memory, file_bytes=job.file_bytes)) as sb:
            try:
                with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
                    refs.write("5")  # the peak is counted from here
            except OSError:
                pass
            status, error, stderr, shown = 0, "", "", ""
            start, delayed = _field(os.getpid(), "VmRSS"), waited(here)
            began, used = time.monotonic(), time.process_time()
            try:
                result = sb.commands.run(job.script, timeout=job.timeout, stdin=job.stdin or None)
                status, error, stderr = result.exit_code, str(result.error_class or ""), result.stderr[:300]
                shown = result.stdout if job.shown else ""
            except EryxshError as e:
                status, error = -1, f"{type(e).__name__}: {e}"[:300]
            spent, cpu, delay = time.monotonic() - began, time.process_time() - used, max(0.0, waited(here) - delayed)
            grown = _field(os.getpid(), "VmHWM") - start
        answer = Outcome(status, error, spent, cpu, delay, max(0, grown), "", stderr, shown)
        print(json.dumps(dataclasses.asdict(answer)), flush=True)


def table(rows: List[List[str]]) -> str:
    """Rows as columns, the last one as it is."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]) - 1)]
    return "\n".join("  ".join([c.rjust(w) for c, w in zip(r, widths)] + [r[-1]]) for r in rows)


if __name__ == "__main__":
    _serve()
