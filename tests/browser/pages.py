"""The pages of the demo, as the visitors meet them who may."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A page: who looks at it, its address, and the status it is answered with."""

    who: str | None
    path: str
    status: int = 200

    @property
    def name(self):
        return f"{self.who or 'nobody'}-{self.path}"


PLACES = [
    Place(None, "/"),
    Place(None, "/login/"),
    Place("acme", "/quotas/acme/"),
    Place("bolt", "/quotas/bolt/?span=hour"),
    Place("cyan", "/quotas/cyan/?span=month"),
    Place("staff", "/quotas/"),
    Place("staff", "/quotas/?q=nothing"),
    Place("staff", "/quotas/acme/?span=week"),
    Place("acme", "/quotas/bolt/", 404),
]
USAGE = [place for place in PLACES if place.path.startswith("/quotas/") and place.who != "staff"]


def look(visit, place, language="en", **options):
    """Somebody who looks at a page; before, the tenants made calls, of which some were denied."""
    visitor = visit(place.who, **options)
    visitor.page.set_extra_http_headers({"Accept-Language": language})
    for tenant, calls in (("acme", 7), ("bolt", 22), ("cyan", 3)):
        for _ in range(calls):
            visitor.call(tenant)
    assert place.status == visitor.open(place.path)
    if place.status != 200:
        visitor.watch.expect("answer: 404", "console: Failed to load resource")
    for details in visitor.page.locator("details").all():
        details.locator("summary").click()
    return visitor
