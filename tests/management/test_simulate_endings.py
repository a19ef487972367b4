from __future__ import annotations

import signal
from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management.base import CommandError

from quotas.engine import scratch
from quotas.engine.connection import link
from quotas.errors import EngineUnavailable
from tests.management.simulating import BUCKET, CALLS, keys, piped_in, simulate


@pytest.fixture(autouse=True)
def _nothing_left():
    yield
    assert keys() == []


def test_a_record_without_a_single_event_is_told_and_fails(monkeypatch):
    piped_in(monkeypatch, b"one\ntwo\n")
    stdout = StringIO()

    with pytest.raises(CommandError, match="No line of '-' could be read") as caught:
        simulate(BUCKET, events="-", stdout=stdout)

    assert caught.value.returncode == 1
    assert "2 lines left out:\n  line 1: it is not JSON" in stdout.getvalue()


def test_rows_that_are_all_bad_are_told_apart_from_the_rows(monkeypatch):
    piped_in(monkeypatch, b"bad\n" * 600)
    stdout, stderr = StringIO(), StringIO()

    with pytest.raises(CommandError, match="No line"):
        simulate(BUCKET, events="-", output="jsonl", stdout=stdout, stderr=stderr)

    assert stdout.getvalue() == ""
    assert stderr.getvalue().splitlines()[0] == "600 lines left out:"
    assert stderr.getvalue().splitlines()[-1] == "  and 595 more"


def test_an_empty_record_is_no_failure(monkeypatch):
    piped_in(monkeypatch, b"\n")

    assert "0 calls" in simulate(BUCKET, events="-")[0]


def test_an_outage_is_told_in_one_line(settings):
    nowhere = {**settings.CACHES["quotas"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {**settings.CACHES, "quotas": nowhere}

    with pytest.raises(CommandError) as caught:
        simulate(BUCKET, events=str(CALLS))

    assert "Redis gave no answer" in str(caught.value)
    assert "cache alias 'quotas': start it." in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("losing", "told"),
    [
        pytest.param({"UNLINK"}, "the answer to UNLINK is lost", id="at-the-end"),
        pytest.param(
            {"SCRIPT LOAD", "UNLINK"}, "the answer to SCRIPT LOAD is lost", id="throughout"
        ),
    ],
)
def test_of_an_outage_the_first_error_is_told(losing, told, monkeypatch):
    send = scratch._pipeline

    def lossy(commands):
        replies = send(commands)
        if commands[0][0] in losing:
            raise EngineUnavailable(f"the answer to {commands[0][0]} is lost")
        return replies

    monkeypatch.setattr(scratch, "_pipeline", lossy)

    with pytest.raises(CommandError, match=told):
        simulate(BUCKET, events=str(CALLS))


def test_an_alias_that_is_no_redis_is_told(settings):
    settings.QUOTAS_CACHE = "default"

    with pytest.raises(CommandError, match="QUOTAS_CACHE is 'default'"):
        simulate(BUCKET, events=str(CALLS))


class Interrupting:
    """Standard input that gives some events, and then a signal in place of more."""

    def __init__(self, number):
        self.number = number
        self.buffer = self
        self.read = iter([b'{"at": 1}\n{"at": 2}\n'])

    def read1(self, size):
        data = next(self.read, None)
        if data is None:
            assert keys() != []
            signal.raise_signal(self.number)
        return data or b""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_an_interrupted_replay_tells_what_it_has_and_leaves_no_key(name, code, monkeypatch):
    piped_in(monkeypatch, Interrupting(signal.Signals[name]))
    stdout = StringIO()

    with pytest.raises(CommandError, match=f"Ended by {name} before the end of '-'") as caught:
        simulate(BUCKET, events="-", stdout=stdout)

    assert caught.value.returncode == code
    assert "2 calls of 1 subject" in stdout.getvalue()


def test_an_interruption_waits_for_the_answers_that_are_on_their_way(monkeypatch):
    send = scratch._pipeline
    answered = []

    def interrupted(commands):
        signal.raise_signal(signal.SIGINT)
        replies = send(commands)
        answered.append(len(replies))
        return replies

    monkeypatch.setattr(scratch, "_pipeline", interrupted)

    with pytest.raises(CommandError, match="Ended by SIGINT"):
        simulate(BUCKET, events=str(CALLS))

    assert len(answered) == 2  # the calls, and the removal of their keys


def test_a_reader_that_has_seen_enough_ends_the_replay_quietly(monkeypatch, tmp_path):
    class Closed(StringIO):
        def write(self, text):
            raise BrokenPipeError

    target = (tmp_path / "standard-output").open("w")
    monkeypatch.setattr("sys.stdout", SimpleNamespace(fileno=target.fileno))

    with target, pytest.raises(SystemExit) as caught:
        simulate(BUCKET, events=str(CALLS), output="jsonl", stdout=Closed())

    assert caught.value.code == 141


def test_production_keys_are_left_alone():
    client = link().client
    client.set("bystander", "kept", ex=60)

    simulate(BUCKET, events=str(CALLS))

    assert client.get("bystander") == b"kept"
    client.delete("bystander")
