"""Each `QUOTAS_` setting of the wrong type, range or spelling is said before a request meets it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.checks import settings as checked
from quotas.conf import Conf

WRONG = [
    ("QUOTAS_ENABLED", "quotas.E010", ["False", 0, None]),
    ("QUOTAS_COUNT_OPTIONS", "quotas.E011", ["no", 1]),
    ("QUOTAS_TIMEOUT", "quotas.E012", [0, -1, "0.25", None, True, float("nan"), float("inf")]),
    ("QUOTAS_PLAN_POLL", "quotas.E013", [-0.1, "1", None, False, 10**400]),
    ("QUOTAS_OUTAGE_LOG_INTERVAL", "quotas.E014", [-1, timedelta(seconds=1), "10"]),
    (
        "QUOTAS_TENANT_RESOLVER",
        "quotas.E015",
        [
            "",
            None,
            len,
            "resolver",
            "shop.tenants.resolve",
            "quotas.conf.missing",
            "quotas.conf.conf",
            "quotas.domain.keys.digest",
            "tests.checks.broken.resolve",
        ],
    ),
    ("QUOTAS_TENANT_HEADER", "quotas.E016", ["", "X Tenant", "X-Tenant:", "Größe", None, b"X"]),
    ("QUOTAS_TENANT_HEADER", "quotas.E016", ["HTTP_X_TENANT", "X_Tenant"]),
    ("QUOTAS_HEADERS", "quotas.E017", ["draft-11", None, {"draft-11"}, [["draft-11"]]]),
    ("QUOTAS_HEADERS", "quotas.E017", [("draft-3",), ("draft-11", "draft-11")]),
    (
        "QUOTAS_SITE_URL",
        "quotas.E018",
        [
            None,
            "api.example.com",
            "//api.example.com",
            "ftp://a.example",
            "https://",
            "https://a b",
            "https://a.example/?q=1",
            "https://a.example\n",
            b"https://a.example",
        ],
    ),
    ("QUOTAS_WEBHOOK_ADDRESSES", "quotas.E019", ["", "private", "ANY", None, True, ["any"]]),
    (
        "QUOTAS_STAFF_TENANTS",
        "quotas.E030",
        [
            "",
            True,
            len,
            [1],
            "staff",
            "shop.staff.seen",
            "quotas.conf.conf",
            "quotas.views.access.nowhere",
        ],
    ),
]

RIGHT = [
    ("QUOTAS_ENABLED", False),
    ("QUOTAS_COUNT_OPTIONS", True),
    ("QUOTAS_TIMEOUT", 1),
    ("QUOTAS_TIMEOUT", 0.001),
    ("QUOTAS_PLAN_POLL", 0),
    ("QUOTAS_OUTAGE_LOG_INTERVAL", 0.5),
    ("QUOTAS_TENANT_RESOLVER", "quotas.drf.tenants.resolve_tenant"),
    ("QUOTAS_TENANT_RESOLVER", "builtins.max"),  # written in C, it does not tell what it takes
    ("QUOTAS_TENANT_HEADER", "X-Acme-Tenant"),
    ("QUOTAS_HEADERS", ()),
    ("QUOTAS_HEADERS", ["x-ratelimit", "draft-11"]),
    ("QUOTAS_SITE_URL", ""),
    ("QUOTAS_SITE_URL", "https://api.example.com"),
    ("QUOTAS_SITE_URL", "http://localhost:8000/inner/"),
    ("QUOTAS_WEBHOOK_ADDRESSES", "public"),
    ("QUOTAS_WEBHOOK_ADDRESSES", "any"),
    ("QUOTAS_STAFF_TENANTS", None),
    ("QUOTAS_STAFF_TENANTS", "quotas.services.staff.by_membership"),
]


class Mute:
    """A value that cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("name", "code", "value"), [(name, code, each) for name, code, all_ in WRONG for each in all_]
)
def test_a_wrong_value_is_named_with_its_setting_and_a_hint(settings, said, name, code, value):
    setattr(settings, name, value)

    [message] = said()[code]

    assert message.msg.startswith(f"{name} is {value!r}"[:60])
    assert message.hint


@pytest.mark.parametrize("name", sorted({name for name, _, _ in WRONG}))
def test_no_value_makes_a_check_raise(settings, said, name):
    setattr(settings, name, Mute())

    [message] = [
        each for code in {row[1] for row in WRONG if row[0] == name} for each in said()[code]
    ]

    assert "a Mute" in message.msg


@pytest.mark.parametrize(("name", "value"), RIGHT)
def test_a_right_value_is_left_alone(settings, said, name, value):
    setattr(settings, name, value)

    assert {} == said()


def test_the_defaults_are_right(said):
    assert {} == said()


def test_a_name_that_does_not_exist_leads_to_the_nearest_one(settings, said):
    settings.QUOTAS_TIMOUT = 1

    [message] = said()["quotas.W010"]

    assert "QUOTAS_TIMOUT is 1" in message.msg
    assert message.hint == "Did you mean QUOTAS_TIMEOUT?"


def test_a_name_that_is_like_none_leads_to_all(settings, said):
    settings.QUOTAS_XYZ = 1

    [message] = said()["quotas.W010"]

    assert all(name in message.hint for name in checked.KNOWN)


def test_every_setting_has_a_check():
    settings = {f"QUOTAS_{name.upper()}" for name in vars(Conf) if not name.startswith("_")}

    assert settings - {"QUOTAS_CACHE"} == {name for name, _, _ in WRONG}
