"""Sandbox: constructor, the world it starts with, reset, analyze, usage, memory, what is not there yet."""

from __future__ import annotations

import datetime
import gc
import weakref
from typing import Any

import pytest

from eryxsh import EryxshError, Limits, ParseError, Sandbox
from eryxsh import _wire as wire


def test_the_world() -> None:
    """User, directories, numbers and options as documented."""
    sb = Sandbox()
    r = sb.commands.run("id; pwd; umask; hostname; echo $0 $- $BASH_VERSION; [ $$ -gt 0 ] && echo pid; stat -c '%a %U' /tmp ~ /etc/passwd")
    assert r.stdout.splitlines() == [
        "uid=1000(user) gid=1000(user) groups=1000(user)",
        "/home/user",
        "0022",
        "sandbox",
        "bash hBc 5.2.15(1)-release",
        "pid",
        "1777 user",
        "755 user",
        "644 user",
    ]
    assert r.stderr == ""


def test_constructor_arguments() -> None:
    """Each of them is seen inside; the host's environment is not."""
    sb = Sandbox(
        files={"/data/a": "text", "rel": b"\xff"},
        env={"A": "1", "TZ": "Europe/Paris"},
        cwd="/work",
        user="alice",
        hostname="box",
        clock=datetime.datetime(2024, 2, 29, 12),
        seed=1,
    )
    r = sb.commands.run("cat /data/a; echo; pwd; whoami; hostname; echo $A $HOME $TZ; date -u +%FT%T; ls -l rel | cut -c1-10")
    assert r.stdout == "text\n/work\nalice\nbox\n1 /home/alice Europe/Paris\n2024-02-29T12:00:00\n-rw-r--r--\n"
    assert sb.files.read("/work/rel") == b"\xff"
    assert sb.info().virtual
    assert Sandbox(user="bob").commands.run("pwd").stdout == "/home/bob\n"
    assert Sandbox.create(cwd="/x").commands.run("pwd").stdout == "/x\n"


def test_virtual_worlds_repeat() -> None:
    """Same clock, seed and input: the same bytes out, run by run."""

    def story() -> Any:
        sb = Sandbox(clock="virtual", seed=42)
        out = sb.commands.run(
            "date +%s.%N; echo $RANDOM; head -c 8 /dev/urandom | od -An -tx1; sleep 1; date +%s; touch f; stat -c %y f; mktemp"
        )
        return out.stdout, sb.export_state()

    assert story() == story()


def test_wrong_arguments() -> None:
    """They raise before anything is made."""
    for options in ({"clock": "fast"}, {"clock": 3}, {"persistence": "forever"}, {"timeout": 0}, {"seed": "x"}, {"files": {"/a": 3}}):
        with pytest.raises((ValueError, TypeError, EryxshError)):
            Sandbox(**options)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Sandbox(no_such_option=1)  # type: ignore[call-arg]
    with pytest.raises(NotADirectoryError):
        Sandbox(files={"/etc/passwd/x": b""})
    with pytest.raises(IsADirectoryError):
        Sandbox(files={"/tmp": b""})


def test_what_later_versions_have() -> None:
    """It raises with the feature's name, and is never ignored."""
    with pytest.raises(NotImplementedError, match="network") as caught:
        Sandbox(network=True)
    assert isinstance(caught.value, EryxshError)


def test_reset() -> None:
    """As new, with the same arguments; tools stay."""
    sb = Sandbox(files={"/f": b"1"}, env={"A": "1"}, tools={"t": lambda call: "tool\n"}, cwd="/w")
    sb.commands.run("A=2; rm /f; cd /; x=1")
    sb.reset()
    assert sb.commands.run("echo $A$x; cat /f; pwd; t").stdout == "1\n1/w\ntool\n"
    assert sb.history.list()[-1].index >= 1


def test_analyze() -> None:
    """Names, words, redirections, what is computed; a script that is none raises with its place."""
    sb = Sandbox()
    sb.commands.run("mine() { :; }")
    a = sb.analyze('cd /tmp && grep -r "x y" . | sort > out 2>> err; $cmd a; mine; if true; then rm "$f"; fi < in')
    assert [(c.name, c.kind) for c in a.commands] == [
        ("cd", "builtin"),
        ("grep", "utility"),
        ("sort", "utility"),
        ("", "unknown"),
        ("mine", "function"),
        ("true", a.commands[5].kind),
        ("rm", "utility"),
    ]
    grep, sort, computed = a.commands[1:4]
    assert grep.args == ("-r", "x y", ".")
    assert (grep.line, grep.column) == (1, 12)
    assert [(r.op, r.target, r.is_opaque) for r in sort.redirects] == [(">", "out", False), ("2>>", "err", False)]
    assert computed.is_opaque
    assert a.is_opaque
    assert not sb.analyze("echo hi").is_opaque
    with pytest.raises(ParseError) as caught:
        sb.analyze("echo ok\nif then")
    assert caught.value.line == 2
    assert caught.value.column > 0
    assert sb.history.list()[-1].command == "mine() { :; }"


def test_usage_and_info() -> None:
    """Counters go up, are saved and restored."""
    sb = Sandbox(tools={"t": lambda call: "x"})
    start = sb.usage()
    sb.commands.run("echo a > f; cat f; t; t")
    now = sb.usage()
    assert now.commands - start.commands >= 4
    assert now.calls == 2
    assert now.runs == 1
    assert now.steps > start.steps
    assert now.files == start.files + 1
    assert now.bytes == start.bytes + 2
    assert Sandbox.from_state(sb.export_state(), tools={"t": lambda call: "x"}).usage().calls == 2
    info = sb.info()
    assert (info.user, info.hostname, info.cwd, info.exit_code, info.run) == ("user", "sandbox", "/home/user", 0, None)
    assert info.tools == ("t",)
    assert {"cat", "cd", "grep"} <= set(info.commands)


@pytest.mark.in_process
def test_many_idle_sandboxes_are_small() -> None:
    """The Python side of an idle sandbox is a few hundred bytes, and closing gives every handle back."""
    import tracemalloc

    Sandbox().commands.run("true")
    gc.collect()
    before = wire.system_stats()["sandboxes"]
    tracemalloc.start()
    try:
        base = tracemalloc.get_traced_memory()[0]
        sandboxes = [Sandbox() for _ in range(1000)]
        used = tracemalloc.get_traced_memory()[0] - base
    finally:
        tracemalloc.stop()
    assert used / 1000 < 400
    assert wire.system_stats()["sandboxes"] == before + 1000
    sandboxes.clear()
    gc.collect()
    assert wire.system_stats()["sandboxes"] == before


def test_nothing_keeps_a_sandbox_alive() -> None:
    """Dropping the last reference closes it at once, also after its nouns were used; a noun keeps it."""
    sb = Sandbox()
    sb.commands.run("echo x", on_stdout=lambda text: None)
    sb.files.write("f", b"")
    ref = weakref.ref(sb)
    gc.disable()
    try:
        commands = sb.commands
        del sb
        assert commands.run("echo on").stdout == "on\n"
        del commands
        assert ref() is None
    finally:
        gc.enable()


def test_constructor_that_fails_leaves_nothing(recwarn: pytest.WarningsRecorder) -> None:
    """No handle, no warning from the finalizer."""
    before = wire.system_stats()["sandboxes"]
    for _ in range(3):
        with pytest.raises(ValueError, match="timeout"):
            Sandbox(timeout=-1)
        with pytest.raises(IsADirectoryError):
            Sandbox(files={"/tmp": b""})
    gc.collect()
    assert wire.system_stats()["sandboxes"] == before
    assert not recwarn.list


def test_repr() -> None:
    """Open and closed."""
    sb = Sandbox()
    assert repr(sb).startswith("<Sandbox 0x")
    sb.close()
    assert repr(sb) == "<Sandbox closed>"


def test_with() -> None:
    """Leaving closes, by an exception too."""
    with pytest.raises(RuntimeError, match="x"), Sandbox() as sb:
        raise RuntimeError("x")
    assert sb.closed


def test_hostile_input_does_not_kill_the_process() -> None:
    """Deep and long scripts end with a status; the sandbox goes on."""
    sb = Sandbox(limits=Limits.hardened(), timeout=20)
    for script in (
        "(" * 100_000,
        "$(" * 100_000,
        "a&&" * 100_000 + "a",
        "echo " + "{a,b}" * 200,
        "f() { f; }; f",
        "x='a[$x]'; ((x))",
        "\0" * 1000,
        "if " * 50_000,
    ):
        r = sb.commands.run(script)
        assert r.exit_code != 0 or r.stderr or r.stdout is not None
        assert sb.commands.run("echo on").stdout == "on\n", script[:20]
        sb = Sandbox(limits=Limits.hardened(), timeout=20)
