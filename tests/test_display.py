"""What people see: in a REPL, in a notebook, through rich."""

from __future__ import annotations

import pytest

from eryxsh import Sandbox


def test_info_is_lines_for_people_and_a_table_in_a_notebook() -> None:
    info = Sandbox(hostname="<b>", clock="virtual", seed=3).info()
    lines = dict(line.split(None, 1) for line in str(info).splitlines())
    assert lines["host"] == "<b>"
    assert lines["seed"] == "3"
    assert lines["clock"] == "2000-01-01 00:00:00 UTC, virtual"
    html = info._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def test_a_tree_shows_as_it_is() -> None:
    sb = Sandbox(files={"/d/a[b]": "", "/d/e/<f>": ""})
    tree = sb.tree("/d")
    assert tree == "/d\n  a[b]\n  e/\n    <f>\n"
    assert repr(tree) == tree.rstrip("\n")
    assert tree._repr_html_() == "<pre>/d\n  a[b]\n  e/\n    &lt;f&gt;\n</pre>"  # type: ignore[attr-defined]


def test_rich_gets_plain_text() -> None:
    rich = pytest.importorskip("rich.console")
    console = rich.Console(width=60, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(Sandbox(files={"/d/a[b]": ""}).tree("/d"), Sandbox().info())
    console.file.close()
    assert "a[b]" in console.export_text()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"cwd": "here"}, ValueError),
        ({"cwd": 3}, TypeError),
        ({"files": 3}, TypeError),
        ({"files": {"/x": 3}}, TypeError),
        ({"files": {3: "x"}}, TypeError),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"cwd|files|path|3|int"):
        Sandbox(**options)  # type: ignore[arg-type]
