"""The examples in the docstrings run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import eryxsh

SKIPPED = ("_ext", "liberyxsh", "_wire", "_native", "_errors")
MODULES = sorted(m.name for m in pkgutil.iter_modules(eryxsh.__path__) if m.name not in SKIPPED)


@pytest.mark.parametrize("name", ["__init__", *MODULES])
def test_examples(name: str) -> None:
    """Each module's, in a namespace of its own."""
    if name == "ray":
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'eryxsh[frameworks]'")
    module = eryxsh if name == "__init__" else importlib.import_module(f"eryxsh.{name}")
    finder = doctest.DocTestFinder(exclude_empty=True)
    failures = []
    for example in finder.find(module, module.__name__):
        out: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(example, out=out.append)
        if runner.failures:
            failures.append("".join(out))
    assert not failures, "\n".join(failures)


def test_there_are_examples() -> None:
    """At least one in the package's own docstring and in each noun."""
    texts = {p.stem: p.read_text() for p in pathlib.Path(eryxsh.__path__[0]).glob("_*.py")}
    for noun in (
        "__init__",
        "_sandbox",
        "_commands",
        "_files",
        "_env",
        "_history",
        "_snapshots",
        "_runs",
        "_tools",
        "_limits",
        "_sessions",
        "_async",
    ):
        assert ">>> " in texts[noun], noun
