"""Events: each is given once, whoever stops looking and whatever is saved in between."""

from __future__ import annotations

import asyncio

from eryxsh import AsyncSandbox, Event, Finished, Output, Run, Sandbox, ToolCall, _wire

SCRIPT = "echo a; echo b >&2; echo c; ask; echo d"


def started() -> Run:
    return Sandbox(tools={"ask": None}).commands.start(SCRIPT)


def test_output_that_events_has_not_given_out_is_in_the_result() -> None:
    run = started()
    assert next(run.events()) == Output("stdout", b"a\n")
    run.resume(run.next())  # type: ignore[arg-type]
    result = run.drive()
    assert (result.stdout, result.stderr) == ("c\nd\n", "b\n")


def test_a_second_events_goes_on_where_the_first_was_left() -> None:
    run = started()
    seen: list[Event] = [next(run.events())]
    for event in run.events():
        seen.append(event)
        if isinstance(event, ToolCall):
            run.resume(event)
    assert [e for e in seen if isinstance(e, Output)] == [
        Output("stdout", b"a\n"), Output("stderr", b"b\n"), Output("stdout", b"c\n"), Output("stdout", b"d\n"),
    ]  # fmt: skip
    assert run.result().stdout == ""


def test_a_dump_between_two_outputs_has_what_was_not_given_out() -> None:
    run, given = started(), ["", ""]
    blobs = [(run.dump(), "", "")]
    for event in run.events():
        if isinstance(event, Output):
            given[event.stream == "stderr"] += event.text
        blobs.append((run.dump(), given[0], given[1]))
    for blob, out, err in blobs:
        loaded = Run.load(blob)
        loaded.resume(loaded.next())  # type: ignore[arg-type]
        result = loaded.drive()
        assert (out + result.stdout, err + result.stderr) == ("a\nc\nd\n", "b\n")
    signed = started()
    next(signed.events())
    loaded = Run.load(signed.dump(key=b"k"), key=b"k")
    loaded.resume(loaded.next())  # type: ignore[arg-type]
    assert loaded.drive().stderr == "b\n"


def test_a_fork_and_a_cancelled_run_have_it_too() -> None:
    run = started()
    next(run.events())
    kid = run.fork()
    run.cancel()
    assert (run.result().stdout, run.result().stderr) == ("c\n", "b\n")
    kid.resume(kid.pending()[0])
    assert kid.drive().stdout == "c\nd\n"


def test_output_after_the_last_event_was_looked_at() -> None:
    run = Sandbox().commands.start("echo a; echo b >&2; echo c")
    assert next(run.events()) == Output("stdout", b"a\n")
    assert isinstance(run.next(), Finished)
    assert (run.result().stdout, run.result().stderr) == ("c\n", "b\n")


def test_async_events_left_early() -> None:
    async def main() -> tuple[str, str]:
        async with AsyncSandbox(tools={"ask": None}) as sandbox:
            run = await sandbox.commands.start(SCRIPT)
            async for event in run.events():
                assert event == Output("stdout", b"a\n")
                break
            await run.resume(await run.next())  # type: ignore[arg-type]
            result = await run.drive()
            return result.stdout, result.stderr

    assert asyncio.run(main()) == ("c\nd\n", "b\n")


def pending(count: int) -> Run:
    return Sandbox(tools={"ask": None}).commands.start(f"for ((i=0; i<{count}; i++)); do ask $i & done; wait")


def test_pending_calls_come_one_by_one_and_then_the_oldest_again() -> None:
    run = pending(300)
    first = [run.next() for _ in range(300)]
    assert [int(e.args[0]) for e in first if isinstance(e, ToolCall)] == list(range(300))
    again = run.next()
    assert isinstance(again, ToolCall)
    assert again.args == ["0"]
    run.resume(again)
    assert run.next().args == ["1"]  # type: ignore[union-attr]
    for call in run.pending():
        run.resume(call)
    assert isinstance(run.next(), Finished)


def test_a_step_gives_one_of_many_calls_to_who_wants_one() -> None:
    run = pending(50)
    call = run.next()
    assert isinstance(call, ToolCall)
    handle, number = run.sandbox._live(), int(call.call_id.rpartition("-")[2])
    step = _wire.run_step(handle, run.id, number=number + 1)
    assert step["tag"] == _wire.CALLS
    assert [c["args"] for c in step["calls"]] == [("1",)]
    step = _wire.run_step(handle, run.id, number=number + 1000)
    assert step["tag"] == _wire.CALLS
    assert [c["args"] for c in step["calls"]] == [("0",)]
    step = _wire.run_step(handle, run.id)
    assert step["tag"] == _wire.CALLS
    assert len(step["calls"]) == 50
    run.cancel()


def test_what_waits_takes_as_much_for_each() -> None:
    """Background jobs know nothing of one another: a thousand are not a million."""
    sizes = []
    for count in (100, 400):
        run = pending(count)
        run.next()
        sizes.append(len(run.dump()))
        run.cancel()
    assert sizes[1] < 4.5 * sizes[0]
