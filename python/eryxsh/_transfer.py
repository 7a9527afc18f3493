"""States as bytes, and sandboxes that another process holds."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from . import _native, _wire
from ._limits import Limits, changed
from ._results import state_info
from ._tools import wire_tools

if TYPE_CHECKING:
    from ._sandbox import Sandbox
    from ._store import Store


def state_bytes(blob: Any) -> bytes:
    """A state that somebody gave."""
    if isinstance(blob, bytes):
        return blob
    if isinstance(blob, (bytearray, memoryview)):
        return bytes(blob)
    raise TypeError(f"a state is bytes, not {type(blob).__name__}")


def signing_key(key: Any) -> Optional[bytes]:
    """A key that somebody gave, or None."""
    if key is None:
        return None
    if not isinstance(key, (bytes, bytearray, memoryview)):
        raise TypeError(f"a key is bytes, not {type(key).__name__}")
    if not len(key):
        raise ValueError("a key of no bytes signs nothing")
    return bytes(key)


@contextlib.contextmanager
def near(sandbox: Sandbox, process: int) -> Iterator[int]:
    """The handle of a sandbox in a process: its own, or for as long as it is needed that of a copy."""
    handle = sandbox._live()
    if _native.together(handle, process):
        yield handle
        return
    copy = _wire.sandbox_from_state(
        _wire.sandbox_export(handle), tools=wire_tools(sandbox._tools) or None, limits=changed(Limits.unlimited()), process=process
    )
    try:
        yield copy
    finally:
        _native.discard(copy)


@contextlib.contextmanager
def holder(base: Union[Sandbox, Store, None], blob: Any, process: int) -> Iterator[Optional[int]]:
    """The handle of a sandbox that holds what a thin pack was made without, in the process that reads it."""
    from ._sandbox import Sandbox

    if base is None:
        yield None
    elif isinstance(base, Sandbox):
        with near(base, process) as handle:
            yield handle
    else:
        found = base._holding(state_info(_wire.sandbox_inspect(state_bytes(blob))).needs)
        try:
            with near(found, process) as handle:
                yield handle
        finally:
            found.close()
