"""Env: the variables of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, MutableMapping

from . import _wire
from ._commands import check_variable

if TYPE_CHECKING:
    from ._async import AsyncSandbox
    from ._sandbox import Sandbox


class Env(MutableMapping[str, str]):
    """``sb.env``: a mapping of the exported variables. Setting exports.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox(env={"A": "1"})
    >>> sb.env["B"] = "2"
    >>> sb.commands.run("echo $A$B; x=3").stdout
    '12\\n'
    >>> "x" in sb.env, sb.env.all()["x"]
    (False, '3')
    """

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def __getitem__(self, name: str) -> str:
        return self._exported()[name]

    def __setitem__(self, name: str, value: str) -> None:
        check_variable(name, value)
        _wire.env_set(self._sandbox._live(), name, value)

    def __delitem__(self, name: str) -> None:
        if name not in self._exported():
            raise KeyError(name)
        _wire.env_unset(self._sandbox._live(), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._exported())

    def __len__(self) -> int:
        return len(self._exported())

    def __contains__(self, name: object) -> bool:
        return name in self._exported()

    def __repr__(self) -> str:
        return f"Env({self._exported()!r})"

    def _exported(self) -> Dict[str, str]:
        return _wire.env_all(self._sandbox._live(), exported=True)

    def all(self) -> Dict[str, str]:
        """Every variable that has a scalar value, exported or not."""
        return _wire.env_all(self._sandbox._live())


class AsyncEnv:
    """``Env`` with awaitable members."""

    __slots__ = ("_env",)

    def __init__(self, sandbox: AsyncSandbox) -> None:
        self._env = Env(sandbox._sandbox)

    async def get(self, name: str, default: str = "") -> str:
        """An exported variable's value, or the default."""
        return self._env.get(name, default)

    async def set(self, name: str, value: str) -> None:
        """Set and export a variable."""
        self._env[name] = value

    async def unset(self, name: str) -> None:
        """Unset an exported variable; KeyError if there is none."""
        del self._env[name]

    async def exported(self) -> Dict[str, str]:
        """The exported variables."""
        return self._env._exported()

    async def all(self) -> Dict[str, str]:
        """See ``Env.all``."""
        return self._env.all()
