"""Receivers verify a post as docs/usage.md shows it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from quotas.domain.webhooks import new_secret, signed

DOCS = Path(__file__).parents[2] / "docs" / "usage.md"


@pytest.fixture(scope="module")
def is_ours():
    (snippet,) = re.findall(r"```python\n(import base64.+?)```", DOCS.read_text(), re.DOTALL)
    names = {}
    exec(snippet, names)  # noqa: S102 - our own page
    return names["is_ours"]


@pytest.mark.parametrize(
    ("ago", "key", "body", "taken"),
    [
        (0, "right", b"{}", True),
        (0, "wrong", b"{}", False),
        (0, "right", b"{ }", False),
        (600, "right", b"{}", False),
    ],
)
def test_the_documented_snippet_takes_what_is_ours_and_nothing_else(is_ours, ago, key, body, taken):
    secret = new_secret()
    at = int(time.time()) - ago
    headers = signed(secret=secret, reference="msg_1", at=at, body=b"{}")

    assert taken == is_ours(secret if key == "right" else new_secret(), headers, body)
