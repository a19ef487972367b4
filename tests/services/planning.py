"""Plans as files hold them: drawn by hypothesis, written by hand, read and put into force."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import strategies as st

from quotas.domain.limits import LONGEST_PERIOD, MICROSECOND, MOST_AMOUNT
from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind
from quotas.services.plans_file.entries import LimitEntry, PlanEntry
from quotas.services.plans_file.importing import look, write
from quotas.services.plans_file.reading import read_plans

PATH = "plans.toml"
BUCKETS = {Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET}
AWKWARD = ['"', "\\", "\n\t\r", "\x1b[2J", "\u202e", "東京", "👩‍🚀", "#", "'''", '"""', "\x7f", "é"]

texts = st.one_of(
    st.lists(st.sampled_from(AWKWARD), min_size=1, max_size=4).map("".join),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20
    ),
)
words = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
scopes = st.one_of(st.just("*"), st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}", fullmatch=True))
amounts = st.one_of(st.none(), st.just(0), st.integers(1, MOST_AMOUNT))
periods = st.one_of(
    st.sampled_from([timedelta(minutes=1), timedelta(hours=1), timedelta(weeks=4)]),
    st.integers(1, LONGEST_PERIOD // MICROSECOND).map(lambda us: us * MICROSECOND),
)
thresholds = st.sets(st.integers(1, 100), max_size=4).map(lambda found: tuple(sorted(found)))


@st.composite
def limits(draw, known_by):
    algorithm = draw(st.sampled_from(Algorithm))
    calendar, in_flight = Algorithm.CALENDAR_QUOTA, Algorithm.CONCURRENCY
    blank = algorithm is calendar or (algorithm is in_flight and draw(st.booleans()))
    return LimitEntry(
        scope=known_by[0],
        name=known_by[1],
        title=draw(st.one_of(st.just(""), texts)),
        algorithm=algorithm.value,
        amount=draw(amounts),
        period=None if blank else draw(periods),
        unit=draw(st.sampled_from(CalendarUnit)).value if algorithm is calendar else "",
        capacity=draw(st.one_of(st.none(), st.integers(1, MOST_AMOUNT)))
        if algorithm in BUCKETS
        else None,
        subject=draw(st.sampled_from(SubjectKind)).value,
        mode=draw(st.sampled_from(Mode)).value,
        outage_policy=draw(st.sampled_from(OutagePolicy)).value,
        warn_at=draw(thresholds),
        warn_projected=draw(st.booleans()),
    )


@st.composite
def plans(draw, most=3):
    """Plans that go together, in the order of their keys."""
    keys = sorted(draw(st.sets(words, max_size=most)))
    default, anonymous = (draw(st.sampled_from([None, *keys])) for _ in range(2))
    return tuple(
        PlanEntry(
            key=key,
            name=draw(texts),
            default=key == default,
            anonymous=key == anonymous,
            active=key == default or draw(st.booleans()),
            limits=tuple(
                draw(limits(each))
                for each in sorted(draw(st.sets(st.tuples(scopes, words), max_size=4)))
            ),
        )
        for key in keys
    )


def a_limit_entry(name="minute", **fields):
    """A fixed window of 10 a minute, but for what is given."""
    values = {"scope": "api", "algorithm": "fixed_window", "amount": 10}
    return LimitEntry(**{**values, "name": name, "period": timedelta(minutes=1), **fields})


def a_plan_entry(key="free", *limits, **fields):
    return PlanEntry(**{"key": key, "name": key.title(), "limits": limits, **fields})


def read(text, path=PATH):
    """What a file of this text says, its format given."""
    return read_plans(f"format = 1\n{text}", path)


def imported(text):
    """Put a file of this text into force; gives what it changed."""
    file = read(text)
    differences = look(file)
    write(file, differences)
    return differences
