"""The package exports what __all__ says, sorted, and every name has a docstring."""

from __future__ import annotations

import inspect
import types

import eryxsh


def test_all_is_sorted_and_complete() -> None:
    """__all__ has every public name and no other."""
    public = {
        name
        for name, value in vars(eryxsh).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType) and name != "annotations"
    }
    assert set(eryxsh.__all__) == public | {"__version__", *eryxsh._LATER}
    assert all(getattr(eryxsh, name) is not None for name in eryxsh.__all__)
    constants = [n for n in eryxsh.__all__ if n.isupper()]
    rest = [n for n in eryxsh.__all__ if not n.isupper()]
    classes = [n for n in rest if n[0].isupper()]
    others = [n for n in rest if not n[0].isupper()]
    assert list(eryxsh.__all__) == sorted(constants) + sorted(classes) + sorted(others)


def test_public_names_are_documented() -> None:
    """Every exported class and function, and each of their public members, has a docstring of its own."""
    missing = []
    for name in eryxsh.__all__:
        value = getattr(eryxsh, name)
        if not inspect.isclass(value) and not inspect.isfunction(value):
            continue
        if not (value.__doc__ or "").strip():
            missing.append(name)
        if not inspect.isclass(value) or not value.__module__.startswith("eryxsh"):
            continue
        for member, attribute in vars(value).items():
            public = not member.startswith("_") and (
                inspect.isfunction(attribute) or isinstance(attribute, (property, classmethod, staticmethod))
            )
            function = attribute.__func__ if isinstance(attribute, (classmethod, staticmethod)) else attribute
            if public and not (inspect.getdoc(function) or "").strip():
                missing.append(f"{name}.{member}")
    assert missing == []


def test_exceptions_derive_from_builtins() -> None:
    """Each exception is an EryxshError and what a person would catch."""
    assert issubclass(eryxsh.SnapshotNotFoundError, KeyError)
    assert issubclass(eryxsh.StateError, ValueError)
    assert issubclass(eryxsh.QuotaExceededError, OSError)
    assert issubclass(eryxsh.ConflictError, eryxsh.PersistenceError)
    for name in ("StateTooNewError", "SignatureError", "ScriptDriftError", "CapabilityError"):
        assert issubclass(getattr(eryxsh, name), eryxsh.StateError)
    errors = [n for n in eryxsh.__all__ if n.endswith("Error")]
    assert len(errors) > 15
    assert all(issubclass(getattr(eryxsh, n), eryxsh.EryxshError) for n in errors)
