from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("console.warn('careful')", "console: careful", id="warning"),
        pytest.param("console.error('broken')", "console: broken", id="error"),
        pytest.param("setTimeout(() => { throw Error('oh') })", "script: oh", id="thrown"),
        pytest.param(
            "document.body.setAttribute('style', 'color: red')",
            "Content Security Policy",
            id="style-of-an-element",
        ),
        pytest.param(
            "document.head.append(Object.assign(document.createElement('script'), {text: '1'}))",
            "Content Security Policy",
            id="script-in-the-page",
        ),
        pytest.param(
            "fetch('http://127.0.0.2:1/').catch(() => 0)",
            "Content Security Policy",
            id="other-host",
        ),
        pytest.param("fetch('/nowhere')", "answer: 404", id="not-found"),
    ],
)
def test_whatever_goes_wrong_on_a_page_is_noticed(visit, script, said):
    someone = visit()
    someone.open("/")
    assert not someone.watch.troubles

    someone.page.evaluate(f"() => {{ {script} }}")

    someone.comes_to(lambda: said in " ".join(someone.watch.troubles))
    someone.watch.troubles.clear()
