"""The options of a new sandbox: what ``create``, ``sandbox.create`` and ``runs.load`` take."""

from __future__ import annotations

import dataclasses
import datetime
import threading
from typing import Any, Dict, List, Optional, Tuple

from .. import EryxshError, Limits, PersistenceError, Sandbox, Tool, ToolCall, ToolResult
from ._client import Call
from ._errors import INVALID_PARAMS, RpcError
from ._schema import (
    BOOLEAN,
    ENCODING,
    INTEGER,
    STRING,
    STRING_MAP,
    STRINGS,
    Schema,
    Unfit,
    check,
    decoded,
    encoded,
    listed,
    nullable,
    record,
)
from ._table import ABSENT, Param
from ._values import shown

_AMOUNT: Schema = {"type": "integer", "minimum": 1, "maximum": 1 << 62}
_SECONDS: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1e9}
LIMIT_NAMES = tuple(f.name for f in dataclasses.fields(Limits))
LIMITS: Schema = record(
    {},
    {
        **{name: nullable(_SECONDS if name == "time" else _AMOUNT) for name in LIMIT_NAMES},
        **dict.fromkeys(("stdoutBytes", "stderrBytes", "commandBytes", "fileCount"), _AMOUNT),
        "rpcBytes": {"type": "integer", "minimum": 1024, "maximum": 128 << 20},
        "hardened": BOOLEAN,
    },
)
EXTENSION: Schema = record(
    {"name": {"type": "string", "pattern": r"^[^\x00/\s]+$"}},
    {
        **dict.fromkeys(("description", "usage", "category"), STRING),
        "examples": STRINGS,
        "hasCommand": BOOLEAN,
        "pythonPackage": nullable({"type": "object"}),
    },
)
MILLISECONDS: Schema = nullable({"type": "number", "exclusiveMinimum": 0, "maximum": 1e15})

EXTENSIONS = Param(
    "extensions",
    listed(EXTENSION),
    "Shell commands that the client answers: by `extension.invoke` where `hasCommand` is true, "
    "else by `runs.resume`. `hasCommand` is true if it is left out.",
    [],
)
LIMITS_PARAM = Param(
    "limits",
    LIMITS,
    "Bounds by name, null lifts one; `hardened` begins with those for scripts nobody has read. "
    "Codepod's `stdoutBytes`, `stderrBytes`, `commandBytes`, `fileCount` and `rpcBytes` are understood.",
    {},
)
TIMEOUT = Param("timeoutMs", MILLISECONDS, "Milliseconds one command may take, 30,000 if it is left out; null is no limit.", ABSENT)
LABEL = Param("label", nullable(STRING), "What `sandbox.list` shows.", None)
_UNUSED = "Codepod's; there is nothing here that it could mean."

OPTIONS: Tuple[Param, ...] = (
    TIMEOUT,
    LIMITS_PARAM,
    Param("fsLimitBytes", _AMOUNT, "Bytes of files: `limits.file_bytes`, under codepod's name.", ABSENT),
    Param("files", STRING_MAP, "Path to content.", {}),
    Param("encoding", ENCODING, "Of the contents in `files`.", "base64"),
    Param("env", STRING_MAP, "Exported variables besides the default ones.", {}),
    Param("cwd", nullable(STRING), "Where the shell starts; the home if it is left out.", None),
    Param("user", STRING, "The user's name.", "user"),
    Param("hostname", STRING, "The host's name.", "sandbox"),
    Param(
        "clock",
        {"anyOf": [{"type": "string", "enum": ["real", "virtual"]}, {"type": "integer", "minimum": 0, "maximum": 9_200_000_000_000}]},
        "`real`, `virtual`, or the milliseconds since 1970 at which a virtual clock starts.",
        "real",
    ),
    Param("seed", nullable(INTEGER), "Of `$RANDOM` and `/dev/urandom`; null draws one.", None),
    EXTENSIONS,
    Param(
        "persistence",
        {"type": "string", "enum": ["ephemeral", "session", "persistent"]},
        "`session`: saved and loaded by `persistence.save` and `.load`. `persistent`: loaded now and saved in the background. "
        "Both need a server with a store.",
        "ephemeral",
    ),
    Param("namespace", STRING, "Under which name it is kept.", "default"),
    Param(
        "mounts",
        listed(record({"path": STRING, "files": STRING_MAP}, {"writable": BOOLEAN})),
        "As `mount`, before anything runs.",
        [],
    ),
    Param("pythonPath", STRINGS, "Codepod's; there is no Python inside, so anything but an empty list is refused.", []),
    Param("storage", BOOLEAN, "The client keeps what is offloaded: it is asked by `storage.save` and `storage.load`.", False),
    Param("wasmDir", nullable(STRING), _UNUSED, None),
    Param("shellWasmPath", nullable(STRING), _UNUSED, None),
    Param("pool", nullable({"type": "object"}), _UNUSED, None),
    Param("nice", nullable(INTEGER), _UNUSED, None),
)


def make(call: Call, p: Dict[str, Any]) -> Sandbox:
    """A sandbox of these options."""
    if p["pythonPath"]:
        raise RpcError(INVALID_PARAMS, f"{call.method.name}: pythonPath has no meaning here", path="pythonPath")
    if p["storage"]:
        call.client.require_a_listener("storage")
    call.hosted.storage = p["storage"]
    home: Dict[str, Any] = {}
    if p["persistence"] != "ephemeral" or p["namespace"] != "default":
        if call.client.options.store is None:
            raise PersistenceError("this server keeps nothing: it was started without --store")
        home = {"persistence": p["persistence"], "namespace": p["namespace"], "store": call.client.options.store}
    if "rpcBytes" in p["limits"]:
        call.client.request_limit = min(p["limits"]["rpcBytes"], call.client.options.request)
    call.hosted.command_limit = p["limits"].get("commandBytes")
    clock = p["clock"]
    if isinstance(clock, int):
        clock = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(milliseconds=clock)
    sandbox = Sandbox(
        files={path: content(text, p["encoding"], f"files[{path!a}]") for path, text in p["files"].items()},
        env=p["env"] or None,
        cwd=p["cwd"],
        user=p["user"],
        hostname=p["hostname"],
        limits=limits(p["limits"], p.get("fsLimitBytes")),
        tools=tools(call, p["extensions"]),
        clock=clock,
        seed=p["seed"],
        isolation=call.client.options.isolation,
        **seconds(p),
        **home,
    )
    try:
        for mount in p["mounts"]:
            files = {path: content(text, "base64", "files") for path, text in mount["files"].items()}
            sandbox.mount(mount["path"], files)
    except BaseException:
        sandbox.close()
        raise
    return sandbox


def seconds(p: Dict[str, Any]) -> Dict[str, Any]:
    """``timeout=`` of a call, where ``timeoutMs`` was given."""
    if "timeoutMs" not in p:
        return {}
    return {"timeout": None if p["timeoutMs"] is None else p["timeoutMs"] / 1000}


def limits(given: Dict[str, Any], file_bytes: Optional[int] = None) -> Optional[Limits]:
    """The Limits that ``limits`` and ``fsLimitBytes`` mean; None for the default ones."""
    named = {name: value for name, value in given.items() if name in LIMIT_NAMES}
    cuts = [given[name] for name in ("stdoutBytes", "stderrBytes") if name in given]
    if cuts:
        named.setdefault("output", min(cuts))
    if "fileCount" in given:
        named.setdefault("files", given["fileCount"])
    if file_bytes is not None:
        named.setdefault("file_bytes", file_bytes)
    if given.get("hardened"):
        return Limits.hardened(**named)
    return Limits(**named) if named else None


def content(text: str, encoding: str, name: str) -> bytes:
    """The bytes that a text of the wire stands for."""
    try:
        return decoded(text, name) if encoding == "base64" else encoded(text, name)
    except Unfit as error:
        raise RpcError(INVALID_PARAMS, str(error)) from None


_serving = threading.local()
"""``.call``: what this thread serves, for the functions of tools."""


def served() -> Optional[Call]:
    """The call that this thread serves."""
    return getattr(_serving, "call", None)


class serving:  # a context manager
    """Serve a call on this thread."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def __enter__(self) -> None:
        _serving.call = self._call

    def __exit__(self, *exc: object) -> None:
        _serving.call = None


def tools(call: Call, extensions: List[Dict[str, Any]]) -> Optional[List[Tool]]:
    """The tools that extensions mean."""
    made: List[Tool] = []
    for e in extensions:
        if e.get("pythonPackage") is not None:
            raise RpcError(INVALID_PARAMS, f"extension {e['name']}: there is no Python inside that a package could be for", path=e["name"])
        answers = e.get("hasCommand", True)
        if answers:
            call.client.require_a_listener("an extension with hasCommand")
        made.append(
            Tool(
                e["name"],
                _invoke if answers else None,
                description=e.get("description", ""),
                usage=e.get("usage", ""),
                examples=e.get("examples", ()),
                category=e.get("category", ""),
            )
        )
    return made or None


_REPLY = record({}, {"stdout": STRING, "stderr": STRING, "exitCode": INTEGER, "encoding": ENCODING})


def _invoke(tool_call: ToolCall) -> ToolResult:
    """Have the client answer a tool call."""
    call: Call = _serving.call
    stdin, encoding = shown(tool_call.stdin)
    reply = call.client.ask(
        call,
        "extension.invoke",
        {
            "name": tool_call.name,
            "args": tool_call.args,
            "stdin": stdin,
            "stdinEncoding": encoding,
            "env": tool_call.env,
            "cwd": tool_call.cwd,
            "callId": tool_call.call_id,
            "sandboxId": call.hosted.id or None,
        },
    )
    try:
        check(_REPLY, reply, "the answer")
    except Unfit as error:
        raise EryxshError(str(error)) from None
    code = reply.get("encoding", "utf-8")
    return ToolResult(
        content(reply.get("stdout", ""), code, "stdout"), content(reply.get("stderr", ""), code, "stderr"), reply.get("exitCode", 0)
    )
