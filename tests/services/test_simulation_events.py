from __future__ import annotations

import pytest

from quotas.services.simulation.events import BadLine, Event, event_from_json


def test_an_event_names_its_instant_its_subject_and_its_cost():
    event = event_from_json(b'{"at": 1793059200.05, "cost": 3, "subject": "a", "status": 200}')

    expected = Event(at="1793059200.05", at_us=1_793_059_200_050_000, subject="a", cost=3)
    assert expected == event


@pytest.mark.parametrize("line", [b'{"at": 7}', b'{"at": 7, "cost": null, "subject": null}'])
def test_an_absent_cost_is_one_and_an_absent_subject_is_all(line):
    assert Event(at="7", at_us=7_000_000, subject="all", cost=1) == event_from_json(line)


@pytest.mark.parametrize(
    ("text", "expected_us"),
    [
        pytest.param("0", 0, id="the-epoch"),
        pytest.param("-0", 0, id="minus-nothing"),
        pytest.param("0e999999", 0, id="nothing-with-an-exponent"),
        pytest.param("1793059200", 1_793_059_200_000_000, id="whole"),
        pytest.param("1793059200.000001", 1_793_059_200_000_001, id="a-microsecond"),
        pytest.param("2191541946.885615", 2_191_541_946_885_615, id="a-float-would-lose-it"),
        pytest.param("1.793059200050001e9", 1_793_059_200_050_001, id="exponent"),
        pytest.param("179305920005E-2", 1_793_059_200_050_000, id="negative-exponent"),
        pytest.param("5.10000000000", 5_100_000, id="zeros-after-the-sixth"),
        pytest.param("3786911999.999999", 3_786_911_999_999_999, id="the-last"),
    ],
)
def test_the_instant_is_taken_exactly_and_kept_as_it_was_written(text, expected_us):
    event = event_from_json(f'{{"at": {text}}}'.encode())

    assert (text, expected_us) == (event.at, event.at_us)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b"nonsense", "not JSON .* character 1", id="not-json"),
        pytest.param(b'{"at": 1', "not JSON", id="cut-off"),
        pytest.param(b'{"at": 1} {"at": 2}', "not JSON", id="two-in-one"),
        pytest.param(b'{"at": "\xff"}', "not UTF-8", id="not-utf-8"),
        pytest.param(b"[1]", "not an object", id="a-list"),
        pytest.param(b"[" * 60_000, "nested too deeply", id="nested"),
        pytest.param(b" " * 70_000, "longer than 65,536 bytes", id="long"),
        pytest.param(b'{"cost": 1}', 'no "at"', id="no-instant"),
        pytest.param(b'{"at": null}', "at is null", id="null-instant"),
        pytest.param(b'{"at": true}', "at is true", id="true-instant"),
        pytest.param(b'{"at": "1793059200"}', 'at is "1793059200": .*as a number', id="text"),
        pytest.param(b'{"at": NaN}', "NaN is no number", id="nan"),
        pytest.param(b'{"at": -Infinity}', "-Infinity is no number", id="infinity"),
        pytest.param(b'{"at": -1}', "at is -1: .*from 0", id="before-the-epoch"),
        pytest.param(b'{"at": 1793059200050}', "before the year 2090", id="milliseconds"),
        pytest.param(b'{"at": 1e999999}', "before the year 2090", id="huge"),
        pytest.param(b'{"at": 1e99999999999999999999}', "exponent", id="huge-exponent"),
        pytest.param(b'{"at": 1.0000001}', "at most 6 decimals", id="tenth-of-a-microsecond"),
        pytest.param(b'{"at": 1e-999999}', "at most 6 decimals", id="tiny"),
        pytest.param(b'{"at": 1, "cost": -1}', "cost is -1", id="negative-cost"),
        pytest.param(b'{"at": 1, "cost": 1.0}', "cost is 1.0", id="float-cost"),
        pytest.param(b'{"at": 1, "cost": 1e3}', "cost is 1e3", id="exponent-cost"),
        pytest.param(b'{"at": 1, "cost": true}', "cost is true", id="true-cost"),
        pytest.param(b'{"at": 1, "cost": "1"}', 'cost is "1"', id="text-cost"),
        pytest.param(b'{"at": 1, "cost": 1' + b"0" * 5000 + b"}", "18 digits", id="huge-cost"),
        pytest.param(b'{"at": 1, "subject": 5}', "subject is 5: give text", id="numeric-subject"),
        pytest.param(b'{"at": 1, "subject": ["a"]}', r'subject is \["a"\]', id="listed-subject"),
    ],
)
def test_a_line_that_is_no_event_says_why(line, reason):
    with pytest.raises(BadLine, match=reason) as caught:
        event_from_json(line)

    assert len(str(caught.value)) < 200
