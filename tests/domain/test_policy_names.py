"""Policies have names that RFC 9651 can carry, and no two of a response share one."""

from __future__ import annotations

from datetime import timedelta

import http_sfv
import pytest

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.dialects import quota_headers
from quotas.domain.limits import SlidingWindowLog
from quotas.domain.policies import Limit
from quotas.domain.policy_names import policy_names
from quotas.domain.words import Outcome

RULE = SlidingWindowLog(amount=3, period=timedelta(minutes=1))


def limits(*pairs):
    return [Limit(scope=scope, name=name, rule=RULE) for scope, name in pairs]


@pytest.mark.parametrize(
    ("pairs", "names"),
    [
        pytest.param([("a", "minute"), ("b", "hour")], ["minute", "hour"], id="no-clash"),
        pytest.param(
            [("a", "minute"), ("*", "minute"), ("b", "day")],
            ["a-minute", "all-minute", "day"],
            id="clash",
        ),
        pytest.param(
            [("a-b", "c"), ("x", "c"), ("a", "b-c"), ("y", "b-c")],
            ["a-b-c", "x-c", "a-b-c-2", "y-b-c"],
            id="clash-of-what-tells-clashes-apart",
        ),
        pytest.param(
            [("a", "minute"), ("a", "minute")], ["a-minute", "a-minute-2"], id="plan-and-code"
        ),
    ],
)
def test_names_are_short_when_they_can_be_and_never_alike(pairs, names):
    assert names == policy_names(limits(*pairs))


@pytest.mark.parametrize("scope", ["東京支店", 'say "hi"\\', "tab\there", "x" * 4000, "é"])
def test_any_scope_makes_a_name_that_a_parser_reads_back(scope):
    pair = limits((scope, "minute"), ("other", "minute"))
    verdicts = tuple(Verdict(each, 1, True, 0, 0, 1, 1, 0) for each in pair)

    headers = quota_headers(Decision(Outcome.ALLOWED, verdicts, 1), ["draft-11"])

    read = http_sfv.List()
    read.parse(headers["RateLimit"].encode())
    assert policy_names(pair) == [item.value for item in read]
    assert len(headers["RateLimit"]) < 300
