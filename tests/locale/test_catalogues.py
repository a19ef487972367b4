"""Whatever people read has a Japanese text, and the compiled catalogue has the same."""

from __future__ import annotations

import re

import pytest

from tests.locale.catalogue import (
    Message,
    catalogue_path,
    compiled,
    messages_of,
    messages_of_python,
    messages_of_template,
    written,
)

HEADER = Message("")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|\[\w+\]|</?\w[^>]*>")
JAPANESE = re.compile("[\u3001-\u30ff\u4e00-\u9fff\uff01-\uff5e]")
THE_SAME = {"H:i", "H:i:s", "Retry-After", "Webhook", "webhook"}
NO_LETTERS = {
    "%(first)s %(second)s",
    "%(kind)s %(row)s",
    "%(larger)s %(smaller)s",
    "%(percent)s %%",
}

every_app = pytest.mark.parametrize("app", ["quotas", "project"])


@every_app
def test_the_catalogue_has_every_message_of_the_sources_and_no_other(app):
    there = set(written(app)) - {HEADER}
    asked = messages_of(app)

    assert not asked - there, "run `make messages`, and translate what is new"
    assert not there - asked, "run `make messages`: nothing asks for these any more"


@every_app
def test_every_message_is_translated_and_somebody_has_looked_at_it(app):
    assert [] == [message for message, text in written(app).items() if not text]
    assert not re.findall(r"^#.*fuzzy|^#~.*", catalogue_path(app, ".po").read_text(), re.MULTILINE)


@every_app
def test_a_translation_has_the_placeholders_of_its_message(app):
    for message, text in written(app).items():
        asked = PLACEHOLDER.findall(message.plural or message.text)
        assert sorted(asked) == sorted(PLACEHOLDER.findall(text)), message


@every_app
def test_a_translation_is_japanese(app):
    for message, text in written(app).items():
        known = message.text in THE_SAME | NO_LETTERS or message == HEADER
        assert known or JAPANESE.search(text), message


@every_app
def test_the_compiled_catalogue_is_that_of_the_texts(app):
    texts = {message.key: text for message, text in written(app).items()}

    assert texts == compiled(app), "run `make messages`"


@every_app
def test_the_header_names_nobody_and_no_time(app):
    header = written(app)[HEADER]

    assert "Language: ja\n" in header
    assert not re.findall(r"@|-Date|Last-Translator", header)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param('_("a")', Message("a"), id="short"),
        pytest.param('words.gettext("a" "b")', Message("ab"), id="of-an-object"),
        pytest.param('x = {1: gettext_lazy("a")}', Message("a"), id="lazy"),
        pytest.param('ngettext("a", "b", 2)', Message("a", plural="b"), id="plural"),
        pytest.param('pgettext("c", "a")', Message("a", context="c"), id="context"),
    ],
)
def test_a_message_of_python_is_found(source, message):
    assert {message} == messages_of_python(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param('<p>{% translate "a’b" %}</p>', Message("a’b"), id="text"),
        pytest.param("<p title=\"{% translate 'a' %}\">", Message("a"), id="attribute"),
        pytest.param('{% translate "a" context "c" %}', Message("a", context="c"), id="context"),
        pytest.param(
            '{% blocktranslate with b=c.d %}a “{{ b }}” "e"{% endblocktranslate %}',
            Message('a “%(b)s” "e"'),
            id="block",
        ),
        pytest.param(
            "{% blocktranslate count n=m %}a{% plural %}{{ n }} b{% endblocktranslate %}",
            Message("a", plural="%(n)s b"),
            id="plural",
        ),
    ],
)
def test_a_message_of_a_template_is_found(source, message):
    assert {message} == messages_of_template("{% load i18n %}" + source)
