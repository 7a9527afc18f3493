"""What can be mounted in a sandbox: files that Python has, and directories of the host."""

from __future__ import annotations

import abc
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple, Union

from . import _wire
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

    __slots__ = ("mode", "path")

    def __init__(self, path: str, mode: str) -> None:
        self.path = path
        self.mode = mode

    @classmethod
    def host(cls, path: Union[str, os.PathLike[str]], mode: str = "ro") -> Mount:
        """The directory at a path of the host, read-only (``mode="ro"``, the only mode of this version).

        Nothing is read before the sandbox asks for it, and what it opens is what is there then. It is confined: no
        ``..``, no symbolic link and no directory that becomes one leads out of it; links are resolved in the sandbox's
        own tree. Devices, FIFOs and sockets are never opened. Its files are in no saved state: who loads one gives the
        directory again (``from_state(..., mounts=)`` or ``sb.mount``), and until then reading there is ENODEV.
        """
        if mode != "ro":
            raise ValueError(f"a directory of the host is mounted ro; {mode!r} does not exist in this version")
        return cls(os.path.abspath(os.fspath(path)), mode)

    def __repr__(self) -> str:
        return f"Mount.host({self.path!r}, mode={self.mode!r})"


class MountPoint:
    """A mount of a sandbox: ``path``, ``mode`` (``"ro"``, ``"rw"``), ``source``, and whether the directory of
    the host is ``missing`` since a state was loaded."""

    __slots__ = ("_sandbox", "missing", "mode", "path", "source")

    def __init__(self, sandbox: Sandbox, info: Mapping[str, Any]) -> None:
        self._sandbox = sandbox
        self.path: str = info["path"]
        self.mode: str = info["mode"]
        self.source: str = info["source"]
        self.missing: bool = bool(info["missing"])

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
        _wire.sandbox_mount(handle, at, source.mode, host=source.path, begin=begin)
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
