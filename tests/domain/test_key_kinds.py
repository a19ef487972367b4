"""What a key holds can be told from its text."""

from __future__ import annotations

import pytest

from quotas.domain.keys import (
    PLANS_KEY,
    WORKERS_KEY,
    KeyKind,
    Subject,
    denials_key,
    kind_of_key,
    owner_key,
    tenant_tag,
    user_tag,
)

TENANT = tenant_tag(7)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(Subject(TENANT, "t").key("c", "api"), KeyKind.CELLS, id="cells"),
        pytest.param(
            Subject(TENANT, "a2001_db8__1", 3).key("q", "*", "month"),
            KeyKind.CALENDAR_QUOTA,
            id="quota-of-an-epoch",
        ),
        pytest.param(Subject(user_tag(1), "u1").key("l", "api", "m"), KeyKind.LOG, id="log"),
        pytest.param(
            Subject("a192.0.2.1", "a192.0.2.1").key("s", "päge\n", "m"), KeyKind.SLOTS, id="slots"
        ),
        pytest.param(owner_key(TENANT), KeyKind.OWNER, id="owner"),
        pytest.param(denials_key(TENANT), KeyKind.DENIALS, id="denials"),
        pytest.param(PLANS_KEY, KeyKind.PLANS, id="plans"),
        pytest.param(WORKERS_KEY, KeyKind.WORKERS, id="workers"),
        pytest.param("session:{t7}:c", None, id="somebody-elses"),
        pytest.param("{t7}:cart:1", None, id="somebody-elses-under-a-tag"),
        pytest.param("{t7}:plans", None, id="plans-of-a-tag"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_kind_of_a_key_is_in_its_text(text, kind):
    assert kind == kind_of_key(text)
