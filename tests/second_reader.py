"""A second reader of a store, written from state/FORMAT.md alone: pure Python, nothing of eryxsh.

It gives the files and the variables of a namespace::

    python tests/second_reader.py DIRECTORY [NAMESPACE]

It is here to see whether FORMAT.md says enough, and it is how data is got back without us.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Tuple

CHUNK = 16384
CHUNK_KIND, BRANCH, PAGE, NAMES, LIST, PART, COMMIT = range(1, 8)
REC_WORLD, REC_MACHINE, REC_PROCESS, REC_END = 2, 5, 6, 7
TYPE_MASK, DIRECTORY, REGULAR, LINK = 0o170000, 0o040000, 0o100000, 0o120000


def number(data: bytes, at: int) -> Tuple[int, int]:
    """An unsigned LEB128 number and what follows it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def cbor(data: bytes, at: int = 0) -> Tuple[Any, int]:
    """A CBOR value as a blob has them (RFC 8949, no tags, no indefinite lengths) and what follows it."""
    major, info = data[at] >> 5, data[at] & 31
    at += 1
    if info < 24:
        arg = info
    else:
        size = 1 << (info - 24)
        arg = int.from_bytes(data[at : at + size], "big")
        at += size
    if major == 0:
        return arg, at
    if major == 1:
        return -1 - arg, at
    if major in (2, 3):
        return data[at : at + arg], at + arg
    if major == 4:
        items = []
        for _ in range(arg):
            item, at = cbor(data, at)
            items.append(item)
        return items, at
    if major == 5:
        table = {}
        for _ in range(arg):
            key, at = cbor(data, at)
            table[key], at = cbor(data, at)
        return table, at
    if info in (20, 21, 22):
        return (False, True, None)[info - 20], at
    form = {25: ">e", 26: ">f", 27: ">d"}[info]
    return struct.unpack(form, data[at - struct.calcsize(form) : at])[0], at


def sequence(data: bytes) -> Iterator[Any]:
    """The CBOR values one after another."""
    at = 0
    while at < len(data):
        value, at = cbor(data, at)
        yield value


def patched(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of another body."""
    size, at = number(delta, 0)
    out = bytearray()
    while at < len(delta):
        n, at = number(delta, at)
        if n % 2:
            start, at = number(delta, at)
            out += base[start : start + n // 2]
        else:
            out += delta[at : at + n // 2]
            at += n // 2
    assert len(out) == size, "a delta of another size"
    return bytes(out)


def name(text: str) -> str:
    """A name as a part of a key."""
    plain = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
    return "".join(chr(b) if b in plain else f"%{b:02x}" for b in text.encode())


class Reader:
    """The objects that a ref leads to. ``get`` gives the value of a key."""

    def __init__(self, get: Callable[[str], bytes], namespace: str = "default", branch: str = "main") -> None:
        head, _, rest = get("store").partition(b"\n")
        assert (head, len(rest)) == (b"eryxsh store 1", 33), "another store"
        ref = get(f"refs/{name(namespace)}/{name(branch)}")
        body, digest = ref[:-32], ref[-32:]
        assert hashlib.sha256(body).digest() == digest, "the ref is damaged"
        fields, _ = cbor(body)
        assert fields[1] == 1, "another format"
        self.commit = fields[2]
        self.stored: Dict[bytes, Tuple[int, int, bytes]] = {}
        self.bodies: Dict[bytes, bytes] = {}
        for pack, size, _ in fields.get(3, []):
            data = get(f"packs/{pack.hex()[:2]}/{pack.hex()}")
            assert len(data) == size
            self.pack(pack, data)

    def pack(self, pack: bytes, data: bytes) -> None:
        """Take the objects out of a pack."""
        size = int.from_bytes(data[-4:], "big")
        index = data[-4 - size : -4]
        assert (data[:8], hashlib.sha256(index).digest()[:16]) == (b"ERYXPK\r\n", pack), "the pack is damaged"
        count, at = number(index, 0)
        blocks: List[bytes] = []
        place = 8
        for _ in range(count):
            stored, at = number(index, at)
            block = data[place : place + stored // 2]
            place += stored // 2
            if stored % 2:
                raw, at = number(index, at)
                block = zlib.decompress(block, -15)
                assert len(block) == raw
            blocks.append(block)
        count, at = number(index, at)
        block = start = 0
        for _ in range(count):
            id, kind, depth = index[at : at + 32], index[at + 32], index[at + 33]
            skip, at = number(index, at + 34)
            length, at = number(index, at)
            if skip:
                block, start = block + skip, 0
            if id not in self.stored or depth < self.stored[id][1]:
                self.stored[id] = kind, depth, blocks[block][start : start + length]
            start += length
        assert at == len(index)

    def object(self, id: bytes) -> bytes:
        """The body of an object."""
        chain = []
        at = id
        while at not in self.bodies:
            chain.append(at)
            kind, depth, stored = self.stored[at]
            if depth == 0:
                break
            at = stored[:32]
        for at in reversed(chain):
            kind, depth, stored = self.stored[at]
            body = stored if depth == 0 else patched(self.bodies[stored[:32]], stored[32:])
            assert hashlib.sha256(bytes([kind]) + body).digest() == at, "an object is damaged"
            self.bodies[at] = body
        return self.bodies[id]

    def numbered(self, id: bytes, levels: int, at: int = 0) -> Iterator[Tuple[int, bytes]]:
        """The leaves of a tree over numbers: number and body."""
        if levels == 0:
            yield at, self.object(id)
            return
        body = self.object(id)
        have = int.from_bytes(body[:4], "big")
        ids = iter(body[i : i + 32] for i in range(4, len(body), 32))
        for bit in range(32):
            if have >> bit & 1:
                yield from self.numbered(next(ids), levels - 1, at * 32 + bit)

    def listed(self, id: bytes, levels: int) -> bytes:
        """The bodies below a list, one after another."""
        body = self.object(id)
        if levels == 0:
            return body
        return b"".join(self.listed(body[i : i + 32], levels - 1) for i in range(0, len(body), 32))

    def world(self) -> Dict[int, Any]:
        """The Root of the state itself."""
        commit, _ = cbor(self.object(self.commit))
        root: Dict[int, Any] = commit[6][-1]
        return root

    def inodes(self) -> Dict[int, Dict[int, Any]]:
        """The File records by inode number."""
        root = self.world()
        return {f[1][1]: f for _, page in self.numbered(root[1], root.get(2, 0)) for f in sequence(page)}

    def content(self, file: Mapping[int, Any]) -> bytes:
        """The bytes of a regular file."""
        out = bytearray(file[1].get(9, 0))
        if 2 in file:
            pieces = [(0, file[2])]
        elif 3 in file:
            pieces = [(0, self.object(file[3]))]
        elif 4 in file:
            pieces = list(self.numbered(file[4], file.get(5, 0)))
        else:
            pieces = []
        for index, piece in pieces:
            out[index * CHUNK : index * CHUNK + len(piece)] = piece
        return bytes(out)

    def names(self, file: Mapping[int, Any]) -> Iterator[Tuple[bytes, int]]:
        """The names of a directory and the inodes they lead to."""
        entries = sequence(self.listed(file[4], file.get(5, 0))) if 4 in file else file[1].get(12, [])
        for entry in entries:
            if entry.get(2):
                yield entry[1], entry[2]

    def files(self) -> Dict[str, Tuple[int, bytes]]:
        """Path to mode and content, of a link its target; directories have none."""
        inodes = self.inodes()
        found: Dict[str, Tuple[int, bytes]] = {}
        todo = [("", 1)]
        while todo:
            path, ino = todo.pop()
            file = inodes[ino]
            mode = file[1][2]
            kind = mode & TYPE_MASK
            if kind == DIRECTORY:
                found[path or "/"] = mode, b""
                todo += [(f"{path}/{at.decode('utf-8', 'surrogateescape')}", to) for at, to in self.names(file)]
            elif kind == REGULAR:
                found[path] = mode, self.content(file)
            elif kind == LINK:
                found[path] = mode, file[1].get(10, b"")
        return found

    def records(self) -> List[Tuple[int, Any]]:
        """The records of the machine: kind and body."""
        return [(kind, body) for kind, body in sequence(self.listed(self.world()[4], 1))]

    def variables(self) -> Dict[str, Any]:
        """Name to the value of a variable: bytes, or a list or table of them."""
        process = next(body for kind, body in self.records() if kind == REC_PROCESS)
        return {variable[1].decode(): value(variable) for variable in process[3]}


INDEXED, ASSOC = 256, 512


def value(variable: Mapping[int, Any]) -> Any:
    """What a Variable holds: text, a table of them for an array, None where it is unset."""
    attributes, elements = variable.get(2, 0), variable.get(5, [])
    if attributes & INDEXED:
        return {element.get(1, 0): element.get(3, b"") for element in elements}
    if attributes & ASSOC:
        return {element.get(2, b""): element.get(3, b"") for element in elements}
    return variable.get(4, b"") if variable.get(3) else None


def main() -> None:
    """List the files of a store in a directory."""
    top = Path(sys.argv[1])
    reader = Reader(lambda key: (top / key).read_bytes(), *sys.argv[2:3])
    for path, (mode, data) in sorted(reader.files().items()):
        print(f"{mode:o} {len(data):10} {path}")


if __name__ == "__main__":
    main()
