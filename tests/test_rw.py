"""Directories of the host that a sandbox writes to at once."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from eryxsh import Finished, Mount, Sandbox
from test_mounts import becoming_a_link, out_and_in
from test_overlay import Both, lines, out, seen, tree


def writing(top: Path, **kwargs: Any) -> Sandbox:
    return Sandbox(mounts={"/repo": Mount.host(top, mode="rw")}, cwd="/repo", **kwargs)


def test_it_is_there_at_once(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one\n")
    sb = writing(tmp_path)
    assert (sb.mounts["/repo"].mode, sb.mounts["/repo"].missing) == ("rw", False)
    assert (
        out(
            sb,
            "echo two >> f; cat f; echo new > n; mkdir -p d/e; mv n d/e; ln -s d/e l; cat l/n; chmod 640 f; touch -d @5 d/e/n;"
            " truncate -s 3 f;"
            " ln f h; rm f; cat h; printf X | dd of=h conv=notrunc bs=1 seek=1 status=none; cat h; sed -i s/X/Y/ h; cat h;"
            " rmdir d 2>&1; mkdir g; rmdir g",
        )
        == "one\ntwo\nnew\noneoXeoYermdir: failed to remove 'd': Directory not empty\n"
    )
    assert tree(tmp_path) == {
        "d": ("dir", 0o755),
        "d/e": ("dir", 0o755),
        "d/e/n": ("file", 0o644, b"new\n"),
        "h": ("file", 0o640, b"oYe"),
        "l": ("link", "d/e"),
    }
    assert (tmp_path / "d/e/n").stat().st_mtime == 5
    sb.files.write("/repo/x/y", b"abc")
    sb.files.append("/repo/x/y", b"def")
    assert (tmp_path / "x/y").read_bytes() == b"abcdef"
    sb.files.rm("/repo/x", recursive=True)
    before = sb.snapshot()
    child = sb.fork()
    child.commands.run("echo child > c")
    assert out(sb, "cat c") == "child\n"
    sb.commands.run("rm c")
    sb.restore(before)  # the host is not brought back
    assert not (tmp_path / "c").exists()
    blob = sb.export_state()
    assert Sandbox.inspect(blob).dropped == ("mount /repo: files of the host",)
    again = Sandbox.from_state(blob, mounts={"/repo": Mount.host(tmp_path, mode="rw")})
    assert out(again, "echo more >> h; cat h; pwd") == "oYemore\n/repo\n"
    (tmp_path / "h").write_text("of the host\n")
    assert out(sb, "cat h; echo x >> h; cat h") == "of the host\nof the host\nx\n"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("mkfifo p", "Operation not permitted"),
        ("echo > private.o", "Permission denied"),
        ("mkdir build", "Permission denied"),
        ("mv f build", "Permission denied"),
        ("ln f build", "Permission denied"),
        ("rm missing", "No such file"),
        ("mkdir f", "File exists"),
        ("rmdir d", "not empty"),
        ("echo > d", "Is a directory"),
        ("mv d d/e", "subdirectory of itself"),
        ("mv d /proc", "cannot"),
        ("cat build/x", "No such file"),
    ],
)
def test_what_is_refused(tmp_path: Path, command: str, error: str) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "x").write_text("hidden\n")
    (tmp_path / "f").write_text("f\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x").touch()
    before = tree(tmp_path)
    sb = Sandbox(mounts={"/repo": Mount.host(tmp_path, mode="rw", exclude=["build", "*.o"])}, cwd="/repo")
    result = sb.commands.run(command)
    assert result.exit_code != 0
    assert error in result.stderr
    assert tree(tmp_path) == before


@pytest.mark.parametrize("seed", range(8))
def test_as_a_directory(tmp_path: Path, seed: int) -> None:
    """Random commands do to the host what they do to a copy in the sandbox."""
    top = tmp_path / "top"
    top.mkdir()
    both = Both(top, seed)
    both.random = random.Random(seed)
    both.sb = writing(top, clock="virtual", seed=seed)
    assert both.sb.commands.run("cp -a /repo /copy").ok
    for _ in range(60):
        command = both.command()
        if (
            "exec 7<" in command or "4755" in command or command.startswith(("(cd", "chmod"))
        ):  # see Mount.host: a descriptor follows the path
            continue
        got, want = (both.sb.commands.run(f"cd /{name}; {command}") for name in ("repo", "copy"))
        assert lines(got) == lines(want), command
        assert seen(both.sb, "/repo") == seen(both.sb, "/copy"), command
        assert tree(top) == seen(both.sb, "/repo"), command


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    outside, inside = out_and_in(tmp_path)
    (inside / "rel").symlink_to("../out/f")
    kept = tree(outside)
    sb = writing(inside)
    for target in ("l/f", "rel", "../out/f", "d/../../out/f", "l/new"):
        sb.commands.run(
            f"echo x > {target}; echo x >> {target}; rm -f {target}; chmod 777 {target};"
            f"truncate -s 0 {target}; mv d/f {target}; touch {target}"
        )
        assert tree(outside) == kept
    (inside / "d" / "f").write_text("inside\n")
    if not (inside / "l").is_symlink():
        (inside / "l").symlink_to(outside)
    with becoming_a_link(inside):
        for i in range(60):
            sb.commands.run(
                f"echo {i} > d/f; echo x >> d/g; mkdir d/n{i}; mv d/g d/n{i}/h; ln d/f d/k; chmod 700 d/f; truncate -s 2 d/f;"
                f"rm -rf d/n{i} d/k; touch -d @5 d/f"
            )
            assert tree(outside) == kept
    assert os.listdir(outside) == ["f"]


def test_nothing_is_written_twice(tmp_path: Path) -> None:
    """A run that is suspended in the middle of a long step goes back to where its slice began, but not over what it wrote."""
    sb = writing(tmp_path)
    run = sb.commands.start("printf -v x '%*s' 1000000 ''; for i in {1..40}; do echo $i >> f; y=${x// /ab}; done", timeout=None)
    times = 0
    while True:
        timer = threading.Timer(0.004 * (times % 7 + 1), run.suspend)
        timer.start()
        event = run.next()
        timer.cancel()
        timer.join()
        if isinstance(event, Finished):
            break
        times += 1
        assert times < 2000
    assert times
    assert (tmp_path / "f").read_text().split() == [str(i) for i in range(1, 41)]
