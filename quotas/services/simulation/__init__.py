"""Trying limits on recorded traffic, with the real script under the record's own time.

`lines` and `events` or `access_log` read a record, `candidates` finds the limits, `replay` decides,
`summary` adds up.
"""
