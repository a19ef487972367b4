"""Every route of our admins, found in what is registered: one that is added later is found too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from uuid import UUID

import pytest
from django.contrib import admin
from django.urls import reverse

from quotas.admin.tenant_buttons import STEPS
from quotas.models.versions import DELETED
from tests.admin.companies import GONE
from tests.admin.pages import FormReader

BLANK = re.compile(r"<(?:\w+:)?(\w+)>|\((?:\?P<(\w+)>)?[^()]*\)")
"""What an address leaves open, as `path` and `re_path` write it."""
FORM = re.compile(r'<form[^>]* id="([^"]+)"')
ELSEWHERE = {"logout-form", "changelist-search"}
FIRST_ROW = "object_id"
ABSENT_VERSION = UUID(int=7)
TYPED = {
    "key": "new",
    "name": "new",
    "scope": "new",
    "algorithm": "fixed_window",
    "period": "1 hour",
    "amount": "77",
    "extra": "7",
    "until": "2036-01-31T12:30",
    "reason": "because",
    "title": "new",
    "suspended": "on",
    "email": "on",
    "role": "manager",
    "mode": "off",
    "active": "on",
}
"""What somebody types into the fields of these names, wherever they are."""
ASKED_TWICE = {"post": "yes", "_confirmed": "yes"}
"""What pages in between send, that ask whether somebody means it."""


@dataclass(frozen=True)
class Route:
    """A route of one admin: its text with what it leaves open."""

    admin: object
    text: str

    @property
    def model(self):
        return self.admin.model

    @property
    def about_a_row(self):
        return BLANK.search(self.text) is not None

    def addresses(self, pk):
        """The addresses of this route for the row of that primary key."""
        names = [first or second or FIRST_ROW for first, second in BLANK.findall(self.text)]
        chosen = [self._values(name, pk) for name in names]
        root = reverse(f"admin:quotas_{self.model._meta.model_name}_changelist")
        return [root + self._filled(values) for values in product(*chosen)]

    def _values(self, name, pk):
        if name == "name":
            return list(STEPS)
        if name == "model_name":
            return [self.model._meta.model_name]
        return [self._version(pk) if name == "version_id" else pk]

    def _version(self, pk):
        """The first version of that row, or that of the deletion of the row beside it."""
        versions = self.model.history.filter(id=pk)
        if "deleted" in self.text:
            versions = self.model.history.filter(id=pk + GONE, history_type=DELETED)
        found = versions.order_by("history_date").first()
        return found.history_id if found else ABSENT_VERSION

    def _filled(self, values):
        rest = iter(values)
        return BLANK.sub(lambda _found: str(next(rest)), self.text).strip("^$").replace("\\Z", "")


def routes():
    """All of them, as parameters of a test."""
    ours = [each for each in admin.site._registry.values() if each.opts.app_label == "quotas"]
    found = [Route(each, str(route.pattern)) for each in ours for route in each.urls]
    return [pytest.param(each, id=f"{each.model.__name__}-{each.text}") for each in found]


def written(chief, address, **chosen):
    """What the page sends when somebody who may has filled it in: ``chosen`` where it is blank."""
    page = chief.get(address)
    sent = {}
    if page.status_code == 200 and page.headers["Content-Type"].startswith("text/html"):
        text = page.content.decode()
        for form in {*FORM.findall(text), None} - ELSEWHERE:
            reader = FormReader(form)
            reader.feed(text)
            sent |= reader.sent
    for name, value in sent.items():
        column = name.split("-")[-1]
        sent[name] = TYPED.get(column, value or chosen.get(column, value))
    return {name: value for name, value in sent.items() if value is not None} | ASKED_TWICE


def posts(route, chief, pk, **chosen):
    """``(address, data)`` of every button of the route's pages: to save, to delete, each action."""
    actions = [] if route.text else [name for _call, name, _said in route.admin._get_base_actions()]
    for address in route.addresses(pk):
        sent = written(chief, address, **chosen)
        yield address, {**sent, "_save": "Save"}
        for action in actions:
            marked = {"action": action, "index": "0", "_selected_action": pk}
            yield address, {**sent, "amount": "77", **marked}
