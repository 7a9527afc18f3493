"""A script that waits for a person, in a process that does not.

    python examples/approval.py                     the whole story: file, then SQLite

    python examples/approval.py submit runs.db      start a script; it waits in runs.db
    python examples/approval.py pending runs.db     what waits for whom
    python examples/approval.py answer runs.db CALL_ID yes|no

The script asks before each upload. At the question the running script becomes bytes,
the bytes are saved, and the process is gone: killed, here, to show that nothing of the
run was in it. Whoever answers, on another day, loads the bytes and the script goes on
in the middle of its loop, with its variables and files. A state is taken out of the
store before it is loaded, so no question is answered twice.
"""

from __future__ import annotations

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
from typing import List, Optional, Tuple

from eryxsh import Run, Sandbox, ToolCall

SCRIPT = """
cd /data
uploaded=0
for f in *.csv; do
    rows=$(wc -l < "$f")
    if who=$(approve "upload $f ($rows rows)?"); then
        upload "$f" && ((++uploaded))
        echo "$f: approved by $who"
    else
        echo "$f: refused by $who"
    fi
done
echo "$uploaded uploaded"
"""


class FileStore:
    """One folder; a waiting run is a file in it, and its name the call's id."""

    def __init__(self, path: str) -> None:
        self.folder = pathlib.Path(path)
        self.folder.mkdir(parents=True, exist_ok=True)

    def put(self, call_id: str, question: str, blob: bytes) -> None:
        """Save, complete or not at all."""
        temporary = self.folder / f"{call_id}.new"
        with temporary.open("wb") as file:
            file.write(question.encode() + b"\n" + blob)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(self.folder / f"{call_id}.run")

    def pending(self) -> List[Tuple[str, str]]:
        """Calls and their questions."""
        return [(path.stem, path.read_bytes().partition(b"\n")[0].decode()) for path in sorted(self.folder.glob("*.run"))]

    def take(self, call_id: str) -> Optional[bytes]:
        """The state, for the one who comes first."""
        taken = self.folder / f"{call_id}.{os.getpid()}"
        try:
            (self.folder / f"{call_id}.run").rename(taken)
        except FileNotFoundError:
            return None
        blob = taken.read_bytes().partition(b"\n")[2]
        taken.unlink()
        return blob


class SQLiteStore:
    """The same as rows."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE IF NOT EXISTS runs (call_id TEXT PRIMARY KEY, question TEXT, blob BLOB)")

    def put(self, call_id: str, question: str, blob: bytes) -> None:
        """Save, complete or not at all."""
        with self.db:
            self.db.execute("INSERT INTO runs VALUES (?, ?, ?)", (call_id, question, blob))

    def pending(self) -> List[Tuple[str, str]]:
        """Calls and their questions."""
        return list(self.db.execute("SELECT call_id, question FROM runs ORDER BY call_id"))

    def take(self, call_id: str) -> Optional[bytes]:
        """The state, for the one who comes first."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            row = self.db.execute("SELECT blob FROM runs WHERE call_id = ?", (call_id,)).fetchone()
            self.db.execute("DELETE FROM runs WHERE call_id = ?", (call_id,))
        return row[0] if row else None


def open_store(path: str) -> FileStore | SQLiteStore:
    """A folder, or a database where the name says so."""
    return SQLiteStore(path) if path.endswith(".db") else FileStore(path)


def upload(call: ToolCall) -> str:
    """Stands for what must not happen unasked."""
    print(f"  [process {os.getpid()} uploads {call.args[0]}: {len(call.files.read(call.args[0]))} bytes]", flush=True)
    return ""


TOOLS = {"approve": None, "upload": upload}  # None: answered from outside


def go_on(run: Run, store: FileStore | SQLiteStore) -> None:
    """Run until a person is needed, or the end."""
    while isinstance(call := run.next(), ToolCall):
        if call.name == "upload":
            call.call()
            continue
        store.put(call.call_id, call.args[0], run.dump())
        print(f"  waits: {call.args[0]}", flush=True)
        if "KILL" in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        return
    print(run.result().stdout, end="")


def submit(store: FileStore | SQLiteStore) -> None:
    """Start the script on some files."""
    files = {"/data/a.csv": "1\n2\n", "/data/b.csv": "1\n" * 9, "/data/c.csv": "1\n"}
    with Sandbox(files=files, tools=TOOLS) as sandbox:
        go_on(sandbox.commands.start(SCRIPT), store)


def answer(store: FileStore | SQLiteStore, call_id: str, verdict: str) -> int:
    """Give a person's answer to a waiting run."""
    blob = store.take(call_id)
    if blob is None:
        print(f"  nobody waits for {call_id}: it was answered, or never asked")
        return 1
    run = Run.load(blob, tools=TOOLS)
    with run.sandbox:
        run.resume(call_id, stdout="Ada", exit_code=0 if verdict == "yes" else 1)
        go_on(run, store)
    return 0


def story() -> None:
    """Every step in a process of its own, killed at each question."""
    with tempfile.TemporaryDirectory() as folder:
        for place in (os.path.join(folder, "runs"), os.path.join(folder, "runs.db")):
            print(f"{type(open_store(place)).__name__}:", flush=True)
            _process("submit", place)
            for verdict in ("yes", "no", "yes"):
                [(call_id, question)] = open_store(place).pending()
                print(f"  a person says {verdict} to: {question}", flush=True)
                _process("answer", place, call_id, verdict)
                assert _process("answer", place, call_id, verdict) == 1, "a question was answered twice"
            assert open_store(place).pending() == []


def _process(*arguments: str) -> int:
    return subprocess.run([sys.executable, __file__, *arguments], env={**os.environ, "KILL": "1"}).returncode


def main(arguments: List[str]) -> int:
    """The command line."""
    if not arguments:
        story()
        return 0
    verb, path, *rest = arguments
    store = open_store(path)
    if verb == "submit":
        submit(store)
    elif verb == "pending":
        for call_id, question in store.pending():
            print(call_id, question)
    elif verb == "answer":
        return answer(store, *rest)
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
