from __future__ import annotations

import pytest

from quotas.domain.alerts import is_projected, thresholds_met
from quotas.domain.limits import CalendarQuota
from quotas.domain.policies import Limit
from quotas.domain.words import CalendarUnit


def a_limit(**fields):
    rule = CalendarQuota(amount=100, unit=CalendarUnit.MONTH)
    return Limit(scope="api", name="month", rule=rule, **fields)


@pytest.mark.parametrize(
    ("used", "most", "met"),
    [
        pytest.param(79, 100, [], id="below"),
        pytest.param(80, 100, ["80"], id="at-the-first"),
        pytest.param(99, 100, ["80"], id="between"),
        pytest.param(100, 100, ["80", "100"], id="all-of-it"),
        pytest.param(130, 100, ["80", "100"], id="above"),
        pytest.param(2, 3, [], id="a-part-below"),
        pytest.param(3, 3, ["80", "100"], id="a-small-amount"),
        pytest.param(8 * 10**11, 10**12, ["80"], id="a-large-amount"),
        pytest.param(8 * 10**11 - 1, 10**12, [], id="just-below-a-large-amount"),
        pytest.param(5, None, [], id="unlimited"),
        pytest.param(0, 0, [], id="nothing-allowed"),
    ],
)
def test_a_threshold_is_met_from_its_percentage_on(used, most, met):
    assert met == list(thresholds_met(a_limit(warn_at=(80, 100)), used, most))


def test_without_thresholds_none_is_met():
    assert [] == list(thresholds_met(a_limit(), 100, 100))


@pytest.mark.parametrize(
    ("wanted", "amount", "projected"), [(True, 100, True), (False, 100, False), (True, None, False)]
)
def test_projected_is_told_to_whoever_wants_it(wanted, amount, projected):
    limit = a_limit(warn_projected=wanted)

    assert projected is is_projected(limit, 60, amount, start_us=0, now_us=20, end_us=100)
