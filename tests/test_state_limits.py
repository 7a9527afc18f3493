"""A state never lifts a limit: not one that somebody has changed, and not one of a sandbox with other limits."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Dict

import pytest

import blobs
from eryxsh import LimitReached, Limits, QuotaExceededError, Run, Sandbox

HARD = Limits.hardened()
BOMB = "f() { x=$x$1$1$1$1; f $x; }; f 0123456789abcdef"


def lifted(blob: bytes) -> bytes:
    """A state whose every world says that it has no limits, with the sum that is right."""
    parsed = blobs.Blob.parse(blob)
    for kind, body in parsed.records:
        if kind == blobs.WORLD:
            body[14][5] = {}
            if 15 in body:
                body[15][1] = {}
        elif kind == blobs.MACHINE:
            body[1][6] = {}
    return parsed.data()


def wire(limits: Limits) -> Dict[str, Any]:
    """Limits as ``info`` has them."""
    return Sandbox(limits=limits).info().limits


@pytest.mark.parametrize(
    "limits", [None, Limits(), HARD, Limits(memory=5 << 20, pipe=1000, history=3)], ids=["none", "default", "hardened", "own"]
)
def test_a_state_without_limits(limits: Any) -> None:
    """It has those that were given, all of them; those are the defaults where none were."""
    blob = lifted(Sandbox().export_state())
    loaded = Sandbox.from_state(blob, limits=limits)
    assert loaded.info().limits == wire(limits or Limits())
    loaded.reset()
    assert loaded.info().limits == wire(limits or Limits())


def test_it_stops() -> None:
    """The limits of the host end what would take the host's memory."""
    blob = lifted(Sandbox().export_state())
    assert Sandbox.from_state(blob, limits=HARD).commands.run(BOMB).limit in ("memory", "depth")
    sb = Sandbox(limits=HARD)
    sb.import_state(blob)
    assert sb.commands.run(BOMB).limit in ("memory", "depth")
    assert sb.commands.run("head -c 100M /dev/zero > big").exit_code == 1
    assert sb.commands.run("stat -c %s big").stdout.strip() <= str(64 << 20)


def test_import_keeps_the_sandbox_s_own() -> None:
    """``import_state`` bounds by the sandbox's limits, however often, and ``reset`` brings them back."""
    sb = Sandbox(limits=Limits(memory=64 << 20, steps=5_000, pipe=4096))
    sb.import_state(lifted(Sandbox().export_state()))
    assert sb.info().limits == wire(Limits(memory=64 << 20, steps=5_000, pipe=4096))
    sb.import_state(Sandbox(limits=Limits(memory=1 << 20, depth=50)).export_state())
    assert (sb.info().limits["memory"], sb.info().limits["depth"], sb.info().limits["steps"]) == (1 << 20, 50, 5_000)
    sb.import_state(Sandbox().export_state())
    assert sb.info().limits == wire(Limits(memory=64 << 20, steps=5_000, pipe=4096))
    sb.import_state(Sandbox(limits=Limits(memory=1 << 20)).export_state())
    sb.reset()
    assert sb.info().limits == wire(Limits(memory=64 << 20, steps=5_000, pipe=4096))
    child = sb.fork()
    child.import_state(lifted(Sandbox().export_state()))
    assert child.info().limits["steps"] == 5_000


def test_snapshots_and_the_limits_of_a_run() -> None:
    """What a restore brings back out of a state, and what comes back at the end of a run, is bounded as well."""
    source = Sandbox()
    source.snapshot("before")
    run = source.commands.start("checkpoint x; echo end", limits=Limits(depth=100))
    run.next()
    loaded = Run.load(lifted(run.dump()), limits=HARD)
    assert loaded.sandbox.info().limits["depth"] == 2_000
    assert loaded.drive().stdout == "end\n"
    assert loaded.sandbox.info().limits == wire(HARD)
    loaded.sandbox.restore(loaded.sandbox.snapshots.list()[0].id)
    assert loaded.sandbox.info().limits == wire(HARD)


def test_tighter_ones_stay() -> None:
    """A sandbox with little keeps to it wherever it is loaded, its files too."""
    blob = Sandbox(limits=HARD).export_state()
    loaded = Sandbox.from_state(blob)
    assert loaded.info().limits == wire(HARD)
    assert loaded.commands.run("head -c 80M /dev/zero > big").exit_code == 1
    assert Sandbox.from_state(blob, limits=Limits.unlimited()).info().limits == wire(HARD)


def test_larger_ones_are_asked_for() -> None:
    """A host that gave more than the defaults gives it again, or trusts the state; a pickle, a copy and a fork need nothing."""
    large = Limits(memory=3 << 30, file_size=1 << 50, processes=9_000, pipe=1 << 20)
    sb = Sandbox(limits=large)
    assert Sandbox.from_state(sb.export_state()).info().limits == wire(Limits())
    for limits in (large, Limits.unlimited(pipe=None)):
        assert Sandbox.from_state(sb.export_state(), limits=limits).info().limits == wire(large)
    for same in (pickle.loads(pickle.dumps(sb)), copy.deepcopy(sb), sb.fork()):
        assert same.info().limits == wire(large)
    other = Sandbox(limits=large)
    other.import_state(sb.export_state())
    assert other.info().limits == wire(large)


def test_refilled_budgets_travel() -> None:
    """What ``resume(add=…)`` gave counts as the host's own."""
    sb = Sandbox(limits=Limits(steps=100))
    run = sb.commands.start("for i in {1..200}; do echo $i; done", on_limit="suspend")
    event = run.next()
    assert isinstance(event, LimitReached)
    run.resume(event, add={"steps": 10_000})
    blob = run.dump()
    assert Run.load(blob).drive().stdout.endswith("200\n")
    sb.import_state(blob)
    again = sb.runs.active()
    assert again is not None
    assert again.drive().stdout.endswith("200\n")
    sb.reset()
    assert sb.info().limits["steps"] == 100


def test_a_full_pipe_and_a_smaller_bound() -> None:
    """What a pipe holds already stays, so that the state can be saved and loaded again."""
    run = Sandbox(clock="virtual").commands.start("yes | { sleep 1; checkpoint x; head -c 70000 | wc -c; }")
    run.next()
    small = Run.load(run.dump(), limits=Limits(pipe=1000))
    assert Run.load(small.dump(), limits=Limits(pipe=1000)).drive().stdout == "70000\n"


def test_files_of_a_run() -> None:
    """The limits of one run bound its files, and only while it runs."""
    sb = Sandbox()
    assert sb.commands.run("head -c 3000 /dev/zero > f", limits=Limits(file_size=1000)).exit_code == 1
    assert sb.files.stat("/home/user/f").size <= 1000
    assert sb.commands.run("head -c 3000 /dev/zero > f").exit_code == 0


@pytest.mark.parametrize(
    "limits", [Limits(files=100), Limits(file_bytes=100_000), Limits(file_size=1_000)], ids=["files", "file_bytes", "file_size"]
)
def test_more_files_than_the_limits_allow(limits: Limits) -> None:
    """Nothing is wrong with such a state: it is the quota that keeps it out, as FORMAT.md says, and nothing is half done."""
    with Sandbox() as full:
        full.commands.run("for i in {1..150}; do : > f$i; done; head -c 300000 /dev/zero > big")
        blob = full.export_state()
    with pytest.raises(QuotaExceededError, match="limit"):
        Sandbox.from_state(blob, limits=limits)
    with Sandbox(limits=limits) as sb:
        sb.files.write("mine", b"kept")
        with pytest.raises(QuotaExceededError):
            sb.import_state(blob)
        assert sb.commands.run("cat mine; ls").stdout == "keptmine\n"
