"""Snapshots: O(1) save points in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Union

from . import _wire
from ._results import SnapshotInfo, snapshot_info

if TYPE_CHECKING:
    from ._async import AsyncSandbox
    from ._sandbox import Sandbox


class Snapshots:
    """``sb.snapshots``: what ``sb.snapshot()`` kept.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox()
    >>> _ = sb.commands.run("echo one > f")
    >>> before = sb.snapshot("before")
    >>> _ = sb.commands.run("echo two > f")
    >>> sb.restore(before)
    >>> sb.commands.run("cat f").stdout, [s.name for s in sb.snapshots.list()]
    ('one\\n', ['before'])
    """

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def list(self) -> List[SnapshotInfo]:
        """The snapshots, oldest first."""
        return [snapshot_info(s) for s in _wire.sandbox_snapshots(self._sandbox._live())]

    def drop(self, id: Union[str, SnapshotInfo]) -> None:
        """Forget a snapshot, by id or name; SnapshotNotFoundError if there is none."""
        _wire.sandbox_drop(self._sandbox._live(), id.id if isinstance(id, SnapshotInfo) else id)

    def tree(self) -> str:
        """The snapshots by what they came after, as text."""
        children: Dict[Optional[str], List[SnapshotInfo]] = {}
        entries = self.list()
        known = {s.id for s in entries}
        for s in entries:
            children.setdefault(s.parent if s.parent in known else None, []).append(s)
        lines: List[str] = []
        stack = [(s, 0) for s in reversed(children.get(None, []))]
        while stack:
            s, depth = stack.pop()
            label = f"{s.id} {s.name}" if s.name else s.id
            lines.append("  " * depth + (f"{label}  {s.command}" if s.command else label))
            stack += [(child, depth + 1) for child in reversed(children.get(s.id, []))]
        return "".join(line + "\n" for line in lines)


class AsyncSnapshots:
    """``Snapshots`` with awaitable members."""

    __slots__ = ("_snapshots",)

    def __init__(self, sandbox: AsyncSandbox) -> None:
        self._snapshots = Snapshots(sandbox._sandbox)

    async def list(self) -> List[SnapshotInfo]:
        """See ``Snapshots.list``."""
        return self._snapshots.list()

    async def drop(self, id: Union[str, SnapshotInfo]) -> None:
        """See ``Snapshots.drop``."""
        self._snapshots.drop(id)

    async def tree(self) -> str:
        """See ``Snapshots.tree``."""
        return self._snapshots.tree()
