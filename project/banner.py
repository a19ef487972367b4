"""What the demo prints once it runs: addresses, log-ins, tokens, and calls to try."""

from __future__ import annotations

from urllib.parse import urlsplit

TEXT = """
The demo of django-tenant-quotas is running. Ctrl-C ends it.

  Front page    {site}/
  Usage pages   {site}/quotas/
  Admin         {site}/admin/
  API           {site}/api/reports/  {site}/api/exports/  (batches: by POST, below)
  Redis         {redis}

  Log-ins       staff/staff (admin)  acme/acme  bolt/bolt  cyan/cyan
  Tokens        demo-acme (plan free)  demo-bolt (plan pro)  demo-cyan (plan scale)

One call, answered 200 with its headers:

  curl -i -H 'Authorization: Token demo-acme' {site}/api/reports/

Ten in a row, which end in 429:

  for i in 1 2 3 4 5 6 7 8 9 10; do curl -s -o /dev/null -w '%{{http_code}}\\n' \\
    -H 'Authorization: Token demo-acme' {site}/api/reports/; done

A batch, of which each item costs one unit:

  curl -i -H 'Authorization: Token demo-bolt' -H 'Content-Type: application/json' \\
    -d '{{"items": [1, 2, 3]}}' {site}/api/batches/
"""
NO_REDIS = """
Warning: that Redis gives no answer ({trouble}).
Nothing is counted; each limit allows or denies as its outage policy says.
"""


def text(site: str, redis_url: str, *, embedded: bool, trouble: str = "") -> str:
    """The whole of it. The password of ``redis_url`` is left out.

    ``trouble``: why Redis gives no answer.
    """
    address = urlsplit(redis_url)
    place = f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"
    said = TEXT.format(site=site, redis=f"{place} (embedded)" if embedded else place)
    return said + NO_REDIS.format(trouble=trouble) if trouble else said
