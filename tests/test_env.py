"""Env: a mapping of exported variables, and every variable."""

from __future__ import annotations

import os

import pytest

from eryxsh import Sandbox


def test_default_environment() -> None:
    """The documented variables and nothing of the host's."""
    os.environ["ERYXSH_TEST_HOST_VARIABLE"] = "leaked"
    try:
        env = dict(Sandbox().env)
    finally:
        del os.environ["ERYXSH_TEST_HOST_VARIABLE"]
    assert env.pop("PATH") == "/usr/local/bin:/usr/bin:/bin"
    assert env.pop("PWD") == "/home/user"
    env.pop("SHLVL", None)
    env.pop("_", None)
    env.pop("OLDPWD", None)
    assert env == {
        "HOME": "/home/user",
        "LC_ALL": "C.UTF-8",
        "LOGNAME": "user",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "TZ": "UTC",
        "USER": "user",
    }


def test_mapping() -> None:
    """Get, set, delete, iterate; the shell sees what Python sets and the other way round."""
    sb = Sandbox(env={"A": "1"})
    assert sb.env["A"] == "1"
    sb.env["B"] = "two words"
    assert sb.commands.run('echo "$A $B"; env | grep ^B=').stdout == "1 two words\nB=two words\n"
    sb.commands.run("export C=3; D=4")
    assert sb.env["C"] == "3"
    assert "D" not in sb.env
    assert sb.env.get("D") is None
    assert sb.env.all()["D"] == "4"
    assert len(sb.env) == len(list(sb.env))
    del sb.env["B"]
    assert sb.commands.run("echo [$B]").stdout == "[]\n"
    for missing in ("B", "D"):
        with pytest.raises(KeyError):
            sb.env[missing]
        with pytest.raises(KeyError):
            del sb.env[missing]
    sb.env.update(X="1", Y="")
    assert sb.commands.run("echo $X${Y-unset}").stdout == "1\n"


@pytest.mark.parametrize("name", ["", "1A", "a b", "a=b", "a\0"])
def test_names_that_are_none(name: str) -> None:
    """They are refused, nothing is set."""
    sb = Sandbox()
    before = dict(sb.env)
    with pytest.raises((ValueError, OSError)):
        sb.env[name] = "x"
    with pytest.raises((ValueError, OSError)):
        Sandbox(env={name: "x"})
    assert dict(sb.env) == before


def test_values() -> None:
    """A value is a str; a NUL cannot be in one; other bytes can."""
    sb = Sandbox()
    with pytest.raises(TypeError):
        sb.env["A"] = 1  # type: ignore[assignment]
    with pytest.raises(TypeError):
        Sandbox(env={"A": 1})  # type: ignore[dict-item]
    with pytest.raises(ValueError):  # noqa: PT011  # the core words it
        sb.env["A"] = "a\0b"
    sb.env["A"] = "\udcff\n"
    assert sb.commands.run('printf %s "$A"').stdout_bytes == b"\xff\n"
    assert sb.env["A"] == "\udcff\n"


def test_readonly_variables() -> None:
    """Setting or unsetting one raises and changes nothing."""
    sb = Sandbox()
    sb.commands.run("export R=1; readonly R")
    with pytest.raises((ValueError, OSError)):
        sb.env["R"] = "2"
    assert sb.env["R"] == "1"
