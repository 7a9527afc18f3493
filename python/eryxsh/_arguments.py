"""Arguments: a Python signature as a command line.

Parameters without a default are operands, ``*args`` takes the rest, parameters
with a default (and keyword-only ones) are ``--options``, a ``bool`` is a flag.
The docstring is the help.
"""

from __future__ import annotations

import collections.abc
import datetime
import decimal
import enum
import functools
import inspect
import json
import pathlib
import re
import sys
import types
import typing
import uuid
from typing import Any, Callable, Dict, List, Optional, Tuple

_UNION_TYPES: Tuple[Any, ...] = (typing.Union,)
if sys.version_info >= (3, 10):
    _UNION_TYPES += (types.UnionType,)

_SEQUENCES: Dict[Any, Callable[[List[Any]], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
}

Convert = Callable[[str, Any], Any]
"""Makes a value of an argument's text; the second argument is the ToolCall."""


class UsageError(Exception):
    """The arguments do not fit the signature: exit status 2 and this text."""


class HelpWanted(Exception):
    """``--help`` is among the options, and the function has no such parameter."""


class Parameter:
    """One parameter of the function, as an operand or an option."""

    __slots__ = ("choices", "collect", "convert", "default", "flag", "help", "metavar", "name", "option", "required")

    def __init__(self, name: str, convert: Convert) -> None:
        self.name = name
        self.convert = convert
        self.option = ""  # "--name" or "-n"; empty for an operand
        self.flag = False  # an option without a value
        self.collect: Optional[Callable[[List[Any]], Any]] = None  # repeatable option, or all operands that are left
        self.required = False
        self.default: Any = None
        self.metavar = name.upper().replace("_", "-")
        self.choices: Tuple[str, ...] = ()
        self.help = ""

    @property
    def form(self) -> str:
        """As the usage line shows it: ``FILE``, ``--level LEVEL``, ``--no-cache``."""
        if not self.option:
            return self.metavar
        if not self.flag:
            return f"{self.option} {self.metavar}"
        return f"--no-{self.option.lstrip('-')}" if self.default is True else self.option


class Arguments:
    """The command line of a typed function."""

    __slots__ = ("_long", "_short", "_signature", "call_parameter", "description", "operands", "options")

    def __init__(self, function: Callable[..., Any], path_type: type, call_type: type) -> None:
        self.description, helps = _docstring(function)
        self.operands: List[Parameter] = []
        self.options: List[Parameter] = []
        self.call_parameter = ""  # the parameter that gets the ToolCall itself
        hints = _hints(function)
        self._signature = tuple(inspect.signature(function).parameters.values())
        for parameter in self._signature:
            hint = hints.get(parameter.name, str)
            hint, text = _annotated(hint)
            if hint is call_type:
                self.call_parameter = parameter.name
                continue
            self._add(function, parameter, hint, text or helps.get(parameter.name, ""), path_type)
        self._long = {o.option[2:]: o for o in self.options if o.option.startswith("--")}
        self._short = {o.option[1:]: o for o in self.options if not o.option.startswith("--")}
        for operand, follower in zip(self.operands, self.operands[1:]):
            if operand.collect is not None:
                raise TypeError(f"{_name(function)}: {operand.name} takes all operands, so {follower.name} can get none")

    def _add(self, function: Callable[..., Any], parameter: inspect.Parameter, hint: Any, text: str, path_type: type) -> None:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            raise TypeError(f"{_name(function)}: **{parameter.name} cannot come from a command line")
        collect, inner = _sequence(hint)
        try:
            convert, choices = _converter(inner, path_type)
        except TypeError as error:
            raise TypeError(f"{_name(function)}: parameter {parameter.name}: {error}") from None
        p = Parameter(parameter.name, convert)
        p.help, p.choices, p.collect = text, choices, collect
        p.default = parameter.default
        p.required = parameter.default is inspect.Parameter.empty
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            p.required, p.collect = False, tuple
        boolean = inner is bool and collect is None
        optional = parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and (not p.required or boolean)
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY and not optional:
            self.operands.append(p)
            return
        name = parameter.name.strip("_").replace("_", "-")
        p.option = f"-{name}" if len(name) == 1 else f"--{name}"
        if boolean:
            p.flag = True
            if p.required:
                p.required, p.default = False, False
        self.options.append(p)

    def bind(self, argv: List[str], call: Any) -> Tuple[List[Any], Dict[str, Any]]:
        """The positional and keyword arguments for the function.

        Raises UsageError where the arguments do not fit, HelpWanted for ``--help``.
        """
        words, given = self._split(argv)
        values = self._operands(words, call)
        for option in self.options:
            values[option.name] = _chosen(option, given.get(option.name), call)
        positional: List[Any] = []
        keywords: Dict[str, Any] = {}
        for parameter in self._signature:
            value = call if parameter.name == self.call_parameter else values[parameter.name]
            if parameter.kind is parameter.KEYWORD_ONLY:
                keywords[parameter.name] = value
            elif parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            else:
                positional.append(value)
        return positional, keywords

    def _operands(self, words: List[str], call: Any) -> Dict[str, Any]:
        values: Dict[str, Any] = {}
        rest = list(words)
        for operand in self.operands:
            if operand.required and not rest:
                raise UsageError(f"missing operand {operand.metavar}")
            if operand.collect is not None:
                taken, rest = rest, []
                values[operand.name] = operand.collect([_value(operand, w, call) for w in taken])
            elif rest:
                values[operand.name] = _value(operand, rest.pop(0), call)
            else:
                values[operand.name] = operand.default
        if rest:
            raise UsageError(f"extra operand '{rest[0]}'")
        return values

    def _split(self, argv: List[str]) -> Tuple[List[str], Dict[str, List[str]]]:
        words: List[str] = []
        given: Dict[str, List[str]] = {}
        rest = iter(argv)
        for word in rest:
            if word == "--":
                words.extend(rest)
            elif word.startswith("--"):
                name, has_value, text = word[2:].partition("=")
                option, value = self._find(name)
                if option.flag:
                    if has_value:
                        raise UsageError(f"option '--{name}' doesn't allow an argument")
                    text = value
                elif not has_value:
                    text = _next(rest, f"--{name}")
                given.setdefault(option.name, []).append(text)
            elif word.startswith("-") and len(word) > 1 and not _is_number(word):
                self._cluster(word[1:], rest, given)
            else:
                words.append(word)
        return words, given

    def _find(self, name: str) -> Tuple[Parameter, str]:
        plain = name.replace("_", "-")
        option = self._named(plain)
        if option is not None:
            return option, "yes"
        if name == "help":
            raise HelpWanted
        option = self._named(plain[3:]) if plain.startswith("no-") else None
        if option is not None and option.flag:
            return option, "no"
        raise UsageError(f"unrecognized option '--{name}'")

    def _named(self, name: str) -> Optional[Parameter]:
        """The option behind ``--name``; one letter is fine, so that a flag can be ``--no-x``."""
        return self._long.get(name) or self._short.get(name)

    def _cluster(self, letters: str, rest: Any, given: Dict[str, List[str]]) -> None:
        for i, letter in enumerate(letters):
            option = self._short.get(letter)
            if option is None:
                raise UsageError(f"invalid option -- '{letter}'")
            if option.flag:
                given.setdefault(option.name, []).append("yes")
                continue
            text = letters[i + 1 :] or _next(rest, f"-{letter}")
            given.setdefault(option.name, []).append(text)
            return

    def usage(self, name: str) -> str:
        """One line: ``deploy [--dry-run] [--region REGION] TARGET...``."""
        parts = [name]
        for option in self.options:
            text = option.form if option.required else f"[{option.form}]"
            parts.append(text + ("..." if option.collect is not None else ""))
        for operand in self.operands:
            text = operand.metavar + ("..." if operand.collect is not None else "")
            parts.append(text if operand.required else f"[{text}]")
        return " ".join(parts)

    def help(self, name: str) -> str:
        """What ``NAME --help`` prints."""
        lines = [f"Usage: {self.usage(name)}"]
        if self.description:
            lines += ["", self.description]
        for title, parameters in (("Operands:", self.operands), ("Options:", self.options)):
            if parameters:
                lines += ["", title]
            for p in parameters:
                notes = [p.help] if p.help else []
                if p.choices:
                    notes.append(f"one of {', '.join(p.choices)}")
                if p.option and not p.flag and not p.required and p.default not in (None, "", (), []):
                    notes.append(f"default: {p.default.value if isinstance(p.default, enum.Enum) else p.default}")
                lines.append(f"  {p.form:<22} {'; '.join(notes)}".rstrip())
        return "\n".join(lines) + "\n"


def takes_call(function: Callable[..., Any], call_type: type) -> bool:
    """Whether the function wants the ToolCall itself, and nothing besides.

    That is one positional parameter without a default, unannotated or annotated with
    it. Defaults of the others are its own affair (``lambda call, i=i: …``), unless
    they are annotated: those are options.
    """
    if _plain_of_one(function):
        return True
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return True  # a builtin that does not say: it gets the call
    required = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    if len(required) != 1 or any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        return False
    only = required[0]
    if only.annotation is only.empty:
        return len(parameters) == 1 or only.kind is not only.VAR_POSITIONAL
    if any(p is not only and p.annotation is not p.empty for p in parameters):
        return False
    hint = only.annotation
    return hint is call_type or (isinstance(hint, str) and hint.rpartition(".")[2] == call_type.__name__)


def _plain_of_one(function: Callable[..., Any]) -> bool:
    """Whether it is ``def f(call)`` or ``lambda call``, as most tools are: told without the time a signature takes."""
    if type(function) is not types.FunctionType or function.__dict__ or function.__defaults__:
        return False
    code = function.__code__
    variadic = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return code.co_argcount == 1 and not code.co_kwonlyargcount and not code.co_flags & variadic and not function.__annotations__


def _next(rest: Any, option: str) -> str:
    for word in rest:
        return str(word)
    raise UsageError(f"option '{option}' requires an argument")


def _chosen(option: Parameter, texts: Optional[List[str]], call: Any) -> Any:
    """An option's value from the texts given for it, None if it was not given."""
    if texts is None:
        if option.required:
            raise UsageError(f"option '{option.option}' is required")
        return option.default
    if option.flag:
        return texts[-1] == "yes"
    if option.collect is not None:
        return option.collect([_value(option, text, call) for text in texts])
    return _value(option, texts[-1], call)


def _value(parameter: Parameter, text: str, call: Any) -> Any:
    try:
        return parameter.convert(text, call)
    except (ValueError, ArithmeticError) as error:
        what = parameter.option or parameter.metavar
        if parameter.choices:
            raise UsageError(f"invalid argument '{text}' for '{what}': one of {', '.join(parameter.choices)}") from None
        raise UsageError(f"invalid argument '{text}' for '{what}': {error}") from None


def _is_number(word: str) -> bool:
    """Whether it is a negative number and no cluster of options, as ``-inf`` may be one."""
    try:
        float(word)
    except ValueError:
        return False
    return word[1].isdecimal() or word[1] == "."


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or repr(function)


def _hints(function: Callable[..., Any]) -> Dict[str, Any]:
    """The parameters' annotations, evaluated; what the function returns is its own affair."""
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    if not inspect.isroutine(target):
        target = type(target).__call__ if not inspect.isclass(target) else target.__init__
    target = inspect.unwrap(target)
    annotations = {name: hint for name, hint in getattr(target, "__annotations__", {}).items() if name != "return"}
    carrier = types.SimpleNamespace(__annotations__=annotations)
    try:
        return typing.get_type_hints(carrier, globalns=getattr(target, "__globals__", {}), include_extras=True)
    except Exception as error:
        raise TypeError(f"{_name(function)}: its annotations cannot be read: {error}") from error


def _annotated(hint: Any) -> Tuple[Any, str]:
    """``Annotated[T, "help"]`` as (T, "help")."""
    if hasattr(hint, "__metadata__"):
        texts = [m for m in hint.__metadata__ if isinstance(m, str)]
        return hint.__origin__, texts[0] if texts else ""
    return hint, ""


def _sequence(hint: Any) -> Tuple[Optional[Callable[[List[Any]], Any]], Any]:
    hint = _optional(hint)
    origin = typing.get_origin(hint) or hint
    if origin not in _SEQUENCES:
        return None, hint
    args = [a for a in typing.get_args(hint) if a is not Ellipsis]
    return _SEQUENCES[origin], args[0] if args else str


def _optional(hint: Any) -> Any:
    if typing.get_origin(hint) in _UNION_TYPES:
        args = [a for a in typing.get_args(hint) if a is not type(None)]
        if len(args) == 1:
            return args[0]
    return hint


def _converter(hint: Any, path_type: type) -> Tuple[Convert, Tuple[str, ...]]:
    """How text becomes a value of the hint, and the choices if they are few."""
    hint = _optional(hint)
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        values = {str(v): v for v in typing.get_args(hint)}
        return _choice(values), tuple(values)
    if origin in _UNION_TYPES:
        return _first([_converter(a, path_type)[0] for a in typing.get_args(hint) if a is not type(None)]), ()
    if origin is dict or hint is dict or origin is collections.abc.Mapping or hint is collections.abc.Mapping:
        return _json_object, ()
    if inspect.isclass(hint) and issubclass(hint, enum.Enum):
        members = dict(hint.__members__)
        members.update({name.lower().replace("_", "-"): member for name, member in hint.__members__.items()})
        members.update({str(m.value): m for m in hint})
        return _choice(members), tuple(str(m.value) for m in hint)
    if hint is path_type:
        return (lambda text, call: call.files.path(text, cwd=call.cwd)), ()
    if inspect.isclass(hint) and issubclass(hint, pathlib.PurePath):
        if issubclass(hint, pathlib.Path):
            raise TypeError("pathlib.Path would name a file of the host: annotate with SandboxPath or PurePosixPath")
        return (lambda text, _: hint(text)), ()
    plain = _PLAIN.get(hint)
    if plain is None:
        raise TypeError(f"{hint!r} cannot come from a command line")
    return (lambda text, _: plain(text)), ()


def _choice(values: Dict[str, Any]) -> Convert:
    def convert(text: str, _: Any) -> Any:
        try:
            return values[text]
        except KeyError:
            raise ValueError(text) from None

    return convert


def _first(converters: List[Convert]) -> Convert:
    def convert(text: str, call: Any) -> Any:
        problem: Exception = ValueError(text)
        for attempt in converters:
            try:
                return attempt(text, call)
            except (ValueError, ArithmeticError) as error:
                problem = error
        raise problem

    return convert


def _boolean(text: str) -> bool:
    word = text.lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError("true or false is needed")


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("a whole number is needed") from None


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number is needed") from None


def _decimal(text: str) -> decimal.Decimal:
    try:
        return decimal.Decimal(text)
    except decimal.InvalidOperation:
        raise ValueError("a number is needed") from None


def _json_object(text: str, _: Any) -> Any:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("a JSON object is needed")
    return value


_PLAIN: Dict[Any, Callable[[str], Any]] = {
    str: str,
    typing.Any: str,
    object: str,
    inspect.Parameter.empty: str,
    bytes: lambda text: text.encode("utf-8", "surrogateescape"),
    int: _integer,
    float: _float,
    complex: complex,
    bool: _boolean,
    decimal.Decimal: _decimal,
    uuid.UUID: uuid.UUID,
    datetime.date: datetime.date.fromisoformat,
    datetime.datetime: datetime.datetime.fromisoformat,
    datetime.time: datetime.time.fromisoformat,
}

_SECTION = re.compile(r"^(Args|Arguments|Parameters|Options|Returns?|Raises|Yields|Examples?|Notes?):?\s*$")
_ENTRY = re.compile(r"^(\s+)\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_FIELD = re.compile(r"^:param\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")


def _docstring(function: Callable[..., Any]) -> Tuple[str, Dict[str, str]]:
    """The description, and the help of each parameter (Google's or Sphinx's form)."""
    while isinstance(function, functools.partial):
        function = function.func
    text = inspect.getdoc(function) or ""
    description: List[str] = []
    helps: Dict[str, str] = {}
    section, current, indent = "", "", 0
    for line in text.splitlines():
        field = _FIELD.match(line)
        heading = _SECTION.match(line)
        if field:
            section, current, indent = "field", field.group(1), 0
            helps[current] = field.group(2).strip()
        elif heading:
            section, current, indent = heading.group(1), "", 0
        elif not section:
            description.append(line)
        elif line.startswith(":"):
            current = ""
        elif section in ("Args", "Arguments", "Parameters", "Options"):
            entry = _ENTRY.match(line)
            if entry and (not indent or len(entry.group(1)) <= indent):
                indent, current = len(entry.group(1)), entry.group(2)
                helps[current] = entry.group(3).strip()
            elif current and line.strip():
                helps[current] = f"{helps[current]} {line.strip()}".strip()
        elif section == "field" and current and line.strip():
            helps[current] = f"{helps[current]} {line.strip()}".strip()
    return "\n".join(description).strip(), helps
