"""Answers that do not fit, come twice or too late: a typed error, and nothing has changed."""

from __future__ import annotations

import math
import pickle
import traceback
from typing import Any, Callable, Dict

import pytest

from eryxsh import (
    PIPE,
    AlreadyResumedError,
    CommandResult,
    Finished,
    InputNeeded,
    LimitReached,
    Limits,
    Run,
    RunGoneError,
    Sandbox,
    SandboxBusyError,
    Suspended,
    ToolCall,
    ToolResult,
)


def limited(**limits: Any) -> tuple[Run, LimitReached]:
    run = Sandbox().commands.start("for ((i=0; i<20000; i++)); do :; done; echo $i", on_limit="suspend", limits=Limits(**limits))
    event = run.next()
    assert isinstance(event, LimitReached)
    return run, event


@pytest.mark.parametrize(
    "add",
    [
        {"steps": 0}, {"steps": -1}, {"steps": 1.5}, {"steps": math.nan}, {"steps": math.inf}, {"steps": "9"}, {"steps": None},
        {"steps": True}, {"steps": 1_000_000, "zzz": 1}, {"time": -1.0}, {5: 1}, [1], {},
    ],
)  # fmt: skip
def test_an_amount_that_is_none_changes_no_budget(add: Any) -> None:
    run, event = limited(steps=5_000)
    before = run.sandbox.info().limits
    with pytest.raises((TypeError, ValueError)) as caught:
        run.resume(event, add=add)
    assert "cbor" not in str(caught.value)
    assert run.sandbox.info().limits == before
    assert run.next() == event


def test_an_amount_beyond_measure_is_as_much_as_there_can_be() -> None:
    run, event = limited(steps=5_000)
    run.resume(event, add={"steps": 1e300, "timeout": 1e300, "memory": 1 << 70})
    loaded = Run.load(run.dump())
    assert loaded.drive().stdout == "20000\n"


def test_a_limit_beyond_measure_is_one_that_is_never_met() -> None:
    sandbox = Sandbox(limits=Limits(time=1e300, steps=1 << 70))
    assert Sandbox.from_state(sandbox.export_state()).commands.run("echo ok").stdout == "ok\n"


def test_a_budget_is_added_to_once() -> None:
    run, event = limited(steps=5_000)
    run.resume(event, add={"steps": 1_000_000})
    before = run.sandbox.info().limits
    with pytest.raises(AlreadyResumedError):
        run.resume(event, add={"steps": 1})
    assert run.sandbox.info().limits == before
    assert run.drive().stdout == "20000\n"
    with pytest.raises(RunGoneError):
        run.resume(event, add={"memory": 1})
    assert run.sandbox.info().limits == Sandbox().info().limits


def test_a_timeout_that_never_comes_can_be_saved() -> None:
    for clock in ("virtual", "real"):
        sandbox = Sandbox(clock=clock, tools={"ask": None})
        for timeout in (5e9, 9.3e9):
            run = sandbox.commands.start("ask; echo ok", timeout=timeout)
            run.next()
            loaded = Run.load(run.dump())
            loaded.resume(loaded.pending()[0])
            assert loaded.drive().stdout == "ok\n"
            run.cancel()


def test_input_is_given_once_for_each_time_it_is_needed() -> None:
    run = Sandbox().commands.start("read a; read b; echo $a-$b", stdin=PIPE)
    with pytest.raises(AlreadyResumedError):
        run.resume(InputNeeded(0), data=b"too early\n")
    event = run.next()
    assert isinstance(event, InputNeeded)
    run.resume(event, data=b"one\n")
    for data in (b"again\n", b""):
        with pytest.raises(AlreadyResumedError):
            run.resume(event, data=data)
    assert run.next() == event
    run.resume(event, data=b"two\n")
    assert run.drive().stdout == "one-two\n"
    state = run.sandbox.export_state()
    with pytest.raises(RunGoneError):
        run.resume(event, data=b"late\n")
    assert run.sandbox.export_state() == state


def wrong(run: Run, call: ToolCall) -> Dict[str, Callable[[], object]]:
    return {
        "not int": lambda: run.resume(call, exit_code="1"),  # type: ignore[arg-type]
        "not float": lambda: run.resume(call, exit_code=1.5),  # type: ignore[arg-type]
        "int": lambda: run.resume(call, stdout=5),  # type: ignore[arg-type]
        "data of another": lambda: run.resume(call, data=b"x"),
        "add of another": lambda: run.resume(call, add={"steps": 1}),
        "no exception": lambda: run.resume(call, error="text"),  # type: ignore[arg-type]
        "both": lambda: run.resume(call, stdout="x", error=ValueError()),
        "no answer needed": lambda: run.resume(Suspended()),  # type: ignore[arg-type]
        "no event": lambda: run.resume(None),  # type: ignore[arg-type]
    }


@pytest.mark.parametrize("which", list(wrong(None, None)))  # type: ignore[arg-type]
def test_a_wrong_answer_leaves_the_call_as_it_was(which: str) -> None:
    run = Sandbox(tools={"ask": None}).commands.start("ask; echo $?")
    call = run.next()
    assert isinstance(call, ToolCall)
    with pytest.raises(TypeError) as caught:
        wrong(run, call)[which]()
    assert "operand" not in str(caught.value)
    run.resume(call, exit_code=3)
    event = run.next()
    assert isinstance(event, Finished)
    assert event.result.stdout == "3\n"


def test_a_tool_with_a_wrong_exit_code_says_so() -> None:
    def bad(call: ToolCall) -> ToolResult:
        return ToolResult(exit_code="x")  # type: ignore[arg-type]

    result: CommandResult = Sandbox(tools={"bad": bad}).commands.run("bad")
    assert (result.exit_code, result.stderr) == (1, "bad: an exit code is an int, not 'x'\n")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda sb: sb.fork("3"), "fork: a count is an int, not '3'"),
        (lambda sb: sb.fork(2, reseed="x"), "a seed is an int or None, not 'x'"),
        (lambda sb: Sandbox(seed=1.5), "a seed is an int or None, not 1.5"),
        (lambda sb: Sandbox(tools=5), "tools is a mapping of names to functions or a list of Tool, not 5"),
        (lambda sb: Sandbox(limits={"steps": 5}), "limits is a Limits, not {'steps': 5}"),
        (lambda sb: sb.commands.start(5), "a command is a str or a list of str, not int"),
        (lambda sb: sb.commands.run("true", env=5), "env maps names to values and is no int"),
        (lambda sb: sb.snapshot(5), "name: a str is needed, not int"),
        (lambda sb: sb.restore(5), "snapshot: an id, a name or a SnapshotInfo is needed, not int"),
        (lambda sb: sb.history.restore("x"), "index: an int of 64 bits is needed, not str"),
    ],
)
def test_an_argument_of_another_type_is_named(make: Callable[[Any], object], text: str) -> None:
    with pytest.raises(TypeError) as caught:
        make(Sandbox())
    assert str(caught.value) == text


def test_seeds_of_any_size() -> None:
    assert Sandbox(seed=1 << 70).commands.run("echo $RANDOM") == Sandbox(seed=0).commands.run("echo $RANDOM")
    assert Sandbox(seed=(1 << 64) - 1).commands.run("echo $RANDOM") == Sandbox(seed=-1).commands.run("echo $RANDOM")


def test_errors_are_called_what_users_import_and_name_their_subject_once() -> None:
    sandbox = Sandbox(tools={"ask": None})
    run = sandbox.commands.start("ask")
    with pytest.raises(SandboxBusyError) as caught:
        sandbox.commands.run("true")
    assert str(caught.value) == f"start: the sandbox is busy with the run {run.id}: drive, answer or cancel it first"
    assert traceback.format_exception_only(type(caught.value), caught.value)[0].startswith("eryxsh.SandboxBusyError: start: ")
    assert type(pickle.loads(pickle.dumps(caught.value))) is SandboxBusyError
