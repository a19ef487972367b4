"""What the demo begins with: four plans and three tenants, all of them made up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
OVERRIDE_LASTS = timedelta(days=30)

Numbers = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPlan:
    """A plan, and its limits as columns of `PlanLimit`."""

    key: str
    name: str
    limits: tuple[Numbers, ...]
    is_default: bool = False
    is_anonymous: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTenant:
    """A tenant, whose key is also its log-in and password, and the columns of its overrides."""

    key: str
    name: str
    plan: str
    time_zone: str
    anchor_day: int = 1
    overrides: tuple[Numbers, ...] = ()

    @property
    def token(self) -> str:
        """What its programs authenticate with."""
        return f"demo-{self.key}"


def bucket(amount: int, capacity: int, **more: Any) -> Numbers:
    """Reports, smoothed over each minute."""
    return {
        "scope": "reports",
        "name": "minute",
        "title": "Reports per minute",
        "algorithm": "token_bucket",
        "amount": amount,
        "period": MINUTE,
        "capacity": capacity,
    } | more


def monthly(amount: int, **more: Any) -> Numbers:
    """Reports of a civil month in the tenant's time zone."""
    return {
        "scope": "reports",
        "name": "month",
        "title": "Reports per month",
        "algorithm": "calendar_quota",
        "amount": amount,
        "unit": "month",
    } | more


def exports(hourly: int, at_once: int) -> tuple[Numbers, Numbers]:
    """Exports: an exact window, and so many in flight."""
    window = {
        "scope": "exports",
        "name": "hour",
        "title": "Exports per hour",
        "algorithm": "sliding_window_log",
        "amount": hourly,
        "period": HOUR,
    }
    flight = {
        "scope": "exports",
        "name": "at-once",
        "title": "Exports at once",
        "algorithm": "concurrency",
        "amount": at_once,
        "period": MINUTE,
    }
    return window, flight


def batches(amount: int, **more: Any) -> Numbers:
    """Items of batches, counted over each hour."""
    return {
        "scope": "batches",
        "name": "hour",
        "title": "Batch items per hour",
        "algorithm": "sliding_window_counter",
        "amount": amount,
        "period": HOUR,
    } | more


def daily(amount: int, **more: Any) -> Numbers:
    """Everything together."""
    return {
        "scope": "*",
        "name": "day",
        "title": "Everything per day",
        "algorithm": "fixed_window",
        "amount": amount,
        "period": DAY,
    } | more


PLANS = (
    DemoPlan(
        key="visitor",
        name="Visitor",
        is_anonymous=True,
        limits=(
            {
                "scope": "reports",
                "name": "minute",
                "title": "Reports per minute",
                "subject": "address",
                "algorithm": "sliding_window_log",
                "amount": 3,
                "period": MINUTE,
            },
        ),
    ),
    DemoPlan(
        key="free",
        name="Free",
        is_default=True,
        limits=(bucket(5, 5), monthly(200), *exports(10, 1), batches(200)),
    ),
    DemoPlan(
        key="pro",
        name="Pro",
        limits=(
            bucket(120, 40),
            bucket(60, 20, name="person", title="Reports of each user", subject="user"),
            monthly(50_000),
            *exports(100, 3),
            batches(5_000, outage_policy="deny"),
            daily(20_000, mode="shadow"),
        ),
    ),
    DemoPlan(
        key="scale",
        name="Scale",
        limits=(
            bucket(600, 200),
            monthly(1_000_000),
            *exports(1_000, 10),
            batches(
                50_000,
                name="queue",
                title="Batch items queued",
                algorithm="leaky_bucket",
                capacity=5_000,
                outage_policy="deny",
            ),
            daily(200_000),
        ),
    ),
)

TENANTS = (
    DemoTenant(key="acme", name="Acme Kites", plan="free", time_zone="Europe/Berlin"),
    DemoTenant(
        key="bolt",
        name="Bolt Parcels",
        plan="pro",
        time_zone="America/New_York",
        anchor_day=15,
    ),
    DemoTenant(
        key="cyan",
        name="Cyan Cartography",
        plan="scale",
        time_zone="Asia/Tokyo",
        overrides=(monthly(1_500_000, reason="Atlas relaunch: half as many again for a month"),),
    ),
)
