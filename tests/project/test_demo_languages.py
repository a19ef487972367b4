"""Whoever visits the demo is answered in the language that their browser asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import translation

from project import settings as demo_settings

PROJECT = Path(demo_settings.__file__).parent
JAPANESE = {"Accept-Language": "ja,en-US;q=0.7"}


@pytest.fixture(autouse=True)
def own_settings(demo, settings):
    for name in ("MIDDLEWARE", "LANGUAGES", "LANGUAGE_CODE"):
        setattr(settings, name, getattr(demo_settings, name))
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"DIRS": [PROJECT / "templates"]}]
    settings.STATICFILES_DIRS = [PROJECT / "static"]
    settings.LOCALE_PATHS = [PROJECT / "locale"]
    with translation.override("en"):  # what the middleware activates outlives the request
        yield


@pytest.mark.parametrize(
    ("asked", "language", "words"),
    [
        pytest.param("ja", "ja", "テナントごとにクォータを持つレポートAPI", id="japanese"),
        pytest.param("ja-JP,en;q=0.5", "ja", "ログイン名とトークン", id="of-japan"),
        pytest.param("en-GB,ja;q=0.5", "en", "A report API with quotas", id="english"),
        pytest.param("fr", "en", "A report API with quotas", id="neither"),
    ],
)
def test_the_front_page_is_in_the_language_of_the_browser(client, asked, language, words):
    answer = client.get("/", headers={"Accept-Language": asked})

    text = answer.content.decode()
    assert f'<html lang="{language}">' in text
    assert words in text
    assert "Accept-Language" in answer["Vary"]


def test_a_denied_call_is_explained_in_japanese(api_of):
    client = api_of("acme", **JAPANESE)
    answers = [client.get("/api/reports/") for _ in range(6)]

    body = answers[-1].json()
    assert 429 == answers[-1].status_code
    assert "quota_exceeded" == body["code"]
    assert body["detail"].startswith("「")
    assert body["detail"].endswith("秒後に再試行してください。")


def test_a_refused_call_is_explained_in_japanese(api_of):
    body = api_of(**JAPANESE).get("/api/exports/").json()

    assert "テナントのない呼び出し元向けのプランには含まれていません。" == body["detail"]
