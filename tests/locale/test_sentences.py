"""Sentences as Japanese says them: guarantees, dates, and the e-mail of an alert."""
# ruff: noqa: RUF001 - Japanese has marks of its own

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.utils import translation

from quotas.domain.guarantees import guarantee
from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.models.choices import UNITS
from quotas.services.deliveries import deliver
from quotas.views import wording
from tests.models.rows import a_membership, a_tenant, a_user
from tests.services.alerting import an_alert
from tests.services.counted import START

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
TOKYO = ZoneInfo("Asia/Tokyo")
NOON = datetime(2026, 10, 27, 12, 5, 9, tzinfo=TOKYO)


@pytest.fixture(autouse=True)
def japanese():
    with translation.override("ja"):
        yield


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (
            TokenBucket(amount=100, period=MINUTE, capacity=20),
            "任意の2秒で最大23、任意の1分で最大120",
        ),
        (
            TokenBucket(amount=5, period=timedelta(seconds=10), capacity=20),
            "一度に最大20、任意の10秒で最大25",
        ),
        (
            LeakyBucket(amount=60, period=HOUR, capacity=5),
            "開始の間隔は1分、待ち時間は最長5分",
        ),
        (FixedWindow(amount=10, period=2 * HOUR), "2時間ごとに10、区切りの前後では最大20"),
        (
            SlidingWindowCounter(amount=1000, period=timedelta(weeks=1)),
            "任意の1週間で約1,000（トラフィックが均等な場合）",
        ),
        (SlidingWindowLog(amount=10, period=MINUTE), "任意の1分で常に10以下"),
        (CalendarQuota(amount=10, unit=CalendarUnit.MONTH), "暦月ごとに10"),
        (Concurrency(amount=2, period=MINUTE), "同時に常に2以下"),
        (DenyAll(algorithm=Algorithm.CONCURRENCY), "すべて拒否"),
        (Unlimited(algorithm=Algorithm.FIXED_WINDOW, period=MINUTE), "無制限（集計のみ）"),
    ],
)
def test_a_guarantee_is_a_japanese_sentence(rule, sentence):
    assert sentence == guarantee(rule, translation)


def test_a_unit_of_the_calendar_is_no_span():
    assert ["日", "週", "月", "年"] == [str(label) for _word, label in UNITS]


def test_dates_are_written_as_japanese_does():
    assert "2026年10月27日 12:05:09" == wording.instant(NOON)
    assert "12:05:09" == wording.instant(NOON, seen_at=NOON)
    assert "2026年10月27日～2026年10月28日" == wording.days(NOON, NOON + 24 * HOUR)


def test_spans_shares_and_lists_are_written_without_spaces():
    assert "3分20秒後" == wording.within(200_000_000)
    assert "5秒" == wording.lasting(5_000_000)
    assert "75%" == wording.share(75)
    assert "1,234" == wording.number(1234)
    assert "A、B" == wording.listed(["A", "B"])


@pytest.mark.django_db
def test_the_email_of_an_alert_is_japanese():
    tenant = a_tenant("acme", name="Acme", time_zone="Asia/Tokyo")
    a_membership(tenant, a_user("ada", email="ada@example.com"), role="manager")
    an_alert(tenant, used=4000, amount=5000)

    deliver(START)

    (sent,) = mail.outbox
    reached = (
        "制限「minute」（api/minute）の使用量が80%に達し、すべて使い切ると呼び出しは拒否されます。"
    )
    assert f"Acme：{reached}" == sent.subject
    assert f"Acme：{reached}" == sent.body.splitlines()[0]
    assert "5,000ユニット中4,000ユニットが使用されていました。" in sent.body
    assert "期間：2026年10月27日 09:00～2026年10月28日 09:00（Asia/Tokyo）" in sent.body
