"""The admin under django-unfold: its own tests, and those of what staff may do and change."""

from __future__ import annotations

from tests.unfolding import run_under_unfold

TESTS = [
    "tests/admin/under_unfold.py",
    "tests/admin/test_actions.py",
    "tests/admin/test_forms.py",
    "tests/admin/test_plan_cuts.py",
    "tests/admin/test_plan_editor.py",
    "tests/admin/test_seen.py",
    "tests/admin/test_tenant_list.py",
    "tests/admin/test_tenant_page.py",
    "tests/admin/test_tenant_steps.py",
]


def test_what_holds_of_the_admin_holds_under_unfold_too(redis_url):
    done = run_under_unfold(redis_url, *TESTS)

    assert 0 == done.returncode, done.stdout
