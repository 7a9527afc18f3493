"""A process that is killed while it saves: see kills_store.py, of which this is a short form."""

from __future__ import annotations

import pytest

from kills_store import campaign


@pytest.mark.parametrize("kind", ["directory", "sqlite"])
def test_killed_while_it_saves(kind: str) -> None:
    campaign(kind, 12, 3)


@pytest.mark.parametrize("kind", ["redis", "postgres", "s3"])
def test_killed_while_it_saves_to_a_server(kind: str) -> None:
    import servers

    try:
        campaign(kind, 4, 3)
    except servers.Unavailable as error:
        pytest.skip(str(error))
