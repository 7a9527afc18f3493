"""Sessions: eryx's and bashkit's vocabulary over a sandbox."""

from __future__ import annotations

import asyncio

import pytest

from eryxsh import AsyncInProcessSession, InProcessSession, Sandbox, Session, SessionExecutor, SnapshotSession


def test_in_process_session() -> None:
    """execute, reset, snapshot_state, restore_state; it is both protocols."""
    with InProcessSession(env={"A": "1"}) as session:
        assert isinstance(session, Session)
        assert isinstance(session, SnapshotSession)
        session.execute("B=2; echo x > f")
        state = session.snapshot_state()
        session.reset()
        assert session.execute("echo $A$B; ls").stdout == "1\n"
        session.restore_state(state)
        assert session.execute("echo $A$B; ls").stdout == "12\nf\n"
        assert session.execute("sleep 10", timeout=0.05).exit_code == 124
    assert session.sandbox.closed
    sb = Sandbox()
    assert InProcessSession(sb).sandbox is sb
    with pytest.raises(TypeError, match="env"):
        InProcessSession(sb, env={})


def test_async_session() -> None:
    """The same, awaited."""

    async def main() -> None:
        async with AsyncInProcessSession() as session:
            await session.execute("x=1")
            state = await session.snapshot_state()
            await session.reset()
            assert (await session.execute("echo [$x]")).stdout == "[]\n"
            await session.restore_state(state)
            assert (await session.execute("echo [$x]")).stdout == "[1]\n"
        assert session.sandbox.closed

    asyncio.run(main())


def test_executor() -> None:
    """One live world between executions, made when it is needed."""
    made = []

    def factory() -> Sandbox:
        made.append(Sandbox())
        return made[-1]

    with SessionExecutor(factory) as executor:
        assert not made
        executor.execute("x=1")
        assert executor.execute("echo $x").stdout == "1\n"
        assert (len(made), executor.executions) == (1, 2)
        state = executor.snapshot_state()
        executor.reset()
        assert executor.execute("echo [$x]").stdout == "[]\n"
        executor.restore_state(state)
        assert executor.execute("echo [$x]").stdout == "[1]\n"
        assert isinstance(executor, SnapshotSession)
    assert made[0].closed
    with pytest.raises(TypeError):
        SessionExecutor(factory, env={})
