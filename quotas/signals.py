"""Signals that `quotas` sends. Imports nothing of ours."""

from __future__ import annotations

from django.dispatch import Signal

# Sent after the commit that changed what applies: tenant_ids (set of int), user_ids (set), plans
# (bool).
policy_changed = Signal()

# Sent at most once per QUOTAS_OUTAGE_LOG_INTERVAL and process: error (EngineUnavailable), missed
# (int).
engine_unavailable = Signal()

# Sent after the commit that kept an alert, by the one process that kept it: alert
# (quotas.models.Alert: its tenant_id, scope, name, threshold, used, amount, period_start and
# period_end). At most once a tenant, limit, threshold and period.
usage_threshold_reached = Signal()
