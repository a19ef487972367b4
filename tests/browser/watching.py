"""What goes wrong on a page without anybody seeing it."""

from __future__ import annotations

LOUD = {"error", "warning"}
BROKEN = 400
LEFT = "net::ERR_ABORTED"


class Watch:
    """Collects what the console of a context's pages says, their errors, and failed requests.

    Chromium tells the console of whatever a Content-Security-Policy blocks.
    """

    def __init__(self, context):
        self.troubles = []
        context.on("console", self._console)
        context.on("weberror", lambda error: self._note(f"script: {error.error}"))
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)

    def expect(self, *parts):
        """Forget the troubles that contain one of these, each of which there must be."""
        for part in parts:
            assert any(part in trouble for trouble in self.troubles), (part, self.troubles)
            self.troubles = [trouble for trouble in self.troubles if part not in trouble]

    def _note(self, trouble):
        self.troubles.append(trouble)

    def _console(self, message):
        if message.type in LOUD:
            self._note(f"console: {message.text} ({message.location.get('url')})")

    def _failed(self, request):
        if request.resource_type == "fetch" and request.failure == LEFT:
            return  # the page was left while its script read it again
        self._note(f"request: {request.method} {request.url} {request.failure}")

    def _answered(self, response):
        if response.status >= BROKEN:
            self._note(f"answer: {response.status} {response.url}")
