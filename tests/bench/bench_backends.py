"""How fast each kind of backend is on this machine: puts and gets a second, and a listing.

    python tests/bench/bench_backends.py [KIND...]          all kinds that this machine has

Directory and SQLite wait for the disk, as they do for users; the servers run here, without a
network between, and PostgreSQL, Redis and moto wait for no disk. moto is a test server in Python.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import pytest

from eryxsh import backends
from places import KINDS, Place

SECONDS = 1.0  # for each figure
LISTED = {"s3": 1_000, "locks": 5_000, "directory": 2_000, "encrypted": 20_000}  # of 100,000 elsewhere
COLUMNS = ("put 4 KiB/s", "put_many", "put 1 MiB/s", "get 4 KiB/s", "get 1 MiB/s", "cas/s", "list keys/s")


def rate(work: Callable[[int], Any], each: int = 1) -> float:
    """How often a second; ``each`` is how many one call is."""
    started, n = time.perf_counter(), 0
    while (taken := time.perf_counter() - started) < SECONDS:
        work(n)
        n += 1
    return n * each / taken


def measure(backend: Any, kind: str) -> List[float]:
    """The figures of the columns."""
    small, large = b"s" * 4096, b"l" * (1 << 20)
    figures = [
        rate(lambda n: backend.put(f"packs/small/{n:06}", small)),
        rate(lambda n: backend.put_many({f"packs/many/{n:04}/{i:03}": small for i in range(100)}), 100),
        rate(lambda n: backend.put(f"packs/large/{n % 50:06}", large)),
        rate(lambda n: backend.get("packs/small/000000")),
        rate(lambda n: backend.get("packs/large/000000")),
        rate(lambda n: backend.cas("refs/main", b"%d" % (n - 1) if n else None, b"%d" % n)),
    ]
    count = LISTED.get(kind, 100_000)
    for start in range(0, count, 1000):
        backend.put_many({f"listed/{i % 256:02x}/{i:06}": b"" for i in range(start, min(count, start + 1000))})
    started = time.perf_counter()
    found = sum(1 for _ in backend.list("listed/"))
    assert found == count, found
    return [*figures, found / (time.perf_counter() - started)]


def places(folder: pathlib.Path, wanted: List[str]) -> Dict[str, Callable[[], Any]]:
    """What opens each kind."""
    kinds: Dict[str, Callable[[], Any]] = {
        "directory": lambda: Place(str(folder / "synced")).open(),
        "directory, fsync=False": lambda: Place(str(folder / "unsynced"), {"fsync": False}).open(),
    }
    for name in ("dict", "sqlite", "postgres", "redis", "s3", "memory", "locks", "encrypted"):
        kinds[name] = lambda name=name: KINDS[name](folder, None).open()  # type: ignore[misc]
    return {name: kinds[name] for name in wanted or kinds}


def main() -> None:
    """The command."""
    print(f"{'':24}" + "".join(f"{column:>14}" for column in COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for name, opened in places(pathlib.Path(folder), sys.argv[1:]).items():
            try:
                with opened() as backend:
                    figures = measure(backend, name)
            except (pytest.skip.Exception, backends.MissingExtraError) as reason:
                print(f"{name:24}{reason}")
                continue
            print(f"{name:24}" + "".join(f"{figure:>14,.0f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()
