"""Browsers of members and staff, and what they find on a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import quote

from django.contrib.auth.models import Permission
from django.test import Client

from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user


def browser(user):
    """A browser in which this user has logged in."""
    client = Client()
    client.force_login(user)
    return client


def member_of(*tenants):
    """The browser of somebody who belongs to these tenants."""
    user = a_user()
    for tenant in tenants:
        a_membership(tenant=tenant, user=user)
    return browser(user)


def staff_who_may(*codenames):
    """The browser of staff with these permissions."""
    user = a_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return browser(user)


def a_customer(*limits, key="acme", **fields):
    """A tenant whose plan has these limits, as columns of `a_limit`."""
    plan = a_plan()
    for columns in limits:
        a_limit(plan=plan, **{"scope": "reports", **columns})
    return a_tenant(key=key, plan=plan, **fields)


def page(client, tenant, **asked):
    return client.get(f"/quotas/{quote(tenant.key, safe='')}/", asked)


def data(client, tenant, **asked):
    return client.get(f"/quotas/{quote(tenant.key, safe='')}/usage.json", asked)


def export(client, tenant, **asked):
    return client.get(f"/quotas/{quote(tenant.key, safe='')}/usage.csv", asked)


def shown_history(client, tenant, **asked):
    """The history of the JSON twin."""
    return data(client, tenant, **asked).json()["history"]


def shown_limits(client, tenant):
    """The limits of the JSON twin, by name."""
    return {each["name"]: each for each in data(client, tenant).json()["limits"]}


def headers_but_for_the_count(response):
    """The headers of an answer, without the numbers that each read lowers."""
    numbered = response.get("RateLimit")
    told = {} if numbered is None else {"RateLimit": re.sub(r"\d+", "0", numbered)}
    return {**response.headers, **told}


class Reading(HTMLParser):
    """A page as a reader meets it: its text, and its elements with their attributes."""

    def __init__(self, response):
        super().__init__()
        self.elements, self.words, self.fallback = [], [], False
        self.feed(response.content.decode())
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.fallback = tag == "meter"

    def handle_endtag(self, tag):
        self.fallback = False

    def handle_data(self, data):
        if not self.fallback:  # no browser of today shows it
            self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]
