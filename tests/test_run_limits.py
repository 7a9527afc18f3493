"""on_limit="suspend": budgets that wait for more instead of ending the run; checkpoints; what output an event took."""

from __future__ import annotations

from typing import List

import pytest

from eryxsh import Checkpoint, Finished, LimitReached, Limits, Output, Run, Sandbox, ToolCall

SCRIPT = """
i=0; while ((i < 3000)); do ((++i)); echo line $i; done
x=$(head -c 3000000 /dev/zero | tr '\\0' x); echo ${#x}
f() { ((n++ < 100)) && f; }; f
(: | : | : | :); echo end
"""


def whole() -> str:
    """What the script prints."""
    return Sandbox().commands.run(SCRIPT).stdout


@pytest.mark.parametrize(
    ("name", "amount"), [("steps", 1000), ("output", 1000), ("memory", 1 << 20), ("depth", 50), ("processes", 3), ("time", 1e-4)]
)
def test_every_limit_can_suspend(name: str, amount: float) -> None:
    """The run goes on after more was added, also in another sandbox, and nothing is lost or done twice."""
    sb = Sandbox(limits=Limits(**{name: amount}), clock="virtual")
    run = sb.commands.start(SCRIPT, on_limit="suspend")
    event = run.next()
    assert event == LimitReached(name)
    assert run.next() == event
    run = Run.load(run.dump())
    met = 1
    while isinstance(event := run.next(), LimitReached):
        assert event.limit == name
        run.resume(event, add={name: 1000 if name == "time" else 100_000_000})
        met += 1
    assert met < 4
    assert isinstance(event, Finished)
    assert event.result.stdout == whole()
    assert (event.result.exit_code, event.result.limit, event.result.truncated) == (0, None, {"stdout": False, "stderr": False})


def test_a_slice_that_met_a_limit_is_taken_back() -> None:
    """Calls answered before it are not made again, files are as before the step that met it."""
    sb = Sandbox(tools={"ask": None}, limits=Limits(memory=1 << 20))
    run = sb.commands.start("x=$(ask one); echo $x >> f; y=$(head -c 2M /dev/zero | tr '\\0' y); ask ${#y} >> f; cat f", on_limit="suspend")
    call = run.next()
    assert isinstance(call, ToolCall)
    run.resume(call, stdout="1")
    event = run.next()
    assert event == LimitReached("memory")
    run.resume(event, add={"memory": 1 << 30})  # type: ignore[arg-type]
    second = run.next()
    assert isinstance(second, ToolCall)
    assert (second.args, second.call_id != call.call_id) == (["2097152"], True)
    run.resume(second, stdout="2\n")
    assert run.drive().stdout == "1\n2\n"


def test_the_time_of_a_sandbox_is_a_limit() -> None:
    """Not a timeout: status 137 and its name."""
    result = Sandbox(limits=Limits(time=0.01), clock="virtual").commands.run("while :; do :; done")
    assert (result.exit_code, result.error_class, result.limit) == (137, "LIMIT_EXCEEDED", "time")
    result = Sandbox(limits=Limits(time=0.05)).commands.run("sleep 10")
    assert (result.exit_code, result.limit) == (137, "time")
    result = Sandbox().commands.run("while :; do :; done", timeout=0.05)
    assert (result.exit_code, result.error_class, result.limit) == (124, "TIMEOUT", "timeout")


def test_output_that_an_event_took_is_not_in_the_dump() -> None:
    """It is delivered once: by the event, or by the result in another process."""
    run = Sandbox(tools={"ask": None}).commands.start("echo a; ask; echo b; ask; echo c")
    taken: List[bytes] = []
    for event in run.events():
        if isinstance(event, Output):
            taken.append(event.data)
        elif isinstance(event, ToolCall):
            break
    run.resume(event, stdout="")  # type: ignore[arg-type]
    assert isinstance(run.next(), ToolCall)
    loaded = Run.load(run.dump())
    loaded.resume(loaded.pending()[0], stdout="")
    assert (taken, loaded.drive().stdout) == ([b"a\n"], "b\nc\n")


def test_checkpoints_take_one_name() -> None:
    """More, or an option, is a mistake that the script is told."""
    run = Sandbox().commands.start("checkpoint; checkpoint one; checkpoint -- -x; checkpoint a b; echo $?; checkpoint --help; echo $?")
    names = []
    while isinstance(event := run.next(), Checkpoint):
        names.append(event.name)
    assert names == [None, "one", "-x"]
    assert run.result().stdout == "1\n2\n"
    assert "checkpoint: usage: checkpoint [NAME]" in run.result().stderr
