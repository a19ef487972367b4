from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.staticfiles import finders
from django.template import engines
from django.utils import translation

import quotas
from tests.models.rows import a_membership, a_user, an_override
from tests.views.looking import Reading, a_customer, browser, member_of, page, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

TEMPLATES = Path(quotas.__file__).parent / "templates" / "quotas"
NAMES = sorted(path.name for path in TEMPLATES.glob("*.html"))


def every_page():
    tenant = a_customer({"name": "hour"}, {"name": "door", "subject": "address"})
    an_override(tenant, name="own", scope="reports")
    a_customer({"name": "hour"}, key="bolt")
    chief = staff_who_may("view_tenant")
    busy = a_customer({"name": "hour", "amount": 1}, key="cyan")
    caller = member_of(busy)
    for _ in range(2):
        caller.get("/reports/")
    manager = a_user()
    a_membership(busy, manager, role="manager")
    chosen = browser(manager)
    chosen.post("/quotas/cyan/alerts/", {"do": "settings", "webhook_url": ""})
    a_cap = {"do": "cap", "scope": "reports", "name": "hour", "amount": "5"}
    return {
        "alerts": caller.get("/quotas/cyan/alerts/"),
        "alerts for managers": chosen.get("/quotas/cyan/alerts/"),
        "alerts with an error": browser(manager).post("/quotas/cyan/alerts/", a_cap),
        "usage with a history": page(caller, busy),
        "usage": page(member_of(tenant), tenant),
        "usage for staff": page(chief, tenant),
        "list": chief.get("/quotas/"),
        "nothing found": chief.get("/quotas/?q=nothing"),
        "no tenant": member_of().get("/quotas/"),
        "not found": chief.get("/quotas/nobody/"),
    }


def test_no_page_has_a_script_or_a_style_inside_of_it():
    for name, response in every_page().items():
        shown = Reading(response)
        assert not shown.all("style"), name
        assert {"src"} >= {each for script in shown.all("script") for each in script} - {"defer"}
        assert b"defer></script>" in response.content or not shown.all("script"), name
        for tag, attributes in shown.elements:
            assert not [each for each in attributes if each == "style" or each[:2] == "on"], tag


def test_every_file_of_a_page_is_its_own():
    for response in every_page().values():
        shown = Reading(response)
        links = [each["href"] for each in shown.all("link")]
        for link in [*links, *(each["src"] for each in shown.all("script"))]:
            path = link.removeprefix(f"/{django_settings.STATIC_URL.strip('/')}/")
            assert link.startswith("/")
            assert finders.find(path), path
    assert "url(" not in Path(finders.find("quotas/usage.css")).read_text()


def test_no_cache_keeps_a_page():
    for name, response in every_page().items():
        assert "private, no-store" == response["Cache-Control"], name


def test_a_page_has_one_heading_a_language_a_title_and_a_way_past_the_header():
    for name, response in every_page().items():
        shown = Reading(response)
        assert 1 == len(shown.all("h1")), name
        assert "en" == shown.all("html")[0]["lang"], name
        assert "#content" == shown.all("a")[0]["href"], name
        assert "content" in {each.get("id") for each in shown.all("main")}, name
        assert b"<title></title>" not in response.content, name


def test_no_id_is_given_twice():
    for name, response in every_page().items():
        ids = [each["id"] for _, each in Reading(response).elements if "id" in each]
        assert len(ids) == len(set(ids)), name


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_a_template_can_be_translated(name):
    source = (TEMPLATES / name).read_text()
    marked = r"{% blocktranslate.*?%}.*?{% endblocktranslate %}|{%.*?%}|{{.*?}}|<[^>]*>"

    left = re.sub(marked, "", source, flags=re.DOTALL)

    assert not re.findall(r"[A-Za-z]{2,}", left)


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_with_an_instant_is_translated_as_one(name):
    source = (TEMPLATES / name).read_text()
    sentences = r"{% blocktranslate.*?{% endblocktranslate %}"

    left = re.sub(sentences, "", source, flags=re.DOTALL)
    left = re.sub(r"{% (?!translate).*?%}", "", left)

    assert not re.findall(r"[^\s>]\s*<time\b[^<]*</time>|<time\b[^<]*</time>\s*[^\s<]", left)


def test_a_page_is_in_the_language_of_its_reader():
    tenant = a_customer({"name": "hour"})
    client = member_of(tenant)
    with translation.override("ar"):
        shown = Reading(page(client, tenant))

    assert {"lang": "ar", "dir": "rtl"} == shown.all("html")[0]


def test_a_project_replaces_a_block_of_a_page(settings, tmp_path):
    (tmp_path / "quotas").mkdir()
    (tmp_path / "quotas" / "usage.html").write_text(
        '{% extends "quotas/usage.html" %}{% block notes %}<p>Ask Ada.</p>{% endblock %}'
    )
    settings.TEMPLATES = [django_settings.TEMPLATES[0] | {"DIRS": [tmp_path]}]
    assert "django" in engines
    tenant = a_customer({"name": "hour"})

    text = Reading(page(member_of(tenant), tenant)).text

    assert "Ask Ada." in text
    assert "0 of 10 used" in text
    assert "uses nothing up" not in text


def test_what_tenants_are_called_is_text_and_no_markup():
    tenant = a_customer(
        {"name": "hour", "title": "<script>alert(1)</script>"}, name="<img src=x onerror=alert(2)>"
    )

    shown = page(member_of(tenant), tenant)

    assert b"<script>" not in shown.content
    assert not Reading(shown).all("img")
    assert "<img src=x onerror=alert(2)>" in Reading(shown).text
    found = staff_who_may("view_tenant").get("/quotas/", {"q": '"><script>'})
    assert not Reading(found).all("script")
