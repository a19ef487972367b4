"""The pictures of docs/images, by `make screenshots`: made-up numbers, a clock that stands still.

Its name keeps it out of the tests. Under django-unfold it draws that admin, and nothing else.
"""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps

from project import security
from quotas.models import CalendarBalance, Tenant, UsageDay
from tests.browser.admin_screens import CLOSED, SCREENS, a_busy_day
from tests.browser.palette import with_palette
from tests.browser.unfold_policy import UNFOLDED

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
NOON = datetime(2026, 10, 27, 14, 31, 35, tzinfo=ZoneInfo("America/New_York"))
MONTH = (NOON.replace(day=15, hour=0, minute=0, second=0), NOON.replace(month=11, day=15, hour=0))
MARGIN = 16
WIDE = {"viewport": {"width": 1120, "height": 968}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
LOOKS = {
    "light": WIDE | {"color_scheme": "light"},
    "dark": WIDE | {"color_scheme": "dark"},
    "phone": PHONE | {"color_scheme": "light"},
}


def a_month_of(tenant):
    """Days of work and weekends; on busy days more is denied."""
    for ago in range(1, 31):
        day = NOON.date() - timedelta(days=ago)
        busy = (1300 if day.weekday() < 5 else 330) + ago * 7919 % 613
        denied, shadow = busy * (ago * 31 % 23) // 100, busy * (ago * 17 % 29) // 100
        for scope, share in (("reports", 80), ("exports", 13), ("batches", 7)):
            shown = scope == "reports"  # what was denied is shown of one scope
            UsageDay.objects.create(
                tenant=tenant,
                day=day,
                scope=scope,
                admitted=busy * share // 100,
                units=busy * share // 100 * (250 if scope == "batches" else 1),
                denied=denied * shown,
                shadow_denied=shadow * shown,
                limits={"reports/person": [denied, 0], "*/day": [0, shadow]} if shown else {},
            )


UNFOLD = apps.is_installed("unfold")
stock = pytest.mark.skipif(UNFOLD, reason="drawn without unfold")


@pytest.fixture
def bolt(demo, visit):
    """``bolt(look)``: a member of Bolt who has used a good deal."""
    demo.move_to(NOON)
    tenant = Tenant.objects.get(key="bolt")
    a_month_of(tenant)
    CalendarBalance.objects.create(
        tenant=tenant,
        scope="reports",
        name="month",
        unit="month",
        period_start=MONTH[0],
        period_end=MONTH[1].replace(minute=0, second=0),
        used=18_845,
    )

    def arrive(look):
        visitor = visit("bolt", **LOOKS[look])
        for path, calls in (("/api/exports/", 86), ("/api/reports/", 16)):
            for _ in range(calls):
                visitor.call("bolt", path)
        return visitor

    return arrive


@stock
@pytest.mark.parametrize("look", LOOKS)
def test_a_picture_of_the_limits(bolt, look):
    page = bolt(look).page
    page.goto("/quotas/bolt/")

    keep(f"usage-{look}", page.screenshot())


@stock
@pytest.mark.parametrize("look", LOOKS)
def test_a_picture_of_a_month(bolt, look):
    page = bolt(look).page
    page.goto("/quotas/bolt/?span=month")
    top = page.locator("[data-refresh=history] .q-history-heading").bounding_box()["y"] - MARGIN
    notes = page.locator(".q-notes-history").bounding_box()
    size = LOOKS[look]["viewport"]
    end = notes["y"] + notes["height"] + MARGIN if look != "phone" else top + size["height"]

    part = {"x": 0, "y": top, "width": size["width"], "height": end - top}
    keep(f"usage-history-{look}", page.screenshot(full_page=True, clip=part))


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("screen", ["tenant", "plan"] if UNFOLD else SCREENS)
def test_a_picture_of_the_admin(demo, visit, monkeypatch, look, screen):
    if UNFOLD:
        monkeypatch.setattr(security, "POLICY", UNFOLDED)
    monkeypatch.setattr(socket, "gethostname", lambda: "web-1")
    demo.move_to(datetime.now(UTC))  # what is told of ages and ends goes by the real one
    lead, height = SCREENS[screen]
    size = {"viewport": {"width": 1280, "height": height}, "color_scheme": look}
    staff = visit("staff", **size)
    staff.page.add_init_script(CLOSED)
    a_busy_day(staff)

    lead(staff.page)

    staff.page.mouse.move(0, 0)
    keep(f"admin-{'unfold-' * UNFOLD}{screen}-{look}", staff.page.screenshot())


def keep(name, picture):
    (IMAGES / f"{name}.png").write_bytes(with_palette(picture))
