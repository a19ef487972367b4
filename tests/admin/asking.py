"""The page between a form and its save, as staff answer it."""

from __future__ import annotations

import re
from html import unescape

from tests.admin.pages import form_of

YES = {"_confirmed": "Yes"}
"""A yes by hand; `answer` puts what the button of the page sends in its place."""
NO = {"_preview": "No"}
BUTTON = re.compile(r'name="_confirmed" value="([^"]+)"')

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


def text_of(page):
    """What a page shows; it is no redirect."""
    assert 200 == page.status_code
    return page.content.decode()


def yes_on(page):
    """What the page between sends when it is answered with yes."""
    text = page.content.decode()
    assert 'id="confirm_form"' in text, "it is the page between"
    form = text.split('id="confirm_form"')[1].split("</form>")[0]
    sent = {}
    for name, value in HIDDEN.findall(form):
        sent.setdefault(unescape(name), []).append(unescape(value))
    return {**sent, "_confirmed": BUTTON.search(form)[1]}


def answer(client, url, page, said):
    """Press a button of the page between."""
    sent = yes_on(page)
    if said != YES:
        sent = {**form_of(page, "confirm_form"), **said}
    return client.post(url, sent)


def answered(client, url, page):
    """What comes of a post in the end: the question, if one was asked, is answered with yes."""
    asked = page.status_code == 200 and BUTTON.search(page.content.decode())
    return client.post(url, yes_on(page)) if asked else page
