"""What `quotas.testing` offers, with pytest and without."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quotas import testing

WITHOUT_PYTEST = """
import sys
sys.modules["pytest"] = None  # as if it were not installed
import django
django.setup()
from quotas.testing import forget, frozen_clock, isolate, override_limit, throttling_off
with frozen_clock(1), override_limit("api", amount=1, period=1), throttling_off():
    forget()
try:
    from quotas.testing import quotas_isolated
except ImportError:
    print("only the fixtures need it")
"""


def test_every_name_that_is_listed_is_there():
    assert all(hasattr(testing, name) for name in testing.__all__)
    assert all(getattr(testing, name).__doc__ for name in testing.__all__)


def test_a_name_that_is_not_there_is_an_error_as_usual():
    with pytest.raises(AttributeError, match="no attribute 'quotas_islated'"):
        testing.quotas_islated  # noqa: B018


def test_without_pytest_all_but_the_fixtures_work():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTEST], capture_output=True, text=True, check=False
    )

    assert done.stdout == "only the fixtures need it\n", done.stderr
