"""The policy of the demo with what unfold needs besides, as docs/admin.md says."""

from __future__ import annotations

from project.security import POLICY

NEEDED = {
    "script-src 'self'": "script-src 'self' 'unsafe-eval'",
    "style-src 'self'": "style-src 'self' 'unsafe-inline'",
}
UNFOLDED = "; ".join(NEEDED.get(each, each) for each in POLICY.split("; "))
