"""Golden blobs: running scripts as one version of eryxsh saved them, which every later version must be able to finish.

    python tests/golden.py                      load each blob of state/testdata/v*, finish its run, compare
    python tests/golden.py --write DIR          make the scenes' blobs, with the eryxsh that is installed
    python tests/golden.py --accept NAME...     take what is given now for right: only where an answer of the old version was wrong

Beside NAME.blob stands NAME.json: the script and how it was run, where it was stopped, and the rest
of the run as the version that made the blob gave it: stdout, stderr, status, files. fields.zip has more of them, chosen by
state/golden_make_test.go so that together they hold every field of every record and of every utility's state.
Blobs are never made anew for a change of the code: a version whose records differ makes a folder of its own
(v2, …), and reads all of them.
"""

from __future__ import annotations

import argparse
import base64
import dataclasses
import hashlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from blobs import Blob
from eryxsh import Checkpoint, Finished, InputNeeded, LimitReached, Limits, Run, Sandbox, ToolCall, _wire

TESTDATA = Path(__file__).parent.parent / "state" / "testdata"
GENERATED = ("bin", "dev", "proc", "usr")  # top directories that are not looked into
SHOWN = 1 << 20  # bytes up to which a file's content is compared


@dataclasses.dataclass(frozen=True)
class Scene:
    """A script, how it is run, and where it is stopped."""

    name: str
    script: str
    stop: str = ""  # "call", "input", "limit", "mark", "end", a number of safe points, "NUMBER after call", or "program NAME"
    stdin: Optional[str] = None
    typed: Tuple[str, ...] = ()  # what is typed when input is needed, instead of stdin
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    tools: Tuple[str, ...] = ()
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # of the sandbox
    limits: Mapping[str, int] = dataclasses.field(default_factory=dict)  # of the sandbox
    start: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # of the run
    before: Tuple[Tuple[str, str], ...] = ()  # ("run", script), ("snapshot", name), ("fork", "")
    then: Tuple[Tuple[str, str], ...] = ()  # what is done when the run has ended: as before, and ("restore", name), ("reset", "")
    key: str = ""  # the blob is signed
    text: str = ""  # the blob must hold this
    real: bool = False  # the clock is the host's


def reply(name: str, args: Sequence[str], stdin: bytes) -> bytes:
    """What a tool prints."""
    return f"[{name} {' '.join(args)}]\n".encode() + stdin


# Making.


def _sandbox(scene: Scene) -> Sandbox:
    options = {"env": {"LC_ALL": "C.UTF-8", "TZ": "UTC"}, **scene.options}
    sb = Sandbox(
        clock="real" if scene.real else "virtual",
        seed=1,
        limits=Limits(**scene.limits) if scene.limits else None,
        tools=dict.fromkeys(scene.tools),
        **options,
    )
    for name, text in scene.files.items():
        path = name if name.startswith("/") else f"/home/{options.get('user', 'user')}/{name}"
        sb.files.write(path, text.encode("utf-8", "surrogateescape"))
        if text.startswith("#!"):
            sb.files.chmod(path, 0o755)
    for what, argument in scene.before:
        _do(sb, what, argument)
    return sb


def _do(sb: Sandbox, what: str, argument: str) -> Dict[str, Any]:
    """One thing between runs, and what it gave."""
    told: Dict[str, Any] = {"what": what, "argument": argument}
    if what == "run":
        result = sb.commands.run(argument)
        told.update(stdout=_text(result.stdout_bytes), stderr=_text(result.stderr_bytes), status=result.exit_code)
    elif what == "snapshot":
        sb.snapshot(argument)
    elif what == "drop":
        sb.snapshots.drop(_snapshot(sb, argument))
    elif what == "restore":
        sb.restore(_snapshot(sb, argument))
    elif what == "fork":
        sb.fork().close()
    elif what == "reset":
        sb.reset()
    elif what == "history":
        told["log"] = [[entry.index, entry.command, entry.exit_code] for entry in sb.history.list()]
    elif what == "snapshots":
        told["log"] = [[found.id, found.name, found.command] for found in sb.snapshots.list()]
    else:
        raise ValueError(what)
    return told


def _snapshot(sb: Sandbox, name: str) -> str:
    return next(found.id for found in sb.snapshots.list() if found.name == name)


def _text(data: bytes) -> str:
    """Bytes as JSON can hold them: those that are no UTF-8 as base64."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data).decode()


def listing(sb: Sandbox) -> List[str]:
    """The files, but for those that are generated: path, type, mode, size, links, and a digest or a target."""
    lines = []
    for folder, folders, _ in sb.files.walk("/"):
        hidden = GENERATED if folder == "/" else ()
        folders[:] = [name for name in folders if name not in hidden]
        for found in sb.files.list(folder):
            if found.name in hidden:
                continue
            path = found.path
            line = f"{path} {found.type} {found.mode & 0o7777:o}"
            if found.type == "file":
                line += f" {found.size} {found.nlink}"
                if found.size <= SHOWN:
                    line += " " + hashlib.sha256(sb.files.read(path)).hexdigest()[:16]
            elif found.type == "symlink":
                line += f" -> {found.target}"
            lines.append(line)
    return sorted(lines)


@dataclasses.dataclass
class Stop:
    """A scene at one safe point."""

    step: int
    blob: bytes
    typed: Tuple[str, ...]  # what is still to be typed
    tag: str


_TAGS = {_wire.CALLS: "call", _wire.DONE: "end"}


def stops(scene: Scene, most: int) -> Iterator[Stop]:
    """A scene at its safe points, up to so many."""
    with _sandbox(scene) as sb:
        if scene.stop == "end":
            sb.commands.run(scene.script)
            yield Stop(0, sb.export_state(key=scene.key.encode() or None), (), "end")
            return
        start = dict(scene.start)
        if start.get("limits"):
            start["limits"] = dict(start["limits"])
        stdin = None if scene.stdin is None else scene.stdin.encode("utf-8", "surrogateescape")
        run = Run(sb, _wire.run_start(sb._live(), script=scene.script, stdin=stdin, pipe=bool(scene.typed) or None, **start))
        typed = scene.typed
        for step in range(most):
            answer = _wire.run_step(sb._live(), run.id, steps=1)
            tag = answer["tag"]
            if tag == _wire.DONE:
                return
            name = _names()[tag]
            yield Stop(step + 1, run.dump(key=scene.key.encode() or None), typed, name)
            if name == "input":
                _wire.run_input(sb._live(), run.id, data=(typed[0] if typed else "").encode("utf-8", "surrogateescape"))
                typed = typed[1:]
            elif name == "limit":
                _wire.run_add(sb._live(), run.id, {answer["limit"]: 1 << 40})
            elif name == "call":
                for call in answer["calls"]:
                    _wire.run_answer(sb._live(), run.id, call["id"], stdout=reply(call["name"], call["args"], call["stdin"]))


def _names() -> Dict[int, str]:
    return {
        _wire.DONE: "end",
        _wire.SLICE: "slice",
        _wire.CALLS: "call",
        _wire.INPUT: "input",
        _wire.LIMITED: "limit",
        _wire.SLEEPING: "sleep",
        _wire.CHECKPOINTED: "mark",
        _wire.SUSPENDED: "suspended",
    }


# Finishing.


def finish(blob: bytes, typed: Sequence[str], then: Sequence[Sequence[str]], key: str = "") -> Dict[str, Any]:
    """Load a blob, finish its run, and say what came of it."""
    secret = key.encode() or None
    told: Dict[str, Any] = {}
    about = Sandbox.inspect(blob, key=secret)
    tools = dict.fromkeys(about.tools, _never)
    if about.kind == "run":
        run = Run.load(blob, key=secret, tools=tools)
        sb, result = run.sandbox, _finish(run, list(typed))
        told["stdout"], told["stderr"] = _text(result.stdout_bytes), _text(result.stderr_bytes)
        told["status"], told["ended"] = result.exit_code, result.error_class or ""
    else:
        sb = Sandbox.from_state(blob, key=secret, tools=tools)
    with sb:
        told["files"] = listing(sb)
        told["then"] = [_do(sb, what, argument) for what, argument in then]
    return told


def _never(call: ToolCall) -> str:
    raise AssertionError("calls are answered by whoever drives the run")


def _finish(run: Run, typed: List[str]) -> Any:
    while not isinstance(event := run.next(), Finished):
        if isinstance(event, ToolCall):
            run.resume(event, stdout=reply(event.name, event.args, event.stdin))
        elif isinstance(event, InputNeeded):
            run.resume(event, data=(typed.pop(0) if typed else "").encode("utf-8", "surrogateescape"))
        elif isinstance(event, LimitReached):
            run.resume(event, add={event.limit: 1000 if event.limit in ("time", "timeout") else 1 << 40})
        elif not isinstance(event, Checkpoint):
            raise AssertionError(f"unexpected {event}")
    return event.result


def difference(got: Mapping[str, Any], want: Mapping[str, Any]) -> str:
    """What differs from what the version that made the blob gave; empty if nothing does."""
    return "".join(f"{what}: {got.get(what) or ''!r}, not {want[what]!r}\n" for what in want if _told(got.get(what)) != _told(want[what]))


def _told(value: Any) -> Any:
    """A part of an end without what is empty."""
    if isinstance(value, dict):
        return {k: _told(v) for k, v in value.items() if v not in ("", 0, [], None)}
    return [_told(v) for v in value] if isinstance(value, list) else value or None


def check(blob: bytes, row: Mapping[str, Any]) -> str:
    """Finish a blob and say what differs."""
    return difference(finish(blob, row["typed"], row["then"], row["key"]), row["expect"])


def folders() -> List[Path]:
    """The folders of all versions."""
    return sorted(TESTDATA.glob("v*"))


def golden(folder: Path) -> Iterator[Tuple[str, bytes, Dict[str, Any]]]:
    """The blobs of a folder: name, bytes, and what stands beside them."""
    for path in sorted(folder.glob("*.blob")):
        yield path.stem, path.read_bytes(), json.loads(path.with_suffix(".json").read_text("utf-8"))
    if (folder / "fields.zip").exists():
        with zipfile.ZipFile(folder / "fields.zip") as packed:
            for name in packed.namelist():
                if name.endswith(".blob"):
                    yield name[:-5], packed.read(name), json.loads(packed.read(name[:-5] + ".json"))


def accept(folder: Path, names: Sequence[str]) -> List[str]:
    """Write down how this version ends the blobs of these names; gives the names."""
    rows = {}
    for name, blob, row in golden(folder):
        if name in names:
            rows[name] = {**row, "expect": finish(blob, row["typed"], row["then"], row["key"])}
    inside = dict(rows)
    for name in rows:
        if (folder / f"{name}.json").exists():
            (folder / f"{name}.json").write_text(_json(inside.pop(name)), "utf-8")
    if inside:
        with zipfile.ZipFile(folder / "fields.zip") as packed:
            entries = [(info, packed.read(info)) for info in packed.infolist()]
        with zipfile.ZipFile(folder / "fields.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for info, data in entries:
                name = info.filename[:-5]
                packed.writestr(info, _json(inside[name]) if name in inside and info.filename.endswith(".json") else data)
    return list(rows)


def _json(row: Mapping[str, Any]) -> str:
    return json.dumps(row, indent=1, sort_keys=True) + "\n"


# Writing.


def write(folder: Path, scene: Scene, stop: Stop) -> None:
    """Write a blob and what stands beside it."""
    row = {
        "script": scene.script,
        "stop": stop.step if stop.tag != "end" else "end",
        "typed": list(stop.typed),
        "then": [list(step) for step in scene.then],
        "key": scene.key,
        **{
            name: getattr(scene, name)
            for name in ("stdin", "files", "tools", "options", "limits", "start", "before", "real")
            if getattr(scene, name)
        },
    }
    row["expect"] = finish(stop.blob, stop.typed, scene.then, scene.key)
    (folder / f"{scene.name}.blob").write_bytes(stop.blob)
    (folder / f"{scene.name}.json").write_text(_json(row), "utf-8")


def chosen(scene: Scene) -> Stop:
    """The safe point a scene is to be stopped at."""
    wanted, _, after = scene.stop.partition(" after ")
    base = -1
    for stop in stops(scene, 20_000):
        if wanted.startswith("program "):
            found = any(name == wanted[8:] for name, _ in Blob.parse(stop.blob).programs())
        elif after:
            base = stop.step if base < 0 and stop.tag == after else base
            found = 0 <= base <= stop.step - int(wanted)
        else:
            found = wanted in (stop.tag, "", str(stop.step))
        if found and scene.text.encode("utf-8") in stop.blob:
            return stop
    raise AssertionError(f"{scene.name} never stops at {scene.stop!r} {scene.text!r}")


def main(argv: List[str]) -> int:
    """Check all blobs, or write or accept some; 1 if something differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", type=Path, metavar="DIR", help="make the blobs of the scenes there")
    parser.add_argument("--accept", nargs="+", default=[], metavar="NAME", help="take the answers of this version for right")
    options = parser.parse_args(argv)
    if options.write:
        from golden_scenes import SCENES

        options.write.mkdir(parents=True, exist_ok=True)
        for scene in SCENES:
            write(options.write, scene, chosen(scene))
        return 0
    wrong = total = 0
    for folder in folders():
        if options.accept:
            print(*accept(folder, options.accept))
            continue
        for name, blob, row in golden(folder):
            total += 1
            found = check(blob, row)
            if found:
                wrong += 1
                print(f"{folder.name}/{name}: {found}", end="")
    print(f"{total} golden blobs, {wrong} end otherwise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.modules["golden"] = sys.modules["__main__"]
    sys.exit(main(sys.argv[1:]))
