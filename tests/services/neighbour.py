"""Another process of the site: it asks the limiter what it is told to, one line of JSON each."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests import START_US

MODULE = "tests.services.neighbour"


class Neighbour:
    """Starts it, and talks to it."""

    def __init__(self):
        from django.conf import settings
        from django.db import connection

        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._told(
            database=str(connection.settings_dict["NAME"]),
            quotas=settings.CACHES["quotas"],
        )

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def forget(self):
        """Make it a new process."""
        self._told(do="forget")

    def ask(self, tenant=None, *, user=None, scope="api", cost=1, now_us=START_US):
        """What it is answered: (outcome or code of a refusal, what is left by name of limit)."""
        return tuple(
            self._told(
                do="enforce",
                tenant=getattr(tenant, "pk", tenant),
                user=getattr(user, "pk", user),
                scope=scope,
                cost=cost,
                now_us=now_us,
            )
        )

    def queries(self, tenant=None, *, user=None, scope="api", now_us=START_US):
        """How many queries that took."""
        return self._told(
            do="count",
            tenant=getattr(tenant, "pk", tenant),
            user=getattr(user, "pk", user),
            scope=scope,
            cost=1,
            now_us=now_us,
        )

    def _told(self, **request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def main():
    _set_up(json.loads(sys.stdin.readline()))
    _say(None)
    for line in sys.stdin:
        request = json.loads(line)
        _say(
            {"forget": _forget, "enforce": _enforce, "count": _count}[request.pop("do")](**request)
        )


def _say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _set_up(told):
    from tests import settings

    settings.CACHES["quotas"] = told["quotas"]
    settings.DATABASES["default"]["NAME"] = told["database"]
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()


def _forget():
    from quotas.testing import forget

    forget()


def _enforce(tenant, user, scope, cost, now_us):
    from quotas.errors import Refusal
    from quotas.services.enforcement import Ask, Caller, enforce
    from quotas.services.tenancy import choose
    from quotas.testing import frozen_clock

    def resolve():
        return choose(user, None) if tenant is None and user is not None else tenant

    with frozen_clock(now_us):
        try:
            answer = enforce(
                Caller(address="192.0.2.1", user_pk=user, resolve=resolve),
                [Ask(scope=scope, cost=cost)],
            )
        except Refusal as refusal:
            return [refusal.code, {}]
    verdicts = answer.decision.verdicts
    return [answer.decision.outcome, {each.limit.name: each.remaining for each in verdicts}]


def _count(**request):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        _enforce(**request)
    return len(queries)


if __name__ == "__main__":
    main()
