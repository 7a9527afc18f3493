"""Golden blobs through the public interface: each run of an earlier version goes on and ends as it would have there."""

from __future__ import annotations

import pytest

import golden
from eryxsh import StateError


@pytest.mark.parametrize("folder", golden.folders(), ids=lambda folder: folder.name)
def test_every_blob_ends_as_it_would_have(folder: golden.Path) -> None:
    """All that ``golden.py`` checks."""
    found = {name: golden.check(blob, row) for name, blob, row in golden.golden(folder)}
    assert {name: difference for name, difference in found.items() if difference} == {}
    assert len(found) > 80


def test_a_difference_is_seen() -> None:
    """What is compared is compared: output, status, files, and what is done afterwards."""
    name, blob, row = next(one for one in golden.golden(golden.folders()[0]) if one[2]["then"] and "stdout" in one[2]["expect"])
    assert golden.check(blob, row) == "", name
    for key, value in (("stdout", "x"), ("status", 77), ("files", []), ("then", [])):
        assert golden.check(blob, {**row, "expect": {**row["expect"], key: value}}).startswith(key)


def test_a_blob_made_now_is_like_them() -> None:
    """A scene made by this version ends as the golden one: the generator still makes what the checker reads."""
    from golden_scenes import SCENES

    scene = next(scene for scene in SCENES if scene.name == "call-pending")
    row = next(row for name, _, row in golden.golden(golden.folders()[0]) if name == scene.name)
    stop = golden.chosen(scene)
    assert golden.check(stop.blob, row) == ""
    with pytest.raises(StateError):
        golden.check(stop.blob[:-1], row)
