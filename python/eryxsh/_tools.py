"""Tools: Python functions as shell commands."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, overload

from ._errors import CapabilityError
from ._files import Files
from ._paths import SandboxPath

if TYPE_CHECKING:
    from . import _wire
    from ._arguments import Arguments
    from ._runs import AnyRun

ToolFunction = Callable[..., Any]
"""A callable that gets a ToolCall, or any typed function; it may be async."""

Answer = Tuple[bytes, bytes, int, Optional[str]]
"""stdout, stderr, exit code of a tool call, and what it raised as text."""


PLAIN = frozenset((str, bytes, int, bool, type(None)))
"""Types of what most tools return: nothing to await."""


class Suspend(BaseException):
    """Raised by a tool: leave the call unanswered and hand the run to the caller.

    ``commands.run`` and ``Run.drive`` then raise RunSuspended, which carries the
    run; ``run.resume(call_id, stdout=…)`` answers later, in any process.

    >>> def approve(call):
    ...     raise Suspend("waiting for a person")
    """


@dataclasses.dataclass(frozen=True)
class ToolResult:
    """What a tool call gives back to the script.

    >>> ToolResult("no such ticket\\n", exit_code=3).exit_code
    3
    """

    stdout: Union[str, bytes] = ""
    stderr: Union[str, bytes] = ""
    exit_code: int = 0
    """Masked to 0-255, as ``exit`` does."""


class ToolCall:
    """One call of a tool: what the function gets, and an event of a Run.

    ``stdin`` is what a pipe stage, a redirection of the command itself or ``>(tool)``
    feeds; a stdin inherited from a loop or a function is left alone and is ``b""``.

    >>> def upload(call):
    ...     return f"{call.name}: {len(call.files.read(call.args[0]))} bytes\\n"
    """

    __slots__ = ("_args", "_call", "_run")

    _args: List[str]  # once they were asked for

    def __init__(self, run: AnyRun, call: _wire.Call) -> None:
        self._run = run
        self._call = call

    @property
    def call_id(self) -> str:
        """Unique, the same after dump and load: the idempotency key."""
        return self._call["id"]

    @property
    def name(self) -> str:
        """The command it was called as."""
        return self._call["name"]

    @property
    def args(self) -> List[str]:
        """The arguments, without the name."""
        try:
            return self._args
        except AttributeError:
            self._args = list(self._call["args"])
            return self._args

    @property
    def stdin(self) -> bytes:
        """What a pipe or a redirection fed it."""
        return self._call["stdin"]

    @property
    def cwd(self) -> str:
        """The working directory."""
        return self._call["cwd"]

    @property
    def env(self) -> Dict[str, str]:
        """The exported variables at the call."""
        pairs = self._call["env"].decode("utf-8", "surrogateescape").split("\0")[:-1]
        return dict(pair.split("=", 1) for pair in pairs)

    @property
    def forked_from(self) -> Optional[str]:
        """The call_id this call had before the run was forked, else None."""
        return self._call["forked_from"] or None

    @property
    def files(self) -> Files:
        """The live file system of the sandbox."""
        return self._run._files()

    def call(self) -> Any:
        """Make the registered function answer (an awaitable for an AsyncRun).

        Raises CapabilityError where no function is registered under the name,
        AlreadyResumedError where the call has been answered, and Suspend where
        the function raised it.
        """
        return self._run._call_function(self)

    def __repr__(self) -> str:
        return f"ToolCall(call_id={self.call_id!r}, name={self.name!r}, args={self.args!r})"


class Tool:
    """A shell command that Python answers.

    ``function`` gets a ToolCall and returns ``str | bytes`` (stdout), ``int``
    (the exit code), a ToolResult or None; it may be async. ``None`` as function,
    or ``suspend=True``, leaves every call to be answered by ``Run.resume``.
    ``description``, ``usage``, ``examples`` and ``category`` are what
    ``extensions info NAME`` prints in the shell. A utility of the same name gives
    way; a builtin or a keyword does not, so a sandbox refuses a tool called ``read``.

    >>> Tool("hello", lambda call: f"hello {call.args[0]}\\n").name
    'hello'
    """

    __slots__ = ("category", "description", "examples", "function", "name", "suspend", "usage")

    def __init__(
        self,
        name: str,
        function: Optional[ToolFunction] = None,
        *,
        description: str = "",
        usage: str = "",
        examples: Sequence[str] = (),
        category: str = "",
        suspend: bool = False,
    ) -> None:
        if not name or any(c in name for c in "\0/ \t\n"):
            raise ValueError(f"a tool cannot be called {name!r}")
        if function is not None and not callable(function):
            raise TypeError(f"tool {name}: a callable or None is needed, not {type(function).__name__}")
        self.name = name
        self.function = function
        self.description = description or (_first_line(function) if function is not None else "")
        self.usage = usage or name
        self.examples = tuple(examples)
        self.category = category
        self.suspend = suspend

    @property
    def answers(self) -> bool:
        """Whether somebody here answers its calls."""
        return self.function is not None and not self.suspend

    @property
    def ready(self) -> bool:
        """Whether ``function`` can be called as it is: one that came with a pickle is looked for at its first call."""
        return self.answers and not isinstance(self.function, Moved)

    def help(self) -> str:
        """What ``extensions info NAME`` prints."""
        if isinstance(self.function, _Typed):
            text = self.function.arguments.help(self.name)
        else:
            text = f"Usage: {self.usage}\n" + (f"\n{self.description}\n" if self.description else "")
        if self.examples:
            text += "\nExamples:\n" + "".join(f"  {line}\n" for line in self.examples)
        if self.category:
            text += f"\nCategory: {self.category}\n"
        return text

    def implementation(self) -> ToolFunction:
        """The function; CapabilityError where there is none, or it did not travel with a pickle."""
        if isinstance(self.function, Moved):
            self.function = self.function.arrive()
        if self.function is None:
            raise CapabilityError(f"no function is registered for the tool {self.name}", path=self.name)
        return self.function

    def __reduce__(self) -> Any:
        function = self.function
        if function is not None and not isinstance(function, Moved):
            function = Moved.of(self.name, function)
        details = (self.description, self.usage, self.examples, self.category, self.suspend)
        return _arrived, (self.name, function, *details)

    def __repr__(self) -> str:
        return f"Tool({self.name!r}, suspend={self.suspend})" if self.suspend else f"Tool({self.name!r})"


@overload
def tool(
    function: ToolFunction,
    *,
    name: Optional[str] = None,
    description: str = "",
    usage: str = "",
    examples: Sequence[str] = (),
    category: str = "",
    suspend: bool = False,
) -> Tool: ...
@overload
def tool(
    function: None = None,
    *,
    name: Optional[str] = None,
    description: str = "",
    usage: str = "",
    examples: Sequence[str] = (),
    category: str = "",
    suspend: bool = False,
) -> Callable[[ToolFunction], Tool]: ...
def tool(
    function: Optional[ToolFunction] = None,
    *,
    name: Optional[str] = None,
    description: str = "",
    usage: str = "",
    examples: Sequence[str] = (),
    category: str = "",
    suspend: bool = False,
) -> Union[Tool, Callable[[ToolFunction], Tool]]:
    """A Tool from any typed function; also a decorator.

    Parameters without a default become operands, ``*args`` the rest of them,
    parameters with a default ``--options`` (one letter: ``-o``; ``bool``: a
    flag, which ``--no-…`` takes back), a parameter annotated ToolCall gets the
    call. ``--help`` prints the docstring; arguments that do not fit end with exit status 2. A ``str`` or
    ``bytes`` result is stdout as it is, ``bool`` an exit status, a ToolResult
    itself, None nothing; anything else is printed as one line of JSON.

    Raises TypeError for a signature that cannot be a command line.

    >>> @tool
    ... def add(a: int, b: int, *, base: int = 10) -> str:
    ...     '''Add two numbers.'''
    ...     return f"{a + b}\\n"
    >>> add.usage
    'add [--base BASE] A B'
    """
    if function is None:

        def decorate(inner: ToolFunction) -> Tool:
            return tool(inner, name=name, description=description, usage=usage, examples=examples, category=category, suspend=suspend)

        return decorate
    command = _Typed(function)
    name = name or getattr(function, "__name__", "").strip("_").replace("_", "-")
    if not name or name == "<lambda>":
        raise TypeError("a tool made of this callable needs a name=")
    return Tool(
        name,
        command,
        description=description or command.arguments.description.partition("\n")[0],
        usage=usage or command.arguments.usage(name),
        examples=examples,
        category=category,
        suspend=suspend,
    )


class Extension(Tool):
    """A tool in codepod's form: ``command(args, stdin, env, cwd)`` called with keywords.

    It returns ``{"stdout": …, "stderr": …, "exitCode": …}`` or anything a tool
    may return; stdin is a str.

    >>> Extension("up", lambda args, stdin, **_: {"stdout": stdin.upper()}).name
    'up'
    """

    __slots__ = ()

    def __init__(
        self,
        name: str,
        command: Optional[ToolFunction] = None,
        description: str = "",
        usage: str = "",
        examples: Sequence[str] = (),
        category: str = "",
    ) -> None:
        function = None if command is None else _Codepod(command)
        super().__init__(name, function, description=description, usage=usage, examples=examples, category=category)


class _Typed:
    """A typed function behind its command line."""

    __slots__ = ("arguments", "function")

    def __init__(self, function: ToolFunction) -> None:
        from ._arguments import Arguments  # not at the top: few programs have typed tools

        self.function = function
        self.arguments: Arguments = Arguments(function, SandboxPath, ToolCall)

    def __call__(self, call: ToolCall) -> Any:
        from ._arguments import HelpWanted, UsageError

        try:
            args, kwargs = self.arguments.bind(call.args, call)
        except HelpWanted:
            return self.arguments.help(call.name)
        except UsageError as error:
            hint = f"Try '{call.name} --help' for more information.\n"
            return ToolResult(stderr=f"{call.name}: {error}\n{hint}", exit_code=2)
        result = self.function(*args, **kwargs)
        return _awaited(result) if inspect.isawaitable(result) else _printed(result)

    def __reduce__(self) -> Any:
        return _Typed, (self.function,)


class _Codepod:
    """A codepod extension's handler behind a ToolCall."""

    __slots__ = ("function",)

    def __init__(self, function: ToolFunction) -> None:
        self.function = function

    def __call__(self, call: ToolCall) -> Any:
        stdin = call.stdin.decode("utf-8", "surrogateescape")
        result = self.function(args=call.args, stdin=stdin, env=call.env, cwd=call.cwd)
        return self._awaited(result) if inspect.isawaitable(result) else self._result(result)

    async def _awaited(self, result: Awaitable[Any]) -> Any:
        return self._result(await result)

    @staticmethod
    def _result(result: Any) -> Any:
        if isinstance(result, Mapping):
            return ToolResult(result.get("stdout", ""), result.get("stderr", ""), result.get("exitCode", 0))
        return result


async def _awaited(result: Awaitable[Any]) -> Any:
    return _printed(await result)


def _printed(result: Any) -> Any:
    """A typed function's value as a tool's answer."""
    if result is None or isinstance(result, (str, bytes, ToolResult)):
        return result
    if isinstance(result, bool):
        return 0 if result else 1
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        result = dataclasses.asdict(result)
    import json

    return json.dumps(result, ensure_ascii=False, default=str) + "\n"


def answer(result: Any) -> Answer:
    """What a tool returned, as stdout, stderr and exit code.

    Raises TypeError for a value that is none of the allowed kinds.
    """
    if result is None:
        return b"", b"", 0, None
    if isinstance(result, str):
        return result.encode("utf-8", "surrogateescape"), b"", 0, None
    if isinstance(result, (bytes, bytearray, memoryview)):
        return bytes(result), b"", 0, None
    if isinstance(result, bool):
        return b"", b"", 0 if result else 1, None
    if isinstance(result, int):
        return b"", b"", result & 255, None
    if isinstance(result, ToolResult):
        return as_bytes(result.stdout), as_bytes(result.stderr), status(result.exit_code), None
    raise TypeError(f"a tool returns str, bytes, int, ToolResult or None, not {type(result).__name__}")


def status(exit_code: Any) -> int:
    """An exit code as ``$?`` has it, 0 to 255."""
    if not isinstance(exit_code, int):
        raise TypeError(f"an exit code is an int, not {exit_code!r}")
    return exit_code & 255


def failure(name: str, error: BaseException) -> Answer:
    """The answer of a tool that raised: its text on stderr, exit code 1."""
    text = str(error).rstrip("\n") or type(error).__name__
    return b"", f"{name}: {text}\n".encode("utf-8", "surrogateescape"), 1, text


def as_bytes(text: Union[str, bytes, bytearray, memoryview]) -> bytes:
    """UTF-8, surrogates back to the bytes they stand for."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"str or bytes is needed, not {type(text).__name__}")


def registry(tools: Union[Mapping[str, Any], Iterable[Tool], None]) -> Dict[str, Tool]:
    """The tools by name, from ``{"name": callable | Tool | None}`` or ``[Tool, …]``."""
    if not tools:
        return {}
    if isinstance(tools, Mapping):
        return {name: as_tool(name, value) for name, value in tools.items()}
    if not isinstance(tools, Iterable):
        raise TypeError(f"tools is a mapping of names to functions or a list of Tool, not {tools!r}")
    made: Dict[str, Tool] = {}
    for value in tools:
        entry = value if isinstance(value, Tool) else tool(value)
        if entry.name in made:
            raise ValueError(f"two tools are called {entry.name}")
        made[entry.name] = entry
    return made


def wire_tools(tools: Mapping[str, Tool]) -> List[Tuple[str, bool, str]]:
    """Name, whether a callable is behind it, and the line for the list with the help behind it, as the core keeps them."""
    return [(t.name, t.function is not None, t.description.partition("\n")[0] + "\n" + t.help()) for t in tools.values()]


def as_tool(name: str, value: Any, **details: Any) -> Tool:
    """A Tool called name: of a Tool, None, a function that takes the call, or a typed function."""
    if isinstance(value, Tool):
        if value.name == name:
            return value
        return Tool(
            name,
            value.function,
            description=value.description,
            usage=value.usage,
            examples=value.examples,
            category=value.category,
            suspend=value.suspend,
        )
    from ._arguments import takes_call

    if value is None or not callable(value) or takes_call(value, ToolCall):
        return Tool(name, value, **details)
    made: Tool = tool(value, name=name, **details)
    return made


class Moved:
    """A tool's function in a pickle: ``module:qualname``, a value that pickles, or nothing but its name."""

    __slots__ = ("name", "reference", "value")

    def __init__(self, name: str, reference: str = "", value: Any = None) -> None:
        self.name = name
        self.reference = reference
        self.value = value

    @classmethod
    def of(cls, name: str, function: ToolFunction) -> Moved:
        """What is left of a function that moves to another process."""
        inner = function.function if isinstance(function, (_Typed, _Codepod)) else function
        reference = f"{getattr(inner, '__module__', '')}:{getattr(inner, '__qualname__', '')}"
        try:
            found = _find(reference)
            if isinstance(found, Tool):  # a decorator put it in the function's place
                found = found.function
            if found is inner or found is function:
                return cls(name, reference, type(function) if inner is not function else None)
        except (ImportError, AttributeError, ValueError):
            pass
        import pickle

        try:
            pickle.dumps(function)
        except Exception:
            return cls(name)
        return cls(name, value=function)

    def arrive(self) -> ToolFunction:
        """The function in this process, or CapabilityError."""
        if not self.reference:
            if self.value is not None:
                return self.value  # type: ignore[no-any-return]
            raise CapabilityError(
                f"the function of the tool {self.name} could not travel (it has no importable name): register it again", path=self.name
            )
        try:
            found = _find(self.reference)
        except (ImportError, AttributeError, ValueError) as error:
            raise CapabilityError(f"the tool {self.name} is {self.reference}, which is not here: {error}", path=self.name) from error
        if isinstance(found, Tool):
            return found.implementation()
        return found if self.value is None else self.value(found)  # type: ignore[no-any-return]

    def __call__(self, call: ToolCall) -> Any:
        return self.arrive()(call)

    def __reduce__(self) -> Any:
        return Moved, (self.name, self.reference, self.value)


def _find(reference: str) -> Any:
    """The object behind ``module:qualname``."""
    module, _, name = reference.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _arrived(
    name: str, function: Optional[ToolFunction], description: str, usage: str, examples: Sequence[str], category: str, suspend: bool
) -> Tool:
    return Tool(name, function, description=description, usage=usage, examples=examples, category=category, suspend=suspend)


def _first_line(function: ToolFunction) -> str:
    if isinstance(function, (_Typed, _Codepod)):
        function = function.function
    if not inspect.isroutine(function):
        return ""  # an object's docstring is its class's
    return (inspect.getdoc(function) or "").partition("\n")[0].strip()
