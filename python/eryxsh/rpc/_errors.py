"""Errors of the wire: JSON-RPC's codes, and how an exception is told to a client."""

from __future__ import annotations

import errno
from typing import Any, Dict, Optional

from .. import CommandError, EryxshError, ParseError, RunSuspended

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CANCELLED = -32800
UNAUTHORIZED = -32001
SANDBOX_ERROR = 1

CODES = {
    PARSE_ERROR: ("ParseError", "the line is not JSON, or longer than a request may be"),
    INVALID_REQUEST: (
        "InvalidRequest",
        "it is JSON, but no request; `create` has not been called, or is called twice; too many requests wait (`limit` is `pending`)",
    ),
    METHOD_NOT_FOUND: ("MethodNotFound", "there is no such method"),
    INVALID_PARAMS: (
        "InvalidParams",
        "a parameter is missing, unknown or not what its schema says; an unknown `sandboxId`; no room for more",
    ),
    INTERNAL_ERROR: ("InternalError", "a defect of the server; the message says which exception it was"),
    CANCELLED: ("RequestCancelled", "`cancel` reached the request before it had begun"),
    UNAUTHORIZED: ("Unauthorized", "the token is missing or wrong; the connection is closed"),
    SANDBOX_ERROR: ("", "whatever the sandbox says no to; `data.type` names the exception of the Python interface"),
}


class RpcError(EryxshError, ValueError):
    """A request that cannot be served: ``.code`` is JSON-RPC's, ``.data`` what the answer says besides."""

    def __init__(self, code: int, message: str, *, path: Optional[str] = None, limit: Optional[str] = None) -> None:
        super().__init__(message, path=path, limit=limit)
        self.code = code


def error_of(error: BaseException) -> Dict[str, Any]:
    """The ``error`` member of an answer."""
    data = {
        "type": type(error).__name__,
        "path": _text(getattr(error, "path", None)),
        "limit": _text(getattr(error, "limit", None)),
        "errno": error.errno if isinstance(error, OSError) else None,
    }
    if isinstance(error, RpcError):
        return {"code": error.code, "message": error.message, "data": {**data, "type": CODES[error.code][0]}}
    if isinstance(error, RunSuspended):
        data["runId"] = error.run.id
    elif isinstance(error, ParseError):
        data.update(line=error.line, column=error.column)
    expected = isinstance(error, (EryxshError, OSError, ValueError, TypeError, LookupError, NotImplementedError, ImportError))
    if not expected or isinstance(error, CommandError):
        return {"code": INTERNAL_ERROR, "message": f"{type(error).__name__}: {error}", "data": data}
    return {"code": SANDBOX_ERROR, "message": _message(error), "data": data}


def _message(error: BaseException) -> str:
    """As codepod has it: ``ENOENT: No such file or directory: /x``."""
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, EryxshError):
        parts = [errno.errorcode.get(error.errno, f"errno {error.errno}"), error.strerror or "", error.filename or ""]
        return ": ".join(str(part) for part in parts if part)
    if isinstance(error, EryxshError) and isinstance(error, OSError):
        return f"{errno.errorcode.get(error.errno or 0, 'EDQUOT')}: {error}"
    return str(error) or type(error).__name__


def _text(value: Any) -> Optional[str]:
    return None if value is None else str(value)
