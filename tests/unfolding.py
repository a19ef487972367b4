"""Tests that run once more under django-unfold: which admin it is, is decided at import."""

from __future__ import annotations

from tests.running import run_tests

SETTINGS = "tests.unfold_settings"


def run_under_unfold(redis_url, *chosen):
    """pytest on what was chosen, in a process of its own."""
    return run_tests(redis_url, "--ds", SETTINGS, *chosen)
