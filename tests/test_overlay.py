"""Overlays: directories of the host that a sandbox changes for itself, until it is told to commit."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from eryxsh import CommandResult, ConflictError, Limits, Mount, Sandbox, SandboxBusyError, Store
from test_mounts import becoming_a_link, out_and_in


def out(sb: Sandbox, command: str) -> str:
    result = sb.commands.run(command)
    return result.stdout + result.stderr


def tree(top: Path) -> Dict[str, Tuple[Any, ...]]:
    """What is on the host: kind, mode and content by path."""
    found: Dict[str, Tuple[Any, ...]] = {}
    for path in sorted(top.rglob("*")):
        name, info = str(path.relative_to(top)), path.lstat()
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("dir", info.st_mode & 0o777)
        else:
            found[name] = ("file", info.st_mode & 0o777, path.read_bytes())
    return found


def seen(sb: Sandbox, top: str) -> Dict[str, Tuple[Any, ...]]:
    """The same of a directory of a sandbox."""
    found: Dict[str, Tuple[Any, ...]] = {}
    for info in sb.files.list(top, recursive=True):
        name = info.path[len(top) + 1 :]
        if info.type == "symlink":
            found[name] = ("link", info.target)
        elif info.type == "dir":
            found[name] = ("dir", info.mode & 0o777)
        else:
            found[name] = ("file", info.mode & 0o777, sb.files.read(info.path))
    return found


def stamps(top: Path) -> List[Tuple[str, int, int]]:
    return sorted((str(p), p.lstat().st_mtime_ns, p.lstat().st_ino) for p in top.rglob("*"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    for name, text in {"a": "one\n", "d/b": "two\n", "d/e/c": "three\n", "d/e/x": "x\n", "run": "#!/bin/bash\necho hi\n"}.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (top / "run").chmod(0o755)
    (top / "l").symlink_to("d/b")
    return top


def over(top: Path, **kwargs: Any) -> Sandbox:
    return Sandbox(mounts={"/repo": Mount.host(top, mode="overlay")}, cwd="/repo", **kwargs)


def test_what_is_written_stays(project: Path) -> None:
    before = stamps(project)
    sb = over(project)
    assert sb.mounts["/repo"].mode == "overlay"
    assert not sb.mounts["/repo"].diff()
    assert (
        out(
            sb,
            "echo more >> a; cat a; sed -i s/two/2/ d/b; cat l; rm d/e/c; ls d/e; mv d/e d/f; cat d/f/x; mkdir n; echo new > n/m; rm run;"
            " ln -s a s;"
            " chmod 600 d/f/x; ls -A . d; mv d z; cat z/b z/f/x; find . | sort | tr '\\n' ' '",
        )
        == "one\nmore\n2\nx\nx\n.:\na\nd\nl\nn\ns\n\nd:\nb\nf\n2\nx\n. ./a ./l ./n ./n/m ./s ./z ./z/b ./z/f ./z/f/x "
    )
    assert stamps(project) == before
    diff = sb.mounts["/repo"].diff()
    assert (diff.added, diff.modified, diff.removed) == (
        ["/repo/n", "/repo/n/m", "/repo/s", "/repo/z/b"],  # sed -i writes a file anew
        ["/repo/a"],
        ["/repo/d/b", "/repo/d/e/c", "/repo/run"],
    )
    moved = {"/repo/d": "/repo/z", "/repo/d/e": "/repo/z/f", "/repo/d/e/x": "/repo/z/f/x"}
    assert diff.renamed == moved
    sb.mounts["/repo"].commit()
    assert tree(project) == seen(sb, "/repo")
    assert not sb.mounts["/repo"].diff()
    assert sorted(os.listdir(project)) == ["a", "l", "n", "s", "z"]
    (project / "a").write_text("of the host\n")
    assert out(sb, "cat a") == "of the host\n"


def test_a_patch_that_git_takes(project: Path, tmp_path: Path) -> None:
    sb = over(project)
    sb.commands.run("sed -i s/one/1/ a; mv d/b d/c; printf 'x\\0' > bin; rm d/e/x; chmod +x a; ln -sf a l; mv d/e e; echo 4 >> e/c")
    diff = sb.mounts["/repo"].diff()
    assert diff.renamed == {"/repo/d/b": "/repo/d/c", "/repo/d/e": "/repo/e", "/repo/d/e/c": "/repo/e/c"}
    patch = diff.patch(root="/repo")
    copy = tmp_path / "copy"
    shutil.copytree(project, copy, symlinks=True)
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    subprocess.run(["git", "apply", "-"], cwd=copy, input=patch.encode("utf-8", "surrogateescape"), check=True)
    sb.mounts["/repo"].commit()
    files = lambda found: {n: f for n, f in found.items() if f[0] != "dir"}  # noqa: E731
    assert files(tree(copy)) == files(tree(project)) == files(seen(sb, "/repo"))
    assert not sb.mounts["/repo"].diff()


OPERATIONS = (
    "echo {n} > {p}",
    "echo {n} >> {p}",
    "printf {n} | dd of={p} conv=notrunc bs=1 seek=1 status=none",
    ": > {p}",
    "truncate -s {n} {p}",
    "rm -f {p}",
    "rm -r {p}",
    "rmdir {p}",
    "mkdir {p}",
    "mkdir -p {p}/{name}",
    "mv {p} {q}",
    "mv -T {p} {q}",
    "mv {p} {d}",
    "cp {p} {q}",
    "cp -r {p} /tmp/x && cp -r /tmp/x {q}; rm -rf /tmp/x",  # not into itself: what that copies follows the numbers of the files
    "ln {p} {q}",
    "ln -s {q} {p}",
    "ln -sfn {d} {p}",
    "chmod {mode} {p}",
    "touch -d @{n} {p}",
    "sed -i s/./{n}/ {p}",
    "cat {p} {q}",
    "ls -A {d}",
    "exec 7< {p}; echo {n} >> {p}; cat <&7; rm -f {p}; cat <&7; exec 7<&-",
    "exec 7< {p}; rm -rf {p}; echo other > {p}; cat <&7 {p}; exec 7<&-",
    "(cd {d} && echo {n} > {name} && mkdir -p k && mv k .. && pwd | sed 's,.*/[rc][eo]p[oy],,')",
    "(cd {d} && mv ../{name} . ; rm -f *; ls -A ..)",
)


def lines(result: CommandResult) -> Tuple[Any, ...]:
    """What a command answered; complaints in any order: programs go through a directory in that of the files' numbers."""
    return result.exit_code, result.stdout, sorted(result.stderr.splitlines())


class Both:
    """Random commands in an overlay and in a copy of the files in the same sandbox."""

    def __init__(self, top: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.top = top
        self.fill()
        self.sb = over(top, clock="virtual", seed=seed)
        assert self.sb.commands.run("cp -a /repo /copy").ok

    def fill(self) -> None:
        for i in range(14):
            path = self.top / "/".join(self.random.choice("abcd") for _ in range(self.random.randint(1, 3)))
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{i}\n" * self.random.choice((1, 3, 40)))
                path.chmod(self.random.choice((0o644, 0o755, 0o600)))
            except OSError:  # a file is where a directory is to be
                continue

    def path(self) -> str:
        return "/".join(self.random.choice("abcd") for _ in range(self.random.choice((1, 1, 2, 2, 3))))

    def command(self) -> str:
        return self.random.choice(OPERATIONS).format(
            p=self.path(),
            q=self.path(),
            d=self.path(),
            name=self.random.choice("abcd"),
            n=self.random.randint(1, 9999),
            mode=self.random.choice(("644", "600", "755", "700", "4755")),
        )

    def part(self) -> None:
        """What had several names is committed as several files."""
        files = self.sb.files
        for info in files.list("/copy", recursive=True):
            if info.type == "symlink" and info.nlink > 1:
                files.rm(info.path)
                files.symlink(str(info.target), info.path)
            elif info.type == "file" and info.nlink > 1:
                data = files.read(info.path)
                files.rm(info.path)
                files.write(info.path, data)
                files.chmod(info.path, info.mode & 0o777)

    def step(self) -> str:
        command = self.command()
        got, want = (self.sb.commands.run(f"cd /{top}; {command}") for top in ("repo", "copy"))
        assert lines(got) == lines(want), command
        return command

    def compare(self) -> None:
        assert seen(self.sb, "/repo") == seen(self.sb, "/copy")


@pytest.mark.parametrize("seed", range(int(os.environ.get("ERYXSH_OVERLAY_SEEDS", "12"))))
def test_as_a_copy(tmp_path: Path, seed: int) -> None:
    """Whatever is done, an overlay is as a copy of its files would be; the host is untouched until all of it is committed."""
    top = tmp_path / "project"
    top.mkdir()
    both = Both(top, seed)
    before, done = stamps(top), []
    for i in range(60):
        done.append(both.step())
        both.compare()
        if i % 12 == 5:
            sb, what = both.sb, both.random.randrange(5)
            if what == 0:
                mark = sb.snapshot()
                both.step()
                sb.restore(mark)
            elif what == 1:
                both.sb = sb.fork()
                sb.commands.run("rm -rf /repo/* /copy/*; echo other > /repo/a")
            elif what == 2:
                both.sb = Sandbox.from_state(sb.export_state(), mounts={"/repo": Mount.host(top, mode="overlay")})
                assert both.sb.export_state() == sb.export_state()
            elif what == 3:
                store = Store({})
                store.save(sb, "x")
                both.sb = store.load("x")
                both.sb.mount("/repo", Mount.host(top, mode="overlay"))
            else:
                sb.undo()
                sb.undo()
            both.compare()
        assert stamps(top) == before
        if i % 20 == 19:
            both.sb.mounts["/repo"].commit()
            both.compare()
            both.part()
            assert tree(top) == seen(both.sb, "/repo"), done
            assert not both.sb.mounts["/repo"].diff()
            before = stamps(top)
    both.sb.commands.run("rm -rf /repo/*; echo x > /repo/new")
    both.sb.mounts["/repo"].discard()
    both.compare()
    assert stamps(top) == before


CONFLICTS = (  # in the sandbox, on the host, where it says
    ("echo x > a", "echo y > a", ["a"]),
    ("echo x >> a", "rm a", ["a"]),
    ("rm a", "echo y >> a", ["a"]),
    ("echo x > new", "echo y > new", ["new"]),
    ("mkdir new; touch new/x", "mkdir new; echo > new/y", ["new/y"]),
    ("mkdir new; echo x > new/x", "echo > new", ["new"]),
    ("rm -r d", "echo y > d/e/new", ["d/e/new"]),
    ("rm -r d; mkdir d", "echo y > d/b", ["d/b"]),
    ("echo x > d/b", "rm -r d; echo > d", ["d"]),
    ("chmod 600 a", "chmod 755 a", ["a"]),
    ("ln -sf x l", "ln -sf y l", ["l"]),
    ("mv a z", "echo y >> a", ["a"]),
    ("echo x >> a; echo x >> d/b", "echo y >> a; echo y >> d/b", ["a", "d/b"]),
    ("rm a; mkdir a", "echo y >> a", ["a"]),
    ("rm -r d; echo > d", "echo y > d/e/new", ["d/e/new"]),
)


@pytest.mark.parametrize(("mine", "theirs", "where"), CONFLICTS)
def test_a_host_that_changed_the_same(project: Path, mine: str, theirs: str, where: List[str]) -> None:
    """Nothing is written, the error names all of them, and the overlay is as it was."""
    sb = over(project)
    assert sb.commands.run(f"{mine}; echo more > other").ok
    subprocess.run(theirs, shell=True, cwd=project, check=True)
    before, was = stamps(project), seen(sb, "/repo")
    with pytest.raises(ConflictError, match=where[0]) as caught:
        sb.mounts["/repo"].commit()
    assert list(caught.value.paths) == [f"/repo/{path}" for path in where]
    assert stamps(project) == before
    assert seen(sb, "/repo") == was
    tops = [f"/repo/{name}" for name in ("z", "d", "new") if mine.startswith(("rm -r " + name, "mkdir " + name, "mv a " + name))]
    sb.mounts["/repo"].discard(*caught.value.paths, *tops)
    sb.mounts["/repo"].commit()
    assert tree(project) == seen(sb, "/repo")
    assert (project / "other").read_text() == "more\n"


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("echo x > a", "echo x > a"),
        ("rm a", "rm a"),
        ("rm -r d", "rm -r d/e"),
        ("mkdir -p new/x; echo x > new/x/y", "mkdir -p new/x; echo x > new/x/y"),
        ("echo x >> a", "cp a b; mv b a"),
        ("echo x >> a", "touch -d @5 a"),
        ("echo x > a", "echo y > d/b"),
        ("mv d z", "echo y > d/e/new"),
        ("mv d z; echo x > z/b", "rm d/e/c"),
    ],
)
def test_a_host_that_changed_something_else(project: Path, mine: str, theirs: str) -> None:
    sb = over(project)
    sb.commands.run(mine)
    subprocess.run(theirs, shell=True, cwd=project, check=True)
    sb.mounts["/repo"].commit()
    assert tree(project) == seen(sb, "/repo")
    assert not sb.mounts["/repo"].diff()


def test_discard(project: Path) -> None:
    before = stamps(project)
    sb = over(project)
    mount = sb.mounts["/repo"]
    sb.commands.run("echo x >> a; rm -r d/e; echo x > d/b; mkdir n; echo n > n/m; mv run walk; exec 5< a; exec 6< n/m; cd n")
    mount.discard("/repo/d", "n")
    assert out(sb, "pwd -P; cat <&5; cat <&6; cat /repo/d/b /repo/d/e/c; ls /repo") == "/repo\none\nx\nn\ntwo\nthree\na\nd\nl\nwalk\n"
    with pytest.raises(ValueError, match="moved elsewhere"):
        mount.discard("/repo/run")
    assert out(sb, "ls /repo") == "a\nd\nl\nwalk\n"
    mount.discard("/repo/run", "/repo/walk")
    assert mount.diff().modified == ["/repo/a"]
    with pytest.raises(ValueError, match="not below"):
        mount.discard("/tmp")
    mount.discard()
    assert not mount.diff()
    assert stamps(project) == before
    sb.mount("/data", {"f": "1"})
    for change in (sb.mounts["/data"].diff, sb.mounts["/data"].commit, sb.mounts["/data"].discard):
        with pytest.raises(ValueError, match="overlay"):
            change()


def test_what_is_open_stays_open(project: Path) -> None:
    """Through a commit: descriptors go on in the host's files, also for writing, and so do working directories."""
    sb = over(project)
    sb.commands.run("mkdir n; cd n; echo 1 > f; exec 5>> f 6< f 7< ../a; echo x >> ../a; exec 8> gone; echo g >&8; rm gone; mv ../d ../z")
    sb.commands.run("exec 9< ../z/b")
    sb.mounts["/repo"].commit()
    assert tree(project) == seen(sb, "/repo")
    assert out(sb, "pwd; echo 2 >&5; cat <&6; cat <&7; cat <&9; echo h >&8; ls") == "/repo/n\n1\n2\none\nx\ntwo\nf\n"
    assert (project / "n" / "f").read_text() == "1\n"
    sb.mounts["/repo"].commit()
    assert (project / "n" / "f").read_text() == "1\n2\n"
    blob = sb.export_state()
    again = Sandbox.from_state(blob, mounts={"/repo": Mount.host(project, mode="overlay")})
    assert out(again, "echo 3 >&5; cat <&6; pwd") == "3\n/repo/n\n"


def test_a_run_has_the_mount(project: Path) -> None:
    sb = over(project, tools={"ask": None})
    run = sb.commands.start("echo x > a; ask; cat a")
    run.next()
    for change in (sb.mounts["/repo"].commit, sb.mounts["/repo"].discard):
        with pytest.raises(SandboxBusyError):
            change()
    assert sb.mounts["/repo"].diff().modified == ["/repo/a"]
    run.cancel()


def test_what_travels(project: Path) -> None:
    """What an overlay changed is the sandbox's; what it did not is not, and a state says so."""
    sb = over(project)
    assert out(sb, "cd d; exec 4< b 5< e/x; echo mine > e/new; rm e/c; echo mine >> e/x; rm e/x; mv b c; sed -i s/one/changed/ ../a") == ""
    sb.snapshot("was")
    blob = sb.export_state()
    assert b"mine" in blob
    assert b"changed" in blob
    assert b"three" not in blob
    assert b"echo hi" not in blob
    assert Sandbox.inspect(blob).dropped == ("mount /repo: files of the host",)
    lost = Sandbox.from_state(blob)
    assert out(lost, "cat e/new; cat ../run") == "mine\ncat: ../run: No such device\n"
    for call in (lost.mounts["/repo"].diff, lost.mounts["/repo"].commit):
        with pytest.raises(OSError, match="No such device"):
            call()
    with pytest.raises(ValueError, match="overlay, not ro"):
        lost.mount("/repo", Mount.host(project))
    lost.mount("/repo", Mount.host(project, mode="overlay"))
    assert out(lost, "cat <&4; cat <&5; cat ../run; ls . e") == "two\nx\nmine\n#!/bin/bash\necho hi\n.:\nc\ne\n\ne:\nnew\n"
    assert lost.export_state()
    lost.restore("was")
    lost.mounts["/repo"].commit()
    assert tree(project) == seen(lost, "/repo")


def test_a_merge_does_not_lose_it(project: Path) -> None:
    sb = over(project)
    child = sb.fork()
    child.commands.run("echo x > a")
    with pytest.raises(NotImplementedError, match="commit or discard"):
        sb.merge(child)
    child.mounts["/repo"].discard()
    child.commands.run("echo x > /tmp/x")
    sb.merge(child)
    assert sb.files.read("/tmp/x") == b"x\n"


def test_limits_and_errors(project: Path) -> None:
    (project / "big").write_bytes(b"x" * 200_000)
    os.mkfifo(project / "fifo")
    sb = over(project, limits=Limits(file_bytes=100_000))
    assert out(sb, "echo >> big; echo $?; echo > big; cat big; echo x > fifo; chmod 600 fifo").count("space") == 1
    sb.commands.run("mkfifo p")
    before = stamps(project)
    with pytest.raises(ValueError, match="only files"):
        sb.mounts["/repo"].commit()
    sb.commands.run("rm p")
    project.chmod(0o555)
    try:
        if os.geteuid():
            with pytest.raises(PermissionError):
                sb.mounts["/repo"].commit()
    finally:
        project.chmod(0o755)
    assert stamps(project) == before
    refuse = pytest.raises(OSError, match="busy")
    sb.commands.run("mkdir /repo/in")
    with pytest.raises(OSError, match="Read-only") as caught:
        sb.mount("/repo/in", {"f": "1"})
    assert caught.value.errno == errno.EROFS
    with refuse:
        sb.unmount("/repo")


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    """Links on the host are resolved in the sandbox, and a commit follows none, also one that came meanwhile."""
    outside, inside = out_and_in(tmp_path)
    (inside / "abs").symlink_to(outside / "f")
    (inside / "rel").symlink_to("../out/f")
    (inside / "up").symlink_to("..")
    sb = over(inside)
    sb.commands.run(f"mkdir -p /out {outside}; for f in abs rel up/out/f l/f ../out/g; do echo x > $f; done")
    sb.commands.run("echo y > d/f; echo z > d/g; mkdir -p d/n/m; echo > d/n/m/f")
    kept = stamps(outside)
    moved = tmp_path / "moved"
    os.rename(inside / "d", moved)
    (inside / "d").symlink_to(outside)
    with pytest.raises(ConflictError, match="/repo/d"):
        sb.mounts["/repo"].commit()
    (inside / "d").unlink()
    os.rename(moved, inside / "d")
    sb.mounts["/repo"].commit()
    assert stamps(outside) == kept
    assert (outside / "f").read_text() == "secret\n"
    assert (inside / "d" / "f").read_text() == "y\n"
    assert sorted(os.listdir(inside)) == ["abs", "d", "l", "rel", "up"]


def test_a_directory_that_becomes_a_link_while_it_is_written(tmp_path: Path) -> None:
    """A race: while commits run, a directory is swapped for a link that leads out, and back."""
    outside, inside = out_and_in(tmp_path)
    kept, committed = tree(outside), 0
    with becoming_a_link(inside):
        for i in range(60):
            sb = over(inside)
            sb.commands.run(f"echo {i} > d/f; echo {i} > d/g; mkdir d/n{i} && echo > d/n{i}/x; rm -rf d/n{i - 3}")
            try:
                sb.mounts["/repo"].commit()
                committed += 1
            except (OSError, ConflictError):
                pass
            assert tree(outside) == kept
    assert committed


IGNORED = {
    ".gitignore": "*.o\n/build/\n!keep.o\n# comment\nd/*.txt\n!d/kept.txt\nsecret\n",
    "a.o": "",
    "keep.o": "",
    "a.c": "",
    "build/x": "",
    "sub/build/x": "",
    "d/a.txt": "",
    "d/kept.txt": "",
    "d/e/a.txt": "",
    "sub/.gitignore": "!a.o\n/only\n**/deep\n",
    "sub/a.o": "",
    "sub/only": "",
    "sub/x/only": "",
    "sub/x/deep/f": "",
    "secret/f": "",
    "cache/f": "",
}


def test_excluded(tmp_path: Path) -> None:
    """What .gitignore files and patterns exclude is as if it were not there, as git says; a sandbox may have its own."""
    top = tmp_path / "top"
    for name, text in IGNORED.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    mount = Mount.host(top, mode="overlay", gitignore=True, exclude=["/cache/", "!secret"])
    sb = Sandbox(mounts={"/repo": mount}, cwd="/repo")
    shown = sorted(name for name, kind in seen(sb, "/repo").items() if kind[0] == "file")
    assert shown == [
        ".gitignore", "a.c", "d/e/a.txt", "d/kept.txt", "keep.o", "secret/f", "sub/.gitignore", "sub/a.o", "sub/build/x", "sub/x/only",
    ]  # fmt: skip
    if shutil.which("git"):
        (tmp_path / "gitdir").mkdir()
        subprocess.run(["git", "init", "-q"], cwd=top, check=True)
        told = subprocess.run(
            ["git", "check-ignore", "--no-index", *IGNORED], cwd=top, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        shutil.rmtree(top / ".git")
        differ = {"cache/f", "secret/f"}
        assert set(shown) - differ == set(IGNORED) - set(told.split()) - differ
    for name in ("a.o", "build", "build/x", "cache/f", "d/a.txt"):
        with pytest.raises(FileNotFoundError):
            sb.files.read(f"/repo/{name}")
    before = tree(top)
    assert out(sb, "mkdir build; echo mine > build/y; echo mine > a.o; echo c > a.c; rm -r d; ls build; cat a.o") == "y\nmine\n"
    diff = sb.mounts["/repo"].diff()
    assert (diff.added, diff.modified, diff.removed) == ([], ["/repo/a.c"], ["/repo/d", "/repo/d/e", "/repo/d/e/a.txt", "/repo/d/kept.txt"])
    sb.mounts["/repo"].commit()
    left = {**before, "a.c": ("file", 0o644, b"c\n")}
    assert tree(top) == {name: is_ for name, is_ in left.items() if name not in ("d/e", "d/e/a.txt", "d/kept.txt")}
    assert out(sb, "cat build/y a.o; ls d") == "mine\nmine\n"
    assert not sb.mounts["/repo"].diff()
    sb.commands.run("mv sub build/sub")
    with pytest.raises(ValueError, match="excluded"):
        sb.mounts["/repo"].commit()
    sb.mounts["/repo"].discard()
    assert out(sb, "ls a.o build 2>&1 | wc -l; rm -r d; echo file > d; rm -r sub; echo > sub") == "2\n"
    with pytest.raises(ConflictError, match="/repo/d"):  # there is more in it than the sandbox may know
        sb.mounts["/repo"].commit()
    (top / ".gitignore").write_text("")
    assert "a.o" in out(sb, "ls")
    for wrong, error in (("*.o", TypeError), (["a\nb"], ValueError)):
        with pytest.raises(error):
            Mount.host(top, exclude=wrong)
