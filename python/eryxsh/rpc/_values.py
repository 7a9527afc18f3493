"""Values: how bytes, times and results stand on the wire."""

from __future__ import annotations

import base64
import datetime
from typing import Any, Dict, Optional, Tuple, overload

from .. import CommandResult
from ._schema import BOOLEAN, ENCODING, INTEGER, NUMBER, STRING, STRINGS, Schema, record

OK: Schema = record({"ok": {"type": "boolean", "enum": [True]}})
DONE = {"ok": True}

RESULT: Schema = record(
    {
        "exitCode": INTEGER,
        "stdout": STRING,
        "stderr": STRING,
        "stdoutEncoding": ENCODING,
        "stderrEncoding": ENCODING,
        "executionTimeMs": NUMBER,
        "steps": INTEGER,
    },
    {
        "truncated": record({"stdout": BOOLEAN, "stderr": BOOLEAN}),
        "errorClass": {"type": "string", "enum": ["TIMEOUT", "CANCELLED", "LIMIT_EXCEEDED", "CAPABILITY_DENIED"]},
        "limit": STRING,
        "toolErrors": STRINGS,
        "unsupported": STRINGS,
    },
)


def result_of(result: CommandResult, encoding: str) -> Dict[str, Any]:
    """What a command came to."""
    out, out_encoding = shown(result.stdout_bytes, encoding)
    err, err_encoding = shown(result.stderr_bytes, encoding)
    made: Dict[str, Any] = {
        "exitCode": result.exit_code,
        "stdout": out,
        "stderr": err,
        "stdoutEncoding": out_encoding,
        "stderrEncoding": err_encoding,
        "executionTimeMs": result.execution_time_ms,
        "steps": result.steps,
    }
    truncated = result.truncated
    if truncated["stdout"] or truncated["stderr"]:
        made["truncated"] = truncated
    if result.error_class is not None:
        made["errorClass"] = result.error_class
    if result.limit is not None:
        made["limit"] = result.limit
    if result.tool_errors:
        made["toolErrors"] = [f"{type(error).__name__}: {error}" for error in result.tool_errors]
    if result.unsupported:
        made["unsupported"] = result.unsupported
    return made


def shown(data: bytes, wanted: str = "utf-8") -> Tuple[str, str]:
    """Bytes as text, and its encoding: UTF-8 where they are that (and it is wanted), else base64."""
    if wanted == "utf-8":
        try:
            return data.decode(), "utf-8"
        except UnicodeDecodeError:
            pass
    return to_base64(data), "base64"


def to_base64(data: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode("ascii")


@overload
def from_base64(text: str) -> bytes: ...
@overload
def from_base64(text: None) -> None: ...
def from_base64(text: Optional[str]) -> Optional[bytes]:
    """The bytes of a text whose schema says base64."""
    return None if text is None else base64.b64decode(text)


def milliseconds(time: datetime.datetime) -> int:
    """A time as milliseconds since 1970."""
    return round(time.timestamp() * 1000)
