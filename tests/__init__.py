"""Tests of `quotas` and of the demo, folder for folder."""

from __future__ import annotations

START_US = 1_793_059_200_000_000
"""An instant to start from: midnight in UTC of a Tuesday in October 2026, in microseconds."""
