from __future__ import annotations

import signal
import threading

import pytest

from quotas.management.drawing import columns, meter, plain, shown, table
from quotas.management.interruptions import Interruptions
from quotas.management.progress import Progress


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0, ""),
        (0.0001, "▏"),
        (0.5, "██"),
        (0.53, "██▏"),
        (0.99, "████"),
        (1, "████"),
        (7, "████"),
        (-1, ""),
    ],
)
def test_a_meter_shows_its_share_to_an_eighth_of_a_column(share, expected):
    assert expected == meter(share, 4)


def test_columns_are_aligned_by_the_width_that_a_terminal_gives_them():
    lines = table([("name", "n", "m"), ("東京", "1", "█"), ("cafe\u0301", "10", "")], "<><")

    assert lines == ["name    n   m", "東京    1   █", "cafe\u0301   10"]
    assert [4, 4] == [columns("東京"), columns("cafe\u0301")]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("plain", 5, "plain"),
        ("plainer", 5, "plai…"),
        ("東京都", 5, "東京…"),
        ("a\x00b", 9, r"a\x00b"),
        ("", 5, '""'),
    ],
)
def test_text_of_others_is_made_fit_for_a_line(text, most, expected):
    assert expected == shown(text, most)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [(None, "é█▌▎…"), ("utf-8", "é█▌▎…"), ("latin-1", "é##..."), ("ascii", r"\xe9##...")],
)
def test_what_a_terminal_cannot_show_is_put_in_its_letters(encoding, expected):
    assert expected == plain("é█▌▎…", encoding)


def test_progress_is_redrawn_no_more_often_than_people_can_see():
    written = []
    progress = Progress(written.append, shown=True, patience=0)

    for done in range(1000):
        progress.update(done, done / 1000)

    assert 1 <= len(written) < 20


def test_progress_that_was_never_drawn_is_not_erased():
    written = []
    progress = Progress(written.append, shown=True, patience=60)

    progress.update(1, None)
    progress.erase()

    assert written == []


def test_a_signal_waits_until_it_is_allowed():
    with Interruptions() as interruptions:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interruptions.allowed():
            pytest.fail("it was let through")

    assert interruptions.signal == signal.SIGINT


def test_a_signal_while_it_is_allowed_interrupts_once():
    handled = []

    with Interruptions() as interruptions, pytest.raises(KeyboardInterrupt):
        interrupted_twice(interruptions, handled)

    assert handled == ["the second was put off"]


def interrupted_twice(interruptions, handled):
    with interruptions.allowed():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            handled.append("the second was put off")


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT)

    with Interruptions():
        assert signal.getsignal(signal.SIGINT) != before

    assert signal.getsignal(signal.SIGINT) == before


def test_another_thread_runs_without_handlers():
    found = []

    def work():
        with Interruptions() as interruptions:
            found.extend(interruptions.between([1, 2, 3]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert found == [1, 2, 3]
