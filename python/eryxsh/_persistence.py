"""Persistence: keeping a sandbox between processes."""

from __future__ import annotations

from typing import Any

from ._errors import PersistenceError

MODES = ("ephemeral", "session", "persistent")


def check(mode: Any, namespace: str, store: Any) -> None:
    """Refuse what a sandbox cannot do with these arguments.

    Raises ValueError for an unknown mode, PersistenceError for one that does not
    exist yet and for a store that nothing would be written to.
    """
    if mode not in MODES:
        raise ValueError(f"persistence is one of {', '.join(MODES)}, not {mode!r}")
    if mode != "ephemeral":
        raise PersistenceError(
            f"persistence={mode!r} does not exist in this version yet: keep export_state() yourself, and import_state() brings it back"
        )
    if store is not None or namespace != "default":
        raise PersistenceError(
            'an ephemeral sandbox keeps nothing, so store= and namespace= have no use: they go with persistence="session" or "persistent"'
        )


def off(what: str) -> PersistenceError:
    """The error of a method that needs another mode."""
    return PersistenceError(
        f'{what}: this sandbox is ephemeral and keeps nothing; Sandbox(persistence="session") turns saving on, '
        "and export_state() gives everything as bytes in any mode"
    )
