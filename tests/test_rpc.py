"""``eryxsh serve`` as a process, from outside: rpc_client knows nothing but capi/RPC.md; and ``sb.rpc`` inside."""

from __future__ import annotations

import base64
import contextlib
import errno
import itertools
import json
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Iterator

import pytest

import eryxsh
from eryxsh.rpc._client import Hosted
from eryxsh.rpc._document import markdown, openrpc
from eryxsh.rpc._schema import Unfit, check
from rpc_client import Client, RpcError, Server

ROOT = pathlib.Path(__file__).parents[1]
TRANSPORTS = ["stdio", "socket", "port"]
TABLE = {m["name"]: m for m in openrpc()["methods"]}
LOOP = "while :; do :; done"


def options(transport: str, folder: pathlib.Path) -> list[str]:
    return {"stdio": [], "socket": ["--socket", str(folder / "s")], "port": ["--port", "0"]}[transport]


@contextlib.contextmanager
def serving(*words: str, env: dict[str, str] | None = None) -> Iterator[Server]:
    server = Server(*words, env=env)
    try:
        yield server
    finally:
        assert (server.stop(), server.said) == (0, "")


@pytest.fixture(params=TRANSPORTS)
def client(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[Client]:
    """A connection over each transport, with a sandbox."""
    with serving(*options(request.param, tmp_path)) as server:
        made = server.connect()
        made.call("create")
        yield made
        made.close()


@pytest.fixture
def stdio() -> Iterator[Client]:
    with serving() as server:
        yield server.connect()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def refused(call: Callable[[], Any]) -> RpcError:
    with pytest.raises(RpcError) as caught:
        call()
    return caught.value


# The table.


def test_the_document_is_that_of_the_table() -> None:
    """capi/RPC.md is what the table says."""
    assert (ROOT / "capi" / "RPC.md").read_text() == markdown(), "python -m eryxsh.rpc._document > capi/RPC.md"


def test_importing_the_package_does_not_import_this(python: Callable[..., str]) -> None:
    """Programs that need no RPC do not pay for it; ``sb.rpc`` brings it in."""
    said = python(
        """
        import sys, eryxsh
        print("eryxsh.rpc" in sys.modules, "argparse" in sys.modules)
        eryxsh.Sandbox().rpc("ping")
        print("eryxsh.rpc" in sys.modules)
        """
    )
    assert said == "False False\nTrue\n"


def test_every_method(tmp_path: pathlib.Path) -> None:
    """Each is called, over a real connection, and what it gives is what its schema says."""
    called: set[str] = set()
    with serving("--store", str(tmp_path / "store")) as server:
        client = server.connect()

        def call(method: str, **params: Any) -> Any:
            called.add(method)
            result = client.call(method, **params)
            check(TABLE[method]["result"]["schema"], result, method)
            return result

        every_of_the_server(call)
        every_of_files(call)
        every_of_the_shell(call)
        every_of_runs(call)
        call("run", command="v=kept")
        assert call("offload") is call("rehydrate") is None
        assert call("run", command="echo $v")["stdout"] == "kept\n"
        assert call("mount", path="/mnt", files={"a": b64(b"x")}) == {"ok": True}
        assert call("run", command="cat /mnt/a")["stdout"] == "x"
        assert call("kill") == {"ok": True}
        assert server.process.wait(timeout=10) == 0
    assert called == set(TABLE)


def every_of_the_server(call: Callable[..., Any]) -> None:
    assert call("ping") == {"ok": True}
    assert call("authenticate", token="whatever") == {"ok": True}
    assert call("version") == {"name": "eryxsh", "version": eryxsh.__version__}
    assert call("rpc.discover") == json.loads(json.dumps(openrpc()))
    assert call("create", persistence="session", files={"/in": b64(b"there")}, env={"A": "1"}, limits={"steps": 10**9}) == {"ok": True}
    other = call("sandbox.create", label="two", cwd="/tmp")["sandboxId"]
    assert call("run", command="pwd; cat /in; echo $A", sandboxId=other)["stdout"] == "/tmp\nthere1\n"
    fork = call("sandbox.fork", label="three")["sandboxId"]
    assert [(s["sandboxId"], s["label"]) for s in call("sandbox.list")] == [(other, "two"), (fork, "three")]
    assert call("sandbox.destroy", sandboxId=fork) == {"ok": True}
    assert call("sandbox.remove", sandboxId=other) == {"ok": True}
    assert call("sandbox.list") == []
    assert call("cancel") == {"ok": True, "cancelled": False}
    assert call("sandbox.suspend") == call("sandbox.resume") == {"ok": True}


def every_of_files(call: Callable[..., Any]) -> None:
    call("files.write", path="/d/a", data=b64(b"\xff\0abc"))
    assert call("files.read", path="/d/a") == {"data": b64(b"\xff\0abc"), "encoding": "base64"}
    assert call("files.read", path="/d/a", offset=2, length=2, encoding="utf-8") == {"data": "ab", "encoding": "utf-8"}
    assert call("files.read", path="/d/a", encoding="utf-8") == {"data": b64(b"\xff\0abc"), "encoding": "base64"}
    call("files.append", path="/d/a", data="é", encoding="utf-8")
    call("files.writeMany", files={"/d/b": "one two", "/d/c": "x"}, encoding="utf-8")
    assert call("files.edit", path="/d/b", old="two", new="2") == {"count": 1}
    assert [(e["name"], e["type"], e["size"]) for e in call("files.list", path="/d")["entries"]] == [
        ("a", "file", 7),
        ("b", "file", 5),
        ("c", "file", 1),
    ]
    assert call("files.exists", path="/d/no") == {"exists": False}
    assert call("files.glob", pattern="/d/[ab]") == {"paths": ["/d/a", "/d/b"]}
    call("files.mkdir", path="/d/x/y")
    call("files.rename", source="/d/c", target="/d/x/y/c")
    call("files.copy", source="/d/x", target="/d/z", recursive=True)
    call("files.chmod", path="/d/b", mode=0o700)
    call("files.touch", path="/d/t")
    call("files.symlink", target="b", path="/d/s")
    call("files.link", target="/d/b", path="/d/l")
    assert call("files.readlink", path="/d/s") == {"target": "b"}
    assert call("files.realpath", path="/d/s") == {"path": "/d/b"}
    assert call("files.stat", path="/d/s", followSymlinks=False)["type"] == "symlink"
    assert call("files.stat", path="/d/s")["mode"] == 0o700
    tar = call("files.exportTar", path="/d")["data"]
    call("files.rm", path="/d", recursive=True)
    call("files.importTar", path="/e", data=tar)
    assert call("files.read", path="/e/z/y/c", encoding="utf-8")["data"] == "x"


def every_of_the_shell(call: Callable[..., Any]) -> None:
    call("env.set", name="B", value="é 'x'")
    assert call("env.get", name="B") == {"value": "é 'x'"}
    call("env.unset", name="B")
    assert call("env.get", name="B") == {"value": None}
    assert call("env.list")["variables"]["A"] == "1"
    call("shell.history.clear")
    before = call("snapshot.create", name="before")["id"]
    assert call("run", command="echo hi > f; n=5; cd /tmp; g() { :; }")["exitCode"] == 0
    (entry,) = call("shell.history.list")["entries"]
    assert set(entry) == {"index", "command", "timestamp"}
    assert abs(entry["timestamp"] / 1000 - time.time()) < 60
    assert call("shell.history.list", details=True)["entries"][0]["exitCode"] == 0
    diff = call("diff", **{"from": before, "patch": True})
    assert [(f["change"], f["path"]) for f in diff["files"]] == [("added", "/home/user/f")]
    assert diff["variables"]["n"] == [None, "5"]
    assert diff["cwd"] == ["/home/user", "/tmp"]
    assert "+hi" in diff["patch"]
    call("undo")
    assert call("files.exists", path="/home/user/f") == {"exists": False}
    call("redo")
    assert call("files.exists", path="/home/user/f") == {"exists": True}
    call("shell.history.restore", index=entry["index"])
    assert call("files.exists", path="/home/user/f") == {"exists": False}
    state = call("persistence.export")["data"]
    call("persistence.save", note="first")
    call("run", command="A=changed")
    assert call("persistence.load") == {"found": True}
    assert call("env.get", name="A") == {"value": "1"}
    call("persistence.clear")
    call("persistence.import", data=state)
    call("snapshot.restore", id=before)
    assert [s["name"] for s in call("snapshot.list")["snapshots"]] == ["before"]
    call("snapshot.delete", id=before)
    call("reset")


def every_of_runs(call: Callable[..., Any]) -> None:
    where = call("sandbox.create", extensions=[{"name": "ask", "hasCommand": False, "description": "Ask."}])
    started = call("runs.start", command="x=$(printf in | ask 1 2); echo [$x]; read l; echo $l; sleep 0.01", pipe=True, **where)
    run = {**started, **where}
    assert call("runs.active", **where) == started
    event = call("runs.next", **run)
    assert event["event"] == "toolCall"
    assert (event["call"]["name"], event["call"]["args"], event["call"]["stdin"]) == ("ask", ["1", "2"], "in")
    blob = call("runs.dump", **run)["data"]
    assert call("runs.pending", **run) == {"calls": [event["call"]]}
    call("runs.resume", callId=event["call"]["callId"], stdout="yes", **run)
    assert call("runs.next", **run) == {"event": "inputNeeded", "fd": 0}
    call("runs.resume", data="typed\n", **run)
    assert call("runs.next", wait=False, **run)["event"] == "sleeping"
    end = call("runs.next", **run)
    assert (end["event"], end["result"]["stdout"]) == ("finished", "[yes]\ntyped\n")
    loaded = call("runs.load", data=blob, label="again")
    assert call("runs.pending", **loaded)["calls"][0]["callId"] == event["call"]["callId"]
    call("runs.suspend", **loaded)
    call("runs.cancel", **loaded)
    assert call("runs.next", **loaded)["result"]["errorClass"] == "CANCELLED"


def candidates() -> list[Any]:
    return [None, True, 7, -1, 1.5, "text", "*", [], ["x"], [7], {}, {"a": 7}, {"a": "x"}]


def test_wrong_types_for_every_parameter(stdio: Client) -> None:
    """Whatever a parameter's schema does not allow is refused, by name, and what is missing or unknown too."""
    stdio.call("create")
    count = 0
    for name, method in TABLE.items():
        params = {p["name"]: example(p["schema"]) for p in method["params"] if p["required"]}
        for p in method["params"]:
            for wrong in candidates():
                if fits(p["schema"], wrong):
                    continue
                error = refused(lambda name=name, p=p, wrong=wrong, params=params: stdio.call(name, **{**params, p["name"]: wrong}))
                assert error.code == -32602, (name, p["name"], wrong)
                assert p["name"] in error.message
                assert error.data["type"] == "InvalidParams"
                count += 1
            if p["required"]:
                rest = {k: v for k, v in params.items() if k != p["name"]}
                assert f"{p['name']} is missing" in refused(lambda name=name, rest=rest: stdio.call(name, **rest)).message
        assert "nonsense" in refused(lambda name=name, params=params: stdio.call(name, **params, nonsense=1)).message
    assert count > 1000
    assert stdio.call("run", command="echo alive")["stdout"] == "alive\n"


def fits(schema: Any, value: Any) -> bool:
    try:
        check(schema, value, "x")
    except Unfit:
        return False
    return True


def example(schema: Any) -> Any:
    return next(value for value in [*candidates(), "A"] if fits(schema, value))


# Messages.


def raw(client: Client, *messages: Any) -> list[Any]:
    """Send, and as many strays as there are messages."""
    for message in messages:
        client.send(message)
    return [client.strays.get(timeout=10) for _ in messages]


@pytest.mark.parametrize(
    "line", [b"{", b"nonsense", b'{"jsonrpc": "2.0", "id": NaN}', b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"1" * 5000 + b"}"]
)
def test_what_is_no_json(stdio: Client, line: bytes) -> None:
    """-32700 with the id null, and the connection goes on."""
    ((answer,)) = raw(stdio, line + b"\n")
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert stdio.call("ping") == {"ok": True}


@pytest.mark.parametrize(
    "message",
    [
        1,
        "x",
        None,
        {},
        [],
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None},
        {"jsonrpc": "2.0", "id": [], "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
    ],
)
def test_what_is_no_request(stdio: Client, message: Any) -> None:
    """-32600, with the id if it has one."""
    (answer,) = raw(stdio, message)
    assert answer["error"]["code"] == -32600
    assert answer["id"] == (1 if isinstance(message, dict) and message.get("id") == 1 and message.get("id") is not True else None)
    assert stdio.call("ping") == {"ok": True}


def test_unknown_methods_and_sandboxes(stdio: Client) -> None:
    """Each has its code; nothing works before ``create``, and that works once."""
    for name in ("", "Run", "run ", "__init__", "shell.exec", "rpc", "\ud83d"):
        assert refused(lambda name=name: stdio.call(name)).code == -32601
    assert refused(lambda: stdio.call("run", command="true")).code == -32600
    stdio.call("create")
    assert refused(lambda: stdio.call("create")).code == -32600
    assert refused(lambda: stdio.call("run", command="true", sandboxId="77")).code == -32602
    assert refused(lambda: stdio.call("sandbox.destroy", sandboxId="77")).code == -32602


def test_a_create_that_fails_leaves_room_for_another(stdio: Client) -> None:
    """What was sent behind it is told that there is no sandbox."""
    first, behind = stdio.start("create", files={"/tmp": b64(b"")}), stdio.start("run", command="true")
    assert refused(lambda: stdio.wait(first)).data["type"] == "IsADirectoryError"
    assert refused(lambda: stdio.wait(behind)).data["type"] in ("SandboxClosedError", "InvalidRequest")
    assert stdio.call("create") == {"ok": True}
    assert refused(lambda: stdio.call("sandbox.create", cwd="relative")).code == 1
    assert stdio.call("sandbox.list") == []
    assert refused(lambda: stdio.call("sandbox.create", persistence="session")).data["type"] == "PersistenceError"


def test_errors_have_data(client: Client) -> None:
    """Type, path, limit and errno."""
    error = refused(lambda: client.call("files.read", path="/no"))
    assert (error.code, error.message) == (1, "ENOENT: No such file or directory: /no")
    assert error.data == {"type": "FileNotFoundError", "path": "/no", "limit": None, "errno": 2}
    assert refused(lambda: client.call("files.read", path="/tmp")).message.startswith("EISDIR: ")
    assert refused(lambda: client.call("snapshot.restore", id="x")).data["type"] == "SnapshotNotFoundError"
    assert refused(lambda: client.call("persistence.import", data=b64(b"junk"))).data["type"] == "StateError"
    small = client.call("sandbox.create", limits={"file_bytes": 1000})
    error = refused(lambda: client.call("files.write", path="/f", data=b64(b"x" * 2000), **small))
    assert (error.data["type"], error.data["errno"]) == ("QuotaExceededError", errno.ENOSPC)
    assert error.message.startswith("ENOSPC: ")
    assert refused(lambda: client.call("runs.next")).data["type"] == "RunGoneError"
    assert refused(lambda: client.call("persistence.save")).data["type"] == "PersistenceError"


def test_batches(client: Client) -> None:
    """One line with the answers to those that are answered; what is wrong in it spoils nothing else."""
    client.send(
        [
            {"jsonrpc": "2.0", "id": "a", "method": "run", "params": ["echo hi"]},
            {"jsonrpc": "2.0", "method": "env.set", "params": {"name": "N", "value": "1"}},
            7,
            {"jsonrpc": "2.0", "id": "b", "method": "no.such"},
            {"jsonrpc": "2.0", "id": "c", "method": "ping"},
        ]
    )
    answers = {a["id"]: a for a in client.strays.get(timeout=10)}
    assert set(answers) == {"a", "b", "c", None}
    assert answers["a"]["result"]["stdout"] == "hi\n"
    assert (answers["b"]["error"]["code"], answers[None]["error"]["code"]) == (-32601, -32600)
    assert client.call("env.get", name="N") == {"value": "1"}
    client.send([{"jsonrpc": "2.0", "method": "ping"}])
    assert client.call("ping") == {"ok": True}
    assert client.strays.empty()


def test_notifications(client: Client) -> None:
    """They are done, and not answered, whatever becomes of them."""
    client.notify("files.write", path="/n", data=b64(b"x"))
    client.notify("files.read", path="/no")
    client.notify("no.such")
    client.notify("run", command=7)
    client.notify("run", command="echo hi >> /n", stream=True)
    assert client.call("files.read", path="/n", encoding="utf-8")["data"] == "xhi\n"
    assert client.strays.empty()
    assert client.outputs == {}


def test_parameters_by_position(stdio: Client) -> None:
    """In the order of the document."""
    stdio.call("create")
    stdio.send({"jsonrpc": "2.0", "id": "x", "method": "files.write", "params": ["/p", "é", "utf-8"]})
    assert stdio.strays.get(timeout=10)["result"] == {"ok": True}
    assert stdio.call("run", command="cat /p")["stdout"] == "é"
    (answer,) = raw(stdio, {"jsonrpc": "2.0", "id": "x", "method": "ping", "params": [1]})
    assert answer["error"]["code"] == -32602


def test_text_and_bytes(client: Client) -> None:
    """Unicode as text, what is not UTF-8 as base64; names with single bytes come back as they went."""
    assert client.call("run", command="printf 'é😀\\n'")["stdout"] == "é😀\n"
    r = client.call("run", command=r"printf '\377\0x'; echo e >&2")
    assert (r["stdout"], r["stdoutEncoding"], r["stderr"], r["stderrEncoding"]) == (b64(b"\xff\0x"), "base64", "e\n", "utf-8")
    assert client.call("run", command="cat", stdin=b64(b"\xff"), encoding="base64")["stdout"] == b64(b"\xff")
    assert client.call("run", command="cat", stdin="\udcff")["stdout"] == b64(b"\xff")
    client.call("files.write", path="/tmp/\udcff", data="x", encoding="utf-8")
    assert [e["name"] for e in client.call("files.list", path="/tmp")["entries"]] == ["\udcff"]
    assert client.call("run", command=["printf", "%s", "a b $x"])["stdout"] == "a b $x"
    for bad in ("\ud800", "\udc00x"):
        assert refused(lambda bad=bad: client.call("run", command=bad)).code == -32602
        assert refused(lambda bad=bad: client.call("files.write", path=bad, data="")).code == -32602


def test_results(client: Client) -> None:
    """Exit code, what was cut, what ended it."""
    assert client.call("run", command="exit 7")["exitCode"] == 7
    r = client.call("run", command="sleep 9", timeoutMs=50)
    assert (r["exitCode"], r["errorClass"]) == (124, "TIMEOUT")
    r = client.call("run", command=LOOP, limits={"steps": 100_000})
    assert (r["exitCode"], r["errorClass"], r["limit"]) == (137, "LIMIT_EXCEEDED", "steps")
    small = client.call("sandbox.create", limits={"stdoutBytes": 10, "commandBytes": 30, "fileCount": 1000, "hardened": True})
    assert client.call("run", command="seq 1000", **small)["truncated"] == {"stdout": True, "stderr": False}
    assert refused(lambda: client.call("run", command="#" * 31, **small)).data["limit"] == "commandBytes"
    r = client.call("run", command="echo $A; pwd", env={"A": "x"}, cwd="/tmp")
    assert r["stdout"] == "x\n/tmp\n"


# Time: streaming, cancelling, order.


def test_output_streams(client: Client) -> None:
    """It comes while the command runs, in order, and is not in the answer then."""
    came = threading.Event()
    client.on_output = lambda params: came.set()
    id = client.start("run", command=r"echo one; while [ ! -e /go ]; do sleep 0.01; done; echo two >&2; printf '\377'", stream=True)
    assert came.wait(10)
    assert client.outputs[id] == [("stdout", "one\n", "utf-8")]
    id2 = client.start("cancel")
    assert client.wait(id2)["cancelled"]
    assert client.wait(id)["exitCode"] == 130
    client.call("files.touch", path="/go")
    id = client.start("run", command=r"echo one; echo two >&2; printf '\377'", stream=True)
    assert (client.wait(id)["stdout"], client.outputs[id]) == (
        "",
        [("stdout", "one\n", "utf-8"), ("stderr", "two\n", "utf-8"), ("stdout", b64(b"\xff"), "base64")],
    )
    id = client.start("run", command="seq 200000", stream=True)
    client.wait(id)
    assert "".join(data for _, data, _ in client.outputs[id]) == "".join(f"{i}\n" for i in range(1, 200_001))


@pytest.mark.parametrize("command", [LOOP, "sleep 60", "yes > /dev/null", "while :; do echo x; done"])
@pytest.mark.parametrize("stream", [False, True])
def test_cancel(client: Client, command: str, stream: bool) -> None:
    """Within 0.2 s, whatever runs and however often; the sandbox goes on."""
    where = client.call("sandbox.create", extensions=[{"name": "begin"}])
    begun = threading.Event()
    client.handlers["begin"] = lambda p: begun.set() or {}
    took = []
    for _ in range(3):
        begun.clear()
        id = client.start("run", command=f"begin; {command}", stream=stream, timeoutMs=None, limits={"output": None}, **where)
        assert begun.wait(10)
        time.sleep(0.05)
        began = time.monotonic()
        assert client.call("cancel", requestId=id) == {"ok": True, "cancelled": True}
        r = client.wait(id)
        took.append(time.monotonic() - began)
        assert (r["exitCode"], r["errorClass"]) == (130, "CANCELLED")
    assert min(took) < 0.2
    assert client.call("run", command="echo alive")["stdout"] == "alive\n"


def ended(client: Client, id: int) -> int:
    """The exit code, or the code of the error."""
    try:
        return int(client.wait(id, timeout=5)["exitCode"])
    except RpcError as error:
        return int(error.code)


def test_cancel_is_never_lost(client: Client) -> None:
    """It comes right behind the request, before or after that has begun: it is cancelled in any case."""
    for i in range(100):
        id = client.start("run", command=LOOP, timeoutMs=None, stream=bool(i % 2))
        assert client.call("cancel", requestId=id)["cancelled"]
        assert ended(client, id) in (130, -32800)
    assert client.call("run", command="echo alive")["stdout"] == "alive\n"


def test_cancel_of_what_waits(client: Client) -> None:
    """It never begins; cancelling the sandbox ends what runs there and leaves what waits."""
    running = client.start("run", command="sleep 60", timeoutMs=None)
    waiting = client.start("run", command="touch /never")
    behind = client.start("run", command="echo behind")
    assert client.call("cancel", requestId=waiting)["cancelled"]
    assert not client.call("cancel", requestId=999)["cancelled"]
    time.sleep(0.05)
    assert client.call("cancel")["cancelled"]
    assert client.wait(running)["exitCode"] == 130
    error = refused(lambda: client.wait(waiting))
    assert (error.code, error.data["type"]) == (-32800, "RequestCancelled")
    assert client.wait(behind)["stdout"] == "behind\n"
    assert not client.call("files.exists", path="/never")["exists"]


@pytest.mark.parametrize("then", ["over", "another", "closed"])
def test_cancel_of_what_is_just_ending(then: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens between the look at what runs and its end: an answer, and no error."""
    sb = eryxsh.Sandbox(timeout=None)
    hosted = Hosted("1", None, sb)
    run = sb.commands.start(LOOP)
    leave = eryxsh.Run._cancel

    def late(self: eryxsh.Run) -> bool:
        mine = leave(self)
        monkeypatch.undo()
        if then == "closed":
            hosted.close()
            return mine
        run.drive()
        if then == "another":
            sb.commands.start("read x")
        return mine

    monkeypatch.setattr(eryxsh.Run, "_cancel", late)
    assert hosted.cancel()
    assert hosted.cancel() == (then == "another")
    assert not hosted.cancel()


def test_order_and_parallel(client: Client) -> None:
    """One sandbox in order; others meanwhile."""
    other = client.call("sandbox.create")
    slow = client.start("run", command="sleep 60; echo done > /f", timeoutMs=None)
    read = client.start("files.read", path="/f")
    assert client.call("run", command="echo other", **other)["stdout"] == "other\n"
    assert client.call("ping") == {"ok": True}
    client.call("sandbox.destroy", **other)
    client.call("cancel")
    client.wait(slow)
    assert refused(lambda: client.wait(read)).data["type"] == "FileNotFoundError"
    ids = [client.start("run", command=f"echo {i} >> /log") for i in range(50)]
    client.call("run", command="true")
    assert client.call("files.read", path="/log", encoding="utf-8")["data"] == "".join(f"{i}\n" for i in range(50))
    for id in ids:
        client.wait(id)


def test_pause(client: Client) -> None:
    """``sandbox.suspend`` holds what runs, ``sandbox.resume`` lets it go on."""
    id = client.start("run", command="for i in {1..30}; do sleep 0.02; done; echo end")
    time.sleep(0.1)
    client.call("sandbox.suspend")
    time.sleep(1)
    assert client._answers[id].empty()
    client.call("sandbox.resume")
    assert client.wait(id)["stdout"] == "end\n"


def test_runs_suspended_by_another_request(client: Client) -> None:
    """``runs.suspend`` and ``runs.cancel`` overtake the ``runs.next`` that drives."""
    run = client.call("runs.start", command=LOOP, timeoutMs=None)
    id = client.start("runs.next", **run)
    time.sleep(0.05)
    client.call("runs.suspend", **run)
    assert client.wait(id) == {"event": "suspended"}
    assert refused(lambda: client.call("run", command="true")).data["type"] == "SandboxBusyError"
    id = client.start("runs.next", stream=True, **run)
    time.sleep(0.05)
    client.call("runs.cancel", **run)
    assert client.wait(id)["result"]["exitCode"] == 130


def test_runs_with_limits_streams_and_checkpoints(client: Client) -> None:
    """Each event comes as data."""
    run = client.call(
        "runs.start", command="echo a; checkpoint here; for ((i=0;i<1000000;i++)); do :; done", onLimit="suspend", limits={"steps": 50_000}
    )
    id = client.start("runs.next", stream=True, **run)
    assert client.wait(id) == {"event": "checkpoint", "name": "here", "snapshot": None}
    assert client.outputs[id] == [("stdout", "a\n", "utf-8")]
    event = client.call("runs.next", **run)
    assert event == {"event": "limitReached", "limit": "steps"}
    assert refused(lambda: client.call("runs.resume", **run)).code == -32602
    client.call("runs.resume", add={"steps": 100_000_000}, **run)
    assert client.call("runs.next", **run)["result"]["exitCode"] == 0


def test_tool_calls_as_data(client: Client) -> None:
    """``run`` stops at a call nobody answers, says which run waits, and that goes on, also in another sandbox."""
    where = client.call("sandbox.create", extensions=[{"name": "ask", "hasCommand": False}])
    for stream in (False, True):
        error = refused(lambda stream=stream: client.call("run", command="echo a; ask q; echo $?", stream=stream, **where))
        assert (error.data["type"], error.data["path"]) == ("RunSuspended", "ask")
        run = {"runId": error.data["runId"], **where}
        (pending,) = client.call("runs.pending", **run)["calls"]
        other = client.call("runs.load", data=client.call("runs.dump", **run)["data"])
        client.call("runs.resume", callId=pending["callId"], error="it is broken", **run)
        assert (
            refused(lambda run=run, pending=pending: client.call("runs.resume", callId=pending["callId"], **run)).data["type"]
            == "AlreadyResumedError"
        )
        result = client.call("runs.next", **run)["result"]
        assert (result["stdout"].splitlines()[-1], "it is broken" in result["stderr"]) == ("1", True)
        client.call("runs.resume", callId=pending["callId"], stdout=b64(b"\xff\n"), exitCode=3, encoding="base64", **other)
        assert base64.b64decode(client.call("runs.next", encoding="base64", **other)["result"]["stdout"]).endswith(b"\xff\n3\n")


def test_extensions_that_the_client_answers(client: Client) -> None:
    """The server asks, the client answers; what it says goes to the script, and files can be had meanwhile."""
    where = client.call("sandbox.create", extensions=[{"name": "up", "description": "Upper case."}, {"name": "bad"}], env={"E": "1"})

    def up(p: dict[str, Any]) -> dict[str, Any]:
        content = client.call("files.list", path="/", **where)["entries"]
        assert content
        assert (p["env"]["E"], p["cwd"], p["sandboxId"]) == ("1", "/home/user", where["sandboxId"])
        return {"stdout": p["stdin"].upper() + "".join(p["args"]), "stderr": "said\n", "exitCode": 3}

    client.handlers["up"] = up
    r = client.call("run", command="echo hi | up a b; echo $?", **where)
    assert (r["stdout"], r["stderr"]) == ("HI\nab3\n", "said\n")
    r = client.call("run", command="bad; echo $?", **where)
    assert r["stdout"] == "1\n"
    assert "bad" in r["stderr"]
    assert r["toolErrors"]
    client.handlers["bad"] = lambda p: {"stdout": 7}
    assert client.call("run", command="bad; echo $?", **where)["stdout"] == "1\n"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("which", ["sandbox", "request"])
def test_cancel_while_the_client_is_asked(client: Client, stream: bool, which: str) -> None:
    """A call that the client does not answer holds nothing up, and the script does not go on behind it."""
    where = client.call("sandbox.create", extensions=[{"name": "slow"}])
    asked = threading.Event()
    client.handlers["slow"] = lambda p: asked.set() or time.sleep(3) or {}
    id = client.start("run", command="slow; echo no > /f", stream=stream, **where)
    assert asked.wait(10)
    begun = time.monotonic()
    client.call("cancel", **(where if which == "sandbox" else {"requestId": id}))
    assert client.wait(id)["exitCode"] == 130
    assert time.monotonic() - begun < 0.5
    assert client.call("run", command="cat /f", **where)["stdout"] == ""


def test_storage_that_the_client_has(client: Client) -> None:
    """What is offloaded is the client's, and comes back with whatever wants it first."""
    kept: dict[Any, str] = {}
    asked: list[str] = []

    def save(params: dict[str, Any]) -> None:
        asked.append("save")
        kept[params["sandbox_id"]] = params["state"]

    def load(params: dict[str, Any]) -> str:
        asked.append("load")
        return kept[params["sandbox_id"]]

    client.handlers.update({"storage.save": save, "storage.load": load})
    where = client.call("sandbox.create", storage=True, env={"A": "1"})
    client.call("run", command="x=5; echo hi > f", **where)
    assert client.call("offload", **where) is None
    assert base64.b64decode(kept[where["sandboxId"]])
    assert asked == ["save"]
    for method, params in (("rehydrate", {}), ("files.stat", {"path": "f"}), ("run", {"command": "true"})):
        asked.clear()
        client.call(method, **params, **where)
        assert client.call("run", command="echo $x; cat f", **where)["stdout"] == "5\nhi\n"
        assert asked == ["load"]
        client.call("offload", **where)
    fork = client.call("sandbox.fork", **where)
    client.call("offload", **fork)
    assert set(kept) == {where["sandboxId"], fork["sandboxId"]}

    kept[fork["sandboxId"]] = base64.b64encode(b"something else").decode()
    assert refused(lambda: client.call("run", command="echo", **fork)).data["type"] == "StateError"
    client.handlers["storage.load"] = lambda params: 5
    assert "base64" in refused(lambda: client.call("rehydrate", **fork)).message
    client.handlers["storage.load"] = lambda params: kept["none"]
    assert refused(lambda: client.call("files.list", path="/", **fork)).code == 1
    client.handlers["storage.save"] = lambda params: 1 / 0
    assert "division" in refused(lambda: client.call("offload", **where)).message
    assert client.call("run", command="echo $x", **where)["stdout"] == "5\n"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_sandboxes_in_processes_of_their_own() -> None:
    """What kills one is an error of one."""
    with serving("--isolation", "process") as server:
        client = server.connect()
        assert client.call("create") == {"ok": True}
        other = client.call("sandbox.create", limits={"memory": None, "file_bytes": None}, timeoutMs=None)
        client.call("sandbox.fork")
        tasks = pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()
        pids = {int(pid) for task in tasks for pid in (task / "children").read_text().split()}
        assert len(pids) == 2
        os.kill(max(pids), signal.SIGKILL)
        told = [str(outcome(client, {})), str(outcome(client, other))]
        assert sum("SandboxDiedError" in t for t in told) == 1, told
        assert sum(t == "on\n" for t in told) == 1, told


def outcome(client: Client, where: dict[str, Any]) -> Any:
    try:
        return client.call("run", command="echo on", **where)["stdout"]
    except RpcError as error:
        return error.data["type"]


def test_a_state_that_no_request_could_bring_back(tmp_path: pathlib.Path) -> None:
    """It is refused before it is sent."""
    with serving("--max-request", "50000") as server:
        client = server.connect()
        client.handlers["storage.save"] = lambda params: None
        client.call("create", storage=True)
        client.call("run", command="head -c 100000 /dev/urandom > f")
        assert "does not fit" in refused(lambda: client.call("offload")).message
        assert client.call("run", command="wc -c < f")["stdout"] == "100000\n"


def test_many_quick_calls(client: Client) -> None:
    """A thousand, one after another and all at once."""
    for i in range(1000):
        client.call("env.set", name="I", value=str(i))
    assert client.call("env.get", name="I") == {"value": "999"}
    ids = [client.start("run", command=f"echo {i}") for i in range(1000)]
    assert [client.wait(id)["stdout"] for id in ids] == [f"{i}\n" for i in range(1000)]


# Limits.


def test_oversized_requests(tmp_path: pathlib.Path) -> None:
    """Refused without being kept, whatever their size, and the connection goes on."""
    with serving("--max-request", "10000", "--max-response", "20000") as server:
        client = server.connect()
        client.call("create")
        for size in (10_001, 200_000, 5_000_000):
            (answer,) = raw(client, b"x" * size + b"\n")
            assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["limit"]) == (None, -32700, "request")
            assert answer["error"]["message"] == "Request too large"
        assert client.call("ping") == {"ok": True}
        r = refused(lambda: client.call("run", command="seq 100000"))
        assert (r.code, r.data["limit"]) == (1, "response")
        client.call("run", command="seq 100000 > /f")
        assert refused(lambda: client.call("files.read", path="/f")).data["limit"] == "response"
        assert client.call("files.read", path="/f", offset=0, length=4, encoding="utf-8")["data"] == "1\n2\n"


def test_room_for_sandboxes_requests_and_clients(tmp_path: pathlib.Path) -> None:
    """Beyond the limit is an error, not a wait."""
    with serving("--max-sandboxes", "3", "--max-pending", "5", "--max-clients", "2", "--socket", str(tmp_path / "s")) as server:
        client = server.connect()
        client.call("create")
        one = client.call("sandbox.create")
        client.call("sandbox.fork")
        for method in ("sandbox.create", "sandbox.fork"):
            error = refused(lambda method=method: client.call(method))
            assert (error.code, error.data["limit"]) == (-32602, "sandboxes")
        client.call("sandbox.destroy", **one)
        client.call("sandbox.create")
        ids = [client.start("run", command="sleep 60", timeoutMs=None) for _ in range(6)]
        error = refused(lambda: client.wait(ids[-1]))
        assert (error.code, error.data["limit"]) == (-32600, "pending")
        for id in ids[1:-1]:
            client.call("cancel", requestId=id)
        client.call("cancel", requestId=ids[0])
        second, third = server.connect(), server.connect()
        assert second.call("ping") == {"ok": True}
        assert third.ended.wait(10)
        client.close()
        second.close()


def test_two_clients_have_nothing_in_common(tmp_path: pathlib.Path) -> None:
    """Each its sandboxes; the end of one is nothing to the other."""
    with serving("--socket", str(tmp_path / "s")) as server:
        a, b = server.connect(), server.connect()
        a.call("create")
        other = a.call("sandbox.create")
        assert refused(lambda: b.call("run", command="true")).code == -32600
        b.call("create")
        assert refused(lambda: b.call("run", command="true", **other)).code == -32602
        running = b.start("run", command="while [ ! -e /go ]; do sleep 0.01; done; echo went", timeoutMs=None)
        a.start("run", command=LOOP, timeoutMs=None)
        a.call("kill")
        assert a.ended.wait(10)
        assert not b._answers[running].qsize()
        b.call("cancel")
        assert b.wait(running)["exitCode"] == 130
        assert b.call("ping") == {"ok": True}
        b.close()


# Who may come, and how it ends.


def test_the_socket_is_this_users(tmp_path: pathlib.Path) -> None:
    """Mode 0600, removed at the end; what a killed server left is replaced, a live one and a file are not."""
    path = tmp_path / "s"
    with serving("--socket", str(path)) as server:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        second = subprocess.run(
            [sys.executable, "-m", "eryxsh", "serve", "--socket", str(path)], capture_output=True, text=True, timeout=30
        )
        assert (second.returncode, "another server" in second.stderr) == (1, True)
        assert server.connect().call("ping") == {"ok": True}
    assert not path.exists()
    server = Server("--socket", str(path))
    server.process.kill()
    assert server.stop() == -signal.SIGKILL
    assert path.exists()
    with serving("--socket", str(path)) as server:
        assert server.connect().call("ping") == {"ok": True}
    path.write_text("a file")
    third = subprocess.run([sys.executable, "-m", "eryxsh", "serve", "--socket", str(path)], capture_output=True, text=True, timeout=30)
    assert third.returncode == 1
    assert path.read_text() == "a file"


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"token": "wrong wrong wrong wrong"}}\n',
        b'{"jsonrpc": "2.0", "id": 1, "method": "authenticate"}\n{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": 1, "method": "create"}\n{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n',
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"x" * 100_000 + b"\n",
    ],
)
def test_tcp_wants_the_token(line: bytes) -> None:
    """First of all, and the right one: else there is an error, and the connection ends without anything done."""
    with serving("--port", "0") as server, socket.create_connection((server.place["host"], server.place["port"])) as stream:
        assert server.place["host"] == "127.0.0.1"
        with contextlib.suppress(ConnectionError):
            stream.sendall(line)
        stream.settimeout(10)
        said = b""
        with contextlib.suppress(ConnectionError):
            for chunk in iter(lambda: stream.recv(65536), b""):
                said += chunk
        assert b'"result"' not in said
        assert server.connect().call("ping") == {"ok": True}


def test_tokens_from_outside(tmp_path: pathlib.Path) -> None:
    """From a file or the environment; then it is not printed."""
    secret = "a token of sixteen or more"
    (tmp_path / "token").write_text(secret + "\n")
    with serving("--port", "0", "--token-file", str(tmp_path / "token")) as server:
        assert "token" not in server.place
        assert server.connect(secret).call("ping") == {"ok": True}
    with serving("--port", "0", env={"ERYXSH_TOKEN": secret}) as server:
        assert server.connect(secret).call("ping") == {"ok": True}
        assert refused(lambda: server.connect(secret[:-1])).code == -32001


def test_the_end_of_the_input() -> None:
    """What was asked is served, then the server ends."""
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "create"},
        {"jsonrpc": "2.0", "id": 2, "method": "run", "params": {"command": "sleep 0.2; echo hi"}},
    ]
    given = "\n".join(json.dumps(r) for r in requests)  # no newline at the end
    done = subprocess.run([sys.executable, "-m", "eryxsh", "serve"], input=given, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


def test_a_client_that_vanishes(tmp_path: pathlib.Path) -> None:
    """What it had running is cancelled: a server on standard input ends, one on a socket goes on idle."""
    server = Server()
    client = server.connect()
    client.call("create")
    client.start("run", command=LOOP, timeoutMs=None)
    time.sleep(0.1)
    server.process.stdin.close()  # type: ignore[union-attr]
    begun = time.monotonic()
    assert server.process.wait(timeout=10) == 0
    assert time.monotonic() - begun < 5
    server.stop()
    with serving("--socket", str(tmp_path / "s")) as server:
        client = server.connect()
        client.call("create")
        client.start("run", command=LOOP, timeoutMs=None)
        time.sleep(0.1)
        client.close()
        deadline = time.monotonic() + 10
        while busy(server.process.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not busy(server.process.pid)


def busy(pid: int) -> bool:
    """Whether a process uses the processor."""
    ticks = []
    for pause in (0.2, 0):
        ticks.append(sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])))
        time.sleep(pause)
    return ticks[1] - ticks[0] > 5


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_signal_saves_what_persists(transport: str, tmp_path: pathlib.Path) -> None:
    """SIGTERM while something runs: it is cancelled, sandboxes are closed, persistent ones saved; and the exit status is 0."""
    store = str(tmp_path / "store")
    with serving(*options(transport, tmp_path), "--store", store) as server:
        client = server.connect()
        client.call("create", persistence="persistent", namespace="a/b")
        client.call("run", command="x=5; echo hi > f")
        client.start("run", command=LOOP, timeoutMs=None)
        time.sleep(0.1)
    assert server.process.returncode == 0
    assert not (tmp_path / "s").exists()
    with eryxsh.Sandbox(persistence="session", namespace="a/b", store=store) as sb:
        assert sb.load_state()
        assert sb.commands.run("echo $x; cat f").stdout == "5\nhi\n"


def test_kill_leaves_a_store_whole(tmp_path: pathlib.Path) -> None:
    """SIGKILL at any moment: the store is clean, and the last save that was answered is there."""
    place = str(tmp_path / "store")
    for round in range(5):
        server = Server("--store", place)
        client = server.connect()
        client.call("create", persistence="session")
        client.call("persistence.load")
        saved = -1
        stopped = threading.Timer(0.1 + 0.07 * round, server.process.kill)
        stopped.start()
        with contextlib.suppress(Exception):
            for i in itertools.count():
                client.wait(client.start("run", command=f"echo {round} {i} > /n; seq {i}00 > /f{i}"), timeout=2)
                client.wait(client.start("persistence.save"), timeout=2)
                saved = i
        stopped.join()
        assert server.stop() == -signal.SIGKILL
        store = eryxsh.Store(place)
        store.verify()
        if saved >= 0:
            found = store.load().files.read_text("/n").split()
            assert found[0] == str(round)
            assert int(found[1]) in (saved, saved + 1)
        store.close()


def test_prints_of_others_do_not_disturb() -> None:
    """Whatever writes to standard output in the server's process goes to standard error."""
    code = "import os, sys; from eryxsh.rpc import _command, _server\nold = _server.Server.connect\n"
    code += "_server.Server.connect = lambda self, *a: (os.write(1, b'noise\\n'), print('noise', flush=True), old(self, *a))[2]\n"
    code += "sys.exit(_command.main([]))"
    given = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, timeout=30)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {"ok": True}}
    assert done.stderr == "noise\nnoise\n"


# In the process.


def test_in_the_process() -> None:
    """``sb.rpc`` gives what the server gives, and raises what Python raises."""
    with eryxsh.Sandbox(tools={"ask": None}) as sb:
        assert sb.rpc("run", command="echo hi")["stdout"] == "hi\n"
        assert sb.commands.run("echo $PWD").ok
        (first, second) = sb.rpc("shell.history.list")["entries"]
        assert (first["index"], first["command"], second["command"]) == (1, "echo hi", "echo $PWD")
        assert sb.rpc("shell.history.clear") == {"ok": True}
        assert sb.history.list() == []
        with pytest.raises(FileNotFoundError):
            sb.rpc("files.read", path="/no")
        for method, params, code in (("no.such", {}, -32601), ("run", {}, -32602), ("run", {"command": 7}, -32602), ("create", {}, -32600)):
            with pytest.raises(eryxsh.rpc.RpcError) as caught:  # type: ignore[attr-defined]
                sb.rpc(method, **params)
            assert caught.value.code == code
            assert isinstance(caught.value, (eryxsh.EryxshError, ValueError))
        with pytest.raises(ValueError, match="callbacks"):
            sb.rpc("run", command="true", stream=True)
        fork = sb.rpc("sandbox.fork")
        sb.rpc("run", command="touch /only", **fork)
        assert (sb.rpc("files.exists", path="/only", **fork), sb.files.exists("/only")) == ({"exists": True}, False)
        with pytest.raises(eryxsh.RunSuspended):
            sb.rpc("run", command="echo $(ask it)")
        event = sb.rpc("runs.next")
        sb.rpc("runs.resume", callId=event["call"]["callId"], stdout="fine")
        assert sb.rpc("runs.next")["result"]["stdout"] == "fine\n"
    with pytest.raises(eryxsh.SandboxClosedError):
        sb.rpc("run", command="true")


def test_a_sandbox_with_rpc_is_free_to_go() -> None:
    """It is not kept alive by what ``rpc`` remembers of it."""
    import weakref

    sb = eryxsh.Sandbox()
    sb.rpc("sandbox.fork")
    gone = weakref.ref(sb)
    del sb
    assert gone() is None


def test_rpc_on_an_event_loop() -> None:
    """Awaited, while the loop goes on."""
    import asyncio

    async def main() -> None:
        async with eryxsh.AsyncSandbox() as sb:
            running = asyncio.ensure_future(sb.rpc("run", command="sleep 0.2; echo hi"))
            await asyncio.sleep(0.01)
            assert not running.done()
            assert (await running)["stdout"] == "hi\n"

    asyncio.run(main())
