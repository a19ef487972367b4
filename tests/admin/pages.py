"""Reads a page's form as a browser would: what it would send if nobody touched it."""

from __future__ import annotations

from html.parser import HTMLParser

from django.urls import reverse


class FormReader(HTMLParser):
    """Collects the successful controls of the form with that id."""

    def __init__(self, form_id):
        super().__init__()
        self.form_id = form_id
        self.inside = False
        self.sent = {}
        self.select = None
        self.textarea = None

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "form":
            self.inside = values.get("id") == self.form_id
        if not self.inside:
            return
        name, kind = values.get("name"), values.get("type", "text")
        if tag == "input" and name and kind not in {"submit", "button", "reset"}:
            if kind not in {"checkbox", "radio"}:
                self.sent[name] = values.get("value", "")
            elif "checked" in values:
                self.sent[name] = values.get("value", "on")
        elif tag == "select":
            self.select = name
            self.sent.setdefault(name, None)
        elif tag == "option" and self.select:
            if "selected" in values or self.sent[self.select] is None:
                self.sent[self.select] = values.get("value", "")
        elif tag == "textarea":
            self.textarea = name
            self.sent[name] = ""

    def handle_data(self, data):
        if self.textarea:
            self.sent[self.textarea] += data.removeprefix("\n")

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False
        elif tag == "select":
            self.select = None
        elif tag == "textarea":
            self.textarea = None


def form_of(response, form_id):
    """What the form with that id would send."""
    reader = FormReader(form_id)
    reader.feed(response.content.decode())
    return reader.sent


def list_url(model):
    return reverse(f"admin:quotas_{model.__name__.lower()}_changelist")


def add_url(model):
    return reverse(f"admin:quotas_{model.__name__.lower()}_add")


def change_url(row):
    return reverse(f"admin:quotas_{type(row).__name__.lower()}_change", args=[row.pk])


def submit(client, url, model, **changes):
    """Open the page at ``url``, change some fields, and send its form."""
    page = client.get(url)
    assert page.status_code == 200
    return client.post(url, {**form_of(page, f"{model.__name__.lower()}_form"), **changes})


def act(client, model, action, rows, **fields):
    """Post an action on the selected rows, as the list would."""
    data = {"action": action, "index": "0", "_selected_action": [row.pk for row in rows], **fields}
    return client.post(list_url(model), data)


def texts_of(response):
    """The messages that the page tells."""
    return [str(message) for message in response.context["messages"]]
