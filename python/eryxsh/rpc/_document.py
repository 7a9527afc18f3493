"""What the table says, for programs (``rpc.discover``) and for people (``capi/RPC.md``).

``python -m eryxsh.rpc._document`` prints the latter.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List

from .. import __version__
from . import _methods, _methods_files, _methods_runs  # noqa: F401  # they fill the table
from ._errors import CODES
from ._schema import Schema, described
from ._table import ABSENT, METHODS, REQUIRED, Method, Param

_INTRODUCTION = """\
# eryxsh over JSON-RPC

This text is made from the table of methods in `python/eryxsh/rpc` (`python -m eryxsh.rpc._document`); a test holds them together.
`rpc.discover` gives the same as an OpenRPC document, with a JSON Schema for every parameter and result.

## Connecting

| command | transport |
|---|---|
| `eryxsh serve` | standard input and output of the process |
| `eryxsh serve --socket PATH` | a Unix socket with mode 0600 |
| `eryxsh serve --port N` | TCP on 127.0.0.1; 0 is any free port |

The last two print one line when they listen: `{"jsonrpc":"2.0","method":"listening","params":{"socket":…}}` or
`{"host":…,"port":…,"token":…}`. Over TCP the first request is `authenticate` with the token; anything else ends the connection.
The token is read from `--token-file` or `$ERYXSH_TOKEN`, and is in the line only if it was made by the server.
`--store PLACE` says where sandboxes may persist; `--isolation process` has each sandbox, with its forks, in a process of its own;
`--max-request`, `--max-response`, `--max-sandboxes`, `--max-pending` and `--max-clients` set the limits.
SIGTERM ends the server: what runs is cancelled, sandboxes are closed, persistent ones saved.

## Messages

JSON-RPC 2.0, one message a line, in UTF-8. Requests have `jsonrpc`, `method`, `params` (an object, or an array in the order below)
and `id`; without `id` they are notifications and are not answered. An array of requests is a batch: one line with the answers, in
any order.

* Each connection has sandboxes of its own. `create` makes the one that requests without `sandboxId` are about. They are closed when the
  connection ends.
* Requests to one sandbox are served in order, those to different ones at the same time; so answers come in any order, and `id` tells
  which is which. Requests marked *at once* overtake everything. While a tool call waits for the client, `files.*` is served.
* A client reads while it writes: the server does not hold answers back for one that does not.
* At the end of the input what was asked is served for 2 seconds more, if somebody still reads the answers; then, or when nobody does,
  what runs is cancelled.
* Content of files is base64 unless `encoding` says `utf-8`. Output of commands is text where it is UTF-8 and base64 where not;
  `stdoutEncoding` and `stderrEncoding` say which. In paths, arguments and variables a byte that is not UTF-8 is the character U+DC80
  to U+DCFF (`"\\udc80"`), as in Python's `surrogateescape`.
* Times are milliseconds since 1970.

The server sends:

* `{"method":"output","params":{"request_id":ID,"stream":"stdout"|"stderr","data":…,"encoding":"utf-8"|"base64"}}`: output of a
  request with `stream`, before its answer.
* `{"id":"cb_N","method":"extension.invoke","params":{"name","args","stdin","stdinEncoding","env","cwd","callId","sandboxId"}}`: a command
  from `extensions` was called. The answer's `result` is `{"stdout","stderr","exitCode","encoding"}`, all of them optional; an `error` makes
  the command fail. `callId` is the same after `runs.dump` and `runs.load`.
* `{"id":"cb_N","method":"storage.save","params":{"sandbox_id","state"}}` and
  `{"id":"cb_N","method":"storage.load","params":{"sandbox_id"}}`, for sandboxes with `storage`: keep a state (base64; the `result` is not
  looked at), and give it back as the `result`. `sandbox_id` is null for the one of `create`. An `error` makes `offload`, or what wanted
  the sandbox, fail, and nothing is lost. A state that does not fit into a request is refused by `offload`.

## Errors

`error` has `code`, `message` and `data`: `type` (the name of the exception), `path` (what it is about), `limit` (which was met) and
`errno`, or null each. The message of a file error begins with the name of its errno: `ENOENT: No such file or directory: /x`.

| code | type | when |
|---|---|---|
"""


def markdown() -> str:
    """The text of capi/RPC.md."""
    lines = [_INTRODUCTION.rstrip("\n")]
    for code, (name, doc) in CODES.items():
        lines.append(f"| {code} | {f'`{name}`' if name else ''} | {doc} |")
    lines += ["", "## Methods"]
    for method in METHODS.values():
        lines += ["", *_section(method)]
    lines += ["", "## Shapes", ""]
    lines += _shapes()
    return "\n".join(lines) + "\n"


def _section(method: Method) -> List[str]:
    from ._options import OPTIONS

    at_once = " *At once.*" if method.on == "now" else ""
    lines = [f"### `{method.name}`", "", method.doc + at_once]
    params = method.params
    like_create = method.name != "create" and all(p in params for p in OPTIONS)
    if like_create:
        params = tuple(p for p in params if p not in OPTIONS)
    if params:
        lines += ["", "| parameter | type | default | |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | `{_shape(p.schema)}` | {_default(p)} | {_cell(p.doc)} |" for p in params]
    if like_create:
        lines.append("| | | | and those of `create` |")
    return [*lines, "", f"Result: `{_shape(method.result)}`"]


def _default(p: Param) -> str:
    if p.default is REQUIRED:
        return "required"
    return "" if p.default is ABSENT else f"`{json.dumps(p.default)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _names() -> Dict[str, Schema]:
    """The shapes that have a name, as they are used in several places."""
    from ._methods_files import INFO
    from ._methods_runs import EVENT, TOOL_CALL
    from ._options import EXTENSION, LIMITS
    from ._values import RESULT

    return {"Extension": EXTENSION, "Limits": LIMITS, "FileInfo": INFO, "CommandResult": RESULT, "ToolCall": TOOL_CALL, "Event": EVENT}


def _shape(schema: Schema, *, inside: bool = False) -> str:
    """A schema in a line: ``{id: string, label?: string or null}``; what has a name, by its name."""
    for name, known in _names().items():
        if schema is known and not inside:
            return name
    if "anyOf" in schema:
        return " or ".join(_shape(one) for one in schema["anyOf"])
    if "properties" in schema:
        fields = (f"{name}{'' if name in schema['required'] else '?'}: {_shape(field)}" for name, field in schema["properties"].items())
        return f"{{{', '.join(fields)}}}"
    if schema.get("type") == "array":
        return f"array of {_shape(schema.get('items', {}))}"
    return described(schema)


def _shapes() -> List[str]:
    lines: List[str] = []
    for name, schema in _names().items():
        lines.append(f"* **{name}**: `{_shape(schema, inside=True)}`")
    return [*lines, "", "A field with `?` may be missing."]


def openrpc() -> Dict[str, Any]:
    """The table as an OpenRPC document."""
    return {
        "openrpc": "1.2.6",
        "info": {"title": "eryxsh", "version": __version__},
        "methods": [
            {
                "name": method.name,
                "summary": method.doc,
                "params": [_parameter(p) for p in method.params],
                "result": {"name": "result", "schema": method.result},
            }
            for method in METHODS.values()
        ],
    }


def _parameter(p: Param) -> Dict[str, Any]:
    schema = p.schema if p.default is REQUIRED or p.default is ABSENT else {**p.schema, "default": p.default}
    return {"name": p.name, "description": p.doc, "required": p.default is REQUIRED, "schema": schema}


if __name__ == "__main__":
    print(markdown(), end="")
