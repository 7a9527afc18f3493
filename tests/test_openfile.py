"""open(): file objects that behave as Python's own, checked against a real file."""

from __future__ import annotations

import csv
import io
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from eryxsh import Sandbox


@pytest.fixture
def sb() -> Sandbox:
    return Sandbox()


@pytest.mark.parametrize("mode", ["rb", "r+b", "wb", "w+b", "ab", "a+b", "xb", "x+b"])
@pytest.mark.parametrize("buffering", [-1, 0, 7])
def test_like_a_real_file(sb: Sandbox, tmp_path: Path, mode: str, buffering: int) -> None:
    """The same random operations give the same answers, positions, errors and content."""
    rng = random.Random(mode + str(buffering))
    content = bytes(rng.randrange(256) for _ in range(300))
    real = tmp_path / "f"
    if "x" not in mode:
        real.write_bytes(content)
        sb.files.write("/f", content)
    with open(real, mode, buffering) as a, sb.files.open("/f", mode, buffering) as b:
        for _ in range(120):
            op = rng.choice(["read", "write", "seek", "tell", "truncate", "readline", "flush"])
            n = rng.randrange(60)

            def act(f: Any, op: str = op, n: int = n) -> object:
                try:
                    if op == "read":
                        return f.read(n)
                    if op == "readline":
                        return f.readline()
                    if op == "write":
                        return f.write(bytes([n]) * n)
                    if op == "seek":
                        return f.seek(n * 7)
                    if op == "truncate":
                        return f.truncate(n * 5)
                    return getattr(f, op)()
                except (OSError, ValueError) as error:
                    return type(error)

            assert act(a) == act(b), (op, n)
    assert real.read_bytes() == sb.files.read("/f")


def test_text(sb: Sandbox) -> None:
    """UTF-8 by default, universal newlines, iteration, line buffering."""
    with sb.files.open("/t", "w") as f:
        assert f.write("é\r\nb\n") == 5
    assert sb.files.read("/t") == "é\r\nb\n".encode()
    with sb.files.open("/t") as f:
        assert list(f) == ["é\n", "b\n"]
        assert f.encoding == "utf-8"
        assert f.mode == "r"
        assert f.name == "/t"
    with sb.files.open("/t", newline="") as f:
        assert f.readline() == "é\r\n"
    with sb.files.open("/l", "w", 1) as f:
        f.write("line\n")
        assert sb.files.read("/l") == b"line\n"
    with sb.files.open("/t", encoding="ascii", errors="replace") as f:
        assert f.read().startswith("\ufffd")


def test_with_the_standard_library(sb: Sandbox) -> None:
    """csv and zipfile work on it."""
    with sb.files.open("/x.csv", "w", newline="") as f:
        csv.writer(f).writerows([["a", 1], ["b", 2]])
    assert sb.commands.run("cut -d, -f2 /x.csv | tr -d '\\r'").stdout == "1\n2\n"
    with sb.files.open("/x.zip", "wb") as f, zipfile.ZipFile(f, "w") as z:
        z.writestr("inner", "data" * 100)
    with sb.files.open("/x.zip", "rb") as f, zipfile.ZipFile(f) as z:
        assert z.read("inner") == b"data" * 100


def test_errors(sb: Sandbox) -> None:
    """Those of open(): missing, directory, existing, wrong mode, closed."""
    with pytest.raises(FileNotFoundError):
        sb.files.open("/no")
    with pytest.raises(IsADirectoryError):
        sb.files.open("/tmp")
    with pytest.raises(IsADirectoryError):
        sb.files.open("/tmp", "w")
    sb.files.write("/e", b"1")
    with pytest.raises(FileExistsError):
        sb.files.open("/e", "x")
    for mode in ("", "q", "rw", "rbt", "r++", "b"):
        with pytest.raises(ValueError, match="mode"):
            sb.files.open("/e", mode)
    with pytest.raises(ValueError, match="binary"):
        sb.files.open("/e", "rb", encoding="utf-8")
    with pytest.raises(ValueError, match="unbuffered"):
        sb.files.open("/e", "r", 0)
    f = sb.files.open("/e", "rb")
    with pytest.raises(io.UnsupportedOperation):
        f.write(b"")
    with pytest.raises(io.UnsupportedOperation):
        f.fileno()
    f.close()
    with pytest.raises(ValueError, match="closed"):
        f.read()


def test_sparse_files_cost_nothing(sb: Sandbox) -> None:
    """Seeking far and writing leaves a hole; reading a part of a huge file reads that part."""
    with sb.files.open("/s", "wb") as f:
        f.seek(1 << 40)
        f.write(b"end")
    assert sb.files.stat("/s").size == (1 << 40) + 3
    with sb.files.open("/s", "rb") as f:
        f.seek(-3, io.SEEK_END)
        assert f.read() == b"end"
        f.seek(1 << 30)
        assert f.read(10) == b"\0" * 10
