"""A store of today is read for ever: state/testdata/store1 was written by the first version that had stores.

    python tests/golden_store.py DIRECTORY       make one like it, for a new version of the format

``expected.json`` beside the store says, for each commit, what scripts print there, and the files it has.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any, Dict, List

from eryxsh import Sandbox, Store

LOOK = 'echo "$x" "${a[@]}" "${t[k]}"; f; pwd; umask; alias; trap; ls -lR --time-style=+ /data | md5sum'


def seen(sb: Sandbox) -> Dict[str, Any]:
    """What a state looks like from outside."""
    files = hashlib.sha256()
    for found in sb.files.list("/", recursive=True):
        if found.type == "file" and not found.path.startswith(("/dev/", "/proc/", "/usr/bin/", "/bin/")):
            files.update(b"%s %d\n%s" % (found.path.encode(), found.size, sb.files.read(found.path)))
    active = sb.runs.active()
    with sb.fork() as fork:
        if active is not None:
            fork.commands.cancel()
        printed = fork.commands.run(LOOK).stdout
    return {
        "printed": printed,
        "files": files.hexdigest(),
        "history": [entry.command for entry in sb.history.list()],
        "snapshots": [[s.id, s.name] for s in sb.snapshots.list()],
        "pending": [[call.call_id, call.name, list(call.args)] for call in active.pending()] if active is not None else None,
    }


def make(top: Path) -> None:
    """Write a store and what is expected of it."""
    rng = random.Random(1)
    expected: Dict[str, List[Any]] = {}
    store = Store(top / "store")

    def keep(sb: Sandbox, namespace: str, note: str = "") -> None:
        expected.setdefault(namespace, []).append([store.save(sb, namespace, note=note), seen(sb)])

    with Sandbox(clock="virtual", seed=1, tools={"ask": None}) as sb:
        sb.files.write("/data/random", rng.randbytes(90_000))
        sb.commands.run(
            "cd /data; x=5; a=(1 2 3); declare -A t=([k]=v); f() { echo f $x; }; umask 027; alias l=ls; trap 'echo bye' EXIT\n"
            "mkdir big; for i in {1..400}; do : > big/$i; done; ln random hard; ln -s random soft; mkfifo pipe; truncate -s 200000 hole"
        )
        keep(sb, "work", "first")
        for i in range(30):
            sb.commands.run(f"x={i}; echo {i} >> log; rm -f big/{i * 3}; : > big/new{i}; a+=({i})")
            if i == 10:
                sb.snapshot("tenth")
            keep(sb, "work")
        sb.commands.start('while read -r line; do ask "$line"; done < log')
        run = sb.runs.active()
        assert run is not None
        run.next()
        keep(sb, "Other/Näme", "a run")
    store.tag("work", "v1", at=expected["work"][0][0])
    store.branch("work", "side", at=expected["work"][5][0])
    (top / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True, ensure_ascii=True) + "\n", encoding="ascii")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
