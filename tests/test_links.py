"""cp, mv, ln and install between names of one file do as the real tools; tests/links.py compares all pairs."""

import links


def test_links() -> None:
    bad, total = links.compare(show=5, every=29)
    assert total > 4000
    assert bad == 0


def test_parents() -> None:
    """What directories were made for is taken as new, whatever it is."""
    assert links.compare(show=5, only="cp -r --parents") == (0, len(links.NAMES) ** 2)
