"""A module of a project that does not even import."""

from __future__ import annotations

raise RuntimeError("read at import")
