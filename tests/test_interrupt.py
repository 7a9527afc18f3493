"""Ctrl-C: KeyboardInterrupt within two seconds whatever runs, and the sandbox is usable afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from typing import Any, Iterator

import pytest

from eryxsh import AsyncSandbox, Sandbox, SandboxBusyError, ToolCall


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    """Python's own SIGINT handler."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def interrupt(after: float) -> threading.Timer:
    timer = threading.Timer(after, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    return timer


def interrupted(use: Any) -> float:
    """Seconds from the signal to the exception."""
    timer = interrupt(0.2)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            use()
    finally:
        timer.join()
    return time.monotonic() - started - 0.2


@pytest.mark.parametrize(
    "script",
    [
        "while :; do :; done",
        "sleep 100",
        "yes > /dev/null",
        "sort /dev/zero",
        "cat /dev/zero | tr x y > /dev/null",
        "f() { f; f; }; while :; do x=$(echo $x | tail -c 100); done",
        "sleep 100 & wait",
        "trap '' INT; while :; do :; done",
        "trap 'while :; do :; done' EXIT; sleep 100",
    ],
)
def test_while_a_script_runs(script: str) -> None:
    """The exception comes, what was done stays, the next command works, and nothing is left running."""
    sb = Sandbox(timeout=None)
    assert interrupted(lambda: sb.commands.run(f"echo done > /tmp/before; {script}; echo never > /tmp/after")) < 2
    r = sb.commands.run("cat /tmp/before; ls /tmp; echo status $?", timeout=10)
    assert (r.stdout, r.exit_code) == ("done\nbefore\nstatus 0\n", 0)
    assert sb.runs.active() is None


def test_while_driving_a_run() -> None:
    """The same for next, events and drive."""
    sb = Sandbox()
    for use in (lambda r: r.next(), lambda r: list(r.events()), lambda r: r.drive()):
        run = sb.commands.start("while :; do :; done")
        assert interrupted(lambda run=run, use=use: use(run)) < 2
        assert sb.commands.run("echo on").stdout == "on\n"


def test_while_a_tool_works() -> None:
    """The signal reaches the Python function; the script is stopped."""

    def slow(call: ToolCall) -> None:
        time.sleep(30)

    sb = Sandbox(tools={"slow": slow})
    assert interrupted(lambda: sb.commands.run("slow; echo never > /tmp/after")) < 2
    assert sb.commands.run("ls /tmp; echo on").stdout == "on\n"


def test_while_waiting_for_the_turn() -> None:
    """A thread that waits for another's run can be interrupted; the other goes on."""
    sb = Sandbox()
    results = []
    thread = threading.Thread(target=lambda: results.append(sb.commands.run("sleep 1; echo other").stdout))
    thread.start()
    time.sleep(0.1)
    assert interrupted(lambda: sb.commands.run("echo mine")) < 0.7
    thread.join(10)
    assert results == ["other\n"]
    assert sb.commands.run("echo on").stdout == "on\n"


def test_many_times() -> None:
    """Interrupts at many moments of short commands never leave the sandbox unusable."""
    sb = Sandbox()

    def work_until_interrupted(after: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, after)
        while True:
            sb.commands.run("echo hi | cat > /dev/null")

    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for i in range(300):
            with pytest.raises(KeyboardInterrupt):
                work_until_interrupted(0.0005 + 0.0001 * (i % 30))
            assert sb.commands.run("echo on").stdout == "on\n"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_exception_of_another_signal() -> None:
    """Whatever a signal handler raises stops the script, as with pytest-timeout or a custom alarm."""

    class Alarm(Exception):
        pass

    def ring(number: int, frame: object) -> None:
        raise Alarm

    old = signal.signal(signal.SIGALRM, ring)
    try:
        sb = Sandbox()
        for error in (Alarm,):
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(error):
                sb.commands.run("while :; do :; done")
            assert sb.runs.active() is None
            assert sb.commands.run("echo on").stdout == "on\n"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("script", ["while :; do :; done", "sleep 100"])
def test_on_an_event_loop(script: str) -> None:
    """asyncio.run ends with KeyboardInterrupt; the sandbox works on the next loop."""
    sb = AsyncSandbox()
    assert interrupted(lambda: asyncio.run(sb.commands.run(script))) < 2
    assert asyncio.run(sb.commands.run("echo on")).stdout == "on\n"


def test_history_knows() -> None:
    """The interrupted command is in the history with status 130."""
    sb = Sandbox()
    interrupted(lambda: sb.commands.run("sleep 100"))
    entry = sb.history.list()[-1]
    assert (entry.command, entry.exit_code) == ("sleep 100", 130)


def rung(handler: Any, use: Any, after: float = 0.4) -> None:
    """Use something while a signal comes."""
    old = signal.signal(signal.SIGALRM, lambda number, frame: handler())
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        use()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def long_step(sb: Sandbox) -> str:
    """Run a script whose time goes into one step."""
    text = ": &&\\n" * 1_000_000
    return sb.commands.run(f"x=$'{text} :'; eval \"$x\"; echo end", timeout=60).stdout


def test_a_handler_that_returns_changes_nothing() -> None:
    """In the middle of a step Python's handlers run, use other sandboxes, and the step goes on."""
    sb, other = Sandbox(), Sandbox()
    said = []
    rung(lambda: said.append(other.commands.run("echo other").stdout), lambda: said.append(long_step(sb)))
    assert said == ["other\n", "end\n"]


def test_a_handler_that_cancels() -> None:
    """cancel() in a handler ends the step."""
    sb = Sandbox()
    said = []
    rung(sb.commands.cancel, lambda: said.append(long_step(sb)))
    assert said == [""]
    assert sb.commands.run("echo on").stdout == "on\n"


def test_a_handler_that_wants_the_same_sandbox() -> None:
    """It is told at once that it cannot be had: no deadlock, and the step goes on."""
    sb = Sandbox()
    said = []

    def ring() -> None:
        for use in (lambda: sb.commands.run("echo in"), lambda: sb.files.read("/etc/passwd"), sb.export_state, sb.snapshot):
            with pytest.raises(SandboxBusyError):
                use()
        said.append("busy")

    rung(ring, lambda: said.append(long_step(sb)))
    assert said == ["busy", "end\n"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_handler_that_forks() -> None:
    """The child of a fork in the middle of a step has a library of its own; the parent's step goes on."""
    sb = Sandbox()
    said = []

    def ring() -> None:
        child = os.fork()
        if child == 0:
            return  # into the middle of the parent's call
        said.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 7)

    def use() -> None:
        parent = os.getpid()
        try:
            said.append(long_step(sb))
        except RuntimeError:  # the child's library is not that of the call it stands in
            if os.getpid() != parent and Sandbox().commands.run("echo child").stdout == "child\n":
                os._exit(7)
        if os.getpid() != parent:
            os._exit(1)

    rung(ring, use)
    assert said == [7, "end\n"]
