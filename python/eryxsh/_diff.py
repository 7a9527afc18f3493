"""Diff: what changed between two states of a sandbox."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _native, _wire
from ._display import pictured, plain
from ._files import path_text
from ._paths import PathLike

if TYPE_CHECKING:
    from ._isolation import Place

Change = Tuple[Optional[str], Optional[str]]
"""What was before and what is after; None where there is nothing."""

_SIGNS = {"added": "A", "modified": "M", "removed": "D", "renamed": "R"}
_SHOWN = 20_000
"""Characters of a patch that a notebook or a terminal is shown."""


class FileChange(NamedTuple):
    """One changed path."""

    change: str
    """``added``, ``modified`` (content, type, mode or owner), ``removed`` or ``renamed``."""
    path: str
    """Where it is, or was if it is removed."""
    source: Optional[str]
    """Where a renamed file was."""
    type: str
    """As ``FileInfo.type``."""
    size_before: int
    """Bytes; 0 where there was no regular file."""
    size_after: int
    mode_before: int
    """Permission bits; 0 where there was nothing."""
    mode_after: int

    def __str__(self) -> str:
        moved = f"{self.source} -> " if self.source else ""
        mode = (
            f" (mode {self.mode_before:o} -> {self.mode_after:o})"
            if self.mode_before and self.mode_before != self.mode_after and self.mode_after
            else ""
        )
        return f"{_SIGNS[self.change]} {moved}{self.path}{mode}"


class Diff:
    """``sb.diff(a, b)``: files, variables, functions and the directory that differ. Falsy when nothing does.

    It keeps both states, which share what is the same and do not change, so that ``patch``
    can be asked for later; dropping it (or ``close``) lets go of them.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox(files={"/repo/a.txt": "one\\ntwo\\n"})
    >>> before = sb.snapshot()
    >>> _ = sb.commands.run("cd /repo; sed -i s/two/2/ a.txt; n=5")
    >>> d = sb.diff(before)
    >>> d.modified, d.variables
    (['/repo/a.txt'], {'n': (None, '5')})
    >>> print(d.patch(root="/repo"))
    diff --git a/a.txt b/a.txt
    index 814f4a422927b82f5f8a43f8fab6d3839e3983f2..99b356dcd03dde0755c749bcd4cae4b2b73a8fa8 100644
    --- a/a.txt
    +++ b/a.txt
    @@ -1,2 +1,2 @@
     one
    -two
    +2
    <BLANKLINE>
    """

    __slots__ = ("__weakref__", "_handle", "_held", "cwd", "files", "functions", "variables")

    files: List[FileChange]
    """In the order of their paths. What a removed directory held is listed, what a moved one holds is not."""
    variables: Dict[str, Change]
    """Name to value before and after; arrays as ``declare -p`` shows them."""
    functions: Dict[str, Change]
    """Name to text before and after, as ``declare -f`` shows it."""
    cwd: Optional[Tuple[str, str]]
    """The working directory before and after, if it changed."""

    def __init__(self, found: _wire.Diff, place: Optional[Place] = None) -> None:
        self._handle = found["handle"]
        self._held = None if place is None else place.child  # a process lives as long as somebody refers to it
        self.files = [
            FileChange(f["change"], f["path"], f["source"] or None, f["type"], f["before"], f["after"], f["mode_before"], f["mode_after"])
            for f in found["files"]
        ]
        self.variables = {v["name"]: (v["before"], v["after"]) for v in found["variables"]}
        self.functions = {v["name"]: (v["before"], v["after"]) for v in found["functions"]}
        self.cwd = (found["cwd_before"], found["cwd_after"]) if found["cwd_after"] else None

    def _paths(self, change: str) -> List[str]:
        return [f.path for f in self.files if f.change == change]

    @property
    def added(self) -> List[str]:
        """Paths that are new."""
        return self._paths("added")

    @property
    def modified(self) -> List[str]:
        """Paths whose content, type, mode or owner changed."""
        return self._paths("modified")

    @property
    def removed(self) -> List[str]:
        """Paths that are gone."""
        return self._paths("removed")

    @property
    def renamed(self) -> Dict[str, str]:
        """Paths that moved: old to new."""
        return {f.source: f.path for f in self.files if f.source is not None}

    def patch(self, context: int = 3, *, root: Optional[PathLike] = None, limit: Optional[int] = 256 << 20) -> str:
        """The files as a patch that ``git apply`` and ``patch -p1`` take: content, modes, links, renames, binary files.

        ``root``: only what is below that directory, by names relative to it. ``limit``: bytes of
        content that may be read for it; an EryxshError beyond. Bytes that are not UTF-8 are surrogates:
        ``.encode("utf-8", "surrogateescape")`` gives the bytes. Empty directories, owners and times are not in a patch.
        """
        text = _wire.diff_patch(self._handle, context, root=None if root is None else path_text(root), most=limit)
        return text.decode("utf-8", "surrogateescape")

    def close(self) -> None:
        """Let go of the two states; ``patch`` does not work any more. Twice is fine."""
        handle, self._handle = self._handle, 0
        if handle:
            _native.discard(handle, _wire.diff_close)
        self._held = None

    def __del__(self) -> None:
        if getattr(self, "_handle", 0):
            self.close()

    def __bool__(self) -> bool:
        return bool(self.files or self.variables or self.functions or self.cwd)

    def __reduce__(self) -> Union[str, Tuple[Any, ...]]:
        raise TypeError("a Diff refers to two states in this process: keep diff.patch() or its lists")

    def _lines(self) -> List[str]:
        lines = [str(f) for f in self.files]
        for name, (before, after) in self.variables.items():
            lines.append(f"$ {name}: {_brief(before)} -> {_brief(after)}")
        for name, (before, after) in self.functions.items():
            lines.append(f"f {name}() {'changed' if before and after else 'added' if after else 'removed'}")
        if self.cwd:
            lines.append(f". {self.cwd[0]} -> {self.cwd[1]}")
        return lines

    def __str__(self) -> str:
        lines = self._lines()
        if len(lines) > 100:
            lines[100:] = [f"… and {len(lines) - 100} more"]
        return "\n".join(lines) or "no difference"

    def __repr__(self) -> str:
        counts = [f"{len(self._paths(change))} {change}" for change in _SIGNS if self._paths(change)]
        for what in ("variables", "functions"):
            if getattr(self, what):
                counts.append(f"{len(getattr(self, what))} {what}")
        if self.cwd:
            counts.append("cwd")
        return f"<Diff {', '.join(counts) or 'empty'}>"

    def _shown(self) -> str:
        """The patch, as much of it as people are shown."""
        if not self._handle:
            return ""
        try:
            text = self.patch(limit=4 << 20)
        except Exception as error:
            return f"({error})\n"
        if len(text) > _SHOWN:
            return text[:_SHOWN] + f"\n… {len(text) - _SHOWN} more characters: diff.patch() has all\n"
        return text

    def _repr_html_(self) -> str:
        colours = {"+": "#1a7f37", "-": "#cf222e", "@": "#8250df"}

        def line(text: str) -> str:
            colour = "" if text.startswith(("+++", "---")) else colours.get(text[:1], "")
            shown = html.escape(text.encode("utf-8", "replace").decode())
            return f"<span style='color:{colour}'>{shown}</span>" if colour else shown

        summary = html.escape(str(self).encode("utf-8", "replace").decode())
        patch = "\n".join(line(text) for text in self._shown().splitlines())
        return f"<pre>{summary}</pre>" + (f"<details><summary>patch</summary><pre>{patch}</pre></details>" if patch else "")

    def __rich__(self) -> Any:
        text = plain(f"{self}\n" if self else "no difference")
        styles = {"+": "green", "-": "red", "@": "magenta"}
        for line in self._shown().splitlines():
            style = "bold" if line.startswith(("+++", "---", "diff ")) else styles.get(line[:1], "")
            text.append(pictured(line) + "\n", style=style)
        return text


def _brief(value: Optional[str]) -> str:
    if value is None:
        return "unset"
    return repr(value) if len(value) <= 60 else repr(value[:57]) + "…"
