"""Paths: a pathlib-like view of the sandbox's files."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Iterator, List, Optional, Tuple, Union

if TYPE_CHECKING:
    from ._files import Files
    from ._results import FileInfo

PathLike = Union[str, bytes, PurePosixPath, "SandboxPath"]
"""What names a file of a sandbox. Relative ones start at the shell's working directory."""


class SandboxPath:
    """A path of a sandbox, with pathlib's names; made by ``sb.files.path``.

    It is no ``os.PathLike``, so that the host's ``open()`` cannot take it for one
    of its own files. Errors are those of ``sb.files``.

    >>> from eryxsh import Sandbox
    >>> with Sandbox() as sb:
    ...     p = sb.files.path("/data") / "log.csv"
    ...     _ = p.write_text("a,1\\n")
    ...     p.suffix, p.read_text(), [str(x) for x in p.parent.iterdir()]
    ('.csv', 'a,1\\n', ['/data/log.csv'])
    """

    __slots__ = ("_files", "_pure")

    def __init__(self, files: Files, *segments: Union[str, PurePosixPath, SandboxPath]) -> None:
        self._files = files
        self._pure: PurePosixPath = PurePosixPath(*[s._pure if isinstance(s, SandboxPath) else s for s in segments])

    def with_segments(self, *segments: Union[str, PurePosixPath, SandboxPath]) -> SandboxPath:
        """Another path of the same sandbox."""
        return SandboxPath(self._files, *segments)

    # What needs no file system.

    def __str__(self) -> str:
        return str(self._pure)

    def __repr__(self) -> str:
        return f"SandboxPath({str(self._pure)!r})"

    def __truediv__(self, other: Union[str, PurePosixPath, SandboxPath]) -> SandboxPath:
        return self.with_segments(self, other)

    def __rtruediv__(self, other: Union[str, PurePosixPath]) -> SandboxPath:
        return self.with_segments(other, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SandboxPath):
            return NotImplemented
        return self._pure == other._pure and self._files._same(other._files)

    def __hash__(self) -> int:
        return hash(self._pure)

    def __lt__(self, other: SandboxPath) -> bool:
        return self._pure < other._pure

    def as_posix(self) -> str:
        """The path as text."""
        return str(self._pure)

    @property
    def name(self) -> str:
        """The last part."""
        return self._pure.name

    @property
    def stem(self) -> str:
        """The last part without its suffix."""
        return self._pure.stem

    @property
    def suffix(self) -> str:
        """``.csv`` of ``log.csv``."""
        return self._pure.suffix

    @property
    def suffixes(self) -> List[str]:
        """``[".tar", ".gz"]`` of ``x.tar.gz``."""
        return self._pure.suffixes

    @property
    def parts(self) -> Tuple[str, ...]:
        """The components."""
        return self._pure.parts

    @property
    def parent(self) -> SandboxPath:
        """The directory it is in."""
        return self.with_segments(self._pure.parent)

    @property
    def parents(self) -> Tuple[SandboxPath, ...]:
        """All directories above it."""
        return tuple(self.with_segments(p) for p in self._pure.parents)

    def is_absolute(self) -> bool:
        """Whether it starts at the root."""
        return self._pure.is_absolute()

    def is_relative_to(self, other: Union[str, PurePosixPath, SandboxPath]) -> bool:
        """Whether it lies below another."""
        return self._pure.is_relative_to(str(other))

    def relative_to(self, other: Union[str, PurePosixPath, SandboxPath]) -> SandboxPath:
        """The way from another path to this one; ValueError if it is not below it."""
        return self.with_segments(self._pure.relative_to(str(other)))

    def joinpath(self, *segments: Union[str, PurePosixPath, SandboxPath]) -> SandboxPath:
        """The same as ``/``, for several."""
        return self.with_segments(self, *segments)

    def match(self, pattern: str) -> bool:
        """Whether it matches a glob pattern."""
        return self._pure.match(pattern)

    def with_name(self, name: str) -> SandboxPath:
        """With another last part."""
        return self.with_segments(self._pure.with_name(name))

    def with_stem(self, stem: str) -> SandboxPath:
        """With another last part, the suffix kept."""
        return self.with_segments(self._pure.with_stem(stem))

    def with_suffix(self, suffix: str) -> SandboxPath:
        """With another suffix."""
        return self.with_segments(self._pure.with_suffix(suffix))

    # What asks the file system.

    def stat(self, *, follow_symlinks: bool = True) -> FileInfo:
        """What it is; FileNotFoundError if nothing."""
        return self._files.stat(self, follow_symlinks=follow_symlinks)

    def lstat(self) -> FileInfo:
        """``stat`` of a symbolic link itself."""
        return self._files.stat(self, follow_symlinks=False)

    def exists(self) -> bool:
        """Whether there is something."""
        return self._files.exists(self)

    def is_file(self) -> bool:
        """Whether it is a regular file, or a link to one."""
        return self._files.is_file(self)

    def is_dir(self) -> bool:
        """Whether it is a directory, or a link to one."""
        return self._files.is_dir(self)

    def is_symlink(self) -> bool:
        """Whether it is a symbolic link."""
        try:
            return self.lstat().type == "symlink"
        except OSError:
            return False

    def samefile(self, other: PathLike) -> bool:
        """Whether both name the same inode."""
        return self.stat().inode == self._files.stat(other).inode

    def iterdir(self) -> Iterator[SandboxPath]:
        """The entries of a directory, in byte order."""
        return (self / entry.name for entry in self._files.list(self))

    def walk(self) -> Iterator[Tuple[SandboxPath, List[str], List[str]]]:
        """(directory, names of directories, names of files), top down."""
        return ((self.with_segments(top), dirs, names) for top, dirs, names in self._files.walk(self))

    def glob(self, pattern: str) -> Iterator[SandboxPath]:
        """Paths below it that match, in byte order; ``**`` matches any depth."""
        return (self.with_segments(p) for p in self._files.glob(str(self._pure / pattern)))

    def rglob(self, pattern: str) -> Iterator[SandboxPath]:
        """``glob("**/" + pattern)``."""
        return self.glob(f"**/{pattern}")

    def resolve(self) -> SandboxPath:
        """Absolute, without symbolic links; missing parts stay as they are."""
        return self.with_segments(self._files.resolve(self))

    def readlink(self) -> SandboxPath:
        """What a symbolic link points to."""
        return self.with_segments(self._files.readlink(self))

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: Optional[str] = None,
        errors: Optional[str] = None,
        newline: Optional[str] = None,
    ) -> IO[Any]:
        """A Python file object."""
        return self._files.open(self, mode, buffering, encoding, errors, newline)

    def read_bytes(self) -> bytes:
        """The whole file."""
        return self._files.read(self)

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole file, decoded."""
        return self._files.read_text(self, encoding, errors)

    def write_bytes(self, data: bytes) -> int:
        """Replace the content; the number of bytes."""
        self._files.write(self, data)
        return len(data)

    def write_text(self, data: str, encoding: str = "utf-8", errors: str = "strict") -> int:
        """Replace the content; the number of characters."""
        self._files.write(self, data.encode(encoding, errors))
        return len(data)

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a directory, as pathlib does: without parents unless asked."""
        self._files.mkdir(self, parents=parents, exist_ok=exist_ok, mode=mode)

    def rmdir(self) -> None:
        """Remove an empty directory."""
        self._files.rmdir(self)

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file or link; IsADirectoryError for a directory."""
        self._files.rm(self, missing_ok=missing_ok)

    def rename(self, target: PathLike) -> SandboxPath:
        """Give it another name, replacing what has that name."""
        self._files.rename(self, target)
        return self.with_segments(target if not isinstance(target, bytes) else target.decode("utf-8", "surrogateescape"))

    replace = rename

    def touch(self, mode: int = 0o666, exist_ok: bool = True) -> None:
        """Make an empty file, or set its times to now."""
        self._files.touch(self, mode=mode, exist_ok=exist_ok)

    def chmod(self, mode: int) -> None:
        """Set the permission bits."""
        self._files.chmod(self, mode)

    def symlink_to(self, target: PathLike) -> None:
        """Make it a symbolic link to target."""
        self._files.symlink(target, self)

    def hardlink_to(self, target: PathLike) -> None:
        """Make it another name of target's file."""
        self._files.link(target, self)
