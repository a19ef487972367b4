"""Compares what the limiter counted, the database and the page, and names each difference.

`walk` goes from tenant to tenant, `books` and `kept` read, `records`, `calendars` and `pages`
compare, `differences` has the words. Looking changes nothing.
"""
