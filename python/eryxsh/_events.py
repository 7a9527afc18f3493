"""Events: what a Run gives its driver, besides ToolCall."""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING, Optional, Union

from ._results import CommandResult

if TYPE_CHECKING:
    from ._tools import ToolCall


@dataclasses.dataclass(frozen=True)
class Output:
    """Bytes the script wrote (from ``Run.events`` only). Needs no answer."""

    stream: str
    """``stdout`` or ``stderr``."""
    data: bytes

    @property
    def text(self) -> str:
        """The bytes as text; what is not UTF-8 becomes surrogates. A character is never cut, unless the script never wrote the rest."""
        return self.data.decode("utf-8", "surrogateescape")


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """The ``checkpoint [NAME]`` builtin ran. Needs no answer."""

    name: Optional[str]
    snapshot: Optional[str]
    """The id of what a persistent sandbox saved for it. None: nothing was saved; ``sb.snapshot()`` or ``run.dump()`` does it."""


@dataclasses.dataclass(frozen=True)
class InputNeeded:
    """The script reads a ``stdin=PIPE`` with nothing in it.

    Answer with ``run.resume(event, data=b"...")``; ``b""`` is end of file.
    """

    fd: int


@dataclasses.dataclass(frozen=True)
class LimitReached:
    """A timeout or budget is used up, and ``on_limit="suspend"``.

    Go on with ``run.resume(event, add={limit: amount})``: seconds for ``timeout``
    and ``time``, counts for the others.
    """

    limit: str


@dataclasses.dataclass(frozen=True)
class Suspended:
    """``Run.suspend`` was called. Needs no answer: ``next`` goes on."""


@dataclasses.dataclass(frozen=True)
class Sleeping:
    """Every process of the script sleeps (from ``next(wait=False)``). Needs no answer."""

    until: datetime.datetime
    """On the sandbox's clock; aware, in UTC."""
    seconds: float
    """From now, on the host's clock."""


@dataclasses.dataclass(frozen=True)
class Finished:
    """The run has ended."""

    result: CommandResult


Event = Union["ToolCall", Output, Checkpoint, InputNeeded, LimitReached, Suspended, Sleeping, Finished]
