"""Pages lead somewhere, and pictures are on one of them."""

from __future__ import annotations

import re

import pytest

from tests.project.running import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
ELSEWHERE = ("http://", "https://", "mailto:", "#")
LOOK = re.compile(r"-(light|dark|phone)$")


def targets_of(page):
    """The files that a page leads to or shows."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    found = ["".join(each) for each in LINK.findall(text)]
    return [page.parent / each.split("#")[0] for each in found if not each.startswith(ELSEWHERE)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_whatever_a_page_leads_to_or_shows_is_there(page):
    assert [] == [str(each) for each in targets_of(page) if not each.exists()]


def test_every_picture_is_on_a_page_in_one_of_its_looks():
    shown = {LOOK.sub("", each.stem) for page in PAGES for each in targets_of(page)}
    kept = {LOOK.sub("", each.stem) for each in (ROOT / "docs" / "images").iterdir()}

    assert kept
    assert set() == kept - shown
