"""The table of methods: dispatch, the check of parameters, ``rpc.discover`` and ``capi/RPC.md`` all come from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Sequence, Tuple, TypeVar

from ._errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from ._schema import STRING, Schema, Unfit, check, nullable

if TYPE_CHECKING:
    from ._client import Call

REQUIRED: Any = object()
"""The default of a parameter that must be given."""
ABSENT: Any = object()
"""The default of a parameter for which null means something else than leaving it out."""

F = TypeVar("F", bound=Callable[..., Any])


class Param(NamedTuple):
    """A parameter."""

    name: str
    schema: Schema
    doc: str
    default: Any = REQUIRED


class Method(NamedTuple):
    """A method: what it takes, what it gives, what it does, and where it runs."""

    name: str
    doc: str
    params: Tuple[Param, ...]
    result: Schema
    on: str
    """``sandbox``: in order with what else is asked of that sandbox. ``new``: it makes a sandbox, whose first
    request it is. ``now``: at once, whatever runs."""
    quick: bool
    """It is over in no time: a sandbox with nothing to do serves it without waking a thread."""
    function: Callable[[Call, Dict[str, Any]], Any]


METHODS: Dict[str, Method] = {}

SANDBOX_ID = Param("sandboxId", nullable(STRING), "Of which sandbox; without it, of the one `create` made.", None)


def method(name: str, doc: str, params: Sequence[Param], result: Schema, *, on: str = "sandbox", quick: bool = False) -> Callable[[F], F]:
    """Enter a function into the table."""

    def enter(function: F) -> F:
        every = (*params, SANDBOX_ID) if on == "sandbox" and not any(p.name == "sandboxId" for p in params) else tuple(params)
        METHODS[name] = Method(name, doc, every, result, on, quick, function)
        return function

    return enter


def find(name: str) -> Method:
    """The method of this name; RpcError if there is none."""
    found = METHODS.get(name)
    if found is None:
        raise RpcError(METHOD_NOT_FOUND, f"there is no method {ascii(name)[:80]}; rpc.discover lists those there are")
    return found


def bind(method: Method, params: Any) -> Dict[str, Any]:
    """The parameters of a request by name, checked, with defaults; RpcError if they do not fit."""
    if isinstance(params, list):
        if len(params) > len(method.params):
            raise RpcError(INVALID_PARAMS, f"{method.name} has {len(method.params)} parameters, not {len(params)}")
        params = {p.name: value for p, value in zip(method.params, params)}
    bound: Dict[str, Any] = {}
    try:
        for p in method.params:
            if p.name in params:
                check(p.schema, params[p.name], p.name)
                bound[p.name] = params[p.name]
            elif p.default is REQUIRED:
                raise Unfit(f"{p.name} is missing")
            elif p.default is not ABSENT:
                bound[p.name] = p.default
    except Unfit as error:
        raise RpcError(INVALID_PARAMS, f"{method.name}: {error}") from None
    if len(params) > len(bound) or any(name not in bound for name in params):
        known = {p.name for p in method.params}
        unknown: List[str] = [name for name in params if name not in known]
        raise RpcError(INVALID_PARAMS, f"{method.name}: there is no parameter {ascii(unknown[0])[:80]}")
    return bound
