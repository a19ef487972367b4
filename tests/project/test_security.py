from __future__ import annotations

import pytest

from project import settings as demo_settings
from project.security import POLICY

ANSWERS = {
    "/quotas/": 302,
    "/api/reports/": 200,
    "/api/exports/": 403,
    "/admin/login/": 200,
    "/nowhere": 404,
    "/favicon.ico": 302,
}


@pytest.mark.parametrize(("path", "status"), ANSWERS.items())
def test_every_answer_carries_the_policy_which_allows_nothing_inside_of_pages(
    demo, settings, client, caplog, path, status
):
    settings.MIDDLEWARE = demo_settings.MIDDLEWARE

    answer = client.get(path)

    assert status == answer.status_code
    assert POLICY == answer["Content-Security-Policy"]
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in POLICY
