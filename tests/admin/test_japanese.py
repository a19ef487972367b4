"""Staff who read Japanese: labels, what is wrong with a form, and what the history says."""
# ruff: noqa: RUF001 - Japanese has marks of its own

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.utils import translation

from quotas.models import PlanLimit, Tenant
from tests.admin.pages import act, add_url, change_url, list_url, submit, texts_of
from tests.models.rows import a_limit, a_plan, a_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.fixture(autouse=True)
def japanese():
    with translation.override("ja"):
        yield


def test_lists_and_forms_have_japanese_labels(staff):
    limit = a_limit(a_plan(), algorithm="token_bucket")

    shown = staff.get(list_url(PlanLimit)).content.decode()
    form = staff.get(change_url(limit)).content.decode()

    for words in ("許可する量", "保証内容", "任意の2秒で最大", "シャドウモードを終了する"):
        assert words in shown
    for words in (
        "アルゴリズム",
        "リーキーバケット",
        "障害時の動作",
        "デフォルト：トークンバケット",
    ):
        assert words in form


def test_what_cannot_be_read_is_told_in_japanese(staff):
    answer = submit(staff, add_url(PlanLimit), PlanLimit, period="3 months", warn_at="a lot")

    assert 200 == answer.status_code
    errors = str(answer.context["adminform"].form.errors)
    assert "カレンダークォータと暦の単位を選択してください" in errors
    assert "パーセント値をコンマ区切りで入力してください" in errors


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        pytest.param({"amount": -1}, "amount", "許容量が-1です", id="amount"),
        pytest.param({"amount": 10**13}, "amount", "許容量が10000000000000です", id="too-much"),
        pytest.param(
            {"capacity": 0, "algorithm": "token_bucket"}, "capacity", "容量が0です", id="capacity"
        ),
        pytest.param({"period": timedelta(0)}, "period", "期間が0:00:00です", id="period"),
        pytest.param({"period": None}, "period", "許容量に対する期間を", id="no-period"),
    ],
)
def test_a_number_that_makes_no_rule_is_told_in_japanese(fields, field, words):
    limit = a_limit(a_plan())
    for name, value in fields.items():
        setattr(limit, name, value)

    with pytest.raises(ValidationError) as caught:
        limit.clean()

    assert [field] == list(caught.value.message_dict)
    assert words in caught.value.message_dict[field][0]


def test_the_history_is_kept_in_the_language_of_whoever_changed_something(staff):
    tenant = a_tenant("acme")

    act(staff, Tenant, "reset_counters", [tenant])
    submit(staff, change_url(tenant), Tenant, suspended="on")
    submit(staff, change_url(tenant), Tenant)

    said = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
    reset = "カウンターをリセット（epoch：0 → 1）"
    assert [reset, "suspended：いいえ → はい", "変更なし"] == said


def test_what_an_action_did_is_told_in_japanese(staff):
    act(staff, Tenant, "suspend", [a_tenant(), a_tenant()])

    assert ["2件のテナントを変更しました。"] == texts_of(staff.get(list_url(Tenant)))
