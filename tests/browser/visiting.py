"""Somebody at a browser."""

from __future__ import annotations

import time

from playwright.sync_api import expect

SECONDS = 20
TABS = 60


class Visitor:
    """A page, and what goes wrong on it."""

    def __init__(self, page, watch):
        self.page = page
        self.watch = watch

    def open(self, path):
        """The status of the answer."""
        return self.page.goto(path).status

    def log_in(self, name):
        self.page.goto("/login/")
        self.page.get_by_label("Log-in").fill(name)
        self.page.get_by_label("Password").fill(name)
        self.page.get_by_role("button", name="Log in").click()
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()

    def call(self, tenant, path="/api/reports/"):
        """The status of a call with the token of this tenant, as a program makes it."""
        headers = {"Authorization": f"Token demo-{tenant}"}
        return self.page.request.get(path, headers=headers).status

    def call_until_denied(self, tenant):
        while self.call(tenant) != 429:
            pass

    def comes_to(self, condition):
        """Let the page go on until something holds."""
        until = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < until, "nothing of the kind on this page"
            self.page.wait_for_timeout(20)

    def tab_to(self, name):
        """Press Tab until the link, button or summary of this text has the focus."""
        for _ in range(TABS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("document.activeElement.textContent.trim()") == name:
                return
        raise AssertionError(f"no way to {name} by the keyboard")
