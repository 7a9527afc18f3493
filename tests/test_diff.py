"""Diff: files, variables, functions, cwd; a patch that git takes."""

from __future__ import annotations

import io
import os
import pathlib
import random
import shutil
import subprocess

import pytest

from eryxsh import EryxshError, Sandbox, SnapshotNotFoundError

GIT = shutil.which("git")


def test_what_differs() -> None:
    """Each kind of change, by name; what did not change is not there."""
    sb = Sandbox(files={"/w/keep": "k\n", "/w/change": "1\n", "/w/gone": "x\n", "/w/old": "moved\n", "/w/run.sh": "#!/bin/sh\n"})
    sb.commands.run("v=1; gone=2; a=(1 2); f() { echo f; }; g() { :; }")
    before = sb.snapshot("before")
    sb.commands.run("cd /w; echo 2 >change; rm gone; mv old new; chmod 700 run.sh; ln -s new link; mkdir d; echo n >d/n; touch keep")
    sb.commands.run("v=2; unset gone; a+=(3); w=new; f() { echo changed; }; unset -f g; h() { :; }")
    d = sb.diff(before)
    assert d.added == ["/w/d", "/w/d/n", "/w/link"]
    assert d.modified == ["/w/change", "/w/run.sh"]
    assert d.removed == ["/w/gone"]
    assert d.renamed == {"/w/old": "/w/new"}
    assert d.variables == {
        "v": ("1", "2"),
        "gone": ("2", None),
        "w": (None, "new"),
        "a": ('([0]="1" [1]="2")', '([0]="1" [1]="2" [2]="3")'),
    }
    assert {name: (bool(x), bool(y)) for name, (x, y) in d.functions.items()} == {"f": (True, True), "g": (True, False), "h": (False, True)}
    assert d.cwd == ("/home/user", "/w")
    run = next(f for f in d.files if f.path == "/w/run.sh")
    assert (run.mode_before, run.mode_after, str(run)) == (0o644, 0o700, "M /w/run.sh (mode 644 -> 700)")
    assert repr(d) == "<Diff 3 added, 2 modified, 1 removed, 1 renamed, 4 variables, 3 functions, cwd>"
    assert not sb.diff("before", before)
    assert str(sb.diff("before", "before")) == "no difference"
    with pytest.raises(SnapshotNotFoundError):
        sb.diff("never")
    with pytest.raises(TypeError, match="SnapshotInfo"):
        sb.diff(3)  # type: ignore[arg-type]


def test_names_of_snapshots() -> None:
    """An id, a name and a SnapshotInfo are the same; of several with one name it is the newest."""
    sb = Sandbox()
    sb.snapshot("here")
    sb.commands.run("echo 1 > f")
    sb.snapshot("here")
    sb.commands.run("echo 2 > f")
    info = sb.snapshots.list()[0]
    assert sb.diff(info, "here").added == ["/home/user/f"]
    sb.restore("here")
    assert sb.files.read("/home/user/f") == b"1\n"
    sb.restore(info)
    assert not sb.files.exists("/home/user/f")
    sb.snapshots.drop(info)
    sb.snapshots.drop("here")
    with pytest.raises(SnapshotNotFoundError):
        sb.restore("here")


def test_hard_links() -> None:
    """A new name of an old file is an added one, a lost name a removed one."""
    sb = Sandbox(files={"/w/a": "1\n"})
    before = sb.snapshot()
    sb.commands.run("cd /w; ln a b")
    linked = sb.snapshot()
    sb.commands.run("rm a")
    d = sb.diff(before, linked)
    assert (d.added, d.removed, d.renamed) == (["/w/b"], [], {})
    d = sb.diff(linked)
    assert (d.added, d.removed, d.renamed) == ([], ["/w/a"], {})


def test_the_states_are_kept() -> None:
    """The patch is of the states as they were compared, also after the snapshot and the sandbox are gone."""
    sb = Sandbox(files={"/w/a": "1\n"})
    before = sb.snapshot()
    sb.commands.run("echo 2 > /w/a")
    d = sb.diff(before)
    sb.commands.run("echo 3 > /w/a")
    sb.snapshots.drop(before)
    sb.close()
    assert "-1\n+2\n" in d.patch()
    with pytest.raises(EryxshError, match="more than 1 bytes"):
        d.patch(limit=1)
    with pytest.raises(ValueError, match="context"):
        d.patch(-1)
    d.close()
    d.close()
    with pytest.raises(EryxshError, match="closed"):
        d.patch()


def test_how_it_looks() -> None:
    """A notebook escapes it and cuts it; a terminal gets colours."""
    sb = Sandbox()
    before = sb.snapshot()
    sb.files.write("/home/user/<b>.html", "<script>alert(1)</script>\n" * 3000)
    sb.commands.run("x=$'\\xff<i>'")
    shown = sb.diff(before)._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert "more characters" in shown
    assert len(shown) < 60_000


def test_a_terminal_shows_it_and_obeys_nothing() -> None:
    """Through rich: colours of its own, and pictures of the control characters that names and contents have."""
    console = pytest.importorskip("rich.console")
    sb = Sandbox()
    before = sb.snapshot()
    sb.commands.run(r"printf 'text \033[2J[bold]x[/bold] \r\xff\n' > $'/home/user/n\033[31m'; v=$'\033]0;title\a'")
    with io.StringIO() as out:
        console.Console(file=out, force_terminal=True, width=400, color_system="standard").print(sb.diff(before))
        shown = out.getvalue()
    assert "[bold]x[/bold]" in shown
    assert "\u241b[2J" in shown
    assert "\x1b[32m+text" in shown
    for bad in ("\x1b[2J", "\x1b[31mn", "\x1b]0", "\x07", "\r"):
        assert bad not in shown


def shell_tree(root: pathlib.Path) -> dict[str, tuple[str, bytes]]:
    """Files and links below a folder, with what git keeps of their modes."""
    found = {}
    for path in sorted(root.rglob("*")):
        if ".git" in path.relative_to(root).parts:
            continue
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("120000", os.fsencode(os.readlink(path)))
        elif path.is_file():
            found[name] = ("100755" if path.stat().st_mode & 0o100 else "100644", path.read_bytes())
    return found


CHANGES = (
    "for i in 1 2 3; do echo line$RANDOM >> {f}; done",
    "sed -i '2d; s/a/A/g' {f}",
    "mv {f} {g}",
    "rm -f {f}",
    "cp {f} {g}",
    "chmod +x {f}",
    "chmod -x {f}",
    "printf no-newline >> {f}",
    "head -c 3000 /dev/urandom > {f}",
    "printf 'a\\0b' >> {f}",
    "ln -sfn {g} {f}",
    ": > {f}",
    "mkdir -p dir-{n}; seq 40 > dir-{n}/x; mv dir-{n} moved-{n}",
    "mkdir -p 'a b'; echo x >> 'a b/t\tab'; echo y >> $'a b/\\xc3\\xa9 \"q\"'",
    "mv moved-* elsewhere-{n}",
    "mv old renamed",
    "mv renamed/deep deep; echo {n} >> deep/b",
    "ln f1 hard-{n}; echo {n} >> f1",
    "mv f1 swap; mv f2 f1; mv swap f2",
    "seq 100 | sed '5~7s/$/ changed {n}/' > {f}",
)


@pytest.mark.skipif(GIT is None, reason="git is not installed")
@pytest.mark.parametrize("seed", range(16))
def test_git_takes_the_patch(tmp_path: pathlib.Path, seed: int) -> None:
    """Whatever was done below a folder: the patch, applied by git to the tree before, gives the tree after."""
    chance = random.Random(seed)
    sb = Sandbox(seed=seed, clock="virtual")
    sb.commands.run("mkdir /repo; cd /repo; for i in 1 2 3 4 5 6; do seq $((i * 9)) > f$i; done; head -c 2000 /dev/urandom > f6")
    sb.commands.run("mkdir -p old/deep; cp f1 old/a; cp f2 old/deep/b; cp f3 old/deep/c")
    before = sb.snapshot()
    repo = tmp_path / "repo"
    sb.files.download("/repo", repo)
    for n in range(chance.randint(3, 14)):
        script = chance.choice(CHANGES).format(f=f"f{chance.randint(1, 8)}", g=f"f{chance.randint(1, 8)}", n=n)
        sb.commands.run(f"cd /repo; {script}")
    patch = sb.diff(before).patch(chance.choice((0, 1, 3)), root="/repo").encode("utf-8", "surrogateescape")
    assert subprocess.run([GIT, "init", "-q", "."], cwd=repo, capture_output=True).returncode == 0
    (tmp_path / "patch").write_bytes(patch)
    done = subprocess.run([GIT, "apply", "--unidiff-zero", "--allow-empty", "../patch"], cwd=repo, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + patch.decode("utf-8", "replace")
    want = {}
    for info in sb.files.list("/repo", recursive=True):
        name = info.path[len("/repo/") :]
        if info.type == "symlink":
            want[name] = ("120000", os.fsencode(sb.files.readlink(info.path)))
        elif info.type == "file":
            want[name] = ("100755" if info.mode & 0o100 else "100644", sb.files.read(info.path))
    assert shell_tree(repo) == want
