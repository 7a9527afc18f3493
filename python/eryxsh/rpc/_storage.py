"""Storage that the client has: where a sandbox of ``storage: true`` is after ``offload``."""

from __future__ import annotations

from .. import EryxshError, Limits, Sandbox
from .._persistence import Absent
from ._client import Call
from ._options import served
from ._values import from_base64, to_base64

_SLACK = 4096
"""Bytes of a message besides the state in it."""


class AtClient(Absent):
    """A sandbox that its client keeps: what that has is its own, also when the sandbox is closed."""

    __slots__ = ("_limits", "_name")

    def __init__(self, name: str, limits: Limits) -> None:
        super().__init__()
        self._name = name or None
        self._limits = limits

    @classmethod
    def leave(cls, call: Call) -> None:
        """Give the state of a call's sandbox to the client, and free its memory. EryxshError when it is refused."""
        sandbox, client = call.sandbox, call.client
        bounds = {name: (n / 1e9 if name == "time" else n) or None for name, n in sandbox.info().limits.items()}
        made = cls(call.hosted.id, Limits(**bounds))  # type: ignore[arg-type]  # __post_init__ converts
        state = to_base64(sandbox.export_state())
        most = min(client.options.response, client.request_limit) - _SLACK
        if len(state) > most:
            raise EryxshError(f"offload: a state of {len(state)} characters does not fit into a message", limit="request")
        client.ask(call, "storage.save", {"sandbox_id": made._name, "state": state})
        sandbox._leave(made)

    def _bring(self, sandbox: Sandbox) -> None:
        call = served()
        if call is None or call.hosted.current is not call:  # on the thread that would read the answer
            raise EryxshError("the sandbox is in the storage of the client: rehydrate brings it back")
        state = call.client.ask(call, "storage.load", {"sandbox_id": self._name})
        if not isinstance(state, str):
            raise EryxshError(f"storage.load: a state in base64 is needed, not {type(state).__name__}")
        tools = tuple(sandbox._tools.values())
        sandbox._take(Sandbox.from_state(from_base64(state), tools=tools, limits=self._limits, isolation=sandbox._isolation))
