"""Results: what a command, a file, a snapshot, an analysis came to."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, cast

from ._display import columns, plain, table
from ._errors import CommandError

if TYPE_CHECKING:
    from . import _wire

Chunk = Tuple[int, bytes]
"""Output in the order it was written: 1 (stdout) or 2 (stderr), and bytes; or, where it is much, as ``pieces`` knows it."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def pieces(output: Sequence[Chunk]) -> Iterator[Chunk]:
    """Output as it was written, where the core may have put many pieces together: all of stdout, all of stderr, (0, order)."""
    i = 0
    while i < len(output):
        if i + 2 < len(output) and output[i + 2][0] == 0:
            both, order, at = (output[i][1], output[i + 1][1]), output[i + 2][1], [0, 0]
            for j in range(0, len(order), 4):
                length = int.from_bytes(order[j : j + 4], "little", signed=True)
                where = length < 0
                yield 1 + where, both[where][at[where] : at[where] + abs(length)]
                at[where] += abs(length)
            i += 3
        else:
            yield output[i]
            i += 1


class CommandResult:
    """What a command came to. A non-zero exit code is no exception; see ``check``.

    >>> from eryxsh import Sandbox
    >>> r = Sandbox().commands.run("echo hi; false")
    >>> r.stdout, r.exit_code, r.ok
    ('hi\\n', 1, False)
    """

    # Nothing but _done is set before it is asked for: a short command takes as long as a few attributes.
    _done: _wire.Done
    _errors: Sequence[BaseException] = ()
    _streams: Optional[Tuple[bytes, bytes]] = None
    _stdout: Optional[str] = None
    _stderr: Optional[str] = None

    def _join(self) -> Tuple[bytes, bytes]:
        """Standard output and standard error."""
        streams = self._streams
        if streams is None:
            chunks = self._done["output"]
            out = [data for stream, data in chunks if stream == 1]
            err = [data for stream, data in chunks if stream == 2]
            self._streams = streams = b"".join(out), b"".join(err)
            self._done["output"] = ()
        return streams

    @property
    def stdout_bytes(self) -> bytes:
        """Standard output."""
        return self._join()[0]

    @property
    def stderr_bytes(self) -> bytes:
        """Standard error."""
        return self._join()[1]

    @property
    def stdout(self) -> str:
        """Standard output as text; bytes that are not UTF-8 become surrogates (``os.fsencode`` gives them back)."""
        text = self._stdout
        if text is None:
            output = self._done["output"]
            plain = len(output) == 1 and output[0][0] == 1  # as most
            self._stdout = text = (output[0][1] if plain else self._join()[0]).decode("utf-8", "surrogateescape")
        return text

    @property
    def stderr(self) -> str:
        """Standard error as text; bytes that are not UTF-8 become surrogates."""
        text = self._stderr
        if text is None:
            self._stderr = text = self._join()[1].decode("utf-8", "surrogateescape")
        return text

    @property
    def exit_code(self) -> int:
        """0 is success; 124 a timeout, 137 a limit, 130 cancelled."""
        return self._done["status"]

    @property
    def ok(self) -> bool:
        """Whether the exit code is 0."""
        return self._done["status"] == 0

    @property
    def execution_time_ms(self) -> float:
        """Milliseconds of running and sleeping; waiting for tools does not count."""
        return self._done["time"] / 1e6

    @property
    def steps(self) -> int:
        """Machine steps: the same for the same script on the same state."""
        return self._done["steps"]

    @property
    def truncated(self) -> Dict[str, bool]:
        """Which streams were cut at the ``output`` limit."""
        return {"stdout": self._done["stdout_truncated"], "stderr": self._done["stderr_truncated"]}

    @property
    def error_class(self) -> Optional[str]:
        """``TIMEOUT``, ``CANCELLED``, ``LIMIT_EXCEEDED``, ``CAPABILITY_DENIED`` or None."""
        return self._done["error_class"] or None

    @property
    def limit(self) -> Optional[str]:
        """What ended the command: a field of Limits, ``timeout`` (the call's own), ``deadlock``, or None."""
        return self._done["limit"] or None

    @property
    def unsupported(self) -> List[str]:
        """Options and features the script used that do not exist here (``grep --foo``)."""
        return list(self._done["unsupported"])

    @property
    def tool_errors(self) -> List[BaseException]:
        """The exceptions tools raised, in order."""
        return list(self._errors)

    def check(self) -> CommandResult:
        """Raise CommandError, which carries this result, unless the exit code is 0; else give the result."""
        if self._done["status"] == 0:
            return self
        why = f" ({self.error_class}{f': {self.limit}' if self.limit else ''})" if self.error_class else ""
        last = self.stderr.strip().rpartition("\n")[2]
        raise CommandError(f"exit code {self.exit_code}{why}{f': {last}' if last else ''}", result=self)

    def __repr__(self) -> str:
        # Without times and steps, so that snapshot tests can hold it.
        parts = [f"exit_code={self.exit_code}", f"stdout={self.stdout!r}", f"stderr={self.stderr!r}"]
        if self.error_class:
            parts.append(f"error_class={self.error_class!r}")
        if self.limit:
            parts.append(f"limit={self.limit!r}")
        return f"CommandResult({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CommandResult):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> Tuple[Any, ...]:
        return self.exit_code, self.stdout_bytes, self.stderr_bytes, self.error_class, self.limit

    def __reduce__(self) -> Any:
        chunks = ((1, self.stdout_bytes), (2, self.stderr_bytes))
        return result_of, (self._done, chunks, tuple(self._errors))


def result_of(done: _wire.Done, output: Sequence[Chunk], tool_errors: Sequence[BaseException]) -> CommandResult:
    """The result of a run whose output and whose tools' exceptions were collected."""
    result = CommandResult()
    result._done = cast("_wire.Done", {**done, "output": output})
    result._errors = tool_errors
    return result


class FileInfo(NamedTuple):
    """One file. New fields come behind the last, so use names rather than unpacking.

    >>> from eryxsh import Sandbox
    >>> Sandbox(files={"/data/x": b"abc"}).files.stat("/data/x").size
    3
    """

    name: str
    path: str
    """Absolute."""
    type: str
    """``file``, ``dir``, ``symlink``, ``fifo`` or ``device``."""
    size: int
    """Bytes."""
    mode: int
    """Permission bits."""
    mtime: datetime.datetime
    """Aware, in UTC."""
    target: Optional[str]
    """What a symbolic link points to, else None."""
    inode: int
    nlink: int
    """Hard links."""


class HistoryEntry(NamedTuple):
    """One command of the past."""

    index: int  # type: ignore[assignment]  # hides tuple.index
    """From 1, never reused."""
    command: str
    timestamp: datetime.datetime
    """When it began, on the sandbox's clock; aware, in UTC."""
    exit_code: int
    duration_ms: float
    snapshot: Optional[str]
    """The state before it, for ``history.restore``; None when it is no longer kept."""


class SnapshotInfo(NamedTuple):
    """One snapshot."""

    id: str
    name: Optional[str]
    created: datetime.datetime
    """On the sandbox's clock; aware, in UTC."""
    parent: Optional[str]
    """The snapshot its state comes from: the last one before that was taken, restored or loaded."""
    size: int
    """Stored bytes of its files."""
    command: str
    """The last command before it."""
    own: int = 0
    """Stored bytes of its files that the parent has not: the others it shares."""


class StateInfo(NamedTuple):
    """What a blob of ``export_state`` or ``Run.dump`` says about itself."""

    kind: str
    """``state``, ``run`` (a run is suspended in it) or ``thin``."""
    version: int
    """Of the format."""
    size: int
    """Bytes of the blob."""
    created: datetime.datetime
    """On the sandbox's clock; aware, in UTC."""
    files: int
    bytes: int
    """Stored bytes of the files."""
    tools: Tuple[str, ...]
    """Names that held a callable: ``tools=`` must have them."""
    features: Tuple[str, ...]
    """What a reader must know."""
    dropped: Tuple[str, ...]
    """What could not travel."""
    signed: bool
    needs: Tuple[str, ...] = ()
    """Of a thin pack: ids of the commits of a store that it was made without."""


class Usage(NamedTuple):
    """Counters of a sandbox since it was made; they are saved and restored."""

    commands: int
    """Simple commands run."""
    calls: int
    """Tool calls."""
    runs: int
    """Calls of run and start."""
    steps: int
    time_ms: float
    """Running and sleeping."""
    read: int
    """Bytes read."""
    written: int
    """Bytes written."""
    processes: int
    files: int
    """Files, directories and links now."""
    bytes: int
    """Stored bytes now."""
    retained: int
    """Bytes that snapshots and undo hold beyond the live files."""


class Info(NamedTuple):
    """A sandbox, for people: ``str`` gives lines, a notebook a table.

    >>> from eryxsh import Sandbox
    >>> print(Sandbox(clock="virtual", seed=1).info())  # doctest: +ELLIPSIS
    user       user
    host       sandbox
    directory  /home/user
    status     0
    run        none
    clock      2000-01-01 00:00:00 UTC, virtual
    seed       1
    tools      none
    commands   ...
    """

    user: str
    hostname: str
    cwd: str
    exit_code: int
    """``$?`` now."""
    run: Optional[str]
    """The id of the active run."""
    now: datetime.datetime
    """The sandbox's clock; aware, in UTC."""
    virtual: bool
    """Whether that clock counts steps."""
    seed: int
    tools: Tuple[str, ...]
    limits: Dict[str, int]
    """By name; 0 is no limit, ``time`` is in nanoseconds."""
    commands: Tuple[str, ...]
    """Builtins and utilities there are."""

    def _rows(self) -> List[Tuple[str, str]]:
        clock = f"{self.now:%Y-%m-%d %H:%M:%S} UTC" + (", virtual" if self.virtual else "")
        return [
            ("user", self.user),
            ("host", self.hostname),
            ("directory", self.cwd),
            ("status", str(self.exit_code)),
            ("run", self.run or "none"),
            ("clock", clock),
            ("seed", str(self.seed)),
            ("tools", " ".join(self.tools) or "none"),
            ("commands", f"{len(self.commands)}, builtins and utilities"),
        ]

    def __str__(self) -> str:
        return columns(self._rows())

    def _repr_html_(self) -> str:
        return table("sandbox", self._rows())

    def __rich__(self) -> Any:
        return plain(str(self))


class Redirect(NamedTuple):
    """One redirection of an analyzed command."""

    op: str
    """As written: ``>``, ``>>``, ``<``, ``2>&1``."""
    target: str
    """The word, or its source text where it is computed."""
    is_opaque: bool


class AnalyzedCommand(NamedTuple):
    """One command of an analyzed script."""

    name: str
    """Empty where it is computed."""
    args: Tuple[str, ...]
    """The words; a computed one as its source text."""
    redirects: Tuple[Redirect, ...]
    is_opaque: bool
    """The name is computed, so anything may run."""
    line: int
    column: int
    kind: str
    """``builtin``, ``function``, ``utility``, ``tool`` or ``unknown``."""


class Analysis(NamedTuple):
    """What a script would run, without running it.

    >>> from eryxsh import Sandbox
    >>> [c.name for c in Sandbox().analyze("grep x /data/log | sort > out").commands]
    ['grep', 'sort']
    """

    commands: Tuple[AnalyzedCommand, ...]
    """In source order."""
    is_opaque: bool
    """Whether some command's name is computed."""


def when(ns: int) -> datetime.datetime:
    """Nanoseconds since 1970 as an aware datetime."""
    return _EPOCH + datetime.timedelta(microseconds=ns // 1000)


def file_info(f: _wire.FileInfo) -> FileInfo:
    """A FileInfo of the wire."""
    return FileInfo(f["name"], f["path"], f["type"], f["size"], f["mode"], when(f["mtime"]), f["target"] or None, f["inode"], f["nlink"])


def history_entry(e: _wire.HistoryEntry) -> HistoryEntry:
    """A HistoryEntry of the wire."""
    return HistoryEntry(e["index"], e["command"], when(e["timestamp"]), e["exit_code"], e["duration"] / 1e6, e["snapshot"] or None)


def snapshot_info(s: _wire.SnapshotInfo) -> SnapshotInfo:
    """A SnapshotInfo of the wire."""
    return SnapshotInfo(s["id"], s["name"] or None, when(s["created"]), s["parent"] or None, s["size"], s["command"], s["own"])


def state_info(s: _wire.StateInfo) -> StateInfo:
    """A StateInfo of the wire."""
    return StateInfo(
        s["kind"],
        s["version"],
        s["size"],
        when(s["created"]),
        s["files"],
        s["bytes"],
        tuple(s["tools"]),
        tuple(s["features"]),
        tuple(s["dropped"]),
        s["signed"],
        tuple(id.hex() for id in s["needs"]),
    )


def usage(u: _wire.Usage) -> Usage:
    """A Usage of the wire."""
    return Usage(
        u["commands"],
        u["calls"],
        u["runs"],
        u["steps"],
        u["time"] / 1e6,
        u["read"],
        u["written"],
        u["processes"],
        u["files"],
        u["bytes"],
        u["retained"],
    )


def info(i: _wire.Info) -> Info:
    """An Info of the wire."""
    return Info(
        i["user"],
        i["hostname"],
        i["cwd"],
        i["status"],
        i["run"] or None,
        when(i["now"]),
        i["virtual"],
        i["seed"],
        tuple(i["tools"]),
        dict(i["limits"]),
        tuple(i["commands"]),
    )


def analysis(a: _wire.Analysis) -> Analysis:
    """An Analysis of the wire."""
    commands = [
        AnalyzedCommand(
            c["name"],
            tuple(c["args"]),
            tuple(Redirect(r["op"], r["target"], r["is_opaque"]) for r in c["redirects"]),
            c["is_opaque"],
            c["line"],
            c["column"],
            c["kind"],
        )
        for c in a["commands"]
    ]
    return Analysis(tuple(commands), a["is_opaque"])
