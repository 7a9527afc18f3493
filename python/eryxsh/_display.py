"""How a sandbox shows itself to people: in a REPL, in a notebook, through rich."""

from __future__ import annotations

import html
import importlib
from typing import Any, Iterable, Tuple


class Text(str):
    """Text that a REPL shows as it is and a notebook in fixed width; a ``str`` in everything else.

    >>> Text("/etc\\n  passwd\\n")
    /etc
      passwd
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self).rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"

    def __rich__(self) -> Any:
        return plain(self)


_PICTURES = {**{c: 0x2400 + c for c in range(32) if c not in (9, 10)}, 127: 0x2421, **dict.fromkeys(range(128, 160), 65533)}


def pictured(text: str) -> str:
    """Text whose control characters are pictures of them and whose surrogates are question marks: no terminal obeys it.

    >>> pictured("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return str(text).translate(_PICTURES).encode("utf-8", "replace").decode()


def plain(text: str) -> Any:
    """Text for rich that is not read as its markup; only rich itself asks for it."""
    return importlib.import_module("rich.text").Text(pictured(text))


def columns(rows: Iterable[Tuple[str, str]]) -> str:
    """Names and values under one another, without a line end at the end."""
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def table(title: str, rows: Iterable[Tuple[str, str]]) -> str:
    """The same as a table in HTML."""
    left = " style='text-align:left'"
    cells = "".join(f"<tr><th{left}>{html.escape(name)}</th><td{left}>{html.escape(value)}</td></tr>" for name, value in rows)
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"
