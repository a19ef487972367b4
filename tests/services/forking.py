"""A process that counts callers without a tenant and forks workers: run as a program of its own.

Its one argument is the ``quotas`` cache as JSON. It forks before it has threads, which a test
runner cannot promise.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

MODULE = "tests.services.forking"
PATIENCE = 60
BEFORE, IN_EACH, AFTER = 3, 2, 1


def fork_and_end(*workers):
    """The parent counts 3 calls, each worker 2 and then ends (or is ``killed``), the parent 1."""
    from django.conf import settings

    subprocess.run(
        [sys.executable, "-m", MODULE, json.dumps(settings.CACHES["quotas"]), *workers],
        check=True,
        timeout=PATIENCE,
    )


def main():
    _set_up(json.loads(sys.argv[1]))
    _call(BEFORE)
    for worker in sys.argv[2:]:
        if os.fork() == 0:
            _call(IN_EACH)
            if worker == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            return
    for _ in sys.argv[2:]:
        os.wait()
    _call(AFTER)


def _set_up(cache):
    from tests import settings

    settings.CACHES["quotas"] = cache
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from quotas.services import anonymous

    anonymous.EVERY = PATIENCE  # a slow machine adds nothing before the end


def _call(times):
    from quotas.services.enforcement import Ask, enforce
    from tests.services.asking import anonymous, in_code

    for _ in range(times):
        enforce(anonymous(), [Ask(limit=in_code(100))])


if __name__ == "__main__":
    main()
