"""Commands for operators, and how they show their work at a terminal.

An edge: reaches Redis through `quotas.services` alone.
"""
