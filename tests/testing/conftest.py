"""As the documentation of `quotas.testing` says."""

from __future__ import annotations

from quotas.testing import quotas_clock, quotas_isolated

__all__ = ["quotas_clock", "quotas_isolated"]
