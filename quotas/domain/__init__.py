"""What a quota is, in plain Python: limits, decisions, keys, the calendar, rate text.

Pure: imports the standard library and `quotas.errors` only. No Django, no Redis, no clock.
"""
