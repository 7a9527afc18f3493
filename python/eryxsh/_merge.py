"""Merge: the work of two sandboxes as one."""

from __future__ import annotations

import contextlib
import html
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from . import _turns, _wire
from ._diff import Diff
from ._display import plain
from ._errors import MergeConflictError
from ._results import SnapshotInfo
from ._transfer import near

if TYPE_CHECKING:
    from ._sandbox import Sandbox

_TAKES = ("ours", "theirs", "markers")


class MergeConflict:
    """One thing that both sides changed in ways that exclude each other."""

    __slots__ = ("_id", "base", "kind", "merged", "ours", "ours_path", "path", "theirs", "theirs_path")

    kind: str
    """Of a file ``content``, ``add/add``, ``modify/delete``, ``rename/delete``, ``rename/rename``, ``file/directory``
    or ``mode``; of the shell ``variable``, ``function`` or ``alias``."""
    path: str
    """Where the file is, or the name of what the shell has."""
    ours_path: Optional[str]
    """Where this sandbox has the file; None where it has not."""
    theirs_path: Optional[str]
    """Where the other has it."""
    base: Optional[bytes]
    """What both come from: content, a link's target, a value. None: there was nothing."""
    ours: Optional[bytes]
    """What this sandbox has; None: nothing."""
    theirs: Optional[bytes]
    """What the other has; None: nothing."""
    merged: Optional[bytes]
    """Of a text: all that goes together, and diff3's markers around what does not. None for what has no lines."""

    def __init__(self, found: _wire.MergeConflict) -> None:
        self._id = found["id"]
        self.kind, self.path = found["kind"], found["path"]
        self.ours_path, self.theirs_path = found["ours_path"] or None, found["theirs_path"] or None
        self.base, self.ours = _bytes(found["base"]), _bytes(found["ours"])
        self.theirs, self.merged = _bytes(found["theirs"]), _bytes(found["merged"])

    def __repr__(self) -> str:
        return f"<MergeConflict {self.kind} {self.path}>"

    def __str__(self) -> str:
        other = {self.ours_path, self.theirs_path} - {None, self.path}
        return f"{self.kind}: {self.path}" + "".join(f" ({p})" for p in sorted(filter(None, other)))


Answer = Union[bytes, str, None]
OnConflict = Union[str, Callable[[MergeConflict], Answer]]


class MergeResult:
    """What ``sb.merge`` did. True if there was no conflict.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox(files={"/w/a": "1\\n2\\n3\\n4\\n5\\n"})
    >>> child = sb.fork()
    >>> _ = sb.commands.run("sed -i s/1/one/ /w/a; mine=1"), child.commands.run("sed -i s/5/five/ /w/a; echo new > /w/b")
    >>> result = sb.merge(child)
    >>> result.clean, result.merged
    (True, ['/w/a', '/w/b'])
    >>> sb.files.read_text("/w/a")
    'one\\n2\\n3\\n4\\nfive\\n'
    """

    __slots__ = ("conflicts", "diff")

    conflicts: Tuple[MergeConflict, ...]
    """What ``on_conflict`` has decided, in the order of the paths."""
    diff: Diff
    """What the merge changed in the sandbox."""

    def __init__(self, conflicts: Tuple[MergeConflict, ...], diff: Diff) -> None:
        self.conflicts = conflicts
        self.diff = diff

    @property
    def clean(self) -> bool:
        """Whether there was no conflict."""
        return not self.conflicts

    @property
    def merged(self) -> List[str]:
        """The paths that the merge changed."""
        return [f.path for f in self.diff.files]

    def __bool__(self) -> bool:
        return self.clean

    def __str__(self) -> str:
        lines = [str(self.diff)] if self.diff else ["nothing to merge"]
        return "\n".join(lines + [f"! {c}" for c in self.conflicts])

    def __repr__(self) -> str:
        return f"<MergeResult {len(self.merged)} paths, {len(self.conflicts)} conflicts>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self).encode('utf-8', 'replace').decode())}</pre>"

    def __rich__(self) -> Any:
        return plain(str(self).encode("utf-8", "replace").decode())


def merge(sandbox: Sandbox, other: Sandbox, base: Any, on_conflict: OnConflict) -> MergeResult:
    """``Sandbox.merge``."""
    from ._sandbox import Sandbox

    if not isinstance(other, Sandbox):
        raise TypeError(f"merge: a Sandbox is needed, not {type(other).__name__}")
    snapshot: Optional[str] = None
    common: Optional[Sandbox] = None
    if isinstance(base, Sandbox):
        common = base
    elif isinstance(base, SnapshotInfo):
        snapshot = base.id
    elif base is None or isinstance(base, str):
        snapshot = base
    else:
        raise TypeError(f"merge: base is a snapshot's id or name, a SnapshotInfo or a Sandbox, not {type(base).__name__}")
    take = on_conflict if isinstance(on_conflict, str) and on_conflict in _TAKES else None
    if not callable(on_conflict) and on_conflict != "raise" and take is None:
        raise ValueError(f"merge: on_conflict is 'raise', 'ours', 'theirs', 'markers' or a callable, not {on_conflict!r}")
    with contextlib.ExitStack() as copies:
        theirs, compared = (None if s is None else copies.enter_context(near(s, sandbox._live())) for s in (other, common))
        return _merged(sandbox, theirs or 0, snapshot, compared, on_conflict, take)


def _merged(
    sandbox: Sandbox, theirs: int, snapshot: Optional[str], common: Optional[int], on_conflict: OnConflict, take: Optional[str]
) -> MergeResult:
    decided: Dict[str, Tuple[str, str, bytes]] = {}
    while True:
        found = _wire.sandbox_merge(
            sandbox._live(), theirs, base=snapshot, common=common, take=take, decided=tuple(decided.values()) or None
        )
        conflicts = tuple(MergeConflict(c) for c in found["conflicts"])
        if found["done"]:
            _turns.wake(sandbox._handle, stop=True)
            return MergeResult(conflicts, Diff(found["diff"], sandbox._place))
        if not callable(on_conflict):
            raise _failed(conflicts)
        for c in conflicts:  # a decision may bring up others
            if c._id not in decided:
                decided[c._id] = (c._id, *_decision(c, on_conflict(c), conflicts))


def _decision(conflict: MergeConflict, answer: Any, conflicts: Tuple[MergeConflict, ...]) -> Tuple[str, bytes]:
    if answer is None:
        raise _failed(conflicts)
    if isinstance(answer, str):
        if answer in _TAKES:
            return answer, b""
        return "write", answer.encode("utf-8", "surrogateescape")
    if isinstance(answer, (bytes, bytearray, memoryview)):
        return "write", bytes(answer)
    raise TypeError(f"merge: on_conflict gives bytes, a str or None for {conflict.path}, not {type(answer).__name__}")


def _failed(conflicts: Tuple[MergeConflict, ...]) -> MergeConflictError:
    shown = ", ".join(str(c) for c in conflicts[:5]) + (", …" if len(conflicts) > 5 else "")
    text = f"merge: {len(conflicts)} conflict{'s' if len(conflicts) > 1 else ''}, and nothing was changed: {shown}"
    return MergeConflictError(text, conflicts=conflicts, path=conflicts[0].path if conflicts else None)


def _bytes(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.encode("utf-8", "surrogateescape")
