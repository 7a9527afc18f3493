"""The methods ``files.*``: the file system."""

from __future__ import annotations

from typing import Any, Dict

from .. import FileInfo
from ._client import Call
from ._errors import SANDBOX_ERROR, RpcError
from ._options import content
from ._schema import BASE64, BOOLEAN, COUNT, ENCODING, INTEGER, SIZE, STRING, STRING_MAP, STRINGS, Schema, listed, nullable, record
from ._table import Param, method
from ._values import DONE, OK, from_base64, milliseconds, shown, to_base64

PATH = Param("path", STRING, "The path; a relative one starts at the shell's directory.")
ENCODED = Param("encoding", ENCODING, "Of `data`.", "base64")
MODE: Schema = {"type": "integer", "minimum": 0, "maximum": 0o7777}
INFO: Schema = record(
    {
        "name": STRING,
        "type": {"type": "string", "enum": ["file", "dir", "symlink", "fifo", "device"]},
        "size": INTEGER,
        "path": STRING,
        "mode": INTEGER,
        "mtime": INTEGER,
        "target": nullable(STRING),
    }
)
_ENDS = (Param("source", STRING, "What there is."), Param("target", STRING, "The other path."))


def _info(f: FileInfo) -> Dict[str, Any]:
    return {
        "name": f.name,
        "type": f.type,
        "size": f.size,
        "path": f.path,
        "mode": f.mode,
        "mtime": milliseconds(f.mtime),
        "target": f.target,
    }


@method(
    "files.read",
    "The content of a file, or a part of it. With encoding `utf-8` it comes as text if it is UTF-8; "
    "`encoding` of the answer says what came.",
    (
        PATH,
        Param("encoding", ENCODING, "How the content is to come.", "base64"),
        Param("offset", SIZE, "The first byte.", 0),
        Param("length", nullable(SIZE), "How many bytes at most; null is all.", None),
    ),
    record({"data": STRING, "encoding": ENCODING}),
    quick=True,
)
def _read(call: Call, p: Dict[str, Any]) -> Any:
    if p["offset"] or p["length"] is not None:
        with call.sandbox.files.open(p["path"], "rb") as file:
            file.seek(p["offset"])
            data = file.read(-1 if p["length"] is None else min(p["length"], call.client.options.response))
    else:
        size = call.sandbox.files.stat(p["path"]).size
        if size > call.client.options.response:
            why = f"{p['path']}: {size} bytes are more than an answer may have: read it in parts"
            raise RpcError(SANDBOX_ERROR, why, path=p["path"], limit="response")
        data = call.sandbox.files.read(p["path"])
    text, encoding = shown(data, p["encoding"])
    return {"data": text, "encoding": encoding}


@method("files.write", "Replace or make a file, with its parents.", (PATH, Param("data", STRING, "The content."), ENCODED), OK, quick=True)
def _write(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.write(p["path"], content(p["data"], p["encoding"], "data"))
    return DONE


@method(
    "files.append",
    "Add to a file; it is made, with its parents, if absent.",
    (PATH, Param("data", STRING, "What to add."), ENCODED),
    OK,
    quick=True,
)
def _append(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.append(p["path"], content(p["data"], p["encoding"], "data"))
    return DONE


@method(
    "files.writeMany",
    "Replace or make several files: all or none.",
    (Param("files", STRING_MAP, "Path to content."), Param("encoding", ENCODING, "Of the contents.", "base64")),
    OK,
)
def _write_many(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.write_many({path: content(text, p["encoding"], f"files[{path!a}]") for path, text in p["files"].items()})
    return DONE


@method(
    "files.edit",
    "Replace text. `old` must occur exactly `count` times (null: at least once), or nothing changes.",
    (
        PATH,
        Param("old", {"type": "string", "minLength": 1}, "What to replace."),
        Param("new", STRING, "What to put there."),
        Param("count", nullable(COUNT), "How often it occurs.", 1),
    ),
    record({"count": INTEGER}),
)
def _edit(call: Call, p: Dict[str, Any]) -> Any:
    return {"count": call.sandbox.files.edit(p["path"], p["old"], p["new"], p["count"])}


@method(
    "files.list",
    "The entries of a directory in byte order. `mtime` is in milliseconds since 1970.",
    (PATH, Param("recursive", BOOLEAN, "Everything below it.", False)),
    record({"entries": listed(INFO)}),
)
def _list(call: Call, p: Dict[str, Any]) -> Any:
    return {"entries": [_info(f) for f in call.sandbox.files.list(p["path"], p["recursive"])]}


@method(
    "files.stat",
    "What a path leads to.",
    (PATH, Param("followSymlinks", BOOLEAN, "False: a symbolic link itself.", True)),
    INFO,
    quick=True,
)
def _stat(call: Call, p: Dict[str, Any]) -> Any:
    return _info(call.sandbox.files.stat(p["path"], follow_symlinks=p["followSymlinks"]))


@method("files.exists", "Whether a path leads to something.", (PATH,), record({"exists": BOOLEAN}), quick=True)
def _exists(call: Call, p: Dict[str, Any]) -> Any:
    return {"exists": call.sandbox.files.exists(p["path"])}


@method(
    "files.glob",
    "The paths that match, in byte order, as the shell globs; `**` is any directories.",
    (Param("pattern", STRING, "The pattern."),),
    record({"paths": STRINGS}),
)
def _glob(call: Call, p: Dict[str, Any]) -> Any:
    return {"paths": call.sandbox.files.glob(p["pattern"])}


@method(
    "files.mkdir",
    "Make a directory.",
    (PATH, Param("parents", BOOLEAN, "Make its parents too.", True), Param("existOk", BOOLEAN, "It may be there.", True)),
    OK,
    quick=True,
)
def _mkdir(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.mkdir(p["path"], p["parents"], p["existOk"])
    return DONE


@method(
    "files.rm",
    "Remove a file or link; a directory needs `recursive`.",
    (PATH, Param("recursive", BOOLEAN, "With all that is in it.", False), Param("missingOk", BOOLEAN, "It need not be there.", False)),
    OK,
)
def _rm(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.rm(p["path"], p["recursive"], p["missingOk"])
    return DONE


@method("files.rename", "Give a file or directory another name.", _ENDS, OK, quick=True)
def _rename(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.rename(p["source"], p["target"])
    return DONE


@method("files.copy", "Copy with modes and times.", (*_ENDS, Param("recursive", BOOLEAN, "A directory.", False)), OK)
def _copy(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.copy(p["source"], p["target"], p["recursive"])
    return DONE


@method("files.chmod", "Set the permission bits.", (PATH, Param("mode", MODE, "The bits.")), OK, quick=True)
def _chmod(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.chmod(p["path"], p["mode"])
    return DONE


@method("files.touch", "Make an empty file, or set its times to now.", (PATH,), OK, quick=True)
def _touch(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.touch(p["path"])
    return DONE


@method(
    "files.symlink",
    "Make a symbolic link.",
    (Param("target", STRING, "What it points to."), Param("path", STRING, "The link.")),
    OK,
    quick=True,
)
def _symlink(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.symlink(p["target"], p["path"])
    return DONE


@method(
    "files.link",
    "Make another name of a file.",
    (Param("target", STRING, "The file."), Param("path", STRING, "The new name.")),
    OK,
    quick=True,
)
def _link(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.link(p["target"], p["path"])
    return DONE


@method("files.readlink", "What a symbolic link points to.", (PATH,), record({"target": STRING}), quick=True)
def _readlink(call: Call, p: Dict[str, Any]) -> Any:
    return {"target": call.sandbox.files.readlink(p["path"])}


@method(
    "files.realpath",
    "The absolute path without symbolic links; what does not exist stays as it is.",
    (PATH,),
    record({"path": STRING}),
    quick=True,
)
def _realpath(call: Call, p: Dict[str, Any]) -> Any:
    return {"path": call.sandbox.files.resolve(p["path"])}


@method("files.exportTar", "A directory as a tar archive.", (PATH,), record({"data": BASE64}))
def _export_tar(call: Call, p: Dict[str, Any]) -> Any:
    return {"data": to_base64(call.sandbox.files.export_tar(p["path"]))}


@method("files.importTar", "Unpack a tar archive below a directory.", (PATH, Param("data", BASE64, "The archive.")), OK)
def _import_tar(call: Call, p: Dict[str, Any]) -> Any:
    call.sandbox.files.import_tar(from_base64(p["data"]), p["path"])
    return DONE
