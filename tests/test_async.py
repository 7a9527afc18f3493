"""AsyncSandbox: slices on the event loop, awaited waits and tools, turns, cancellation."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Awaitable, Callable, List

import pytest

from eryxsh import (
    AsyncRun,
    AsyncSandbox,
    CommandError,
    Finished,
    Limits,
    Output,
    RunSuspended,
    Sandbox,
    SandboxBusyError,
    SandboxClosedError,
    Store,
    ToolCall,
)


def run(main: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(asyncio.wait_for(main(), 60))


def test_the_members_are_awaitable() -> None:
    """The nouns and verbs of Sandbox."""

    async def main() -> None:
        async with AsyncSandbox(env={"A": "1"}, files={"/f": "x"}) as sb:
            assert (await sb.commands.run("echo $A; cat /f")).stdout == "1\nx"
            await sb.files.write("/g", b"2")
            assert await sb.files.read("/g") == b"2"
            assert await sb.files.read_text("/g") == "2"
            assert await sb.files.exists("/g")
            assert [f.name for f in await sb.files.list("/tmp")] == []
            assert await sb.files.glob("/[fg]") == ["/f", "/g"]
            assert [top async for top, _, _ in sb.files.walk("/tmp")] == ["/tmp"]
            with sb.files.open("/g", "a") as f:
                f.write("3")
            id = await sb.snapshot("n")
            await sb.commands.run("B=1; rm /g")
            await sb.restore(id)
            assert await sb.files.read("/g") == b"23"
            assert [s.id for s in await sb.snapshots.list()] == [id]
            assert len(await sb.history.list()) == 1
            await sb.env.set("C", "3")
            assert await sb.env.get("C") == "3"
            assert (await sb.env.all())["A"] == "1"
            child = await sb.fork()
            a, b = await sb.fork(2)
            await child.commands.run("rm /f")
            assert await a.files.exists("/f")
            other = await AsyncSandbox.from_state(await sb.export_state())
            assert (await other.commands.run("echo $C")).stdout == "3\n"
            await other.import_state(await b.export_state())
            assert (await sb.analyze("ls")).commands[0].name == "ls"
            assert (await sb.usage()).commands > 0
            assert (await sb.info()).user == "user"
            await sb.reset()
            assert (await sb.commands.run("echo $A$C")).stdout == "1\n"
        assert sb.closed
        with pytest.raises(SandboxClosedError):
            await sb.commands.run("true")
        with pytest.raises(SandboxClosedError):
            await sb.rpc("run", command="true")
        mounting = AsyncSandbox(mounts={"/given": {"f": "1"}})
        await mounting.mount("/x", {"f": "2"})
        assert (await mounting.commands.run("cat /given/f /x/f")).stdout == "12"
        await mounting.unmount("/x")
        assert list(mounting.mounts) == ["/given"]

    run(main)


def test_thin_packs_over_a_store_or_a_sandbox() -> None:
    """import_state takes both, as a Sandbox's does."""

    async def main() -> None:
        store = Store({})
        with Sandbox() as sb:
            commit = store.save(sb)
            sb.files.write("/f", "x")
            row = sb.export_state(have=[commit])
        async with AsyncSandbox() as one:
            await one.import_state(row, base=store)
            assert await one.files.read("/f") == b"x"
            before = await one.snapshot()
            await one.files.write("/f", "y")
            await one.restore_snapshot(await one.export_state(have=[before]), base=one)
            assert await one.files.read("/f") == b"y"

    run(main)


def test_the_loop_stays_alive() -> None:
    """A script that is busy without end leaves other tasks their turns: one of them ends it."""

    async def main() -> None:
        r = await AsyncSandbox(timeout=None).commands.start("while :; do :; done")

        async def heartbeat() -> None:
            for _ in range(50):
                await asyncio.sleep(0)
            await r.cancel()

        task = asyncio.ensure_future(heartbeat())
        assert (await r.drive()).exit_code == 130
        await task

    run(main)


def test_the_loop_stays_alive_while_output_streams() -> None:
    """Events of a script that writes without end leave the loop its turns."""

    async def main() -> None:
        sb = AsyncSandbox(timeout=None, limits=Limits(output=None))  # 16 MiB are soon written, and after them nothing comes
        r = await sb.commands.start("yes")
        task = asyncio.ensure_future(asyncio.sleep(0.1))
        async for _ in r.events():
            if task.done():
                break
        await r.cancel()
        assert (await r.result()).exit_code == 130

    run(main)


def test_sleeps_are_awaited() -> None:
    """A hundred sandboxes sleep at the same time on one thread."""

    async def main() -> None:
        started = time.monotonic()
        sandboxes = [AsyncSandbox() for _ in range(100)]
        results = await asyncio.gather(*[sb.commands.run("sleep 0.5; echo up") for sb in sandboxes])
        assert {r.stdout for r in results} == {"up\n"}
        assert time.monotonic() - started < 10

    run(main)


def test_async_tools_work_at_the_same_time() -> None:
    """Pending calls of one script overlap; sync tools work too; errors are failures."""

    async def main() -> None:
        inside = most = 0

        async def fetch(call: ToolCall) -> str:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.1)
            inside -= 1
            if call.args == ["bad"]:
                raise ValueError("bad")
            return call.args[0] + "\n"

        async def typed(text: str, *, times: int = 1) -> str:
            await asyncio.sleep(0)
            return text * times

        sb = AsyncSandbox(tools={"fetch": fetch, "sync": lambda call: "sync\n", "typed": typed})
        r = await sb.commands.run("for i in 1 2 3 4 5; do fetch $i & done; wait; sync; typed ab --times 2; fetch bad; echo $?")
        assert sorted(r.stdout.split()) == ["1", "1", "2", "3", "4", "5", "abab1", "sync"] or sorted(r.stdout.split()) == [
            "1",
            "2",
            "3",
            "4",
            "5",
            "abab1",
            "sync",
        ]
        assert most == 5
        assert [str(e) for e in r.tool_errors] == ["bad"]

    run(main)


def test_tasks_take_turns() -> None:
    """Commands of several tasks in one sandbox follow each other; each output is whole."""

    async def main() -> None:
        sb = AsyncSandbox()
        script = "echo a; i=0; while ((i < 5000)); do ((i++)); done; sleep 0.01; echo b"
        results = await asyncio.gather(*[sb.commands.run(script) for _ in range(10)])
        assert {r.stdout for r in results} == {"a\nb\n"}

    run(main)


@pytest.mark.parametrize("script", ["while :; do :; done", "sleep 100", "slow"])
def test_cancelling_a_task_stops_the_script(script: str) -> None:
    """CancelledError, what was done stays, the sandbox goes on; also by wait_for's timeout."""

    async def main() -> None:
        async def slow(call: ToolCall) -> None:
            await asyncio.sleep(100)

        sb = AsyncSandbox(tools={"slow": slow})
        task = asyncio.ensure_future(sb.commands.run(f"echo 1 > /tmp/before; {script}; echo 2 > /tmp/after"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await sb.commands.run("ls /tmp")).stdout == "before\n"
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(sb.commands.run(script), 0.1)
        assert await sb.runs.active() is None
        assert (await sb.commands.run("echo on")).stdout == "on\n"

    run(main)


def test_cancel_from_another_task() -> None:
    """commands.cancel ends the script with 130."""

    async def main() -> None:
        sb = AsyncSandbox()
        for script in ("while :; do :; done", "sleep 100"):
            asyncio.get_running_loop().call_later(0.1, sb.commands.cancel)
            r = await sb.commands.run(f"echo x; {script}")
            assert (r.exit_code, r.error_class, r.stdout) == (130, "CANCELLED", "x\n")
        await sb.commands.cancel()
        await sb.suspend()
        await sb.resume()
        assert (await sb.commands.run("echo on")).stdout == "on\n"

    run(main)


def test_a_waiting_task_can_be_cancelled() -> None:
    """The one that runs is not disturbed."""

    async def main() -> None:
        sb = AsyncSandbox()
        first = asyncio.ensure_future(sb.commands.run("sleep 0.3; echo first"))
        await asyncio.sleep(0.05)
        second = asyncio.ensure_future(sb.commands.run("echo second"))
        await asyncio.sleep(0.05)
        second.cancel()
        assert (await first).stdout == "first\n"
        with pytest.raises(asyncio.CancelledError):
            await second

    run(main)


def test_reentry_from_its_own_tool() -> None:
    """SandboxBusyError, in the tool's task, in tasks it makes, and in threads it awaits."""

    async def main() -> None:
        errors: List[BaseException] = []

        async def tool(call: ToolCall) -> str:
            for attempt in (
                lambda: sb.commands.run("echo inner"),
                lambda: asyncio.ensure_future(sb.commands.run("echo inner")),
                lambda: asyncio.get_running_loop().run_in_executor(None, lambda: None),
            ):
                try:
                    await attempt()
                except SandboxBusyError as error:
                    errors.append(error)
            call.files.write("/tmp/f", "written")
            return "done\n"

        sb = AsyncSandbox(tools={"tool": tool})
        assert (await sb.commands.run("tool; cat /tmp/f")).stdout == "done\nwritten"
        assert len(errors) == 2

    run(main)


def test_runs() -> None:
    """start, next, resume, events, drive, dump, load, fork, cancel."""

    async def main() -> None:
        sb = AsyncSandbox(tools={"ask": None})
        r = await sb.commands.start("echo begin; x=$(ask 1); echo got $x; ask 2")
        call = await r.next()
        assert isinstance(call, ToolCall)
        assert (await r.pending())[0].call_id == call.call_id
        kids = await r.fork(2)
        loaded = await AsyncRun.load(await r.dump())
        assert loaded.id == r.id
        for i, one in enumerate([r, loaded, *kids]):
            (mine,) = await one.pending()
            await one.resume(mine, stdout=str(i))
            seen = []
            async for event in one.events():
                if isinstance(event, Output):
                    seen.append(event.text)
                elif isinstance(event, ToolCall):
                    await one.resume(event, stdout="end\n")
                else:
                    assert isinstance(event, Finished)
            assert "".join(seen) == f"got {i}\nend\n"
            assert (await one.result()).stdout == "begin\n"
        r = await sb.commands.start("ask")
        with pytest.raises(RunSuspended) as caught:
            await r.drive()
        assert caught.value.run is r
        active = await sb.runs.active()
        assert active is not None
        await active.cancel()
        assert (await active.result()).exit_code == 130

    run(main)


def test_tool_call_function() -> None:
    """ev.call() makes the registered function answer, awaitably."""

    async def main() -> None:
        async def ask(call: ToolCall) -> str:
            return "answered\n"

        sb = AsyncSandbox(tools={"ask": ask})
        r = await sb.commands.start("ask")
        event = await r.next()
        await event.call()  # type: ignore[union-attr]
        assert (await r.drive()).stdout == "answered\n"

    run(main)


def test_callbacks_check_and_timeout() -> None:
    """run's arguments are those of Sandbox."""

    async def main() -> None:
        sb = AsyncSandbox()
        seen: List[str] = []
        r = await sb.commands.run("echo a; sleep 0.01; echo b; echo e >&2", on_stdout=seen.append)
        assert ("".join(seen), r.stdout, r.stderr) == ("a\nb\n", "", "e\n")
        with pytest.raises(CommandError):
            await sb.commands.run("false", check=True)
        assert (await sb.commands.run("sleep 10", timeout=0.05)).exit_code == 124
        assert (await sb.commands.run(["cat"], stdin="in", env={"A": "1"}, cwd="/")).stdout == "in"

        def stop(text: str) -> None:
            raise KeyError(text)

        with pytest.raises(KeyError):
            await sb.commands.run("yes", on_stdout=stop)
        assert (await sb.commands.run("echo on")).stdout == "on\n"

    run(main)


def test_arun_of_a_sync_sandbox() -> None:
    """Sandbox.commands.arun is the same on a loop."""

    async def main() -> None:
        sb = Sandbox()
        one, two = await asyncio.gather(sb.commands.arun("sleep 0.05; echo 1"), sb.commands.arun("echo 2"))
        assert (one.stdout, two.stdout) == ("1\n", "2\n")
        task = asyncio.ensure_future(sb.commands.arun("sleep 0.2"))
        await asyncio.sleep(0.05)
        with pytest.raises(SandboxBusyError):
            sb.commands.run("echo would block the loop for ever")
        await task

    run(main)


def test_suspend_and_resume() -> None:
    """The driving task waits, the loop goes on."""

    async def main() -> None:
        sb = AsyncSandbox()
        task = asyncio.ensure_future(sb.commands.run("while [ ! -e /tmp/stop ]; do :; done; echo end"))
        await asyncio.sleep(0.05)
        sb.suspend()
        await asyncio.sleep(0.05)
        await sb.files.write("/tmp/stop", b"")
        await asyncio.sleep(0.05)
        assert not task.done()
        sb.resume()
        assert (await task).stdout == "end\n"

    run(main)


def test_a_thousand_runs_in_one_loop() -> None:
    """Each has a tool that is awaited, a sleep and two calls at the same time; the loop goes on between them."""

    async def one(number: int) -> str:
        async def ask(call: ToolCall) -> str:
            await asyncio.sleep(0.005)
            return f"{call.args[0]}{number}\n"

        async with AsyncSandbox(tools={"ask": ask}) as sb:
            result = await sb.commands.run("x=$(ask a); sleep 0.01; echo $x; (ask p & ask q & wait) | sort", timeout=None)
            return result.stdout

    async def main() -> None:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0)
                beats += 1

        heart = asyncio.ensure_future(beat())
        found = await asyncio.gather(*(one(number) for number in range(1000)))
        heart.cancel()
        assert found == [f"a{number}\np{number}\nq{number}\n" for number in range(1000)]
        assert beats > 5

    asyncio.run(main())
