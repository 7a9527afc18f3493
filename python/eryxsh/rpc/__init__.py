"""JSON-RPC: sandboxes for programs in other languages and other processes.

``eryxsh serve`` speaks JSON-RPC 2.0 over standard input and output, a Unix socket or TCP on the
loopback; ``capi/RPC.md`` is its description. ``sb.rpc(method, **params)`` calls the same methods in
the process of the sandbox. This package is imported when one of them is used.

>>> from eryxsh import Sandbox
>>> sb = Sandbox()
>>> sb.rpc("run", command="echo hi")["stdout"]
'hi\\n'
>>> [e["command"] for e in sb.rpc("shell.history.list")["entries"]]
['echo hi']
"""

from __future__ import annotations

import weakref
from typing import Any, Dict

from .. import Sandbox
from . import _methods, _methods_files, _methods_runs  # noqa: F401  # they fill the table
from ._client import Local, Options
from ._errors import RpcError
from ._server import Connection, Server
from ._table import METHODS, Method, Param

__all__ = ["METHODS", "Connection", "Method", "Options", "Param", "RpcError", "Server", "call"]

_locals: weakref.WeakKeyDictionary[Sandbox, Local] = weakref.WeakKeyDictionary()


def call(sandbox: Sandbox, method: str, params: Dict[str, Any]) -> Any:
    """Call a method in this process; the sandbox stands for the one of ``create``."""
    local = _locals.get(sandbox)
    if local is None:
        local = _locals.setdefault(sandbox, Local(sandbox))
    return local.call(method, params)
