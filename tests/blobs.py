"""Blobs taken apart, changed and put together, for tests: state/FORMAT.md in a hundred lines.

Nothing of the library is used: what a blob says here does not depend on the build that reads it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from typing import Any, Dict, Iterator, List, Optional, Tuple

MAGIC = b"ERYXSH\r\n"
SUM = 32
CHUNK, WORLD, TREE, INODE, MACHINE, PROCESS, END = range(1, 8)


@dataclasses.dataclass(frozen=True)
class Raw:
    """A number that is kept as its bytes: floats, whose bits count."""

    data: bytes


def decode(data: bytes, at: int = 0) -> Tuple[Any, int]:
    """The CBOR value that begins at a byte, and where it ends."""
    start, major, info = at, data[at] >> 5, data[at] & 31
    at += 1
    argument = info
    if info >= 24:
        if info > 27:
            raise ValueError(f"byte {start}: a head of no known length")
        size = 1 << (info - 24)
        argument = int.from_bytes(data[at : at + size], "big")
        at += size
    if major == 0:
        return argument, at
    if major == 1:
        return -1 - argument, at
    if major in (2, 3):
        return data[at : at + argument], at + argument
    if major == 4:
        items = []
        for _ in range(argument):
            item, at = decode(data, at)
            items.append(item)
        return items, at
    if major == 5:
        pairs: Dict[Any, Any] = {}
        for _ in range(argument):
            key, at = decode(data, at)
            pairs[key], at = decode(data, at)
        return pairs, at
    if major == 7:
        simple = {20: False, 21: True, 22: None}
        return (simple[info] if info in simple else Raw(data[start:at])), at
    raise ValueError(f"byte {start}: major type {major}")


def _head(major: int, n: int) -> bytes:
    if n < 24:
        return bytes([major << 5 | n])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if n < 1 << 8 * size:
            return bytes([major << 5 | info]) + n.to_bytes(size, "big")
    raise ValueError(f"{n} has more than 64 bits")


def encode(value: Any) -> bytes:
    """A value as CBOR, in the order of its keys as they stand."""
    if isinstance(value, bool) or value is None:
        return bytes([0xF6 if value is None else 0xF5 if value else 0xF4])
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        return _head(5, len(value)) + b"".join(encode(k) + encode(v) for k, v in value.items())
    if isinstance(value, Raw):
        return value.data
    raise TypeError(f"{value!r} is no value of a blob")


@dataclasses.dataclass
class Blob:
    """A header and its records, each a kind and a body."""

    header: Dict[int, Any]
    records: List[Tuple[int, Any]]

    @classmethod
    def parse(cls, data: bytes) -> Blob:
        """Take a blob apart; the sum is not looked at."""
        if data[: len(MAGIC)] != MAGIC:
            raise ValueError("no blob")
        header, at = decode(data, len(MAGIC))
        records = []
        while at < len(data) - SUM:
            (kind, body), at = decode(data, at)
            records.append((kind, body))
        return cls(header, records)

    def data(self, key: Optional[bytes] = None) -> bytes:
        """The bytes, with the sum that is right for them."""
        body = MAGIC + encode(self.header) + b"".join(encode([kind, body]) for kind, body in self.records)
        return seal(body, key)

    def frames(self) -> Iterator[Dict[int, Any]]:
        """The records of all frames."""
        for kind, body in self.records:
            if kind == PROCESS:
                yield from body.get(7) or []

    def programs(self) -> Iterator[Tuple[str, Dict[int, Any]]]:
        """The frames of utilities that have begun: the utility's name, and the frame's record, whose 5 is the state."""
        for frame in self.frames():
            util = ((frame[1].get(7) or {}).get(10)) or {}
            if 5 in frame and util:
                yield util[1].decode(), frame


def seal(body: bytes, key: Optional[bytes] = None) -> bytes:
    """A blob's bytes with the sum, or under a key the signature."""
    return body + (hashlib.sha256(body).digest() if key is None else hmac.new(key, body, hashlib.sha256).digest())
