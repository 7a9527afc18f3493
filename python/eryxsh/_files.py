"""Files: the sandbox's file system from Python."""

from __future__ import annotations

import io
import os
import pathlib
import posixpath
import re
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _wire
from ._display import Text
from ._errors import os_error
from ._openfile import open_file
from ._paths import PathLike, SandboxPath
from ._results import FileInfo, file_info

if TYPE_CHECKING:
    import tarfile

    from ._sandbox import Sandbox

Data = Union[bytes, bytearray, memoryview, str, IO[bytes], IO[str], Iterable[bytes]]
HostPath = Union[str, "os.PathLike[str]"]

_ENOTEMPTY = 39
_GENERATED = ("/bin", "/dev", "/proc", "/sbin", "/usr/bin", "/usr/sbin")
"""What every sandbox has and no state holds: left out of listings of everything."""


class Match(NamedTuple):
    """A line that ``files.grep`` found."""

    path: str
    line: int
    """From 1."""
    text: str
    """Without its newline."""


def path_text(path: PathLike) -> str:
    """A path as the core takes it."""
    if type(path) is str:
        return path
    if isinstance(path, str):
        return str.__str__(path)
    if isinstance(path, (PurePosixPath, SandboxPath)):
        return str(path)
    if isinstance(path, bytes):
        return path.decode("utf-8", "surrogateescape")
    raise TypeError(f"a path of the sandbox is a str, a PurePosixPath or a SandboxPath, not {type(path).__name__}")


class Files:
    """``sb.files``: the live file system, also while a script runs.

    Relative paths start at the shell's working directory. Mode bits do not hold
    Python back; new files belong to the sandbox's user. Errors are Python's own
    (``FileNotFoundError``, ``IsADirectoryError``, ``NotADirectoryError``,
    ``FileExistsError``, ``PermissionError``) and QuotaExceededError, all with
    ``.path`` and ``.errno``.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox()
    >>> sb.files.write("/data/log.csv", "alice,95\\nbob,80\\n")
    >>> sb.files.read_text("/data/log.csv").splitlines()[0], sb.files.list("/data")[0].name
    ('alice,95', 'log.csv')
    """

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def _same(self, other: Files) -> bool:
        return self._sandbox is other._sandbox

    # Content.

    def read(self, path: PathLike) -> bytes:
        """The whole content."""
        return _wire.files_read(self._sandbox._handle or self._sandbox._live(), path if type(path) is str else path_text(path))

    def read_text(self, path: PathLike, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole content, decoded; newlines as they are."""
        return self.read(path).decode(encoding, errors)

    def write(self, path: PathLike, data: Data) -> None:
        """Replace or make a file, with its parents. ``str`` is written as UTF-8; an open file or an iterable is read first."""
        _wire.files_write(
            self._sandbox._handle or self._sandbox._live(),
            path if type(path) is str else path_text(path),
            data if type(data) is bytes else content(data),
        )

    def write_many(self, files: Union[Mapping[str, Data], Iterable[Tuple[PathLike, Data]]]) -> None:
        """Replace or make several files: all or none."""
        pairs = files.items() if isinstance(files, Mapping) else files
        _wire.files_write_many(self._sandbox._live(), {path_text(p): content(d) for p, d in pairs})

    def append(self, path: PathLike, data: Data) -> None:
        """Add to a file; it is made, with its parents, if absent."""
        _wire.files_append(self._sandbox._live(), path_text(path), content(data))

    def edit(self, path: PathLike, old: Union[str, bytes], new: Union[str, bytes], count: Optional[int] = 1) -> int:
        """Replace text; the number of replacements.

        ``old`` must occur exactly ``count`` times (ValueError, nothing changed), so
        that an edit never hits another place than the one that was meant;
        ``count=None`` replaces all there are, at least one.
        """
        if isinstance(old, str) != isinstance(new, str):
            raise TypeError("old and new are both str or both bytes")
        before, after = content(old), content(new)
        if not before:
            raise ValueError("old is empty")
        data = self.read(path)
        found = data.count(before)
        if found != count if count is not None else not found:
            wanted = "at least once" if count is None else f"{count} time{'' if count == 1 else 's'}"
            raise ValueError(f"{path_text(path)}: the text to replace occurs {found} times, not {wanted}")
        self.write(path, data.replace(before, after))
        return found

    def open(
        self,
        path: PathLike,
        mode: str = "r",
        buffering: int = -1,
        encoding: Optional[str] = None,
        errors: Optional[str] = None,
        newline: Optional[str] = None,
    ) -> IO[Any]:
        """A Python file object, as of the builtin ``open``; text is UTF-8 unless told.

        >>> from eryxsh import Sandbox
        >>> with Sandbox() as sb, sb.files.open("/tmp/t", "w") as f:
        ...     f.write("hi")
        2
        """
        return open_file(self._sandbox, path_text(path), mode, buffering, encoding, errors, newline)

    def path(self, *segments: Union[str, PurePosixPath, SandboxPath], cwd: str = "") -> SandboxPath:
        """A pathlib-like object; relative segments start at ``cwd`` if it is given."""
        return SandboxPath(self, cwd, *segments) if cwd else SandboxPath(self, *segments)

    # Names.

    def list(self, path: PathLike, recursive: bool = False) -> List[FileInfo]:
        """The entries of a directory in byte order; with ``recursive`` everything below it, links not followed."""
        return [file_info(f) for f in self._scan(path_text(path), recursive)]

    def _scan(self, path: str, recursive: bool) -> Iterator[_wire.FileInfo]:
        handle = self._sandbox._live()
        page = _wire.files_list(handle, path, recursive=recursive)
        yield from page["entries"]
        while page["next"]:
            page = _wire.files_list(handle, path, recursive=recursive, after=page["next"])
            yield from page["entries"]

    def stat(self, path: PathLike, *, follow_symlinks: bool = True) -> FileInfo:
        """What a path leads to, or with ``follow_symlinks=False`` the link itself."""
        ask = _wire.files_stat if follow_symlinks else _wire.files_lstat
        return file_info(ask(self._sandbox._live(), path_text(path)))

    def exists(self, path: PathLike) -> bool:
        """Whether a path leads to something."""
        return _wire.files_exists(self._sandbox._live(), path_text(path))

    def is_file(self, path: PathLike) -> bool:
        """Whether it leads to a regular file."""
        return self._type(path) == "file"

    def is_dir(self, path: PathLike) -> bool:
        """Whether it leads to a directory."""
        return self._type(path) == "dir"

    def _type(self, path: PathLike) -> str:
        try:
            return _wire.files_stat(self._sandbox._live(), path_text(path))["type"]
        except OSError:
            return ""

    def glob(self, pattern: str) -> List[str]:
        """The paths that match, in byte order, as the shell globs; ``**`` is any directories."""
        return list(_wire.files_glob(self._sandbox._live(), pattern))

    def grep(self, pattern: Union[str, re.Pattern[str]], path: PathLike = ".") -> List[Match]:
        """The lines that match a Python regular expression, in a file or everything below a directory.

        Files with a NUL byte are taken for binary and left out.
        """
        expression = re.compile(pattern)
        top = path_text(path)
        names = [f.path for f in self.list(top, recursive=True) if f.type == "file"] if self.is_dir(top) else [top]
        found: List[Match] = []
        for name in names:
            data = self.read(name)
            if b"\0" in data[:8192]:
                continue
            for number, line in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), 1):
                if expression.search(line):
                    found.append(Match(name, number, line))
        return found

    def walk(self, path: PathLike = "/") -> Iterator[Tuple[str, List[str], List[str]]]:
        """(directory, names of directories, names of files) top down, as ``os.walk``; links are not followed.

        Removing a name from the list of directories leaves it out.
        """
        top = path_text(path)
        directories: List[str] = []
        files: List[str] = []
        for entry in self._scan(top, False):
            (directories if entry["type"] == "dir" else files).append(entry["name"])
        yield top, directories, files
        for name in directories:
            yield from self.walk(posixpath.join(top, name))

    def tree(self, path: PathLike = "/") -> str:
        """A directory as indented text, links with their target; what every sandbox has is left out of ``/``.

        It is a ``str`` that a REPL and a notebook show as it is.
        """
        top = path_text(path)
        lines = [top]
        depth_of_top = _depth(self._resolved(top))
        for f in self._below(top):
            mark = "/" if f.type == "dir" else f" -> {f.target}" if f.type == "symlink" else ""
            lines.append("  " * (_depth(f.path) - depth_of_top) + f.name + mark)
        return Text("\n".join(lines) + "\n")

    def to_dict(self, path: PathLike = "/") -> Dict[str, bytes]:
        """Every regular file below a directory: path to content, in byte order; what every sandbox has is left out of ``/``."""
        return {f.path: self.read(f.path) for f in self._below(path_text(path)) if f.type == "file"}

    def _below(self, top: str) -> List[FileInfo]:
        resolved = self._resolved(top)
        hidden = tuple(g for g in _GENERATED if not (resolved + "/").startswith(g + "/"))
        entries: List[FileInfo] = []
        waiting = [resolved]
        while waiting:
            for f in self.list(waiting.pop()):
                if f.path not in hidden:
                    entries.append(f)
                    if f.type == "dir":
                        waiting.append(f.path)
        return sorted(entries, key=lambda f: f.path.split("/"))

    def _resolved(self, path: str) -> str:
        return _wire.files_realpath(self._sandbox._live(), path)

    def resolve(self, path: PathLike) -> str:
        """The absolute path without symbolic links; parts that do not exist stay as they are."""
        handle = self._sandbox._live()
        text = path_text(path)
        if not text.startswith("/"):
            text = posixpath.join(_wire.files_realpath(handle, "."), text)
        missing: List[str] = []
        while True:
            try:
                return posixpath.join(_wire.files_realpath(handle, text), *missing)
            except FileNotFoundError:
                text, name = posixpath.split(text.rstrip("/"))
                if not name:
                    raise
                missing.insert(0, name)

    # Changes.

    def mkdir(self, path: PathLike, parents: bool = True, exist_ok: bool = True, *, mode: int = 0o755) -> None:
        """Make a directory, by default with its parents, and fine if it is there."""
        _wire.files_mkdir(self._sandbox._live(), path_text(path), parents=parents, exist_ok=exist_ok, mode=mode)

    def rm(self, path: PathLike, recursive: bool = False, missing_ok: bool = False) -> None:
        """Remove a file or link; a directory, with what is in it, needs ``recursive`` (IsADirectoryError)."""
        _wire.files_rm(self._sandbox._live(), path_text(path), recursive=recursive, missing_ok=missing_ok)

    remove = rm

    def rmdir(self, path: PathLike) -> None:
        """Remove an empty directory."""
        text = path_text(path)
        if _wire.files_list(self._sandbox._live(), text, limit=1)["entries"]:
            raise os_error(_ENOTEMPTY, "Directory not empty", text)
        self.rm(text, recursive=True)

    def rename(self, old: PathLike, new: PathLike) -> None:
        """Give a file or directory another name, replacing what rename(2) would replace."""
        _wire.files_rename(self._sandbox._live(), path_text(old), path_text(new))

    def copy(self, source: PathLike, target: PathLike, recursive: bool = False) -> None:
        """Copy with modes and times; content is shared until one side writes. A directory needs ``recursive``."""
        _wire.files_copy(self._sandbox._live(), path_text(source), path_text(target), recursive=recursive)

    def chmod(self, path: PathLike, mode: int) -> None:
        """Set the permission bits."""
        _wire.files_chmod(self._sandbox._live(), path_text(path), mode)

    def touch(self, path: PathLike, *, mode: int = 0o644, exist_ok: bool = True) -> None:
        """Make an empty file, or set its times to now."""
        handle, text = self._sandbox._live(), path_text(path)
        try:
            _wire.files_write(handle, text, b"", mode=mode, exclusive=True)
        except FileExistsError:
            if not exist_ok:
                raise
            _wire.files_utimes(handle, text)

    def symlink(self, target: PathLike, path: PathLike) -> None:
        """Make ``path`` a symbolic link to ``target``."""
        _wire.files_symlink(self._sandbox._live(), path_text(target), path_text(path))

    def link(self, target: PathLike, path: PathLike) -> None:
        """Make ``path`` another name of ``target``'s file."""
        _wire.files_link(self._sandbox._live(), path_text(target), path_text(path))

    def readlink(self, path: PathLike) -> str:
        """What a symbolic link points to."""
        return _wire.files_readlink(self._sandbox._live(), path_text(path))

    # The host.

    def upload(self, host: HostPath, path: PathLike) -> None:
        """Copy a file or directory of the host into the sandbox, with permission bits: all of it or nothing."""
        source, target = pathlib.Path(host), path_text(path)
        if not source.is_dir():
            self.write(target, source.read_bytes())
            self.chmod(target, source.stat().st_mode & 0o777)
            return
        found = {f"{target}/{f.relative_to(source).as_posix()}": f for f in sorted(source.rglob("*"))}
        self.write_many({name: f.read_bytes() for name, f in found.items() if f.is_file()})
        self.mkdir(target)
        for name, f in found.items():
            if f.is_dir():
                self.mkdir(name)
        for name, f in reversed(found.items()):  # at the end: one may be closed to who writes
            if f.is_dir() or f.is_file():
                self.chmod(name, f.stat().st_mode & 0o777)

    def download(self, path: PathLike, host: HostPath) -> None:
        """Copy a file or directory of the sandbox to the host, with permission bits. Symbolic links and devices are left out."""
        source, target = self._resolved(path_text(path)), pathlib.Path(host)
        if not self.is_dir(source):
            target.write_bytes(self.read(source))
            if target.is_file():  # and no device
                target.chmod(self.stat(source).mode & 0o777)
            return
        target.mkdir(parents=True, exist_ok=True)
        made = []
        for f in self._below(source):
            place = target / f.path[len(source) :].lstrip("/")
            if f.type == "dir":
                place.mkdir(exist_ok=True)
                made.append((place, f.mode))
            elif f.type == "file":
                place.write_bytes(self.read(f.path))
                place.chmod(f.mode & 0o777)
        for place, mode in reversed(made):  # at the end: one may be closed to who writes
            place.chmod(mode & 0o777)

    def export_tar(self, path: PathLike = "/") -> bytes:
        """A directory as an uncompressed tar archive, names relative to it; what every sandbox has is left out of ``/``."""
        import tarfile  # not at the top: few programs pay for it

        top = self._resolved(path_text(path))
        out = io.BytesIO()
        first_name: Dict[int, str] = {}
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for f in self._below(top):
                entry = tarfile.TarInfo(f.path[len(top) :].lstrip("/"))
                entry.mode, entry.mtime = f.mode, int(f.mtime.timestamp())
                data = b""
                if f.type == "dir":
                    entry.type = tarfile.DIRTYPE
                elif f.type == "symlink":
                    entry.type, entry.linkname = tarfile.SYMTYPE, f.target or ""
                elif f.type == "fifo":
                    entry.type = tarfile.FIFOTYPE
                elif f.type != "file":
                    continue
                elif f.inode in first_name:
                    entry.type, entry.linkname = tarfile.LNKTYPE, first_name[f.inode]
                else:
                    data = self.read(f.path)
                    entry.size = len(data)
                    if f.nlink > 1:
                        first_name[f.inode] = entry.name
                tar.addfile(entry, io.BytesIO(data))
        return out.getvalue()

    def import_tar(self, data: Union[bytes, IO[bytes]], path: PathLike = "/") -> None:
        """Unpack a tar archive (also compressed) below a directory.

        Names that would leave the directory raise ValueError before anything is
        written.
        """
        import tarfile

        top = path_text(path)
        stream = io.BytesIO(data) if isinstance(data, (bytes, bytearray, memoryview)) else data
        with tarfile.open(fileobj=stream, mode="r:*") as tar:
            members = tar.getmembers()
            for member in members:
                parts = PurePosixPath(member.name).parts
                if member.name.startswith("/") or ".." in parts:
                    raise ValueError(f"the archive's name {member.name!r} leaves the directory")
            self.mkdir(top)
            for member in members:
                self._unpack(tar, member, posixpath.join(top, member.name))

    def _unpack(self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
        if member.isdir():
            self.mkdir(path)
            self.chmod(path, member.mode & 0o7777)
            return
        if not member.isfile() and not member.issym() and not member.islnk():
            raise ValueError(f"the archive's {member.name!r} is neither file, directory nor link")
        if member.islnk():
            self._unpack_link(posixpath.join(path[: len(path) - len(member.name)], member.linkname), path)
            return
        self.rm(path, missing_ok=True)
        if member.issym():
            self.mkdir(posixpath.dirname(path))
            self.symlink(member.linkname, path)
        else:
            source = tar.extractfile(member)
            self.write(path, source.read() if source is not None else b"")
            self.chmod(path, member.mode & 0o7777)

    def _unpack_link(self, target: str, path: str) -> None:
        first = self.stat(target, follow_symlinks=False)  # nothing is removed for a link to what is not there
        try:
            if self.stat(path, follow_symlinks=False).inode == first.inode:
                return  # a file that was archived twice is a link to itself
            self.rm(path)
        except FileNotFoundError:
            pass
        self.link(target, path)


def content(data: Any) -> bytes:
    """What is to be written, as bytes."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        return data.encode("utf-8", "surrogateescape")
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    if hasattr(data, "read"):
        return content(data.read())
    if isinstance(data, Iterable) and not isinstance(data, Mapping):
        pieces: List[bytes] = []
        for piece in data:
            if not isinstance(piece, (bytes, bytearray, memoryview)):
                raise TypeError(f"an iterable of bytes is needed; it gave {type(piece).__name__}")
            pieces.append(bytes(piece))
        return b"".join(pieces)
    raise TypeError(f"bytes, str, an open file or an iterable of bytes is needed, not {type(data).__name__}")


def _depth(path: str) -> int:
    return len([part for part in path.split("/") if part])
