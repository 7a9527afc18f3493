"""File layers for tests of the directory backend: one that fails, and one that forgets what was not synced."""

from __future__ import annotations

import errno
import random
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from eryxsh.backends._files import FileLayer

CHANGES = ("mkdir", "create", "write", "fsync", "rename", "unlink", "sync_folder", "lock")


class FailingLayer(FileLayer):
    """The real file system, with an error in place of the n-th change (from 0)."""

    def __init__(self, number: int = errno.ENOSPC) -> None:
        super().__init__(sync=True)
        self.number = number
        self.fail_at: Optional[int] = None
        self.done: List[str] = []

    def arm(self, at: Optional[int]) -> None:
        """Count from here; fail at this change."""
        self.fail_at, self.done = at, []

    def _step(self, what: str, path: Any) -> None:
        self.done.append(what)
        if self.fail_at == len(self.done) - 1:
            raise OSError(self.number, "injected", path)

    def mkdir(self, path: str) -> None:
        self._step("mkdir", path)
        super().mkdir(path)

    def create(self, path: str, data: memoryview) -> None:
        self._step("create", path)
        super().create(path, data)

    def write(self, descriptor: int, data: memoryview) -> int:
        self._step("write", None)
        return super().write(descriptor, data[: max(1, len(data) // 2)])  # the kernel may write less than it is given

    def fsync(self, descriptor: int, path: str) -> None:
        self._step("fsync", path)

    def rename(self, old: str, new: str) -> None:
        self._step("rename", new)
        super().rename(old, new)

    def unlink(self, path: str) -> None:
        self._step("unlink", path)
        super().unlink(path)

    def lock(self, path: str) -> Optional[int]:
        self._step("lock", path)
        return super().lock(path)


class PowerCut(BaseException):
    """The machine stops."""


class File:
    """An inode: what programs see, and what is on the disk."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.synced = data

    def after(self, rng: random.Random) -> File:
        """What is left of it: all, some, nothing, or zeros where the blocks were not written."""
        if self.data == self.synced:
            return File(self.data)
        cut = rng.randrange(len(self.data) + 1)
        return File(rng.choice([self.synced, self.data, self.data[:cut], self.data[:cut] + bytes(len(self.data) - cut)]))


class Folder:
    """Names, and for each the states it has had since the folder was synced, the synced one first."""

    def __init__(self, names: Optional[Dict[str, Node]] = None) -> None:
        self.names: Dict[str, Node] = names or {}
        self.states: Dict[str, List[Optional[Node]]] = {}

    def set(self, name: str, node: Optional[Node]) -> None:
        """Give a name another state."""
        self.states.setdefault(name, [self.names.get(name)]).append(node)
        if node is None:
            self.names.pop(name, None)
        else:
            self.names[name] = node

    def after(self, rng: random.Random) -> Folder:
        """Each name in one of its states, independently of the others: changes that were not synced come in any order or not at all."""
        names = dict(self.names)
        for name, states in self.states.items():
            node = rng.choice(states)
            if node is None:
                names.pop(name, None)
            else:
                names[name] = node
        return Folder({name: node.after(rng) for name, node in names.items()})


Node = Union[File, Folder]


class ForgetfulDisk(FileLayer):
    """A file system in memory that keeps no more than it promised: synced files, and names in synced folders."""

    def __init__(self, root: Optional[Folder] = None) -> None:
        super().__init__(sync=True)
        self.root = root or Folder()
        self.steps = 0
        self.cut_at: Optional[int] = None
        self._locks: Dict[int, str] = {}

    def after(self, rng: random.Random) -> ForgetfulDisk:
        """The disk when the machine starts again."""
        return ForgetfulDisk(self.root.after(rng))

    def _step(self) -> None:
        if self.cut_at == self.steps:
            raise PowerCut
        self.steps += 1

    def _find(self, path: str) -> Node:
        node: Node = self.root
        for name in path.strip("/").split("/") if path.strip("/") else ():
            if not isinstance(node, Folder):
                raise NotADirectoryError(errno.ENOTDIR, "Not a directory", path)
            if name not in node.names:
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
            node = node.names[name]
        return node

    def _parent(self, path: str) -> Tuple[Folder, str]:
        above, _, name = path.rpartition("/")
        folder = self._find(above)
        if not isinstance(folder, Folder):
            raise NotADirectoryError(errno.ENOTDIR, "Not a directory", path)
        return folder, name

    def _file(self, path: str) -> File:
        node = self._find(path)
        if not isinstance(node, File):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
        return node

    def mkdir(self, path: str) -> None:
        folder, name = self._parent(path)
        if name in folder.names:
            raise FileExistsError(errno.EEXIST, "File exists", path)
        self._step()
        folder.set(name, Folder())

    def create(self, path: str, data: memoryview) -> None:
        folder, name = self._parent(path)
        if name in folder.names:
            raise FileExistsError(errno.EEXIST, "File exists", path)
        self._step()
        file = File()
        folder.set(name, file)
        for end in (len(data) // 2, len(data)):
            self._step()
            file.data = bytes(data[:end])
        self._step()
        file.synced = file.data

    def rename(self, old: str, new: str) -> None:
        source, old_name = self._parent(old)
        target, new_name = self._parent(new)
        node = self._find(old)
        if isinstance(target.names.get(new_name), Folder):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", new)
        self._step()
        target.set(new_name, node)
        source.set(old_name, None)

    def unlink(self, path: str) -> None:
        folder, name = self._parent(path)
        self._file(path)
        self._step()
        folder.set(name, None)

    def sync_folder(self, path: str) -> None:
        folder = self._find(path)
        assert isinstance(folder, Folder)
        self._step()
        folder.states.clear()

    def touch(self, path: str) -> float:
        self._file(path)
        return 0.0

    def read(self, path: str, start: int = 0, length: Optional[int] = None) -> bytes:
        data = self._file(path).data
        return data[start:] if length is None else data[start : start + length]

    def stat(self, path: str) -> Tuple[int, float]:
        node = self._find(path)
        return len(node.data) if isinstance(node, File) else 0, 0.0

    def kind(self, path: str) -> Optional[str]:
        try:
            return "folder" if isinstance(self._find(path), Folder) else "file"
        except (FileNotFoundError, NotADirectoryError):
            return None

    def scan(self, path: str) -> Iterator[Tuple[str, bool]]:
        folder = self._find(path)
        if not isinstance(folder, Folder):
            raise NotADirectoryError(errno.ENOTDIR, "Not a directory", path)
        yield from [(name, isinstance(node, Folder)) for name, node in folder.names.items()]

    def lock(self, path: str) -> Optional[int]:
        folder, name = self._parent(path)
        if name not in folder.names:
            folder.set(name, File())
        if path in self._locks.values():
            return None
        number = len(self._locks) + 1
        self._locks[number] = path
        return number

    def unlock(self, descriptor: int) -> None:
        del self._locks[descriptor]
