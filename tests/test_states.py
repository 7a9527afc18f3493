"""States: export, import, inspect, pickle; bytes that are no state change nothing."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest

from eryxsh import CapabilityError, Sandbox, SignatureError, StateError, StateTooNewError, ToolCall


def shout(call: ToolCall) -> str:
    return " ".join(call.args).upper() + "\n"


def typed(text: str, times: int = 1) -> str:
    return text * times


RICH = r"""
x=5; f() { echo F$1; }; a=(1 "two words"); declare -A m=([k]=v [other]=w); export E=1
set -o pipefail; shopt -s nullglob; alias ll='ls -l'; exec 5>/tmp/fd5; echo hello >&5; cd /tmp; umask 027
readonly R=9; declare -i n=3; mkdir -p d/e; ln -s e d/link; echo data > d/e/f; chmod 640 d/e/f; trap 'echo usr' USR1; false
"""
LOOK = r"""
echo "$?" "$x" "${a[1]}" "${m[k]}${m[other]}" "$E" "$PWD"; f x; alias; shopt nullglob; set -o | grep pipefail
umask; echo more >&5; cat fd5; n=2+2; echo $n; R=1; echo after
"""


def test_everything_travels() -> None:
    """Variables with attributes, functions, options, traps, open files, modes and links."""
    sb = Sandbox(env={"Z": "z"}, hostname="box", user="joe")
    sb.commands.run(RICH)
    other = Sandbox.from_state(sb.export_state())
    a, b = sb.commands.run(LOOK), other.commands.run(LOOK)
    assert a.stdout == b.stdout
    assert a.stderr == b.stderr
    assert "F" in a.stdout
    assert other.commands.run("hostname; whoami; echo $Z; trap; stat -c %a d/e/f; readlink d/link").stdout.startswith("box\njoe\nz\n")


def test_import_replaces_everything() -> None:
    """What was there before is gone, and export of what was imported is the same bytes."""
    sb = Sandbox()
    sb.commands.run("x=1; echo 1 > f")
    blob = sb.export_state()
    target = Sandbox()
    target.commands.run("y=2; echo 2 > g")
    target.import_state(bytearray(blob))
    assert target.commands.run("echo $x$y; ls").stdout == "1\nf\n"
    again = Sandbox()
    again.import_state(blob)
    assert again.export_state() == blob


def test_big_state() -> None:
    """Many files and megabytes."""
    files = {f"/data/{i}": bytes([i % 256]) * (i * 7) for i in range(2000)}
    sb = Sandbox(files=files)
    other = Sandbox.from_snapshot(sb.export_state())
    third = Sandbox()
    third.restore_snapshot(sb.export_state())
    assert third.export_state() == other.export_state()
    assert other.files.to_dict("/data") == dict(sorted(files.items()))


def test_inspect() -> None:
    """Kind, size, files and tools without loading."""
    sb = Sandbox(files={"/f": b"x" * 1000}, tools={"held": shout, "free": None})
    info = Sandbox.inspect(sb.export_state())
    assert info.kind == "state"
    assert info.size == len(sb.export_state())
    assert info.bytes >= 1000
    assert info.files > 5
    assert info.tools == ("held",)
    assert info.signed is False
    assert Sandbox.inspect(sb.export_state(key=b"k")).signed
    with pytest.raises(SignatureError):
        Sandbox.inspect(sb.export_state(key=b"k"), key=b"wrong")


def damage(blob: bytes) -> Any:
    rng = random.Random(5)
    yield "empty", b""
    yield "garbage", b"\0" * 100
    yield "text", b"hello world, this is no state at all"
    yield "longer", blob + b"zz"
    for n in (1, 4, 8, len(blob) // 2, len(blob) - 1):
        yield f"truncated to {n}", blob[:n]
    for _ in range(300):
        i = rng.randrange(len(blob))
        yield f"bit of byte {i}", blob[:i] + bytes([blob[i] ^ 1 << rng.randrange(8)]) + blob[i + 1 :]
    for _ in range(50):
        i, j = sorted(rng.randrange(len(blob)) for _ in range(2))
        yield f"cut {i}-{j}", blob[:i] + blob[j + 1 :]


def test_damaged_bytes() -> None:
    """Every one raises a StateError, names itself, and leaves the sandbox as it was."""
    source = Sandbox()
    source.commands.run(RICH)
    blob = source.export_state()
    sb = Sandbox()
    sb.commands.run("x=mine; echo mine > f")
    accepted = []
    for what, bad in damage(blob):
        for use in (sb.import_state, Sandbox.from_state, Sandbox.inspect):
            try:
                use(bad)
                accepted.append((what, use.__name__))
            except StateError:
                continue
    assert accepted == []
    assert sb.commands.run("echo $x; cat f").stdout == "mine\nmine\n"


@pytest.mark.parametrize("key", [1, 3])
def test_newer_version(key: int) -> None:
    """A state that needs a newer container (1) or reader (3) says so, and is not taken for damaged."""
    blob = Sandbox().export_state()
    at = len(b"ERYXSH\r\n") + 2 * key  # keys 1, 2, 3 of the header with small values
    assert blob[at - 1] == key
    newer = blob[:at] + bytes([23]) + blob[at + 1 :]
    sb = Sandbox()
    sb.commands.run("x=mine")
    for use in (sb.import_state, Sandbox.from_state, Sandbox.inspect):
        with pytest.raises(StateTooNewError, match="newer"):
            use(newer)
    assert sb.commands.run("echo $x").stdout == "mine\n"


def test_signatures() -> None:
    """Signed states need their key; a wrong or missing one changes nothing; keys are bytes."""
    sb = Sandbox()
    sb.commands.run("x=1")
    blob = sb.export_state(key=b"secret")
    assert Sandbox.from_state(blob, key=b"secret").commands.run("echo $x").stdout == "1\n"
    target = Sandbox()
    for key in (None, b"wrong"):
        with pytest.raises(SignatureError):
            target.import_state(blob, key=key)
    with pytest.raises(SignatureError):
        target.import_state(sb.export_state(), key=b"secret")
    with pytest.raises(TypeError, match="key"):
        sb.export_state(key="text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="key"):
        sb.export_state(key=b"")


def test_types() -> None:
    """A state is bytes."""
    for bad in ("text", None, 3):
        with pytest.raises(TypeError, match="bytes"):
            Sandbox.from_state(bad)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="bytes"):
            Sandbox().import_state(bad)  # type: ignore[arg-type]


def test_limits_of_a_loaded_sandbox() -> None:
    """from_state(limits=) replaces them, and a state beyond them is refused."""
    from eryxsh import Limits, QuotaExceededError

    sb = Sandbox(files={"/big": b"x" * 500_000})
    loaded = Sandbox.from_state(sb.export_state(), limits=Limits(steps=1000), timeout=5)
    assert loaded.commands.run("while :; do :; done").limit == "steps"
    with pytest.raises((StateError, QuotaExceededError)):
        Sandbox.from_state(sb.export_state(), limits=Limits(file_bytes=100_000))


def test_tools_must_be_there() -> None:
    """import_state and from_state name the missing tool."""
    blob = Sandbox(tools={"shout": shout}).export_state()
    with pytest.raises(CapabilityError, match="shout"):
        Sandbox.from_state(blob)
    target = Sandbox()
    with pytest.raises(CapabilityError, match="shout"):
        target.import_state(blob)
    having = Sandbox(tools={"shout": shout})
    having.import_state(blob)
    assert having.commands.run("shout hi").stdout == "HI\n"


def test_pickle() -> None:
    """By value: state, timeout, and tools that have an importable name."""
    sb = Sandbox(tools={"shout": shout, "typed": typed, "free": None}, timeout=0.5)
    sb.commands.run("x=1; echo 1 > f")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(sb, protocol))
        assert other.commands.run("echo $x; cat f; shout hi; typed --times 2 ab").stdout == "1\n1\nHI\nabab"
        assert other.commands.run("sleep 10").exit_code == 124
        other.commands.run("x=2")
    assert sb.commands.run("echo $x").stdout == "1\n"


def test_pickle_of_tools_that_cannot_travel() -> None:
    """A lambda's place is kept; using it raises CapabilityError, and registering it again mends it."""
    sb = Sandbox(tools={"mine": lambda call: "here\n"})
    other = pickle.loads(pickle.dumps(sb))
    with pytest.raises(CapabilityError, match="mine"):
        other.commands.run("mine")
    assert other.commands.run("echo on").stdout == "on\n"
    other.tool("mine")(lambda call: "again\n")
    assert other.commands.run("mine").stdout == "again\n"
    assert sb.commands.run("mine").stdout == "here\n"


def test_pickle_of_a_suspended_run() -> None:
    """The run travels with its sandbox."""
    sb = Sandbox(tools={"ask": None})
    sb.commands.start("echo $(ask) done").next()
    run = pickle.loads(pickle.dumps(sb)).runs.active()
    run.resume(run.pending()[0], stdout="answer")
    assert run.drive().stdout == "answer done\n"


def test_copy_is_a_fork() -> None:
    """copy and deepcopy give independent sandboxes."""
    sb = Sandbox()
    sb.commands.run("x=1")
    for other in (copy.copy(sb), copy.deepcopy(sb)):
        assert other.commands.run("echo $x; x=2").stdout == "1\n"
    assert sb.commands.run("echo $x").stdout == "1\n"
