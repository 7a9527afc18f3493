"""Typed functions as command lines: what is an operand, an option, a flag, and what is refused."""

from __future__ import annotations

import datetime
import enum
import functools
import pathlib
from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, Union

import pytest

from eryxsh import Sandbox, SandboxPath, ToolCall, tool
from eryxsh._arguments import Arguments, UsageError, takes_call


class Color(enum.Enum):
    RED = "red"
    DARK_BLUE = "navy"


def bind(function: object, *argv: str) -> object:
    args, kwargs = Arguments(function, SandboxPath, ToolCall).bind(list(argv), "the call")  # type: ignore[arg-type]
    return function(*args, **kwargs)  # type: ignore[operator]


def sample(
    source: str,
    size: int,
    *rest: float,
    level: Literal["low", "high"] = "low",
    tag: List[str] = [],  # noqa: B006
    n: int = 1,
    v: bool = False,
    cache: bool = True,
    color: Optional[Color] = None,
) -> object:
    """Do it.

    More words.

    Args:
        source: where from
        size (int): how many,
            at most
        level: which
    Returns:
        nothing
    """
    return source, size, rest, level, tag, n, v, cache, color


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["a", "3"], ("a", 3, (), "low", [], 1, False, True, None)),
        (["a", "-3", "1.5", "-2"], ("a", -3, (1.5, -2.0), "low", [], 1, False, True, None)),
        (["--level", "high", "a", "3"], ("a", 3, (), "high", [], 1, False, True, None)),
        (["a", "3", "--level=high", "--tag", "x", "--tag=y"], ("a", 3, (), "high", ["x", "y"], 1, False, True, None)),
        (["-vn5", "a", "3", "--no-cache"], ("a", 3, (), "low", [], 5, True, False, None)),
        (["-n", "-5", "--", "-a", "3"], ("-a", 3, (), "low", [], -5, False, True, None)),
        (["a", "3", "--color=navy"], ("a", 3, (), "low", [], 1, False, True, Color.DARK_BLUE)),
        (["a", "3", "--color", "dark-blue"], ("a", 3, (), "low", [], 1, False, True, Color.DARK_BLUE)),
        (["-", "3"], ("-", 3, (), "low", [], 1, False, True, None)),
    ],
)
def test_binding(argv: List[str], expected: object) -> None:
    """Operands, repeated and attached options, flags and their opposite, -- and negative numbers."""
    assert bind(sample, *argv) == expected


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "missing operand SOURCE"),
        (["a"], "missing operand SIZE"),
        (["a", "x"], "invalid argument 'x' for 'SIZE': a whole number is needed"),
        (["a", "3", "--level", "mid"], "invalid argument 'mid' for '--level': one of low, high"),
        (["a", "3", "--lev", "low"], "unrecognized option '--lev'"),
        (["a", "3", "--level"], "option '--level' requires an argument"),
        (["a", "3", "-q"], "invalid option -- 'q'"),
        (["a", "3", "-n"], "option '-n' requires an argument"),
        (["a", "3", "--cache=yes"], "option '--cache' doesn't allow an argument"),
        (["a", "3", "--color", "pink"], "invalid argument 'pink' for '--color': one of red, navy"),
    ],
)
def test_usage_errors(argv: List[str], message: str) -> None:
    """What does not fit is said in the words of GNU tools."""
    with pytest.raises(UsageError) as caught:
        bind(sample, *argv)
    assert str(caught.value) == message


def test_extra_operand() -> None:
    """A function without *args takes no more operands than it has parameters."""
    with pytest.raises(UsageError, match="extra operand 'c'"):
        bind(lambda a, b: None, "a", "b", "c")


def test_required_option_and_positional_only_default() -> None:
    """A keyword-only parameter without a default must be given; a positional-only one with a default may be left out."""

    def f(a: str, b: int = 7, /, *, to: str) -> object:
        return a, b, to

    assert bind(f, "x", "--to", "y") == ("x", 7, "y")
    assert bind(f, "x", "8", "--to", "y") == ("x", 8, "y")
    with pytest.raises(UsageError, match="option '--to' is required"):
        bind(f, "x")


def test_types() -> None:
    """Types that text can become, and the call itself wherever it stands."""

    def f(
        day: datetime.date,
        call: ToolCall,
        price: Decimal,
        either: Union[int, str],
        raw: bytes,
        where: pathlib.PurePosixPath,
        *,
        data: Dict[str, object] = {},  # noqa: B006
        on: bool,
    ) -> object:
        return day, call, price, either, raw, where, data, on

    assert bind(f, "2026-01-02", "1.50", "x", "\udcff", "/a/b", "--data", '{"k": [1]}', "--on") == (
        datetime.date(2026, 1, 2),
        "the call",
        Decimal("1.50"),
        "x",
        b"\xff",
        pathlib.PurePosixPath("/a/b"),
        {"k": [1]},
        True,
    )
    assert bind(f, "2026-01-02", "1", "4", "", "x")[3] == 4  # type: ignore[index]
    for bad in (["soon", "1", "x", "y", "z"], ["2026-01-02", "dear", "x", "y", "z"], ["2026-01-02", "1", "x", "y", "z", "--data", "[1]"]):
        with pytest.raises(UsageError, match="invalid argument"):
            bind(f, *bad)


def test_list_operand_takes_the_rest() -> None:
    """A list without a default is one operand or more."""

    def f(files: List[str]) -> object:
        return files

    assert bind(f, "a", "b") == ["a", "b"]
    with pytest.raises(UsageError, match="missing operand FILES"):
        bind(f)


def test_help_and_usage() -> None:
    """The docstring is the help, and the usage line shows what is optional."""
    text = Arguments(sample, SandboxPath, ToolCall).help("sample")
    assert text.startswith(
        "Usage: sample [--level LEVEL] [--tag TAG]... [-n N] [-v] [--no-cache] [--color COLOR] SOURCE SIZE [REST...]\n\n"
        "Do it.\n\nMore words.\n"
    ), text
    assert "  SIZE                   how many, at most\n" in text
    assert "  --level LEVEL          which; one of low, high; default: low\n" in text
    assert "nothing" not in text


@pytest.mark.parametrize("word", ["kwargs", "path", "type", "follower", "unknown"])
def test_signatures_that_cannot_be_command_lines(word: str) -> None:
    """They are refused when the tool is made, with the parameter's name."""

    def kwargs(**kwargs: str) -> None: ...
    def path(path: pathlib.Path) -> None: ...
    def type(type: socket) -> None: ...  # type: ignore[name-defined]  # noqa: F821
    def follower(all: List[str], follower: str) -> None: ...
    def unknown(unknown: "ToolCall.missing") -> None: ...  # type: ignore[name-defined]  # noqa: UP037

    with pytest.raises(TypeError, match=word):
        tool(locals()[word])


def test_takes_call() -> None:
    """One unannotated parameter, or one annotated ToolCall, gets the call; everything else is a command line."""

    def annotated(x: ToolCall) -> None: ...
    def typed(x: str) -> None: ...
    def two(x: object, y: object) -> None: ...
    def none() -> None: ...
    def keyword(call: ToolCall, *, to: str) -> None: ...

    class Object:
        def __call__(self, call: ToolCall) -> None: ...

    assert takes_call(lambda call: None, ToolCall)
    assert takes_call(lambda call, extra=1: None, ToolCall)
    assert takes_call(annotated, ToolCall)
    assert takes_call(Object(), ToolCall)
    assert not any(takes_call(f, ToolCall) for f in (typed, two, none, keyword))


class Size(enum.Enum):
    SMALL = 1
    VERY_LARGE = 2


def measured(path: str, size: Size = Size.SMALL, n: bool = True, i: int = 0) -> List[Any]:
    """Measure a thing."""
    return [path, size.name, n, i]


@pytest.mark.parametrize(
    ("line", "stdout", "status"),
    [
        ("t x", '["x", "SMALL", true, 0]\n', 0),
        ("t x --no-n --i 5", '["x", "SMALL", false, 5]\n', 0),
        ("t x --size VERY_LARGE", '["x", "VERY_LARGE", true, 0]\n', 0),
        ("t x --size very-large -n", '["x", "VERY_LARGE", true, 0]\n', 0),
        ("t x --size 2", '["x", "VERY_LARGE", true, 0]\n', 0),
        ("t -- --help", '["--help", "SMALL", true, 0]\n', 0),
        ("t -inf", "", 2),  # a cluster, and no number
        ("t -1.5", '["-1.5", "SMALL", true, 0]\n', 0),
    ],
)
def test_flags_enumerations_and_negative_numbers(line: str, stdout: str, status: int) -> None:
    result = Sandbox(tools={"t": measured}).commands.run(line)
    assert (result.stdout, result.exit_code) == (stdout, status)


@pytest.mark.parametrize("line", ["t --help", "t x --help", "t --help x", "t --size 2 --help", "t -i 3 x --help"])
def test_help_wherever_an_option_may_stand(line: str) -> None:
    result = Sandbox(tools={"t": measured}).commands.run(line)
    assert result.stdout.startswith("Usage: t [--size SIZE] [--no-n] [-i I] PATH\n\nMeasure a thing.\n")
    assert result.exit_code == 0


def test_a_call_with_annotated_options_beside_it() -> None:
    def named(call: ToolCall, times: int = 1) -> str:
        return call.name * times + "\n"

    sandbox = Sandbox(tools={"t": named, "closure": lambda call, text="kept": f"{call.args} {text}\n"})
    assert sandbox.commands.run("t; t --times 3; closure --text x").stdout == "t\nttt\n['--text', 'x'] kept\n"
    assert sandbox.commands.run("t --tmies 3").exit_code == 2


def test_the_help_of_a_partial_is_its_functions() -> None:
    assert "Measure a thing." in Sandbox(tools=[tool(functools.partial(measured, "x"), name="t")]).commands.run("t --help").stdout
