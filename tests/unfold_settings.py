"""Settings of the tests under django-unfold: in a process of their own, by ``--ds``."""

from __future__ import annotations

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as STOCK_APPS

INSTALLED_APPS = ["unfold", *STOCK_APPS]
