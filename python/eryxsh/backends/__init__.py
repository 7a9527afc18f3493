"""Where the bytes of a store live.

``open`` makes a backend of whatever names one:

>>> from eryxsh.backends import open
>>> with open({}) as backend:                     # also a path, a URL, an object of your own
...     backend.put("packs/ab/abcd.pack", b"bytes")
...     backend.get("packs/ab/abcd.pack"), list(backend.list("packs/")), backend.get_range("packs/ab/abcd.pack", 1, 3)
(b'bytes', ['packs/ab/abcd.pack'], b'yte')

==============================  =======================  ==============================================
what ``open`` is given           kind                     needs
==============================  =======================  ==============================================
nothing                          ``DirectoryBackend``     ``eryxsh[store]``: the user's data directory
a path, ``file:///dir``          ``DirectoryBackend``
``sqlite:///file.db``            ``SQLiteBackend``        (``sqlite:////absolute/path.db``)
``postgresql://…``               ``PostgresBackend``      ``eryxsh[postgres]``
``redis://``, ``rediss://``,
``unix:///socket``               ``RedisBackend``         ``eryxsh[redis]``
``s3://bucket/prefix``           ``S3Backend``            ``eryxsh[s3]``
``gs://``, ``memory://``, any
URL that ``fsspec`` knows        ``FsspecBackend``        ``eryxsh[fsspec]`` and what fsspec asks for
a dict, a mutable mapping        ``DictBackend``
an object with ``get``, ``put``,
``list``, ``delete``             ``Adapter``              plain or ``async def``
==============================  =======================  ==============================================

``Encrypted(backend, key)`` is any of them with its values encrypted (``eryxsh[encryption]``).

Every one has all methods of ``FullBackend``: ``get``, ``put``, ``list``, ``delete``, ``cas``,
``get_range``, ``get_many``, ``put_many``, ``delete_many``, ``stat``, ``close``; may be used from
several threads, and after a fork in both processes; and raises ``BackendError`` (a
``PersistenceError``) with the system's own exception as its cause. ``.shared`` says whether
other processes may write at the same time.

Nothing here is imported by ``import eryxsh``, and no kind before it is used.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import unquote, urlsplit

from ._protocol import (
    KEY_LIMIT,
    SWAP_LIMIT,
    VALUE_LIMIT,
    Backend,
    BackendClosedError,
    BackendError,
    BackendUnavailableError,
    DecryptionError,
    FullBackend,
    MissingExtraError,
    SwapUnknownError,
    check_key,
    check_prefix,
)

_KINDS = {
    "Adapter": "_adapter",
    "DictBackend": "_dict",
    "DirectoryBackend": "_directory",
    "Encrypted": "_encrypted",
    "FsspecBackend": "_fsspec",
    "PostgresBackend": "_postgres",
    "RedisBackend": "_redis",
    "S3Backend": "_s3",
    "SQLiteBackend": "_sqlite",
    "default_directory": "_directory",
}

_SCHEMES = {
    "file": "DirectoryBackend",
    "postgres": "PostgresBackend",
    "postgresql": "PostgresBackend",
    "redis": "RedisBackend",
    "rediss": "RedisBackend",
    "s3": "S3Backend",
    "s3a": "S3Backend",
    "sqlite": "SQLiteBackend",
    "unix": "RedisBackend",
}

__all__ = [
    "KEY_LIMIT",
    "SWAP_LIMIT",
    "VALUE_LIMIT",
    "Adapter",
    "Backend",
    "BackendClosedError",
    "BackendError",
    "BackendUnavailableError",
    "DecryptionError",
    "DictBackend",
    "DirectoryBackend",
    "Encrypted",
    "FsspecBackend",
    "FullBackend",
    "MissingExtraError",
    "PostgresBackend",
    "RedisBackend",
    "S3Backend",
    "SQLiteBackend",
    "SwapUnknownError",
    "check_key",
    "check_prefix",
    "default_directory",
    "open",
]


def open(spec: Any = None, **options: Any) -> FullBackend:
    """The backend that ``spec`` names: see the module's table. ``options`` are those of its class.

    A backend that ``open`` or a class here made is given back as it is. Raises ValueError
    for a URL of an unknown kind, TypeError for an object that is no backend,
    MissingExtraError with the command that installs what is missing, BackendError when
    the place cannot be opened.
    """
    from ._base import Base

    if isinstance(spec, Base):
        backend: FullBackend = spec
    elif isinstance(spec, str):
        backend = _from_text(spec, options)
    elif spec is None or isinstance(spec, os.PathLike):
        backend = _kind("DirectoryBackend")(spec, **options)
    elif isinstance(spec, MutableMapping):
        backend = _kind("DictBackend")(spec, **options)
    elif not isinstance(spec, type):
        backend = _kind("Adapter")(spec, **options)
    else:
        raise TypeError(f"not a backend: the class {spec.__name__}; an instance of it may be one")
    return backend


def _from_text(text: str, options: Any) -> Any:
    scheme, separator, _ = text.partition("://")
    if not separator:
        if not text:
            raise ValueError("an empty text names no store; None is the default directory")
        return _kind("DirectoryBackend")(os.path.expanduser(text), **options)
    name = _SCHEMES.get(scheme.lower())
    if name == "DirectoryBackend":
        url = urlsplit(text)
        if url.netloc not in ("", "localhost"):
            raise ValueError(f"{text}: a file:// URL of another machine; three slashes begin a path: file:///")
        return _kind(name)(unquote(url.path), **options)
    if name is None:
        _check_known(scheme.lower(), text)
        name = "FsspecBackend"
    return _kind(name)(text, **options)


def _check_known(scheme: str, text: str) -> None:
    if importlib.util.find_spec("fsspec") is None:
        raise MissingExtraError(f"{text}: {scheme}:// is not one of {_schemes()}; fsspec knows others: pip install 'eryxsh[fsspec]'")
    from fsspec.registry import known_implementations, registry

    if scheme not in known_implementations and scheme not in registry:
        raise ValueError(f"{text}: no kind of store is called {scheme}://; there are {_schemes()}, and those of fsspec")


def _schemes() -> str:
    return ", ".join(f"{scheme}://" for scheme in sorted(_SCHEMES))


def _kind(name: str) -> Any:
    return getattr(importlib.import_module(f".{_KINDS[name]}", __name__), name)


def __getattr__(name: str) -> Any:
    if name in _KINDS:
        return _kind(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
