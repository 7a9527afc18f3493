"""Limits: the table is the core's, values are checked, only differences travel."""

from __future__ import annotations

import pathlib
import re
from typing import Any, Dict

import pytest

from eryxsh import Limits, Sandbox
from eryxsh._limits import DEFAULT_LIMITS, TABLE, changed

GO = pathlib.Path(__file__).parent.parent / "core" / "limit" / "limit.go"


def core_table() -> Dict[str, Any]:
    """Name to (default, hardened) as the Go source has them; 0 is no limit."""
    rows = re.findall(r'^\t\t\{"(\w+)", ([^,]+), ([^,]+), "', GO.read_text(), re.MULTILINE)
    return {name: tuple(int(eval(value)) for value in values) for name, *values in rows}


def test_the_table_is_the_cores() -> None:
    """Names, order, defaults and hardened values are those of core/limit."""
    core = core_table()
    assert list(core) == list(TABLE) == list(Limits.__dataclass_fields__)
    for name, values in core.items():
        ours = tuple(0 if v is None else int(v * 1e9) if name == "time" else v for v in TABLE[name])
        assert ours == values, name


def test_a_sandbox_has_them() -> None:
    """What the sandbox says it obeys is what Limits says."""
    assert Sandbox().info().limits == {name: values[0] for name, values in core_table().items()}
    hard = Sandbox(limits=Limits.hardened()).info().limits
    assert hard == {name: values[1] for name, values in core_table().items()}
    free = Sandbox(limits=Limits.unlimited()).info().limits
    assert {n for n, v in free.items() if v} == {"pipe"}


def test_only_differences_travel() -> None:
    """An ordinary sandbox sends none; None is 0 and time is in ns."""
    assert changed(DEFAULT_LIMITS) == changed(Limits()) == {}
    assert changed(Limits(time=1.5, steps=7, memory=None)) == {"time": 1_500_000_000, "steps": 7, "memory": 0}


def test_profiles_take_overrides() -> None:
    """hardened and unlimited give every field; what is given wins."""
    assert Limits.hardened(steps=3).steps == 3
    assert Limits.hardened().time == 60.0
    assert Limits.hardened(time=None).time is None
    assert Limits.unlimited().memory is None
    assert Limits.unlimited(memory=10).memory == 10


@pytest.mark.parametrize("value", [0, -1, 1.5, float("inf"), float("nan")])
def test_values_that_are_no_limit(value: float) -> None:
    """Zero, negative, fractional and infinite counts are refused; None lifts a limit."""
    with pytest.raises(ValueError, match="steps"):
        Limits(steps=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["1", True, b""])
def test_types_that_are_no_limit(value: Any) -> None:
    """So are other types."""
    with pytest.raises(TypeError, match="memory"):
        Limits(memory=value)


def test_unknown_names() -> None:
    """A name that is no limit is an error."""
    with pytest.raises(TypeError):
        Limits.hardened(speed=1)


def test_steps_stop_a_run_by_name() -> None:
    """The run ends with 137 and the limit's name, keeps its output, and the sandbox goes on for reading files."""
    sb = Sandbox(limits=Limits(steps=20_000))
    r = sb.commands.run("echo begin; while :; do :; done")
    assert (r.exit_code, r.error_class, r.limit, r.stdout) == (137, "LIMIT_EXCEEDED", "steps", "begin\n")
    assert len(r.stderr.strip().splitlines()) == 1


def test_limits_of_one_call() -> None:
    """limits= of run holds for that call only."""
    sb = Sandbox()
    r = sb.commands.run("while :; do :; done", limits=Limits(steps=10_000))
    assert (r.exit_code, r.limit) == (137, "steps")
    assert sb.commands.run("i=0; while ((i < 20000)); do ((i++)); done; echo $i").stdout == "20000\n"


def test_output_is_cut_flagged_and_said() -> None:
    """Output beyond the limit is cut, the run goes on, and stderr says so."""
    sb = Sandbox(limits=Limits(output=100))
    r = sb.commands.run("i=0; while ((i < 50)); do echo 0123456789; ((i++)); done; echo end >&2")
    assert r.exit_code == 0
    assert r.truncated == {"stdout": True, "stderr": False}
    assert len(r.stdout_bytes) == 100
    assert "output" in r.stderr
    assert "end\n" in r.stderr


NO_FIELDS = {"timeout", "deadlock"}


def test_every_name_in_the_core_is_one_of_them() -> None:
    """No source file of the core ends a run with a name that Limits does not explain."""
    named = re.compile(
        r'stop\("(\w+)"\)|limitError\("(\w+)"|Limit(?:, m\.Run\.Class)? = "(\w+)"'
        r'|_EXCEEDED", "(\w+)"|Timeout += "(\w+)"|Deadlock += "(\w+)"'
    )
    found = set()
    for path in GO.parent.parent.rglob("*.go"):
        if not path.name.endswith("_test.go"):
            found.update(name for names in named.findall(path.read_text()) for name in names if name)
    assert {"memory", "depth", "glob", "processes", "frames", "regex_steps"} | NO_FIELDS <= found <= set(TABLE) | NO_FIELDS
    assert Limits.__doc__ is not None
    assert all(f"``{name}``" in Limits.__doc__ for name in NO_FIELDS)


@pytest.mark.parametrize(
    ("name", "status", "limits", "script"),
    [
        ("steps", 137, {"steps": 1000}, "while :; do :; done"),
        ("time", 137, {"time": 0.05}, "while :; do :; done"),
        ("timeout", 124, {}, "while :; do :; done"),
        ("deadlock", 1, {}, "mkfifo p; exec 3<>p; read x <&3"),
        ("memory", 137, {"memory": 100_000}, "x=a; while :; do x=$x$x; done"),
        ("memory", 137, {}, "echo {1..100000000}"),
        ("depth", 137, {"depth": 100}, "f() { f; }; f"),
        ("depth", 137, {}, "echo " + "{a," * 5000 + "}" * 5000),
        ("processes", 137, {"processes": 10}, "f() { f | f & }; f; wait"),
        ("frames", 137, {"frames": 50}, "f() { if :; then f; fi; }; f"),
        ("glob", 137, {"glob": 10}, "touch a{1..20}; echo a*"),
        ("regex_steps", 137, {"regex_steps": 1000}, r"p='^(a*)(a*)(a*)(a*)\1\2\3b'; [[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaacb =~ $p ]]"),
    ],
)
def test_a_limit_that_is_met_is_named(name: str, status: int, limits: Dict[str, Any], script: str) -> None:
    """The result carries its name, and the sandbox works afterwards."""
    sb = Sandbox(limits=Limits(**limits))
    r = sb.commands.run(script, timeout=0.2 if name == "timeout" else 20)
    assert (r.limit, r.exit_code) == (name, status), r
    if name not in ("steps", "time"):
        assert sb.commands.run("echo on").stdout == "on\n"


@pytest.mark.parametrize(
    "script",
    [
        "x=a; while :; do x+=$x; done",
        "while :; do a+=(element); done",
        'a=(1); while :; do a+=("${a[@]}"); done',
        "declare -A m; for ((i = 0; ; i++)); do m[$i]=$i; done",
        "for ((i = 0; ; i++)); do eval v$i=$i; done",
        "for ((i = 0; ; i++)); do eval \"f$i() { echo; }\"; done",
        'set -- a; while :; do set -- "$@" "$@"; done',
        'f() { local v=$1$1; f "$v"; }; f a',
        "mapfile -t a < <(yes)",
        "x=$(yes)",
    ],
)
def test_memory_of_the_shell(script: str) -> None:
    with Sandbox(limits=Limits(memory=2_000_000)) as sb:
        result = sb.commands.run(script, timeout=60)
        assert (result.exit_code, result.limit) == (137, "memory")
        assert sb.commands.run("echo on").stdout == "on\n"


def test_memory_of_what_is_dropped_is_not_counted() -> None:
    with Sandbox(limits=Limits(memory=4_000_000)) as sb:
        long = "printf -v line %0900000d 0; "
        assert sb.commands.run(long + "for i in 1 2 3 4 5 6 7 8 9; do x=$line; y=${x%0}; unset y; done; echo ${#x}").stdout == "900000\n"
        assert sb.commands.run("for i in {1..50000}; do x=$i; done; echo $x").stdout == "50000\n"
        assert sb.commands.run('f() { echo ${#1}; }; f "$line"; (f "$line"); x=; line=').stdout == "900000\n900000\n"
