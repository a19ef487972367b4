"""The page between a form and its save, as staff answer it."""

from __future__ import annotations

from tests.admin.pages import form_of

YES = {"_confirmed": "Yes"}
NO = {"_preview": "No"}


def text_of(page):
    """What a page shows; it is no redirect."""
    assert 200 == page.status_code
    return page.content.decode()


def answer(client, url, page, said):
    """Press a button of the page between."""
    sent = form_of(page, "confirm_form")
    assert sent, "it is the page between"
    return client.post(url, {**sent, **said})
