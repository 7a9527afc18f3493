"""The command: eryxsh -c, a file, stdin; exit status, streaming, Ctrl-C."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

import eryxsh


def command(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-W", "error", "-m", "eryxsh", *words], capture_output=True, timeout=60, **options)


def start(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "eryxsh", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )


def test_script_text() -> None:
    """-c runs text; the exit status is the script's; streams are apart; bytes are safe."""
    r = command("-c", r"echo out; printf '\xff' >&2; exit 7")
    assert (r.stdout, r.stderr, r.returncode) == (b"out\n", b"\xff", 7)


def test_name_and_arguments() -> None:
    """As bash -c: the first word after the text is $0."""
    r = command("-c", 'echo "$0" "$#" "$2"', "name", "a", "b c")
    assert r.stdout == b"name 2 b c\n"


def test_script_file(tmp_path: pathlib.Path) -> None:
    """A file with arguments; $0 is its name; nothing else of the host is there."""
    script = tmp_path / "s.sh"
    script.write_text('#!/bin/bash\necho "$0" "$@"\nls /work /host 2>&1 | wc -l\nexit 3\n')
    r = command(str(script), "x", "-c")
    assert r.stdout.decode() == f"{script} x -c\n2\n"
    assert r.returncode == 3


def test_script_on_stdin() -> None:
    """Without a file the script is standard input."""
    assert command(input=b"echo from stdin\nexit 4\n").stdout == b"from stdin\n"
    assert command("-", "a", input=b"echo $1").stdout == b"a\n"
    assert command(input=b"exit 4").returncode == 4
    # it is read a line at a time, and what the script reads is taken out of it
    assert command(input=b"read x; echo [$x]\ndata\ncat\nrest\n").stdout == b"[data]\nrest\n"


def test_messages_name_the_file(tmp_path: pathlib.Path) -> None:
    """As bash's do; so do $0 and BASH_SOURCE."""
    script = tmp_path / "s.sh"
    script.write_text("f() {\n  nosuch\n  echo $0 $BASH_SOURCE\n}\nf\nfor")
    r = command(str(script))
    first = f"{script}: line 2: nosuch: command not found\n{script}: line 6: syntax error"
    assert (r.stdout.decode(), r.stderr.decode()[: len(first)], r.returncode) == (f"{script} {script}\n", first, 2)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd here")
def test_a_script_in_a_pipe() -> None:
    """As process substitution names it."""
    read, write = os.pipe()
    with os.fdopen(write, "wb") as file:
        file.write(b"echo $# $0")
    assert command(f"/dev/fd/{read}", "a", "b", pass_fds=[read]).stdout.decode() == f"2 /dev/fd/{read}\n"
    os.close(read)


def test_standard_input_of_the_script() -> None:
    """It is read when the script reads, to its end."""
    assert command("-c", "read -r a; echo [$a]; cat", input=b"one\ntwo\nthree").stdout == b"[one]\ntwo\nthree"
    data = os.urandom(300_000)
    assert command("-c", "cat", input=data).stdout == data


def test_output_is_streamed() -> None:
    """Lines arrive while the script runs, and answers go in: a conversation."""
    p = start("-c", "while read -r l; do echo got $l; done")
    assert p.stdin
    assert p.stdout
    try:
        for word in (b"a\n", b"b\n"):
            p.stdin.write(word)
            assert p.stdout.readline() == b"got " + word
        p.stdin.close()
        assert p.wait(20) == 0
    finally:
        p.kill()
        p.wait()
        p.stdout.close()
        assert p.stderr
        p.stderr.close()


@pytest.mark.parametrize("script", ["echo ready; while :; do :; done", "echo ready; sleep 100", "echo ready; cat"])
def test_ctrl_c(script: str) -> None:
    """Status 130, no traceback, within two seconds."""
    p = start("-c", script)
    assert p.stdout
    assert p.stderr
    assert p.stdin
    try:
        assert p.stdout.readline() == b"ready\n"
        time.sleep(0.1)
        sent = time.monotonic()
        p.send_signal(signal.SIGINT)
        assert p.wait(20) == 130
        assert time.monotonic() - sent < 2
        assert p.stderr.read() == b""
    finally:
        p.kill()
        p.wait()
        for stream in (p.stdin, p.stdout, p.stderr):
            stream.close()


def test_reader_that_leaves() -> None:
    """A closed pipe ends the command quietly."""
    p = start("-c", "yes")
    assert p.stdout
    assert p.stderr
    assert p.stdin
    assert p.stdout.read(4) == b"y\ny\n"
    p.stdout.close()
    assert p.wait(20) == 141
    assert p.stderr.read() == b""
    p.stderr.close()
    p.stdin.close()


def test_options() -> None:
    """Help, version, timeout, limits; what is unknown is refused."""
    assert command("--version").stdout.decode() == f"eryxsh {eryxsh.__version__}\n"
    r = command("--help")
    assert r.stdout.startswith(b"Usage: eryxsh")
    assert r.returncode == 0
    assert command("--timeout=0.1", "-c", "sleep 10").returncode == 124
    assert command("--timeout", "0.1", "-c", "sleep 10").returncode == 124
    r = command("--hardened", "-c", "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done")
    assert r.returncode == 137
    for words in (["--nope"], ["-x"], ["-c"], ["--timeout=never", "-c", "true"], ["--timeout"]):
        r = command(*words)
        assert r.returncode == 2, words
        assert b"eryxsh: " in r.stderr
        assert b"Traceback" not in r.stderr
    r = command("/no/such/script")
    assert (r.returncode, r.stderr) == (127, b"eryxsh: /no/such/script: No such file or directory\n")
    assert command("/tmp").returncode == 126


def test_inspect(tmp_path: pathlib.Path) -> None:
    """inspect says what is in a store, in a namespace and in a blob, and when something is wrong."""
    place = tmp_path / "store"
    with eryxsh.Store(str(place)) as store, eryxsh.Sandbox(files={"/f": "text"}) as sb:
        sb.commands.run("echo $'\\e[31m'; x=1")
        store.save(sb, "work")
        store.save(sb, "work", note="again")
        store.tag("work", "v1")
        identity, commits = store.identity, store.log("work")
        (tmp_path / "blob").write_bytes(sb.export_state())
    r = command("inspect", str(place))
    assert r.stdout.decode().startswith(f"store {identity}: 1 namespaces, 2 packs")
    assert f"work: main {commits[0].id[:12]}, tag v1 {commits[0].id[:12]}" in r.stdout.decode()
    r = command("inspect", "--verify", str(place), "work")
    lines = r.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[1:3]] == [c.id[:12] for c in commits]
    assert lines[1].endswith("again")
    assert b"\x1b" not in r.stdout
    assert r.returncode == 0
    r = command("inspect", str(tmp_path / "blob"))
    assert b"kind     state\n" in r.stdout
    assert b"files    " in r.stdout
    pack = next((place / "packs").glob("*/*"))
    damaged = bytearray(pack.read_bytes())
    damaged[20] ^= 1
    pack.chmod(0o600)
    pack.write_bytes(damaged)
    assert command("inspect", "--verify", str(place)).returncode == 1
    (tmp_path / "empty").mkdir()
    for words in (("empty",), ("none",), ("store", "nothing"), ("blob", "ns"), (f"sqlite:///{tmp_path}/none.db",)):
        r = command("inspect", *words, cwd=tmp_path)
        assert (r.returncode, r.stdout) == (2, b""), words
        assert r.stderr.startswith(b"eryxsh inspect: ")
        assert r.stderr.count(b"\n") == 1
    assert list((tmp_path / "empty").iterdir()) == []
