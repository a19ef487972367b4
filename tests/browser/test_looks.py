from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.pages import PLACES, look

CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
READABLE = 4.5  # WCAG 2, level AA, for text of the usual size
PHONE = {"width": 390, "height": 844}

every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)


@every_place
def test_every_text_can_be_read_in_light_and_dark(visit, place):
    page = look(visit, place).page

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        texts = page.evaluate(CONTRAST, READABLE)
        assert [] == texts["found"], scheme
        assert texts["seen"] > 5


def test_the_two_schemes_differ_and_grey_on_white_is_found(visit):
    light, dark = visit(color_scheme="light"), visit(color_scheme="dark")
    colours = []
    for visitor in (light, dark):
        visitor.open("/login/")
        colours.append(
            visitor.page.evaluate("getComputedStyle(document.body).backgroundColor"),
        )

    light.page.evaluate("document.querySelector('h1').style.color = '#999'")

    assert colours[0] != colours[1]
    assert [["Log in", 2.63]] == light.page.evaluate(CONTRAST, READABLE)["found"]


@every_place
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_page_is_no_wider_than_a_phone(visit, place, language):
    visitor = look(visit, place, language, viewport=PHONE)

    width = visitor.page.evaluate("document.documentElement.scrollWidth")

    assert PHONE["width"] == width
    assert language == visitor.page.locator("html").get_attribute("lang")
