"""The methods: running, the shell's state, snapshots, and what a server is asked."""

from __future__ import annotations

from typing import Any, Dict, List

from .. import Diff, SnapshotInfo, __version__
from ._client import Call
from ._options import LABEL, OPTIONS, make
from ._schema import BASE64, BOOLEAN, COUNT, INTEGER, NULL, NUMBER, SIZE, STRING, STRING_MAP, Schema, listed, nullable, record
from ._storage import AtClient
from ._table import SANDBOX_ID, Param, method
from ._values import DONE, OK, from_base64, milliseconds, to_base64

NAME: Schema = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
_THIS = Param("sandboxId", STRING, "Which sandbox.")


# The server.


@method(
    "create",
    "Make the sandbox that requests without `sandboxId` are about. Its options are the defaults of `sandbox.create`.",
    OPTIONS,
    OK,
    on="new",
)
def _create(call: Call, p: Dict[str, Any]) -> Any:
    call.hosted.sandbox = make(call, p)
    call.client.defaults = {name: value for name, value in p.items() if name not in ("persistence", "namespace")}
    return DONE


@method(
    "sandbox.create",
    "Make another sandbox. What is left out is as `create` had it, but for persistence.",
    (LABEL, *OPTIONS),
    record({"sandboxId": STRING}),
    on="new",
)
def _sandbox_create(call: Call, p: Dict[str, Any]) -> Any:
    given = {name: value for name, value in p.items() if name in call.given}
    call.hosted.sandbox = make(call, {**p, **call.client.defaults, **given})
    return {"sandboxId": call.hosted.id}


@method(
    "sandbox.fork",
    "An independent copy of a sandbox, in constant time, also while a run is suspended in it.",
    (LABEL, Param("reseed", nullable(INTEGER), "Draw other random numbers than the original.", None)),
    record({"sandboxId": STRING}),
)
def _fork(call: Call, p: Dict[str, Any]) -> Any:
    hosted = call.client.host(p["label"])
    try:
        hosted.sandbox = call.sandbox.fork(reseed=p["reseed"])
    except BaseException:
        call.client.forget(hosted)
        raise
    hosted.command_limit, hosted.storage = call.hosted.command_limit, call.hosted.storage
    return {"sandboxId": hosted.id}


@method(
    "sandbox.list",
    "The sandboxes of this client, the one of `create` left out.",
    (),
    listed(record({"sandboxId": STRING, "label": nullable(STRING), "createdAt": STRING})),
    on="now",
)
def _sandboxes(call: Call, p: Dict[str, Any]) -> Any:
    return [
        {"sandboxId": h.id, "label": h.label, "createdAt": h.created.isoformat(timespec="milliseconds").replace("+00:00", "Z")}
        for h in call.client.everything()
        if h.id
    ]


@method("sandbox.destroy", "Close a sandbox; a persistent one is saved. What was asked of it before is served first.", (_THIS,), OK)
@method("sandbox.remove", "`sandbox.destroy`.", (_THIS,), OK)
def _destroy(call: Call, p: Dict[str, Any]) -> Any:
    call.client.forget(call.hosted)
    call.hosted.close()
    return DONE


@method("kill", "Close all sandboxes of this client and then the connection; a server on standard input ends.", (), OK, on="now")
def _kill(call: Call, p: Dict[str, Any]) -> Any:
    call.client.end()
    return DONE


@method(
    "authenticate",
    "The first request over TCP. Elsewhere it is not needed.",
    (Param("token", STRING, "The server's token."),),
    OK,
    on="now",
)
def _authenticate(call: Call, p: Dict[str, Any]) -> Any:
    call.client.check_token(p["token"])
    return DONE


@method("ping", "Whether the server is there.", (), OK, on="now")
def _ping(call: Call, p: Dict[str, Any]) -> Any:
    return DONE


@method("version", "The version of eryxsh.", (), record({"name": STRING, "version": STRING}), on="now")
def _version(call: Call, p: Dict[str, Any]) -> Any:
    return {"name": "eryxsh", "version": __version__}


@method("rpc.discover", "This table, as an OpenRPC document.", (), {"type": "object"}, on="now")
def _discover(call: Call, p: Dict[str, Any]) -> Any:
    from ._document import openrpc

    return openrpc()


@method(
    "cancel",
    "End what runs in a sandbox, or one request: at once, before anything that waits. A command ends with exit code 130; "
    "a request that has not begun is answered with error -32800.",
    (
        SANDBOX_ID,
        Param("requestId", {"anyOf": [STRING, NUMBER]}, "The id of the request; without it whatever runs in the sandbox.", None),
    ),
    record({"ok": {"type": "boolean", "enum": [True]}, "cancelled": BOOLEAN}),
    on="now",
)
def _cancel(call: Call, p: Dict[str, Any]) -> Any:
    if p["requestId"] is not None:
        return {"ok": True, "cancelled": call.client.cancel_request(p["requestId"])}
    return {"ok": True, "cancelled": call.client.find(p["sandboxId"]).cancel()}


@method("sandbox.suspend", "Pause what runs in a sandbox, at once; its clock stops.", (SANDBOX_ID,), OK, on="now")
def _suspend(call: Call, p: Dict[str, Any]) -> Any:
    call.client.find(p["sandboxId"]).live().suspend()
    return DONE


@method("sandbox.resume", "What `sandbox.suspend` paused goes on.", (SANDBOX_ID,), OK, on="now")
def _resume(call: Call, p: Dict[str, Any]) -> Any:
    call.client.find(p["sandboxId"]).live().resume()
    return DONE


# Variables and history.


@method("env.get", "An exported variable.", (Param("name", NAME, "Its name."),), record({"value": nullable(STRING)}), quick=True)
def _env_get(call: Call, p: Dict[str, Any]) -> Any:
    return {"value": call.sandbox.env.get(p["name"])}


@method("env.set", "Set and export a variable.", (Param("name", NAME, "Its name."), Param("value", STRING, "Its value.")), OK, quick=True)
def _env_set(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.env[p["name"]] = p["value"]
    return DONE


@method("env.unset", "Unset an exported variable, if there is one.", (Param("name", NAME, "Its name."),), OK, quick=True)
def _env_unset(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.env.pop(p["name"], None)
    return DONE


@method(
    "env.list",
    "The exported variables.",
    (Param("all", BOOLEAN, "Those that are not exported too.", False),),
    record({"variables": STRING_MAP}),
    quick=True,
)
def _env_list(call: Call, p: Dict[str, Any]) -> Any:
    return {"variables": call.sandbox.env.all() if p["all"] else dict(call.sandbox.env)}


@method(
    "shell.history.list",
    "The commands of the past, oldest first. `timestamp` is in milliseconds since 1970, on the sandbox's clock.",
    (
        Param("limit", nullable(SIZE), "Only the last so many.", None),
        Param("details", BOOLEAN, "With `exitCode`, `durationMs` and `snapshot`, the state before it.", False),
    ),
    record(
        {
            "entries": listed(
                record(
                    {"index": INTEGER, "command": STRING, "timestamp": INTEGER},
                    {"exitCode": INTEGER, "durationMs": NUMBER, "snapshot": nullable(STRING)},
                )
            )
        }
    ),
    quick=True,
)
def _history(call: Call, p: Dict[str, Any]) -> Any:
    entries: List[Dict[str, Any]] = []
    for e in call.sandbox.history.list(p["limit"]):
        entries.append({"index": e.index, "command": e.command, "timestamp": milliseconds(e.timestamp)})
        if p["details"]:
            entries[-1].update(exitCode=e.exit_code, durationMs=e.duration_ms, snapshot=e.snapshot)
    return {"entries": entries}


@method("shell.history.clear", "Forget the commands of the past; indices go on.", (), OK, quick=True)
def _history_clear(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.history.clear()
    return DONE


@method("shell.history.restore", "Back to before a command ran, files and shell.", (Param("index", COUNT, "Which one."),), OK)
def _history_restore(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.history.restore(p["index"])
    return DONE


# States.


@method(
    "snapshot.create",
    "A save point in memory, in constant time: files and shell.",
    (Param("name", nullable(STRING), "A name besides the id.", None),),
    record({"id": STRING}),
    quick=True,
)
def _snapshot(call: Call, p: Dict[str, Any]) -> Any:
    return {"id": call.sandbox.snapshot(p["name"])}


@method(
    "snapshot.restore",
    "Back to a snapshot. Runs that were active are gone.",
    (Param("id", STRING, "Its id or name."), Param("reseed", nullable(INTEGER), "Draw other random numbers than then.", None)),
    OK,
)
def _restore(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.restore(p["id"], reseed=p["reseed"])
    return DONE


@method(
    "snapshot.list",
    "The snapshots, oldest first. `created` is in milliseconds since 1970, `size` the bytes of the files.",
    (),
    record(
        {
            "snapshots": listed(
                record(
                    {
                        "id": STRING,
                        "name": nullable(STRING),
                        "created": INTEGER,
                        "parent": nullable(STRING),
                        "size": INTEGER,
                        "command": STRING,
                    }
                )
            )
        }
    ),
    quick=True,
)
def _snapshots(call: Call, p: Dict[str, Any]) -> Any:
    def shown(s: SnapshotInfo) -> Dict[str, Any]:
        return {"id": s.id, "name": s.name, "created": milliseconds(s.created), "parent": s.parent, "size": s.size, "command": s.command}

    return {"snapshots": [shown(s) for s in call.sandbox.snapshots.list()]}


@method("snapshot.delete", "Forget a snapshot.", (Param("id", STRING, "Its id or name."),), OK, quick=True)
def _snapshot_delete(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.snapshots.drop(p["id"])
    return DONE


_PAIR = {"type": "array", "items": nullable(STRING), "minItems": 2}


@method(
    "diff",
    "What changed between two snapshots; variables and functions as [before, after].",
    (
        Param("from", nullable(STRING), "An id or name; without it since the sandbox was made or loaded.", None),
        Param("to", nullable(STRING), "An id or name; without it up to now.", None),
        Param("patch", BOOLEAN, "With a patch that `git apply` takes.", False),
        Param("root", nullable(STRING), "The patch of this directory alone, by names relative to it.", None),
    ),
    record(
        {
            "files": listed(
                record(
                    {
                        "change": {"type": "string", "enum": ["added", "modified", "removed", "renamed"]},
                        "path": STRING,
                        "source": nullable(STRING),
                        "type": STRING,
                        "sizeBefore": INTEGER,
                        "sizeAfter": INTEGER,
                        "modeBefore": INTEGER,
                        "modeAfter": INTEGER,
                    }
                )
            ),
            "variables": {"type": "object", "additionalProperties": _PAIR},
            "functions": {"type": "object", "additionalProperties": _PAIR},
            "cwd": nullable(_PAIR),
        },
        {"patch": STRING},
    ),
)
def _diff(call: Call, p: Dict[str, Any]) -> Any:
    diff: Diff = call.sandbox.diff(p["from"], p["to"])
    try:
        found: Dict[str, Any] = {
            "files": [
                {
                    "change": f.change,
                    "path": f.path,
                    "source": f.source,
                    "type": f.type,
                    "sizeBefore": f.size_before,
                    "sizeAfter": f.size_after,
                    "modeBefore": f.mode_before,
                    "modeAfter": f.mode_after,
                }
                for f in diff.files
            ],
            "variables": {name: list(pair) for name, pair in diff.variables.items()},
            "functions": {name: list(pair) for name, pair in diff.functions.items()},
            "cwd": None if diff.cwd is None else list(diff.cwd),
        }
        if p["patch"]:
            found["patch"] = diff.patch(root=p["root"], limit=call.client.options.response)
        return found
    finally:
        diff.close()


@method("undo", "Back to before the n-th last command.", (Param("n", COUNT, "How many.", 1),), OK)
def _undo(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.undo(p["n"])
    return DONE


@method("redo", "Forward again by n commands that were undone.", (Param("n", COUNT, "How many.", 1),), OK)
def _redo(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.redo(p["n"])
    return DONE


@method("reset", "As new, with the options it was made with.", (), OK)
def _reset(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.reset()
    return DONE


_KEY = Param("key", nullable(BASE64), "Signs the state, or checks its signature.", None)


@method("persistence.export", "Everything as bytes, a suspended run included.", (_KEY,), record({"data": BASE64}))
def _export(call: Call, p: Dict[str, Any]) -> Any:
    return {"data": to_base64(call.sandbox.export_state(key=from_base64(p["key"])))}


@method(
    "persistence.import",
    "Replace everything by what `persistence.export` gave, or fail and change nothing.",
    (Param("data", BASE64, "The state."), _KEY),
    OK,
)
def _import(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.import_state(from_base64(p["data"]), key=from_base64(p["key"]))
    return DONE


@method("persistence.save", "Save now, as the next commit of the namespace.", (Param("note", STRING, "What the commit says.", ""),), OK)
def _save(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.save_state(note=p["note"])
    return DONE


@method("persistence.load", "Load what was saved last; `found` is false when there is nothing.", (), record({"found": BOOLEAN}))
def _load(call: Call, p: Dict[str, Any]) -> Any:
    return {"found": call.sandbox.load_state()}


@method("persistence.clear", "Forget all that was saved in the namespace; the sandbox stays as it is.", (), OK)
def _clear(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.clear_persisted_state()
    return DONE


@method(
    "mount",
    "Show files below a directory.",
    (
        Param("path", STRING, "The directory."),
        Param("files", {"type": "object", "additionalProperties": BASE64}, "Relative path to content."),
    ),
    OK,
)
def _mount(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.mount(p["path"], {name: from_base64(data) for name, data in p["files"].items()})
    return DONE


@method("offload", "Write the sandbox to the store, or to the client with `storage`, and free its memory.", (), NULL)
def _offload(call: Call, p: Dict[str, Any]) -> Any:
    if call.hosted.storage:
        AtClient.leave(call)
    else:
        call.sandbox.offload()


@method("rehydrate", "Come back from there; so does any other use.", (), NULL)
def _rehydrate(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.rehydrate()
