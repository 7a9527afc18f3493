"""Merge: files and shell of two sandboxes against where they parted."""

from __future__ import annotations

import asyncio
import pathlib
import random
from typing import Any, Dict, List

import pytest

import eryxsh
from eryxsh import (
    AsyncSandbox,
    MergeConflict,
    MergeConflictError,
    Mount,
    NoAncestorError,
    Sandbox,
    SandboxBusyError,
    SnapshotNotFoundError,
)

TEXT = "".join(f"line {n}\n" for n in range(20))


def shown(sb: Sandbox) -> Dict[str, Any]:
    """Files with their modes and contents, and what the shell has."""
    out: Dict[str, Any] = {}
    found = sb.commands.run(
        "cd /; find /w /home -printf '%y %m %n %l %p\\n' | sort; "
        'find /w /home -type f | sort | while read -r f; do echo "$f"; cat "$f"; done'
    )
    assert found.exit_code == 0, found.stderr
    out["files"] = found.stdout
    out["shell"] = sb.commands.run(
        "declare -f; alias; shopt -p; set +o; declare -p | grep -v 'BASH\\|_=\\|PWD\\|SECONDS\\|RANDOM\\|EPOCH'"
    ).stdout
    sb.undo(2)
    return out


def test_disjoint_work() -> None:
    """Eight forks of one base, each with its own work, come together without a conflict."""
    sb = Sandbox(files={f"/w/d{n}/f": TEXT for n in range(8)} | {"/w/all": TEXT})
    forks = sb.fork(8)
    for n, fork in enumerate(forks):
        script = f"""
            cd /w/d{n}; echo {n} > new{n}; sed -i 's/line {n}$/LINE {n}/' f ; mkdir -p sub; echo x > sub/x; ln -s f link; ln f hard
            sed -i '{2 * n + 1}s/.*/mine {n}/' /w/all
            v{n}={n}; a{n}=({n} {n}); f{n}() {{ echo f{n}; }}; alias l{n}='ls {n}'; chmod 700 new{n}"""
        assert fork.commands.run(script).exit_code == 0
    for fork in forks:
        result = sb.merge(fork)
        assert result
        assert result.clean
        assert not result.conflicts
    for n in range(8):
        assert sb.files.read_text(f"/w/d{n}/new{n}") == f"{n}\n"
        assert f"LINE {n}\n" in sb.files.read_text(f"/w/d{n}/f")
        assert sb.files.stat(f"/w/d{n}/hard").inode == sb.files.stat(f"/w/d{n}/f").inode
        assert sb.commands.run(f"echo $v{n} ${{a{n}[1]}}; f{n}; alias l{n}").stdout == f"{n} {n}\nf{n}\nalias l{n}='ls {n}'\n"
    assert [line for line in sb.files.read_text("/w/all").splitlines() if "mine" in line] == [f"mine {n}" for n in range(8)]


def test_what_was_done_to_files() -> None:
    """Renames are followed, removals, modes, links and directories come over."""
    sb = Sandbox(files={"/w/a": TEXT, "/w/gone": "x", "/w/run": "#!/bin/sh\n", "/w/dir/in": TEXT, "/w/dir/other": "o\n"})
    child = sb.fork()
    child.commands.run("cd /w; mv a b; rm gone; chmod 755 run; mv dir moved; ln -s b link; mkdir empty; mkfifo pipe")
    sb.commands.run("cd /w; sed -i 's/line 3$/three/' a; echo mine > dir/mine; sed -i 's/line 1$/one/' dir/in")
    result = sb.merge(child)
    assert result.clean
    assert sb.commands.run("cd /w; find . | sort").stdout.split() == [
        ".", "./b", "./empty", "./link", "./moved", "./moved/in", "./moved/mine", "./moved/other", "./pipe", "./run",
    ]  # fmt: skip
    assert "three\n" in sb.files.read_text("/w/b")
    assert "one\n" in sb.files.read_text("/w/moved/in")
    assert sb.files.stat("/w/run").mode == 0o755
    assert result.diff.renamed == {"/w/a": "/w/b", "/w/dir": "/w/moved"}
    assert "/w/gone" in result.merged


def test_conflicts() -> None:
    """Each kind, as an error that changes nothing, and as each way to decide."""
    files = dict.fromkeys(("/w/text", "/w/deleted", "/w/changed", "/w/moved"), TEXT)
    base = Sandbox(files={**files, "/w/binary": b"\0base"})
    base.commands.run("v=base; f() { echo base; }; alias l=base")
    ours, theirs = base.fork(2)
    ours.commands.run(
        "cd /w; sed -i '5s/.*/ours/' text; rm deleted; echo ours >> changed; mv moved here; printf '\\0ours' > binary; echo o > both"
    )
    ours.commands.run("v=ours; f() { echo ours; }; alias l=ours; echo file > /w/kind")
    theirs.commands.run(
        "cd /w; sed -i '5s/.*/theirs/' text; echo t >> deleted; rm changed; mv moved there; printf '\\0theirs' > binary; echo t > both"
    )
    theirs.commands.run("v=theirs; f() { echo theirs; }; alias l=theirs; mkdir /w/kind; echo x > /w/kind/x")
    before = shown(ours)
    with pytest.raises(MergeConflictError, match="nothing was changed") as failed:
        ours.merge(theirs)
    assert shown(ours) == before
    found = {c.path: c for c in failed.value.conflicts}
    assert {path: c.kind for path, c in found.items()} == {
        "/w/text": "content", "/w/binary": "content", "/w/both": "add/add", "/w/deleted": "modify/delete", "/w/changed": "modify/delete",
        "/w/here": "rename/rename", "/w/kind": "file/directory", "v": "variable", "f": "function", "l": "alias",
    }  # fmt: skip
    assert (found["v"].base, found["v"].ours, found["v"].theirs) == (b"base", b"ours", b"theirs")
    assert (found["/w/deleted"].ours, found["/w/changed"].theirs) == (None, None)
    assert (found["/w/here"].ours_path, found["/w/here"].theirs_path) == ("/w/here", "/w/there")
    assert found["/w/binary"].merged is None
    text = found["/w/text"].merged
    assert text is not None
    assert b"<<<<<<< ours\nours\n||||||| base\nline 4\n=======\ntheirs\n>>>>>>> theirs\n" in text

    mine = ours.fork()
    assert len(mine.merge(theirs, on_conflict="ours").conflicts) == 10
    assert shown(mine) == before
    other = ours.fork()
    other.merge(theirs, on_conflict="theirs")
    assert shown(other) == shown(theirs)

    marked = ours.fork()
    assert not marked.merge(theirs, on_conflict="markers").clean
    assert marked.files.read("/w/text") == text
    assert marked.files.read_text("/w/kind~ours") == "file\n"
    assert marked.files.exists("/w/here")
    assert marked.files.exists("/w/there")
    assert marked.files.exists("/w/deleted")

    decided: List[str] = []

    def decide(c: MergeConflict) -> Any:
        decided.append(c.path)
        return {"/w/text": b"decided\n", "/w/both": "text\n", "v": "neither"}.get(c.path, "theirs")

    called = ours.fork()
    called.merge(theirs, on_conflict=decide)
    assert sorted(decided) == sorted(found)
    assert (called.files.read("/w/text"), called.files.read("/w/both")) == (b"decided\n", b"text\n")
    assert called.commands.run("f; echo $v").stdout == "theirs\nneither\n"
    called.undo(2)
    assert shown(called) == before

    with pytest.raises(MergeConflictError):
        ours.merge(theirs, on_conflict=lambda c: None)
    with pytest.raises(TypeError, match="bytes, a str or None"):
        ours.merge(theirs, on_conflict=lambda c: 5)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match='by "ours" or "theirs"'):
        ours.merge(theirs, on_conflict=lambda c: b"content")
    assert shown(ours) == before


def work(sb: Sandbox, chance: random.Random, count: int) -> None:
    """Random changes of files and shell."""
    for _ in range(count):
        n, m = chance.randrange(6), chance.randrange(6)
        script = chance.choice(
            [
                f"sed -i '{1 + 3 * m}s/.*/{chance.random()}/' f{n}", f"rm -f f{n}", f"echo {chance.random()} > new{n}", f"mv f{n} moved{m}",
                f"mkdir -p d{n}; echo {chance.random()} > d{n}/x{m}", f"chmod {chance.choice(['600', '755'])} f{n}", f"ln -f f{n} hard{m}",
                f"rm -rf d{n}", f"mv d{n} e{m}", f"ln -sfn f{n} link{m}", f"v{n}={chance.random()}", f"unset v{n}",
                f"f{n}() {{ echo {m}; }}", f"alias a{n}={m}", "shopt -s extglob", f"rm -rf f{n}; mkdir -p f{n}; echo y > f{n}/y",
                f"cp f{n} c; mv c f{n}",
            ]
        )  # fmt: skip
        sb.commands.run("cd /w; " + script)


@pytest.mark.parametrize("seed", [*range(12), 167, 358])  # links that both made, of what one wrote anew
def test_laws(seed: int) -> None:
    """Merging an unchanged side changes nothing, merging into one gives the other; conflicts are symmetric; a with a is a."""
    chance = random.Random(seed)
    base = Sandbox(
        files={f"/w/f{n}": "".join(f"{n} {m} {chance.random()}\n" for m in range(20)) for n in range(6)} | {"/w/d1/x": "x"}, seed=1
    )
    base.commands.run("cd /w; ln f0 hard0; v1=1; f1() { :; }")
    still, a, b = base.fork(3)
    work(a, chance, 6)
    work(b, chance, 6)
    before, other = shown(a), shown(b)
    result = a.merge(still)
    assert result.clean
    assert not result.diff
    assert shown(a) == before
    assert still.merge(b).clean
    assert shown(still) == other
    same = a.fork()
    assert a.merge(same).clean
    assert a.merge(a).clean
    assert shown(a) == before

    def kinds(x: Sandbox, y: Sandbox) -> List[Any]:
        found = x.fork().merge(y, on_conflict="markers").conflicts
        return sorted(sorted(filter(None, {c.path, c.ours_path, c.theirs_path})) for c in found)

    assert kinds(a, b) == kinds(b, a)
    assert shown(a) == before
    assert shown(b) == other
    for take in ("ours", "theirs", "markers"):
        merged = a.fork()
        merged.merge(b, on_conflict=take)
        assert Sandbox.from_state(merged.export_state()).export_state() == merged.export_state()


def test_ancestors() -> None:
    """Siblings, parents, cousins; what was merged before; a base that is given; none at all."""
    base = Sandbox(files={"/w/f": TEXT})
    early = base.fork()
    base.commands.run("echo base > /w/base")
    late = base.fork()
    cousin = late.fork()
    cousin.commands.run("echo cousin > /w/cousin")
    early.commands.run("echo early > /w/early")
    assert early.merge(cousin).merged == ["/w/base", "/w/cousin"]
    assert base.merge(early).merged == ["/w/cousin", "/w/early"]
    early.commands.run("sed -i 1s/.*/again/ /w/f; rm /w/early")
    base.commands.run("sed -i 1s/.*/before/ /w/cousin")
    assert base.merge(early).merged == ["/w/early", "/w/f"]  # compared with the merge before: /w/cousin stays as it is
    assert base.files.read_text("/w/cousin") == "before\n"
    with pytest.raises(NoAncestorError, match="base="):
        base.merge(Sandbox())
    loaded = Sandbox.from_state(early.export_state())
    loaded.commands.run("echo l > /w/loaded; g() { echo g; }; x=(1 2)")
    with pytest.raises(NoAncestorError):
        base.merge(loaded)
    assert base.merge(loaded, early).merged == ["/w/loaded"]
    assert base.commands.run("g; echo ${x[1]}").stdout == "g\n2\n"
    assert Sandbox.from_state(base.export_state()).commands.run("g").stdout == "g\n"
    point = base.snapshot("point")
    base.commands.run("echo 1 > /w/one")
    child = base.fork()
    child.commands.run("echo 2 > /w/two")
    assert base.merge(child, point).merged == ["/w/two"]
    with pytest.raises(SnapshotNotFoundError):
        base.merge(child, "never")
    child.reset()
    with pytest.raises(NoAncestorError):
        base.merge(child)


def test_going_back_is_a_change() -> None:
    """A side that went back behind the fork has taken back what was done before it."""
    sb = Sandbox(files={"/w/f": TEXT})
    sb.commands.run("echo a > /w/a")
    child = sb.fork()
    sb.undo()
    sb.commands.run("echo other > /w/other")
    child.commands.run("echo c > /w/c; sed -i 1d /w/f")
    assert sb.merge(child).clean
    assert sb.commands.run("cd /w; echo *").stdout == "c f other\n"


def test_undo_and_shell() -> None:
    """A merge is one step back; the directory goes along if only one went; a busy sandbox is left alone."""
    sb = Sandbox(files={"/w/f": "1\n"})
    sb.commands.run("x=1; shopt -s nullglob")
    child = sb.fork()
    child.commands.run("cd /w; x=2; shopt -s extglob; shopt -u nullglob; set -u; export y=3; declare -r z=4")
    result = sb.merge(child)
    assert result.diff.variables == {"x": ("1", "2"), "y": (None, "3"), "z": (None, "4")}
    assert sb.commands.run("pwd; echo $x $- $PWD; shopt extglob nullglob; declare -p y z").stdout == (
        '/w\n2 huBs /w\nextglob        \ton\nnullglob       \toff\ndeclare -x y="3"\ndeclare -r z="4"\n'.replace(
            "huBs", sb.commands.run("echo $-").stdout.strip()
        )
    )
    sb.undo(3)
    assert sb.commands.run("pwd; echo $x").stdout == "/home/user\n1\n"
    run = child.commands.start("read line", stdin=eryxsh.PIPE)
    with pytest.raises(SandboxBusyError):
        sb.merge(child)
    with pytest.raises(SandboxBusyError):
        child.merge(sb)
    run.cancel()


def test_arguments() -> None:
    """What is no sandbox, no base and no way to decide is told so."""
    sb = Sandbox()
    with pytest.raises(TypeError, match="a Sandbox is needed"):
        sb.merge("s1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="base is"):
        sb.merge(sb.fork(), 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_conflict"):
        sb.merge(sb.fork(), on_conflict="mine")
    closed = sb.fork()
    closed.close()
    with pytest.raises(eryxsh.SandboxClosedError):
        sb.merge(closed)


def test_shown() -> None:
    """Results and conflicts say what they are, for people too."""
    sb = Sandbox(files={"/w/f": "1\n"})
    child = sb.fork()
    child.commands.run("echo '<b>' > '/w/<b>'")
    result = sb.merge(child)
    assert str(result) == "A /w/<b>"
    assert repr(result) == "<MergeResult 1 paths, 0 conflicts>"
    assert "&lt;b&gt;" in result._repr_html_()
    assert "A /w/<b>" in str(result.__rich__())
    sb.commands.run("echo 2 > /w/f")
    child.commands.run("echo 3 > /w/f")
    result = sb.merge(child, on_conflict="ours")
    assert str(result) == "nothing to merge\n! content: /w/f"
    assert repr(result.conflicts[0]) == "<MergeConflict content /w/f>"


def test_async() -> None:
    """AsyncSandbox.merge is the same."""

    async def main() -> None:
        async with AsyncSandbox(files={"/w/f": TEXT}) as sb:
            child = await sb.fork()
            await child.commands.run("echo new > /w/new")
            assert (await sb.merge(child)).merged == ["/w/new"]
            with pytest.raises(TypeError, match="an AsyncSandbox"):
                await sb.merge(Sandbox())  # type: ignore[arg-type]

    asyncio.run(main())


def test_no_room() -> None:
    """A merge that does not fit is an error, and nothing has changed."""
    sb = Sandbox(limits=eryxsh.Limits(file_bytes=20_000), files={"/w/f": "1\n"})
    child = sb.fork()
    sb.commands.run("head -c 12000 /dev/zero > /w/a")
    child.commands.run("echo first > /w/0; head -c 12000 /dev/zero > /w/b")
    with pytest.raises(OSError, match="No space"):
        sb.merge(child)
    assert sb.commands.run("cd /w; echo *").stdout == "a f\n"


def test_a_mount_is_a_boundary(tmp_path: pathlib.Path) -> None:
    """A merge puts nothing into a directory of the host, and brings none along."""
    (tmp_path / "name").write_text("the host's\n")
    sb = Sandbox(files={"/w/a": "1\n"})
    theirs = sb.fork()
    theirs.mount("/m", Mount.host(tmp_path))
    assert theirs.commands.run("cat /m/name; echo 2 >> /w/a").stdout == "the host's\n"
    sb.merge(theirs)
    assert sb.commands.run("ls -A /m; cat /w/a").stdout == "1\n2\n"
    covered, other = sb.fork(2)
    sb.mount("/m", Mount.host(tmp_path))
    sb.mount("/new", Mount.host(tmp_path))
    other.commands.run("mkdir /new; echo theirs > /new/name; echo 3 >> /w/a")
    for how in ("raise", "ours", "theirs", "markers"):
        with pytest.raises(NotImplementedError, match=r"/new: .*mounted"):
            sb.merge(other, on_conflict=how)
    assert sb.commands.run("cat /new/name /w/a").stdout == "the host's\n1\n2\n"
    both = sb.fork()
    both.commands.run("cat /m/name; echo 4 > /w/b")
    assert [c.path for c in sb.merge(both).diff.files] == ["/w/b"]
    covered.commands.run("echo below > /m/name")
    sb.merge(covered)
    assert sb.commands.run("cat /m/name").stdout == "the host's\n"
    sb.unmount("/m")
    assert sb.commands.run("cat /m/name").stdout == "below\n"
    assert (tmp_path / "name").read_text() == "the host's\n"
