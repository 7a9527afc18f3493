"""States that nobody's machine has written: golden blobs with values changed, and the right sum under them.

    python tests/hostile_blobs.py                         30,000 blobs
    python tests/hostile_blobs.py --blobs 100000 --seed 7
    python tests/hostile_blobs.py --seed 7 --one 4711     that one again, shown
    python tests/hostile_blobs.py --only sort             of blobs with a sort in flight
    python tests/hostile_blobs.py --each                  no chance: each field of each record and state, each change there is

Values are changed where they stand: numbers, lengths, members of lists and structs, and fields that were
empty get values of the kind they have (state/testdata/v1/fields.txt). Most changes are in the states of utilities. Each blob is
loaded with hardened limits in a process of its own, with a bound on its memory and a clock, and what loads is run to its
end and then asked for something. A typed error is fine, and so is any output; an internal error, a death, a hang is not: the exit
status is 1, and the number is what --one wants.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import random
import re
import resource
import sys
import threading
import time
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

import golden
from blobs import INODE, MACHINE, PROCESS, TREE, WORLD, Blob, Raw, decode, encode
from eryxsh import Checkpoint, EryxshError, Finished, InputNeeded, Limits, Run, Sandbox, StateError, ToolCall

CAP = 6 << 30  # bytes of address space of a worker
PATIENCE = 20.0  # seconds for one blob
INTERNAL = "internal error"
NUMBERS = [
    -1,
    0,
    1,
    2,
    3,
    7,
    8,
    63,
    64,
    127,
    128,
    255,
    256,
    4095,
    4096,
    65535,
    65536,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    1 << 40,
    (1 << 63) - 1,
    -(1 << 63),
    -(1 << 31),
]
ROOTS = {WORLD: "World", TREE: "Tree", INODE: "Inode", MACHINE: "Image", PROCESS: "ProcRecord"}


# Changing.


class Kinds:
    """What kinds the fields of structs have, from a version's ledger."""

    def __init__(self, text: str) -> None:
        self.structs: Dict[str, Dict[int, str]] = {}
        self.roots: Dict[str, str] = {}
        fields: Dict[int, str] = {}
        for line in text.splitlines():
            if line.startswith("root "):
                name, _, of = line[5:].partition(" = ")
                self.roots[name] = of
            elif line.startswith("struct "):
                fields = self.structs.setdefault(line[7:], {})
            elif line.startswith("constants "):
                fields = {}
            else:
                number, _, rest = line.strip().partition(" ")
                fields[int(number)] = rest.partition(" ")[2]

    def value(self, kind: str, rng: random.Random, depth: int = 0) -> Any:
        """Some value of a kind."""
        kind = kind.rstrip("?")
        if kind in ("int", "uint"):
            value = rng.choice(NUMBERS)
            return abs(value) if kind == "uint" else value
        if kind == "bool":
            return True
        if kind == "bytes":
            return rng.choice([b"", b"a", b"\n", b"\0", b"/", b"a\nb\n", bytes(rng.randrange(256) for _ in range(rng.randrange(40)))])
        if kind == "float":
            return Raw(rng.choice([b"\xf9\x7e\x00", b"\xf9\x7c\x00", b"\xf9\xfc\x00", b"\xfb\x43\xe0\x00\x00\x00\x00\x00\x00"]))
        if kind.startswith("["):
            return [self.value(kind[1:-1], rng, depth + 1) for _ in range(rng.choice([1, 1, 2, 5]) if depth < 4 else 0)]
        if kind.startswith("{"):
            key, _, of = kind[1:-1].partition(": ")
            return {self.value(key, rng): self.value(of, rng, depth + 1)}
        fields = self.structs.get(kind, {})
        if depth > 3 or not fields:
            return {}
        return {n: self.value(fields[n], rng, depth + 1) for n in sorted(rng.sample(sorted(fields), rng.randrange(len(fields) + 1)))}

    def filled(self, kind: str, number: int, depth: int = 0) -> Any:
        """A value of a kind that has one of everything, and all numbers are one."""
        kind = kind.rstrip("?")
        if kind in ("int", "uint"):
            return max(number, 0) if kind == "uint" else number
        if kind == "bool":
            return number != 0
        if kind == "bytes":
            return b"a" * min(abs(number), 3)
        if kind == "float":
            return Raw(b"\xf9\x7e\x00")
        if kind.startswith("["):
            return [self.filled(kind[1:-1], number, depth + 1)] if depth < 3 else []
        if kind.startswith("{"):
            key, _, of = kind[1:-1].partition(": ")
            return {self.filled(key, number): self.filled(of, number, depth + 1)} if depth < 3 else {}
        fields = self.structs.get(kind, {}) if depth < 3 else {}
        return {n: self.filled(fields[n], number, depth + 1) for n in sorted(fields)}


def _number(value: int, rng: random.Random) -> int:
    pick = rng.randrange(4)
    if pick == 0:
        return value + rng.choice([-1, 1])
    if pick == 1:
        return rng.choice([value * 2, -value, value // 2, value + 100])
    return rng.choice(NUMBERS)


def _bytes(value: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(value) + 1)
    pick = rng.randrange(6)
    if pick == 0:
        return b""
    if pick == 1:
        return value[:at]
    if pick == 2:
        return value[:at] + bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 9]))) + value[at:]
    if pick == 3:
        return value[:at] + value[at + 1 :]
    if pick == 4 and value:
        at = min(at, len(value) - 1)
        return value[:at] + bytes([value[at] ^ 1 << rng.randrange(8)]) + value[at + 1 :]
    return value * rng.choice([2, 3])


def places(value: Any, kind: str, kinds: Kinds, path: str = "") -> List[Tuple[Any, Any, str, str]]:
    """Where a value can be changed: what holds it, its key, its kind, its path."""
    kind = kind.rstrip("?")
    found: List[Tuple[Any, Any, str, str]] = []
    if isinstance(value, dict):
        fields = kinds.structs.get(kind)
        for key, inner in value.items():
            of = fields.get(key, "") if fields is not None else kind.rstrip("}").partition(": ")[2]
            found.append((value, key, of, f"{path}.{key}"))
            found += places(inner, of, kinds, f"{path}.{key}")
        for key in fields or {}:
            if key not in value:
                found.append((value, key, (fields or {})[key], f"{path}.{key}"))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            of = kind[1:-1]
            found.append((value, i, of, f"{path}[{i}]"))
            found += places(inner, of, kinds, f"{path}[{i}]")
    return found


def changed(holder: Any, key: Any, kind: str, kinds: Kinds, rng: random.Random) -> str:
    """Change one value; what was done."""
    if isinstance(holder, dict) and key not in holder:
        put(holder, key, kinds.value(kind, rng))
        return f"set to {holder[key]!r:.80}"
    value = holder[key]
    pick = rng.randrange(12)
    if pick == 0 and isinstance(holder, (dict, list)):
        del holder[key]
        return "taken away"
    if pick == 1 and isinstance(holder, list):
        holder.insert(key, value)
        return "twice"
    if pick == 2 and kind:
        holder[key] = kinds.value(kind, rng)
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = max(-(1 << 63), min(_number(value, rng), (1 << 64) - 1))
    elif isinstance(value, bytes):
        holder[key] = _bytes(value, rng)
    elif isinstance(value, list):
        at = rng.randrange(len(value) + 1)
        holder[key] = rng.choice([[], value[:at], value + value, value[::-1]])
    elif isinstance(value, dict) and value:
        del value[rng.choice(sorted(value, key=repr))]
    else:
        holder[key] = kinds.value(kind or "int", rng)
    return f"{value!r:.60} is now {holder[key]!r:.80}"


GONE = object()  # instead of a value: it is taken away


def every(holder: Any, key: Any, kind: str, kinds: Kinds) -> List[Any]:
    """What a value can be changed to, from the value that is there, its kind, and the lengths of those beside it."""
    absent = isinstance(holder, dict) and key not in holder
    value = None if absent else holder[key]
    kind = kind.rstrip("?")
    new: List[Any] = [] if absent else [GONE]
    if kind in ("int", "uint"):
        new += [-1, 0, 1, 2, 7, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 63) - 1, -(1 << 63)]
        if isinstance(value, int):
            new += [value - 1, value + 1, value + 2, -value]
        beside = holder.values() if isinstance(holder, dict) else holder
        for length in sorted({len(other) for other in beside if isinstance(other, (bytes, list, dict))}):
            new += [length - 1, length, length + 1]
        if kind == "uint":
            new = [n for n in new if n is GONE or n >= 0]
    elif kind == "bool":
        new.append(not value)
    elif kind == "bytes":
        value = value or b""
        new += [b"", b"a", b"\n", b"\0", b"/", b"\xff" * max(len(value), 1), value[: len(value) // 2], value + value]
    elif kind == "float":
        new += [Raw(b"\xf9\x7e\x00"), Raw(b"\xf9\x7c\x00"), Raw(b"\xfb\x43\xe0\x00\x00\x00\x00\x00\x00")]
    elif kind.startswith("["):
        value = value or []
        new += [[], value[:-1], value[1:], value + value, value[::-1]]
        new += [[*value, kinds.filled(kind[1:-1], n)] for n in (0, 1, -1, 1 << 31)]
    else:
        new += [{}] + [kinds.filled(kind, n) for n in (0, 1, -1, 1 << 31)]
    distinct: Dict[str, Any] = {repr(n): n for n in new}
    distinct.pop(repr(value), None)
    return list(distinct.values())


def put(holder: Any, key: Any, value: Any) -> None:
    """Change a value, or take it away; a struct's fields stay in order."""
    if value is GONE:
        del holder[key]
        return
    holder[key] = value
    if isinstance(holder, dict):
        ordered = sorted(holder.items(), key=lambda pair: encode(pair[0]))
        holder.clear()
        holder.update(ordered)


class Maker:
    """Makes the n-th blob of a seed."""

    def __init__(self, seed: int, only: str) -> None:
        folder = golden.folders()[0]
        self.kinds = Kinds((folder / "fields.txt").read_text())
        self.seed = seed
        self.rows: List[Tuple[str, bytes, List[str]]] = []
        for name, blob, row in golden.golden(folder):
            if row["key"] or len(blob) > 40_000:
                continue
            utilities = {name for name, _ in Blob.parse(blob).programs()}
            if not only or only in utilities:
                self.rows.append((name, blob, row["typed"]))

    def make(self, number: int) -> Tuple[str, bytes, List[str]]:
        """What was changed, the bytes, and what is typed."""
        rng = random.Random(f"{self.seed} {number}")
        name, data, typed = rng.choice(self.rows)
        blob = Blob.parse(data)
        told = [name]
        programs = list(blob.programs())
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            if programs and rng.random() < 0.75:
                utility, frame = rng.choice(programs)
                try:
                    state = decode(frame[5])[0]
                except (ValueError, IndexError, KeyError, TypeError):  # it was changed itself
                    continue
                holder = {0: state}
                found = places(holder[0], self.kinds.roots["utility " + utility], self.kinds, utility)
                if found:
                    at, key, kind, path = rng.choice(found)
                    told.append(f"{path} {changed(at, key, kind, self.kinds, rng)}")
                    frame[5] = encode(state)
                continue
            index = rng.choice(
                [i for i, (kind, _) in enumerate(blob.records) if kind in (2, 5, PROCESS) or kind in ROOTS and rng.random() < 0.05]
            )
            kind, body = blob.records[index]
            found = places(body, self.kinds.roots[ROOTS[kind]], self.kinds, ROOTS[kind])
            at, key, of, path = rng.choice(found)
            told.append(f"{path} {changed(at, key, of, self.kinds, rng)}")
        return "; ".join(told), blob.data(), typed


class Each(Maker):
    """Makes the n-th of all blobs with one field changed: each field of each record and of each utility's state, so that a
    place in some list counts once, where it is set and where it is not, in each way there is to change it."""

    def __init__(self, times: int, only: str) -> None:
        super().__init__(0, only)
        self.plan: List[Tuple[int, int, str, str, int]] = []  # row, record or -1 - utility, path, and which change
        seen: Dict[Tuple[str, bool], int] = collections.Counter()
        for row, (_, data, _) in enumerate(self.rows):
            once: Set[Tuple[str, bool]] = set()
            for which, name, value in self._values(Blob.parse(data)):
                if only and name != only:
                    continue
                for holder, key, kind, path in places(value, self._root(name), self.kinds, name):
                    field = self._field(value, path), isinstance(holder, dict) and key not in holder
                    if seen[field] < times and field not in once:
                        once.add(field)
                        self.plan += [(row, which, name, path, n) for n in range(len(every(holder, key, kind, self.kinds)))]
            for field in once:
                seen[field] += 1

    def _field(self, value: Any, path: str) -> str:
        """What a path leads to, wherever it stands; the frame of a utility is one of that utility."""
        field = re.sub(r"\[\d+\]", "[]", path)
        frame = re.match(r"ProcRecord\.7\[(\d+)\]\.1\.7\.10\.", path)
        return f"{value[7][int(frame[1])][1][7][10][1]!r} {field}" if frame else field

    def _root(self, name: str) -> str:
        return self.kinds.roots.get("utility " + name) or self.kinds.roots[name]

    def _values(self, blob: Blob) -> Iterator[Tuple[int, str, Any]]:
        for i, (kind, body) in enumerate(blob.records):
            if kind in ROOTS:
                yield i, ROOTS[kind], body
        for i, (utility, frame) in enumerate(blob.programs()):
            yield -1 - i, utility, decode(frame[5])[0]

    def __len__(self) -> int:
        return len(self.plan)

    def make(self, number: int) -> Tuple[str, bytes, List[str]]:
        """What was changed, the bytes, and what is typed."""
        row, which, name, path, n = self.plan[number]
        told, data, typed = self.rows[row]
        blob = Blob.parse(data)
        value = next(value for i, _, value in self._values(blob) if i == which)
        holder, key, kind, _ = next(place for place in places(value, self._root(name), self.kinds, name) if place[3] == path)
        new = every(holder, key, kind, self.kinds)[n]
        old = "nothing" if isinstance(holder, dict) and key not in holder else repr(holder[key])
        put(holder, key, new)
        if which < 0:
            list(blob.programs())[-1 - which][1][5] = encode(value)
        return f"{told}; {path} {old:.60} is now {'gone' if new is GONE else repr(new):.80}", blob.data(), typed


# Trying.

_LIMITS = Limits.hardened(steps=300_000, time=5)


def _never(call: ToolCall) -> str:
    raise AssertionError("nobody calls it")


def tried(data: bytes, typed: List[str]) -> str:
    """Load a blob and run it; what came of it."""
    try:
        tools = dict.fromkeys(Sandbox.inspect(data).tools, _never)
        sb = Sandbox.from_state(data, limits=_LIMITS, tools=tools, timeout=2)
    except StateError as error:
        return f"{INTERNAL}: {error}" if INTERNAL in str(error) else type(error).__name__
    except EryxshError as error:
        return f"{INTERNAL}: {error}" if INTERNAL in str(error) or type(error) is EryxshError else type(error).__name__
    with sb:
        try:
            said = _used(sb, list(typed))
        except EryxshError as error:
            said = str(error)
    at = said.find(INTERNAL)
    return said[max(at - 40, 0) : at + 300] if at >= 0 else "loaded"


def _used(sb: Sandbox, typed: List[str]) -> str:
    said = ""
    run: Optional[Run] = sb.runs.active()
    if run is not None:
        stop = threading.Timer(1, run.cancel)
        stop.start()
        try:
            said = _moved(run, typed)
        finally:
            stop.cancel()
        run.cancel()
    sb.export_state()
    result = sb.commands.run("echo $x; ls | cat; jobs; trap; wait")
    return said + result.stderr


def _moved(run: Run, typed: List[str]) -> str:
    """Move a run to its end, and give what it complained of."""
    for _ in range(200):
        event = run.next(wait=False)
        if isinstance(event, Finished):
            return event.result.stderr
        if isinstance(event, ToolCall):
            run.resume(event, stdout="x\n")
        elif isinstance(event, InputNeeded):
            run.resume(event, data=typed.pop(0) if typed else "")
        elif not isinstance(event, Checkpoint):
            break
    return ""


def _serve(pipe: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (CAP, CAP))
    while True:
        data, typed = pipe.recv()
        try:
            pipe.send(tried(data, typed))
        except Exception as error:
            pipe.send(f"{INTERNAL}: {type(error).__name__}: {error}")


class Worker:
    """A process that tries blobs, and another one when it has died."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._process: Any = None
        self._pipe: Any = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, data: bytes, typed: List[str]) -> str:
        """What came of a blob."""
        if self._process is None:
            self._start()
        try:
            self._pipe.send((data, typed))
            if self._pipe.poll(self._patience):
                return str(self._pipe.recv())
            answer = "hang"
        except (EOFError, OSError):
            answer = "crash"
        self.close()
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def attack(maker: Maker, numbers: Iterable[int], *, show: bool = True, patience: float = PATIENCE) -> Tuple[Dict[str, int], List[str]]:
    """Try blobs: how often each thing came of one, and what must not happen."""
    worker = Worker(patience)
    counts: Dict[str, int] = collections.Counter()
    wrong: List[str] = []
    for number in numbers:
        told, data, typed = maker.make(number)
        answer = worker.ask(data, typed)
        internal = INTERNAL in answer
        counts["internal" if internal else answer] += 1
        if internal or answer in ("hang", "crash"):
            wrong.append(f"{number}: {told}: {answer}")
            if show:
                print(wrong[-1], flush=True)
    worker.close()
    return dict(counts), wrong


def main(argv: List[str]) -> int:
    """Try blobs; 1 if one did what none may."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--blobs", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="blobs with this utility in flight")
    parser.add_argument("--each", type=int, nargs="?", const=1, help="change each field, in so many blobs that have it")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for one blob")
    parser.add_argument("--from", dest="first", type=int, default=0, help="where to begin")
    parser.add_argument("--one", type=int, help="that one again, in this process")
    options = parser.parse_args(argv)
    maker = Each(options.each, options.only) if options.each else Maker(options.seed, options.only)
    numbers = range(len(maker)) if isinstance(maker, Each) else range(options.blobs)
    print(f"{len(numbers)} blobs, seed {options.seed}", flush=True)
    if options.one is not None:
        told, data, typed = maker.make(options.one)
        print(told)
        print(tried(data, typed))
        return 0
    started = time.perf_counter()
    counts, wrong = attack(maker, numbers[options.first :], patience=options.patience)
    print(", ".join(f"{what} {n}" for what, n in sorted(counts.items())), f"in {time.perf_counter() - started:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
