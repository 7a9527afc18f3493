"""What can be mounted in a sandbox: files that Python has, and directories of the host."""

from __future__ import annotations

import abc
import os
import posixpath
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple, Union

from . import _wire
from ._diff import Diff
from ._errors import ConflictError
from ._files import content, path_text

if TYPE_CHECKING:
    from ._sandbox import Sandbox


class FileStat(NamedTuple):
    """What a VirtualFileSystem says of a path: ``type`` is ``"file"`` or ``"dir"``, ``size`` in bytes."""

    type: str
    size: int


class DirEntry(NamedTuple):
    """A name in a directory of a VirtualFileSystem; ``type`` is ``"file"`` or ``"dir"``."""

    name: str
    type: str


class VirtualFileSystem(abc.ABC):
    """Files that a Python object has, to be mounted: subclass it as in codepod.

    Paths are relative to the mount, without a slash at their ends; ``""`` is its root. All of it is read once,
    when it is mounted, and then the sandbox's own: later changes of the object are not seen, and it is not called
    again. ``writable`` says whether the sandbox may change its copy; ``write_file`` is for other users of the object.
    """

    writable: bool = False

    @abc.abstractmethod
    def read_file(self, path: str) -> bytes:
        """The content of a file."""

    @abc.abstractmethod
    def stat(self, path: str) -> FileStat:
        """What is at a path; FileNotFoundError if nothing is."""

    @abc.abstractmethod
    def readdir(self, path: str) -> Sequence[DirEntry]:
        """The names in a directory."""

    def write_file(self, path: str, data: bytes) -> None:
        """Replace or make a file."""
        raise PermissionError(f"{type(self).__name__} is read-only: {path}")

    def exists(self, path: str) -> bool:
        """Whether something is at a path."""
        try:
            self.stat(path)
        except FileNotFoundError:
            return False
        return True


class MemoryFS(VirtualFileSystem):
    """Files in a dict, path to content; directories are there by the paths.

    >>> from eryxsh import MemoryFS, Sandbox
    >>> sb = Sandbox(mounts={"/data": MemoryFS({"in/a.txt": "one\\n"})})
    >>> sb.commands.run("cat /data/in/a.txt; touch /data/b 2>&1").stdout
    "one\\ntouch: cannot touch '/data/b': Read-only file system\\n"
    """

    def __init__(self, files: Union[Mapping[str, Union[str, bytes]], None] = None, *, writable: bool = False) -> None:
        self.writable = writable
        self._files: Dict[str, bytes] = {}
        for path, data in (files or {}).items():
            self._files[relative(path)] = bytes(content(data))

    def read_file(self, path: str) -> bytes:
        """The content of a file."""
        try:
            return self._files[relative(path)]
        except KeyError:
            raise FileNotFoundError(path) from None

    def write_file(self, path: str, data: bytes) -> None:
        """Replace or make a file, if the object is writable."""
        if not self.writable:
            super().write_file(path, data)
        self._files[relative(path)] = bytes(data)

    def stat(self, path: str) -> FileStat:
        """What is at a path."""
        name = path.strip("/")
        if name in self._files:
            return FileStat("file", len(self._files[name]))
        if not name or any(other.startswith(name + "/") for other in self._files):
            return FileStat("dir", 0)
        raise FileNotFoundError(path)

    def readdir(self, path: str) -> List[DirEntry]:
        """The names in a directory."""
        start = path.strip("/") + "/" if path.strip("/") else ""
        found: Dict[str, str] = {}
        for name in self._files:
            if name.startswith(start):
                first, below, _ = name[len(start) :].partition("/")
                found[first] = "dir" if below else found.get(first, "file")
        return [DirEntry(name, kind) for name, kind in sorted(found.items())]


def relative(path: str) -> str:
    """A path below a mount; ValueError for one that is not."""
    text = path_text(path).strip("/")
    if not text or any(part in ("", ".", "..") for part in text.split("/")):
        raise ValueError(f"no path below a mount: {path!r}")
    return text


def read_all(source: VirtualFileSystem) -> Tuple[Dict[str, bytes], List[str]]:
    """The files and the directories of a VirtualFileSystem."""
    files: Dict[str, bytes] = {}
    dirs: List[str] = []
    todo = [""]
    while todo:
        at = todo.pop()
        for entry in source.readdir(at):
            if not entry.name or "/" in entry.name or entry.name in (".", ".."):
                raise ValueError(f"{type(source).__name__}.readdir({at!r}) gives the name {entry.name!r}")
            path = f"{at}/{entry.name}" if at else entry.name
            if entry.type == "dir":
                dirs.append(path)
                todo.append(path)
            else:
                files[path] = bytes(content(source.read_file(path)))
    return files, dirs


class Mount:
    """A directory of the host, to be mounted; make one with ``Mount.host``."""

    __slots__ = ("exclude", "gitignore", "mode", "path")

    def __init__(self, path: str, mode: str, exclude: Sequence[str] = (), gitignore: bool = False) -> None:
        self.path = path
        self.mode = mode
        self.exclude = exclude
        self.gitignore = gitignore

    @classmethod
    def host(cls, path: Union[str, os.PathLike[str]], mode: str = "ro", *, exclude: Sequence[str] = (), gitignore: bool = False) -> Mount:
        """The directory at a path of the host.

        ``mode="ro"``: it is read. ``mode="overlay"``: it is read, and what the sandbox writes stays in the sandbox, in its
        snapshots, forks and states, until ``sb.mounts[path].commit()`` or ``.discard()``; ``.diff()`` shows it.

        ``mode="rw"``: what is written goes to the host at once, with the modes the sandbox gives it, but set-id bits. No
        snapshot, fork, ``undo`` or ``restore`` brings anything back there. A descriptor follows the path: of a file that is
        removed or renamed it reads and writes no more. FIFOs and owners are EPERM, a name that is excluded is EACCES.

        Nothing is read before the sandbox asks for it, and what it opens is what is there then. It is confined: no
        ``..``, no symbolic link and no directory that becomes one leads out of it; links are resolved in the sandbox's
        own tree. Devices, FIFOs and sockets are never opened. The host's files are in no saved state, but for those that an
        overlay changed: who loads one gives the directory again (``from_state(..., mounts=)`` or ``sb.mount``), and until
        then reading there is ENODEV.

        ``exclude``: what the sandbox is not shown, patterns as in a ``.gitignore`` at the directory's top; ``gitignore=True``:
        nor what its ``.gitignore`` files say, nested ones and negations as git reads them, of files that git tracks, too.
        An excluded name is as if it were not there. In an overlay the sandbox may have one of its own there (a cache, a
        build): it is the sandbox's alone, not in ``diff()`` and not committed.
        """
        if isinstance(exclude, str):
            raise TypeError("exclude is a list of patterns, not a string")
        if any(not isinstance(pattern, str) or "\n" in pattern for pattern in exclude):
            raise ValueError("a pattern of exclude is one line")
        if mode not in ("ro", "overlay", "rw"):
            raise ValueError(f"a directory of the host is mounted ro, overlay or rw, not {mode!r}")
        return cls(os.path.abspath(os.fspath(path)), mode, tuple(exclude), gitignore)

    def __repr__(self) -> str:
        more = (f", exclude={self.exclude!r}" if self.exclude else "") + (", gitignore=True" if self.gitignore else "")
        return f"Mount.host({self.path!r}, mode={self.mode!r}{more})"


class MountPoint:
    """A mount of a sandbox: ``path``, ``mode`` (``"ro"``, ``"overlay"``, ``"rw"``), ``source``, and whether the directory
    of the host is ``missing`` since a state was loaded."""

    __slots__ = ("_sandbox", "missing", "mode", "path", "source")

    def __init__(self, sandbox: Sandbox, info: Mapping[str, Any]) -> None:
        self._sandbox = sandbox
        self.path: str = info["path"]
        self.mode: str = info["mode"]
        self.source: str = info["source"]
        self.missing: bool = bool(info["missing"])

    def diff(self) -> Diff:
        """What the sandbox changed in an overlay, beside what the host has now; ``diff().patch(root=path)`` is for ``git apply``.

        >>> import pathlib, tempfile
        >>> from eryxsh import Mount, Sandbox
        >>> project = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (project / "a.txt").write_text("one\\n")
        >>> sb = Sandbox(mounts={"/repo": Mount.host(project, mode="overlay")})
        >>> _ = sb.commands.run("cd /repo; echo two >> a.txt; touch b.txt")
        >>> sb.mounts["/repo"].diff().modified, (project / "a.txt").read_text()
        (['/repo/a.txt'], 'one\\n')
        >>> sb.mounts["/repo"].commit()
        >>> (project / "a.txt").read_text(), bool(sb.mounts["/repo"].diff())
        ('one\\ntwo\\n', False)
        """
        return Diff(_wire.mount_diff(self._sandbox._live(), self.path), self._sandbox._place)

    def commit(self) -> None:
        """Write what the sandbox changed in an overlay to the host; then the overlay is empty.

        First it is looked whether the host still has what it had when the sandbox changed it: if not, ConflictError says
        where (``.paths``) and nothing is written. All that is new is then written beside its place and synced, before
        anything gets its name: a failure until then (OSError) leaves the host as it was. Files are replaced, not written
        into: they belong to who runs this, and other hard links to one keep the old content. Modes are those of the
        sandbox without set-id bits, times those of the commit. What is open stays open, on the host's file.

        Raises ConflictError, OSError, SandboxBusyError (a run is going), ValueError (no overlay; a FIFO).
        """
        conflicts = _wire.mount_commit(self._sandbox._live(), self.path)
        if conflicts:
            paths = tuple(f"{self.path}/{path}" for path in conflicts)
            shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
            raise ConflictError(f"the host changed what the sandbox did, too, and nothing was written: {shown}", paths=paths)

    def discard(self, *paths: str) -> None:
        """Let go of what the sandbox changed in an overlay: all of it, or at some paths (of the sandbox) and below them.

        Raises SandboxBusyError (a run is going), FileNotFoundError (the directory of a path was removed: discard that),
        ValueError (no overlay; something that was below a path was moved elsewhere: discard that, too).
        """
        below = [self._below(path) for path in paths]
        if "" in below:
            below = []
        _wire.mount_discard(self._sandbox._live(), self.path, below=below)

    def _below(self, path: str) -> str:
        """A path of the sandbox relative to the mount."""
        full = posixpath.normpath(posixpath.join(self.path, path_text(path)))
        if full != self.path and not full.startswith(self.path + "/"):
            raise ValueError(f"{path!r} is not below {self.path}")
        return full[len(self.path) + 1 :]

    def __repr__(self) -> str:
        return f"<MountPoint {self.path}: {self.source}, {self.mode}>"


class Mounts(Mapping[str, MountPoint]):
    """The mounts of a sandbox by their paths: ``sb.mounts["/repo"]``."""

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def _all(self) -> Dict[str, MountPoint]:
        found = _wire.sandbox_mounts(self._sandbox._live())
        return {info["path"]: MountPoint(self._sandbox, info) for info in found}

    def __getitem__(self, path: str) -> MountPoint:
        return self._all()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"<Mounts {', '.join(self._all()) or 'none'}>"


def mount(handle: int, path: str, source: Any, *, begin: bool = False) -> None:
    """Mount a source in a sandbox."""
    at = path_text(path)
    if isinstance(source, Mount):
        _wire.sandbox_mount(
            handle, at, source.mode, host=source.path, begin=begin, exclude=list(source.exclude), gitignore=source.gitignore
        )
        return
    if isinstance(source, VirtualFileSystem):
        files, dirs = read_all(source)
        mode, name = "rw" if source.writable else "ro", type(source).__name__
    elif isinstance(source, Mapping):
        files, dirs, mode, name = {relative(p): bytes(content(d)) for p, d in source.items()}, [], "ro", "dict"
    else:
        raise TypeError(f"a dict, a VirtualFileSystem or a Mount can be mounted, not a {type(source).__name__}")
    _wire.sandbox_mount(handle, at, mode, source=name, files=files, dirs=dirs, begin=begin)


def begin(sandbox: Sandbox) -> None:
    """Mount what a constructor was given, but for what the state it has loaded brought; if that fails, there is no sandbox."""
    try:
        there = Mounts(sandbox)._all() if sandbox._mounted else {}
        for path, source in sandbox._mounted:
            if path not in there or there[path].missing:
                mount(sandbox._handle, path, source, begin=True)
    except BaseException:
        sandbox.close()
        raise
