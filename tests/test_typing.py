"""What a user's mypy --strict sees: precise types, no Any where a value has one."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

import eryxsh

PROGRAM = """
from __future__ import annotations
import asyncio
import eryxsh
from eryxsh import Sandbox, AsyncSandbox, Run, ToolCall, tool, Finished, Limits, FileInfo
sb = Sandbox(files={"/a": b"x"}, tools={"t": lambda call: "x", "n": None}, limits=Limits.hardened(steps=3), timeout=None)
r = sb.commands.run("echo hi", check=True, on_stdout=print)
x: str = r.stdout
y: int = r.exit_code
child: Sandbox = sb.fork()
kids: list[Sandbox] = sb.fork(3)
infos: list[FileInfo] = sb.files.list("/")
run: Run = sb.commands.start("ask")
ev = run.next()
if isinstance(ev, ToolCall):
    run.resume(ev, stdout="x")
elif isinstance(ev, Finished):
    print(ev.result.stdout)
@tool
def add(a: int, b: int = 1) -> int:
    return a + b
@tool(name="x", suspend=True)
def sub(a: int) -> int:
    return a
n: str = add.name + sub.name
@sb.tool("approve", suspend=True)
def approve(call: ToolCall) -> str:
    return ""
@sb.tool
def other(call: ToolCall) -> str:
    return ""
approve(ev) if isinstance(ev, ToolCall) else None
async def main() -> None:
    async with AsyncSandbox() as s:
        out: str = (await s.commands.run("x")).stdout
        rr = await s.commands.start("x")
        async for e in rr.events():
            print(e)
        await s.commands.cancel()
        k = await s.fork(2)
        print(k[0], out)
def session(s: eryxsh.SnapshotSession) -> bytes:
    return s.snapshot_state()
session(eryxsh.InProcessSession(sb))
with sb.files.open("/x", "w") as f:
    f.write("x")
"""

WRONG = """
from eryxsh import Sandbox

sb = Sandbox(tmeout=3)
number: int = sb.commands.run("x").stdout
child: Sandbox = sb.fork(2)
sb.commands.run(3)
sb.files.read(None)
"""


def check(tmp_path: pathlib.Path, text: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(text)
    root = str(pathlib.Path(eryxsh.__path__[0]).parent)
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"), "program.py"],
        cwd=tmp_path,
        env={"MYPYPATH": root},
        capture_output=True,
        text=True,
    )


def test_a_typed_program(tmp_path: pathlib.Path) -> None:
    """It has no errors."""
    done = check(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mistakes_are_found(tmp_path: pathlib.Path) -> None:
    """One error a line."""
    done = check(tmp_path, WRONG)
    lines = [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line]
    assert lines == ["4", "5", "6", "7", "8"], done.stdout
