"""A browser for each worker, a server for each test, and a context for each of its visitors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser, expect, sync_playwright

from project import settings as demo_settings
from tests.browser.leaving_out import CHROMIUM
from tests.browser.visiting import Visitor
from tests.browser.watching import Watch
from tests.project.conftest import demo, load

__all__ = ["demo", "load"]

PROJECT = Path(demo_settings.__file__).parent
HOST = "127.0.0.1"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 20_000
"""Milliseconds that two busy cores may take for what a page shall show."""

expect.set_options(timeout=PATIENCE)


@contextmanager
def running(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """Playwright leaves its loop running between calls; other tests must not be inside of it."""
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = sync_playwright().start()
    loop = asyncio.get_running_loop()
    with running(loop):
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield launched
    with running(loop):
        launched.close()
        playwright.stop()


@pytest.fixture
def site(transactional_db, demo, settings) -> Iterator[str]:
    """The address of a server with the demo, whose clock `demo` stands still."""
    settings.MIDDLEWARE = demo_settings.MIDDLEWARE
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"DIRS": [PROJECT / "templates"]}]
    settings.STATICFILES_DIRS = [PROJECT / "static"]
    settings.LOCALE_PATHS = [PROJECT / "locale"]
    settings.ALLOWED_HOSTS = [HOST]
    settings.LOGOUT_REDIRECT_URL = demo_settings.LOGOUT_REDIRECT_URL
    thread = LiveServerThread(HOST, StaticFilesHandler)
    thread.daemon = True
    thread.start()
    thread.is_ready.wait()
    if thread.error:
        raise thread.error
    yield f"http://{HOST}:{thread.port}"
    thread.terminate()


@pytest.fixture
def visit(site, browser, monkeypatch) -> Iterator:
    """``visit("acme")``: a visitor with a browser context of its own, who has logged in.

    Without a name, one who has not. At the end nothing may have gone wrong on any page.
    """
    # A test may make rows between what it does in the browser, whose loop is running.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    contexts, watches = [], []

    def arrive(name=None, **options):
        context = browser.new_context(base_url=site, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        watches.append(Watch(context))
        visitor = Visitor(context.new_page(), watches[-1])
        if name:
            visitor.log_in(name)
        return visitor

    with running(browser._impl_obj._loop):
        yield arrive
        troubles = [trouble for watch in watches for trouble in watch.troubles]
        for context in contexts:
            context.close()
    assert not troubles
