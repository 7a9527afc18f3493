"""The C API: its examples, and what it does with what it should not be given."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from typing import List

import pytest

import eryxsh

ROOT = pathlib.Path(__file__).parent.parent
LIBRARY = pathlib.Path(eryxsh.__path__[0]) / "liberyxsh.so"
CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT / 'capi'}"]

TOUR = """\
echo "hello, $WHO"; n=1: hello, world
sort -t, -k2 -n /data/log.csv | head -1: bob,71
n=2; echo "the copy has n=$n": the copy has n=2
rm -r /data; echo "and I have n=$n, but no data": and I have n=1, but no data
restored: alice,95
bob,71
echo "imported: n=$n": imported: n=2
while :; do :; done: while :; do :; done: exit code 137
no such file: error number 2, /none: No such file or directory
asked: approve : --file : a, which says: please
so far: a: yes
another day: b: refused
what failed: nobody is here, exit code 0
"""

needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler on PATH")


def build(source: pathlib.Path, to: pathlib.Path, *options: str) -> List[str]:
    """The command that builds a program with the library."""
    assert CC is not None
    return [CC, "-std=c11", "-g", *STRICT, *options, str(source), str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}", "-pthread", "-o", str(to)]


def sanitizer(folder: pathlib.Path) -> List[str]:
    """The options of AddressSanitizer, where the compiler has it."""
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    options = ["-fsanitize=address,undefined"]
    done = subprocess.run([str(CC), *options, str(probe), "-o", str(folder / "probe")], capture_output=True)
    works = done.returncode == 0 and subprocess.run([str(folder / "probe")], capture_output=True).returncode == 0
    return options if works else []


def checked(command: List[str], **more: str) -> str:
    """What a program prints that ends well and says nothing on stderr."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env={**os.environ, **more})
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


@needs_cc
def test_tour(tmp_path: pathlib.Path) -> None:
    """The C program, as a user builds it."""
    checked(build(ROOT / "examples/c/tour.c", tmp_path / "tour"))
    assert checked([str(tmp_path / "tour")]) == TOUR


@needs_cc
@pytest.mark.parametrize("source", ["examples/c/tour.c", "tests/capi/misuse.c"])
def test_with_address_sanitizer(tmp_path: pathlib.Path, source: str) -> None:
    """Every block is the caller's, freed once and all of it; nothing is read behind what was given."""
    options = sanitizer(tmp_path)
    if not options:
        pytest.skip("this C compiler has no AddressSanitizer")
    checked(build(ROOT / source, tmp_path / "program", *options))
    checked([str(tmp_path / "program")], ASAN_OPTIONS="detect_leaks=1")


@needs_cc
def test_misuse(tmp_path: pathlib.Path) -> None:
    """NULL, freed and invented handles, wrong lengths, a forked child, and many threads: errors, and whose they are."""
    checked(build(ROOT / "tests/capi/misuse.c", tmp_path / "misuse"))
    assert checked([str(tmp_path / "misuse")]).endswith("as it should be\n")


@needs_cc
@pytest.mark.parametrize(("language", "standard"), [("c", "c99"), ("c++", "c++11")])
def test_header(tmp_path: pathlib.Path, language: str, standard: str) -> None:
    """The header stands alone."""
    source = tmp_path / "only.c"
    source.write_text('#include "eryxsh.h"\nint main(void) { return eryxsh_last_error()->code; }\n')
    command = [str(CC), "-x", language, f"-std={standard}", *STRICT, "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if language == "c++" and ("cc1plus" in done.stderr or "not recognized" in done.stderr):
        pytest.skip("no C++ compiler")
    assert (done.returncode, done.stderr) == (0, "")


def test_ctypes() -> None:
    """The ctypes program, with the library of this installation."""
    told = checked([sys.executable, "-W", "error", str(ROOT / "examples/ctypes_api.py"), str(LIBRARY)])
    assert told == (
        "answer: yes, x=1\n"
        "sums: 499500 249500 166833 124500 99500 83166 71071 62000\n"
        "error 7 /none: No such file or directory\n"
    )


def test_beside_python() -> None:
    """The C API and the Python package in one process, whichever comes first, with blobs for each other."""
    code = f"""
import sys
sys.path.insert(0, {str(ROOT / "examples")!r})
import eryxsh
from ctypes_api import Library, text
def c_side():
    global lib, handle
    lib = Library({str(LIBRARY)!r})
    handle = lib.handle("eryxsh_new", None)
    assert lib.exec(handle, b"x=1; echo $x") == (0, b"1\\n", b"")
def python_side():
    global sb
    sb = eryxsh.Sandbox()
    assert sb.commands.run("y=2; echo $y").stdout == "2\\n"
for side in (c_side, python_side)[:: int(sys.argv[1])]:
    side()
sb.import_state(lib.taken("eryxsh_export", handle, text(b"")))
assert sb.commands.run("echo $x$y").stdout == "1\\n"
sb.commands.run("z=3")
lib.call("eryxsh_import", handle, text(sb.export_state(key=b"k")), text(b"k"))
sb.close()
assert lib.exec(handle, b"echo $x$z") == (0, b"13\\n", b"")
"""
    for order in ("1", "-1"):
        checked([sys.executable, "-W", "error", "-c", code, order])
