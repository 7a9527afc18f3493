"""What another process does with a backend, for test_backends.py.

python tests/backend_child.py '["kind", "spec", {options}]' ROLE [ARGUMENT...]
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from typing import Any, List

from eryxsh import backends


def count(backend: Any, times: str) -> None:
    """Add 1 to a number so many times."""
    from test_backends import increment

    increment(backend, int(times))


def get(backend: Any, key: str) -> None:
    """Print a value."""
    print(backend.get(key).decode())


def unpickle(backend: Any, hexed: str) -> None:
    """Print what a pickled backend has."""
    with pickle.loads(bytes.fromhex(hexed)) as other:
        print(other.get("a").decode())


def fork(backend: Any) -> None:
    """Use it, fork, and use it in both: three children, one of which ends without a word."""
    backend.put("a", b"before")
    assert list(backend.list()) == ["a"]
    children = []
    for n in range(3):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                assert backend.get("a") == b"before"
                backend.put(f"child/{n}", b"x" * 100_000)
                assert backend.cas(f"swapped/{n}", None, b"1")
                if n == 0:
                    os._exit(0)
                backend.close()
                status = 0
            finally:
                sys.stderr.flush()
                if n == 1:
                    os._exit(status)
            sys.exit(status)  # with all that an interpreter does at its end
        children.append(pid)
        backend.put("parent", b"%d" % n)
        assert backend.get("parent") == b"%d" % n
    for pid in children:
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert backend.get("parent") == b"2"
    assert sorted(backend.list()) == ["a", *(f"child/{n}" for n in range(3)), "parent", *(f"swapped/{n}" for n in range(3))]
    assert backend.cas("a", b"before", b"after")
    print("ok")


def main(arguments: List[str]) -> None:
    """Open the place and play the role."""
    kind, spec, options = json.loads(arguments[0])
    opened = (backends.FsspecBackend if kind == "locks" else backends.open)(spec, **options)
    with backends.Encrypted(opened, b"k" * 32) if kind == "encrypted" else opened as backend:
        {"count": count, "get": get, "unpickle": unpickle, "fork": fork}[arguments[1]](backend, *arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
