"""The demo's own commands."""
