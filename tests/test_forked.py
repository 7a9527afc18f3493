"""fork: a child of a process that used sandboxes works with its own, and says so about its parent's."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

FORK = """
    import os, signal, sys, warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads is what this is about
    from eryxsh import ForkedSandboxError, Run, Sandbox

    def child(work):
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            signal.alarm(30)
            try:
                work()
                sys.stdout.flush()
            except BaseException as error:
                print(type(error).__name__, error, flush=True)
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        print("status", status)
"""


def test_parents_sandbox_in_a_child(python: Callable[..., str]) -> None:
    """It raises ForkedSandboxError, a new one works, dropping the old one is silent, and the parent's lives on."""
    out = python(
        FORK
        + """
    sb = Sandbox()
    sb.commands.run("x=1")
    def work():
        for use in (lambda: sb.commands.run("echo $x"), lambda: sb.files.read("/etc/passwd"), sb.export_state):
            try:
                use()
                print("worked")
            except ForkedSandboxError:
                print("forked")
        print(Sandbox().commands.run("echo new").stdout, end="")
        globals().pop("sb")
        import gc; gc.collect()
    child(work)
    print(sb.commands.run("echo $x").stdout, end="")
    """
    )
    assert out == "forked\nforked\nforked\nnew\nstatus 0\n1\n"


def test_forked_while_a_run_is_driven(python: Callable[..., str]) -> None:
    """A child forked inside a tool is not held up by the parent's turn."""
    out = python(
        FORK
        + """
    def tool(call):
        def work():
            try:
                sb.commands.run("echo x")
            except ForkedSandboxError:
                print("forked")
            print(Sandbox().commands.run("echo new").stdout, end="")
        child(work)
        return "answer\\n"
    sb = Sandbox(tools={"tool": tool})
    print(sb.commands.run("tool").stdout, end="")
    """
    )
    assert out == "forked\nnew\nstatus 0\nanswer\n"


def test_state_moves_into_a_child(python: Callable[..., str]) -> None:
    """Bytes made before the fork load in the child, a running script included."""
    out = python(
        FORK
        + """
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("for i in 1 2; do echo $i $(ask $i); done")
    call = run.next()
    blob = run.dump()
    def work():
        run = Run.load(blob, tools={"ask": lambda call: "answer " + call.args[0]})
        print(run.drive().stdout, end="")
    child(work)
    """
    )
    assert out == "1 answer 1\n2 answer 2\nstatus 0\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str, python: Callable[..., str], tmp_path: Path) -> None:
    """A sandbox goes to a worker and comes back, by value."""
    (tmp_path / "worker_module.py").write_text("def work(sb):\n    sb.commands.run('echo $x > f; x=2')\n    return sb\n")
    out = python(
        f"""
    import multiprocessing, sys, warnings
    warnings.simplefilter("ignore", DeprecationWarning)
    sys.path.insert(0, {str(tmp_path)!r})
    from worker_module import work
    from eryxsh import Sandbox
    if __name__ == "__main__":
        sb = Sandbox(env={{"x": "1"}})
        sb.commands.run("true")
        with multiprocessing.get_context({method!r}).Pool(2) as pool:
            (back,) = pool.map(work, [sb])
        print(back.commands.run("cat f; echo $x").stdout, sb.files.exists("f"))
    """
    )
    assert out == "1\n2\n False\n"
