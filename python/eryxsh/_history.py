"""History: the commands of the past, one list for the shell, Python and RPC."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

from . import _wire
from ._results import HistoryEntry, history_entry

if TYPE_CHECKING:
    from ._async import AsyncSandbox
    from ._sandbox import Sandbox


class History:
    """``sb.history``: it is saved, forked, and bounded by ``Limits.history``.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox()
    >>> _ = sb.commands.run("echo hi"), sb.commands.run("false")
    >>> [(e.index, e.command, e.exit_code) for e in sb.history.list()]
    [(1, 'echo hi', 0), (2, 'false', 1)]
    """

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def list(self, limit: Optional[int] = None) -> List[HistoryEntry]:
        """The entries, oldest first; with a limit the last so many."""
        if limit is not None and limit < 0:
            raise ValueError(f"limit: {limit} is negative")
        if limit == 0:
            return []
        return [history_entry(e) for e in _wire.history_list(self._sandbox._live(), limit=limit)]

    def clear(self) -> None:
        """Forget all entries; indices go on."""
        _wire.history_clear(self._sandbox._live())

    def restore(self, index: int) -> None:
        """Back to before the entry ran, files and shell state.

        Raises SnapshotNotFoundError where that state is no longer kept.
        """
        _wire.history_restore(self._sandbox._live(), index)


class AsyncHistory:
    """``History`` with awaitable members."""

    __slots__ = ("_history",)

    def __init__(self, sandbox: AsyncSandbox) -> None:
        self._history = History(sandbox._sandbox)

    async def list(self, limit: Optional[int] = None) -> List[HistoryEntry]:
        """See ``History.list``."""
        return self._history.list(limit)

    async def clear(self) -> None:
        """See ``History.clear``."""
        self._history.clear()

    async def restore(self, index: int) -> None:
        """See ``History.restore``."""
        self._history.restore(index)
