"""Tools: Python functions as shell commands; their answers, errors, stdin and help."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import threading
from typing import Any, List

import pytest

from eryxsh import (
    CapabilityError,
    EryxshError,
    Extension,
    Finished,
    Run,
    RunSuspended,
    Sandbox,
    SandboxPath,
    Suspend,
    Tool,
    ToolCall,
    ToolResult,
    tool,
)


def shell(function: Any, script: str, **options: Any) -> Any:
    return Sandbox(tools={"tool": function}, **options).commands.run(script)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("text\n", ("text\n", "", 0)),
        (b"\xff", ("\udcff", "", 0)),
        (None, ("", "", 0)),
        (3, ("", "", 3)),
        (256 + 4, ("", "", 4)),
        (True, ("", "", 0)),
        (False, ("", "", 1)),
        (ToolResult("out", "err", 5), ("out", "err", 5)),
        (ToolResult(b"\xfe"), ("\udcfe", "", 0)),
    ],
)
def test_answers(answer: Any, expected: Any) -> None:
    """str and bytes are stdout, int the exit code, bool a predicate, ToolResult all three."""
    r = shell(lambda call: answer, "tool")
    assert (r.stdout, r.stderr, r.exit_code) == expected


def test_what_a_call_knows() -> None:
    """Name, arguments, directory, exported variables, the live files, a unique id."""
    calls: List[ToolCall] = []

    def note(call: ToolCall) -> str:
        calls.append(call)
        return call.files.read_text("local")

    r = shell(note, "cd /tmp; echo here > local; export E=1; F=2; tool a '' 'b c' $'\\xff' -- -x; G=3 tool")
    assert r.stdout == "here\nhere\n"
    one, two = calls
    assert (one.name, one.args, one.cwd) == ("tool", ["a", "", "b c", "\udcff", "--", "-x"], "/tmp")
    assert one.env["E"] == "1"
    assert "F" not in one.env
    assert two.env["G"] == "3"
    assert one.call_id != two.call_id
    assert isinstance(one.call_id, str)
    assert one.forked_from is None


def test_stdin_is_what_feeds_the_command_itself() -> None:
    """A pipe or its own redirection is read to the end; an inherited stdin is left alone."""

    def size(call: ToolCall) -> str:
        return f"{call.args}{call.stdin!r}\n"

    assert shell(size, "printf 'a\\nb' | tool x").stdout == "['x']b'a\\nb'\n"
    assert shell(size, "tool < /etc/hostname; tool <<< word").stdout == "[]b'sandbox\\n'\n[]b'word\\n'\n"
    assert shell(size, 'printf "1\\n2\\n" | while read -r l; do tool "$l"; done').stdout == "['1']b''\n['2']b''\n"
    assert shell(size, "f() { tool; cat; }; echo x | f").stdout == "[]b''\nx\n"
    r = Sandbox(tools={"tool": size}).commands.run("tool; cat", stdin="mine\n")
    assert r.stdout == "[]b''\nmine\n"


def test_in_every_place_of_a_script() -> None:
    """Substitutions, conditions, pipelines, loops, background, xargs and find -exec."""
    sb = Sandbox(tools={"up": lambda call: (call.stdin.decode() or " ".join(call.args) + "\n").upper()})
    script = """
    x=$(up one); echo $x
    if up two > /dev/null; then echo yes; fi
    echo three | up | tr A-Z a-z | up
    for i in a b; do up $i & done | sort
    wait
    printf 'x\\ny\\n' | xargs -n1 up
    f() { up "$@"; }; f four
    eval 'up five'
    (up six) > /tmp/six; cat /tmp/six
    """
    r = sb.commands.run(script)
    assert r.stdout == "ONE\nyes\nTHREE\nA\nB\nX\nY\nFOUR\nFIVE\nSIX\n", r.stderr


def test_exception_is_a_failure() -> None:
    """Exit code 1, its text on stderr, and the exception in tool_errors; the script goes on."""

    class Broken(Exception):
        pass

    def fail(call: ToolCall) -> None:
        raise Broken(*call.args)

    r = shell(fail, "tool 'no such ticket' || echo status $?; tool; echo $?")
    assert r.stdout == "status 1\n1\n"
    assert r.stderr == "tool: no such ticket\ntool: Broken\n"
    assert [type(e) for e in r.tool_errors] == [Broken, Broken]
    r = shell(lambda call: object(), "tool")
    assert r.exit_code == 1
    assert isinstance(r.tool_errors[0], TypeError)


def test_failures_are_told_after_a_load() -> None:
    """An exception from before a dump is its text in the result of the loaded run."""

    def fail(call: ToolCall) -> None:
        raise RuntimeError("first")

    sb = Sandbox(tools={"fail": fail, "ask": None})
    with pytest.raises(RunSuspended) as caught:
        sb.commands.run("fail; ask; fail")
    loaded = Run.load(caught.value.run.dump(), tools={"fail": fail})
    loaded.resume(loaded.pending()[0])
    assert [(type(e), str(e)) for e in loaded.drive().tool_errors] == [(EryxshError, "first"), (RuntimeError, "first")]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_system_exit_propagates(error: type) -> None:
    """The script is stopped where it is, and the sandbox goes on."""

    def leave(call: ToolCall) -> None:
        raise error(3)

    sb = Sandbox(tools={"leave": leave})
    with pytest.raises(error):
        sb.commands.run("echo 1 > /tmp/before; leave; echo 2 > /tmp/after")
    assert sb.commands.run("ls /tmp").stdout == "before\n"
    assert sb.runs.active() is None


def test_typed_functions() -> None:
    """Parameters become operands and options; results are printed; --help and usage errors are GNU's."""

    @dataclasses.dataclass
    class Point:
        x: int
        y: int

    def add(a: int, b: int = 1, *, verbose: bool = False) -> Any:
        """Add numbers.

        Args:
            a: the first
        """
        if verbose:
            return {"sum": a + b}
        return a + b

    def exists(path: SandboxPath) -> bool:
        return path.exists()

    def point(x: int) -> Point:
        return Point(x, 2)

    def cat(call: ToolCall, *paths: SandboxPath) -> str:
        return call.stdin.decode() + "".join(p.read_text() for p in paths)

    sb = Sandbox(tools={"add": add, "exists": exists, "point": point, "pycat": cat})
    assert sb.commands.run("add 2; add 2 -b 5; add --verbose 1; point 1").stdout == '3\n7\n{"sum": 2}\n{"x": 1, "y": 2}\n'
    assert sb.commands.run("cd /tmp; touch f; exists f && echo yes; exists g || echo no").stdout == "yes\nno\n"
    assert sb.commands.run("echo 1 > a; echo in | pycat a /etc/hostname").stdout == "in\n1\nsandbox\n"
    r = sb.commands.run("add --help")
    assert r.stdout.startswith("Usage: add [-b B] [--verbose] A\n\nAdd numbers.\n")
    assert r.exit_code == 0
    r = sb.commands.run("add; echo $?; add x; echo $?; add 1 --nope; echo $?")
    assert r.stdout == "2\n2\n2\n"
    assert r.stderr.splitlines()[:2] == ["add: missing operand A", "Try 'add --help' for more information."]
    assert r.tool_errors == []


def test_tool_decorator_and_list() -> None:
    """tool() makes Tools with names from functions; a list of them is a registry."""

    @tool
    def make_report(kind: str) -> str:
        """Report."""
        return f"report of {kind}\n"

    @tool(name="now", description="The time.", suspend=False)
    def anything() -> str:
        return "12:00\n"

    assert (make_report.name, make_report.description, make_report.usage) == ("make-report", "Report.", "make-report KIND")
    sb = Sandbox(tools=[make_report, anything])
    assert sb.commands.run("make-report sales; now").stdout == "report of sales\n12:00\n"
    with pytest.raises(ValueError, match="two tools"):
        Sandbox(tools=[anything, anything])
    with pytest.raises(TypeError, match="name="):
        tool(lambda x: x)


def test_names_and_values_that_are_no_tools() -> None:
    """They are refused when the sandbox is made."""
    for name in ("", "a b", "a/b", "a\0"):
        with pytest.raises(ValueError, match="called"):
            Sandbox(tools={name: None})
    with pytest.raises(TypeError, match="callable"):
        Sandbox(tools={"x": 3})


def test_sandbox_tool_decorator() -> None:
    """@sb.tool registers at any time and leaves the function as it is; forks have it, older forks do not."""
    sb = Sandbox()
    before = sb.fork()

    @sb.tool
    def shout(text: str) -> str:
        return text.upper()

    @sb.tool("approve", suspend=True, description="Ask a person.")
    def approve(call: ToolCall) -> str:
        return "never called by itself"

    assert shout("x") == "X"
    assert sb.commands.run("shout hi").stdout == "HI"
    assert sb.fork().commands.run("shout hi").stdout == "HI"
    assert before.commands.run("shout hi").exit_code == 127
    with pytest.raises(RunSuspended) as caught:
        sb.commands.run("approve plan; echo $?")
    run = caught.value.run
    (call,) = run.pending()
    call.call()
    assert run.drive().stdout == "never called by itself0\n"


def test_suspend_from_a_tool() -> None:
    """raise Suspend() leaves the call unanswered; drive asks again, resume answers."""
    asked: List[str] = []

    def approve(call: ToolCall) -> str:
        asked.append(call.call_id)
        if len(asked) < 3:
            raise Suspend("waiting for a person")
        return "yes\n"

    sb = Sandbox(tools={"approve": approve})
    with pytest.raises(RunSuspended) as caught:
        sb.commands.run("echo begin; echo $(approve); echo end")
    assert "approve waits for an answer (waiting for a person)" in str(caught.value)
    run = caught.value.run
    with pytest.raises(RunSuspended):
        run.drive()
    assert run.drive().stdout == "begin\nyes\nend\n"
    assert len(set(asked)) == 1
    assert len(asked) == 3


def test_a_tool_nobody_answers() -> None:
    """None: commands.run raises RunSuspended, which carries the run."""
    sb = Sandbox(tools={"ask": None})
    with pytest.raises(RunSuspended, match="ask") as caught:
        sb.commands.run("echo 1; ask; echo 2")
    run = caught.value.run
    assert run.sandbox is sb
    (call,) = run.pending()
    with pytest.raises(CapabilityError, match="ask"):
        call.call()
    run.resume(call.call_id, stdout=b"x", exit_code=1)
    assert run.drive().stdout == "1\nx2\n"


def test_async_function_in_a_sync_sandbox() -> None:
    """It is run to its end, also when this thread's loop is busy."""

    async def slow(call: ToolCall) -> str:
        await asyncio.sleep(0.01)
        return "async " + call.args[0]

    sb = Sandbox(tools={"slow": slow})
    assert sb.commands.run("slow 1").stdout == "async 1"

    async def main() -> str:
        return sb.commands.run("slow 2").stdout

    assert asyncio.run(main()) == "async 2"


def test_codepod_extension() -> None:
    """Extension's handler gets keywords and gives a dict."""

    def handler(args: List[str], stdin: str, env: Any, cwd: str) -> Any:
        return {"stdout": f"{args} {stdin} {env['HOME']} {cwd}\n", "stderr": "e", "exitCode": 3}

    sb = Sandbox(
        tools=[Extension("ext", description="An extension.", command=handler, usage="ext WORD", examples=["ext x"], category="demo")]
    )
    r = sb.commands.run("echo in | ext a")
    assert (r.stdout, r.stderr, r.exit_code) == ("['a'] in\n /home/user /home/user\n", "e", 3)
    listed = sb.commands.run("extensions list").stdout
    assert "ext" in listed
    assert "An extension." in listed
    shown = sb.commands.run("extensions info ext").stdout
    assert "ext WORD" in shown
    assert "ext x" in shown
    assert sb.commands.run("extensions info nothing").exit_code != 0


def test_the_shell_knows_them() -> None:
    """type, command -v and analyze find tools; functions of the same name win, as over any command."""
    sb = Sandbox(tools={"mytool": lambda call: "tool\n"})
    assert sb.commands.run("command -v mytool").exit_code == 0
    assert sb.commands.run("type mytool").exit_code == 0
    assert [c.kind for c in sb.analyze("mytool x; cat y; cd; nope").commands] == ["tool", "utility", "builtin", "unknown"]
    assert sb.commands.run("mytool() { echo function; }; mytool; command mytool").stdout == "function\ntool\n"


def test_each_call_happens_once() -> None:
    """A thousand calls in loops and substitutions, each answered once, in order, with ids of its own."""
    seen: List[ToolCall] = []

    def count(call: ToolCall) -> str:
        seen.append(call)
        return f"{len(seen)}\n"

    r = shell(count, "for ((i = 0; i < 500; i++)); do tool $i; x=$(tool s$i); done; echo $x")
    assert r.stdout.split("\n")[-2] == "1000"
    assert [c.args[0] for c in seen] == [p + str(i) for i in range(500) for p in ("", "s")]
    assert len({c.call_id for c in seen}) == 1000
    assert Sandbox().usage().calls == 0


def test_a_tool_answers_from_its_own_thread() -> None:
    """Tools run on the thread that drives."""
    names: List[str] = []
    shell(lambda call: names.append(threading.current_thread().name), "tool")
    assert names == [threading.current_thread().name]


def test_tool_object() -> None:
    """A Tool renamed by its key; its repr; its help."""
    made = Tool("a", lambda call: call.name, description="D", usage="a X", examples=["a 1"])
    assert repr(made) == "Tool('a')"
    assert made.help() == "Usage: a X\n\nD\n\nExamples:\n  a 1\n"
    assert Sandbox(tools={"b": made}).commands.run("b").stdout == "b"


def test_a_call_has_the_environment_of_its_moment():
    seen = []
    sandbox = Sandbox(tools={"look": lambda call: seen.append(call.env) or ""})
    other = Sandbox(tools={"look": lambda call: seen.append(call.env) or ""}, env={"A": "1"})
    sandbox.commands.run("look; B=2 look; unset ${!H*} ${!L*} ${!P*} ${!S*} ${!T*} ${!U*} OLDPWD; look")
    other.commands.run("look; export A=2; look")
    sandbox.commands.run("look")
    assert seen[0]["HOME"] == "/home/user"
    assert "B" not in seen[0]
    assert seen[1] == {**seen[0], "B": "2"}
    assert seen[2] == {}
    assert seen[5] == {}
    assert (seen[3]["A"], seen[4]["A"]) == ("1", "2")


def test_output_is_taken_before_the_call_that_follows_it() -> None:
    seen: List[str] = []

    def tick(call: ToolCall) -> str:
        seen.append("|")
        return f"{call.args[0]}\n"

    script = "for i in 1 2 3; do echo a; tick $i; echo b; done"
    with Sandbox(tools={"tick": tick}) as sb:
        result = sb.commands.run(script, on_stdout=seen.append)
        assert "".join(seen) == "a\n|1\nb\na\n|2\nb\na\n|3\nb\n"
        assert result.stdout == ""
        assert sb.commands.run(script).stdout == "a\n1\nb\na\n2\nb\na\n3\nb\n"


def test_a_callback_that_raises_between_calls_ends_the_run() -> None:
    calls: List[str] = []

    def tick(call: ToolCall) -> str:
        calls.append(call.args[0])
        return ""

    def stop(text: str) -> None:
        if "2" in text:
            raise LookupError(text)

    with Sandbox(tools={"tick": tick}) as sb:
        with pytest.raises(LookupError):
            sb.commands.run("for i in 1 2 3; do echo $i; tick $i; done", on_stdout=stop)
        assert calls == ["1"]
        assert sb.commands.run("echo $i").stdout == "2\n"


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("echo to > >(up); wait", "TO\n"),
        ("echo to | tee >(up) > /dev/null; wait; sleep 0.01", "TO\n"),
        ("echo to > >(up | tr O 0); wait", "T0\n"),
        ("exec 7> >(up); echo one >&7; echo two >&7; exec 7>&-; wait", "ONE\nTWO\n"),
        ("echo x > >(up; cat); wait", "x\n"),  # two commands: what the first leaves is for the second
        ("echo x > >(while read -r l; do echo $l; up; done); wait", "x\n"),
        ("echo x | cat <(up) -", "x\n"),
    ],
)
def test_a_process_substitution_feeds_the_command_it_is(script: str, stdout: str) -> None:
    sandbox = Sandbox(tools={"up": lambda call: call.stdin.upper()})
    assert sandbox.commands.run(script).stdout == stdout
    run = sandbox.commands.start(script)
    while not isinstance(event := run.next(), Finished):
        run = Run.load(run.dump(), tools={"up": None})
        run.resume(event.call_id, stdout=event.stdin.upper())  # type: ignore[union-attr]
    assert run.result().stdout == stdout


@pytest.mark.parametrize("name", ["echo", "read", "[", "exec", "checkpoint", "if", "time", "{", "[["])
def test_a_tool_that_the_shell_would_never_call_is_refused(name: str) -> None:
    def function(call: ToolCall) -> None: ...

    with pytest.raises(ValueError, match=f"a tool cannot be called {re.escape(name)}: that is a (builtin|keyword) of the shell"):
        Sandbox(tools={name: function})
    sandbox = Sandbox(tools={"cat": lambda call: "mine\n"})  # a utility gives way
    with pytest.raises(ValueError, match="cannot be called"):
        sandbox.tool(name)(function)
    assert sandbox.commands.run("cat; extensions list").stdout == "mine\ncat\n"


def test_all_functions_that_a_state_misses_are_named() -> None:
    run = Sandbox(tools={"one": str, "two": None, "three": str}).commands.start("two")
    run.next()
    with pytest.raises(CapabilityError, match="needs functions for one, three:") as caught:
        Run.load(run.dump())
    assert caught.value.path == "one"


@pytest.mark.parametrize(
    ("script", "stdout", "status"),
    [
        ("type -a up; type -t up; type -P up; command -v up", "up is /usr/local/bin/up\nfile\n/usr/local/bin/up\n/usr/local/bin/up\n", 0),
        ("which -a up; hash up && hash -t up && up", "/usr/local/bin/up\n/usr/local/bin/up\nup []\n", 0),
        ('p=$(command -v up); [ -x "$p" ] && [[ -e $p && -f $p ]] && env test -x "$p" && echo yes', "yes\n", 0),
        ("test -r /usr/local/bin/up || cat /usr/local/bin/up", "", 1),
        ("/usr/local/bin/up a; env /usr/local/bin/up b; echo c | xargs /usr/local/bin/up; (exec /usr/local/bin/up d)",
         "up ['a']\nup ['b']\nup ['c']\nup ['d']\n", 0),
        ("find /usr/local -type f; ls /usr/local/bin; grep -rs x /usr/local; echo $?", "1\n", 0),  # it is no file
        ("cd /usr/local/bin; echo 'echo mine' > up; chmod +x up; /usr/local/bin/up; rm up; /usr/local/bin/up", "mine\nup []\n", 0),
        ("/usr/local/bin/other", "", 127),
        ("rm -r /usr/local/bin; up; which up", "up []\n", 1),
    ],
)  # fmt: skip
def test_a_tool_is_where_the_shell_says_it_is(script: str, stdout: str, status: int) -> None:
    sandbox = Sandbox(tools={"up": lambda call: f"{call.name} {call.args}\n"})
    result = sandbox.commands.run(script)
    assert (result.stdout, result.exit_code) == (stdout, status)
