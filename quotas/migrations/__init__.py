"""Migrations: hand-named, one idea each, reversible, without code of the app."""
