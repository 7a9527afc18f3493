"""Persistence: an ephemeral sandbox says how to turn saving on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict

import pytest

import writers
from eryxsh import PersistenceError, Sandbox


def test_ephemeral_keeps_nothing() -> None:
    """save_state, load_state and clear_persisted_state name the way out."""
    sb = Sandbox()
    for method in (sb.save_state, sb.load_state, sb.clear_persisted_state):
        with pytest.raises(PersistenceError, match=r'persistence="session"') as caught:
            method()
        assert method.__name__ in str(caught.value)


@pytest.mark.parametrize("options", [{"store": "/tmp/x"}, {"namespace": "n"}])
def test_what_would_be_ignored_is_refused(options: Dict[str, Any]) -> None:
    """A store without a mode."""
    with pytest.raises(PersistenceError):
        Sandbox(**options)


def test_unknown_mode() -> None:
    """A ValueError that lists the modes."""
    with pytest.raises(ValueError, match="ephemeral, session, persistent"):
        Sandbox(persistence="sometimes")


def test_two_processes_save_one_namespace(tmp_path: Path) -> None:
    """Nothing acknowledged is lost, every conflict is reported. The long form: tests/writers.py."""
    assert "conflicts reported" in writers.campaign(str(tmp_path / "store"), 2.0, 2, 1)
