"""The places where the tests of the backends keep bytes, each opened as a user would name it."""

from __future__ import annotations

import pathlib
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Dict

import pytest

import servers
from eryxsh import backends


@dataclass
class Place:
    """One store: what ``open`` is given."""

    spec: Any
    options: Dict[str, Any] = field(default_factory=dict)

    def open(self, **more: Any) -> Any:
        """A new backend for it."""
        return backends.open(self.spec, **{**self.options, **more})


class Plain:
    """A user's own backend: the four methods and no more."""

    def __init__(self) -> None:
        self.kept: Dict[str, bytes] = {}

    def get(self, key: str) -> bytes:
        return self.kept[key]

    def put(self, key: str, data: bytes) -> None:
        self.kept[key] = data

    def list(self, prefix: str = "") -> Any:
        return iter([key for key in self.kept if key.startswith(prefix)])

    def delete(self, key: str) -> None:
        self.kept.pop(key, None)


class Awaited:
    """A user's own backend with ``async`` methods, and all of them."""

    def __init__(self) -> None:
        self.kept: Dict[str, bytes] = {}

    async def get(self, key: str) -> bytes:
        return self.kept[key]

    async def put(self, key: str, data: bytes) -> None:
        self.kept[key] = data

    async def list(self, prefix: str = "") -> Any:
        for key in list(self.kept):
            if key.startswith(prefix):
                yield key

    async def delete(self, key: str) -> None:
        self.kept.pop(key, None)

    async def cas(self, key: str, old: Any, new: Any) -> bool:
        if self.kept.get(key) != old:
            return False
        if new is None:
            self.kept.pop(key, None)
        else:
            self.kept[key] = new
        return True

    async def get_range(self, key: str, start: int, length: int) -> bytes:
        return self.kept[key][start : start + length]

    async def get_many(self, keys: Any) -> Dict[str, bytes]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    async def put_many(self, items: Any) -> None:
        self.kept.update(items)

    async def delete_many(self, keys: Any) -> None:
        for key in keys:
            self.kept.pop(key, None)

    async def stat(self, key: str) -> Any:
        return len(self.kept[key]), 0.0

    async def close(self) -> None:
        pass


def _directory(folder: pathlib.Path, request: Any) -> Place:
    return Place(str(folder / "a store, ünï"), {"fsync": False})


def _served(kind: str) -> Any:
    try:
        return getattr(servers, kind)()
    except servers.Unavailable as reason:
        pytest.skip(str(reason))


def _postgres(folder: pathlib.Path, request: Any) -> Place:
    return Place(_served("postgres").url, {"table": f"t{unique()}"})


def _redis(folder: pathlib.Path, request: Any) -> Place:
    return Place(_served("redis").url, {"prefix": f"{unique()}:"})


def _redis_socket(folder: pathlib.Path, request: Any) -> Place:
    return Place(f"unix://{_served('redis').socket}?db=1", {"prefix": f"{unique()}:"})


def _s3(folder: pathlib.Path, request: Any) -> Place:
    options = {"endpoint_url": _served("s3").url, "key": "test", "secret": "test", "client_kwargs": {"region_name": "us-east-1"}}
    return Place(f"s3://bucket/{unique()}", options)


def _needs(name: str) -> None:
    pytest.importorskip(name, reason=f"{name} is not installed: pip install 'eryxsh[servers]'")


def _memory(folder: pathlib.Path, request: Any) -> Place:
    _needs("fsspec")
    return Place(f"memory://{unique()}")


class Files(Place):
    """A file system that needs lock objects, which files are when fsspec has them."""

    def open(self, **more: Any) -> Any:
        return backends.FsspecBackend(self.spec, **{**self.options, **more})


def _locks(folder: pathlib.Path, request: Any) -> Place:
    _needs("fsspec")
    return Files(f"local://{folder}/files")


class Sealed(Place):
    """An encrypted one over another."""

    def open(self, **more: Any) -> Any:
        return backends.Encrypted(super().open(**more), b"k" * 32)


def _encrypted(folder: pathlib.Path, request: Any) -> Place:
    _needs("cryptography")
    return Sealed(f"sqlite:///{folder}/sealed.db")


# name: makes a new, empty place
KINDS: Dict[str, Callable[[pathlib.Path, Any], Place]] = {
    "dict": lambda folder, request: Place({}),
    "plain": lambda folder, request: Place(Plain()),
    "async": lambda folder, request: Place(Awaited()),
    "directory": _directory,
    "sqlite": lambda folder, request: Place(f"sqlite:///{folder}/a%20store.db"),
    "postgres": _postgres,
    "redis": _redis,
    "redis-socket": _redis_socket,
    "s3": _s3,
    "memory": _memory,
    "locks": _locks,
    "encrypted": _encrypted,
}
PROCESSES = ["directory", "sqlite", "postgres", "redis", "s3", "locks", "encrypted"]  # those that several processes may open
AGELESS = ["plain"]


def unique() -> str:
    """A name that nobody else has."""
    return uuid.uuid4().hex


@pytest.fixture
def place(kind: str, tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> Place:
    """A new place of a kind."""
    return KINDS[kind](tmp_path, request)


@pytest.fixture
def backend(place: Place) -> Any:
    """An open backend of a kind, closed in the end."""
    with place.open() as opened:
        yield opened
