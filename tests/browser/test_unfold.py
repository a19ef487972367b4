"""The admin under django-unfold in a real browser."""

from __future__ import annotations

from tests.unfolding import run_under_unfold


def test_staff_find_their_way_under_unfold_in_a_browser(redis_url):
    done = run_under_unfold(redis_url, "tests/browser/under_unfold.py")

    assert 0 == done.returncode, done.stdout
