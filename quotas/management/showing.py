"""A statement of usage as lines of text, for operators."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from quotas.domain.guarantees import guarantee, spoken
from quotas.domain.limits import Concurrency
from quotas.domain.policies import Limit
from quotas.domain.words import Mode, SubjectKind
from quotas.management.drawing import meter, shown, table
from quotas.services.statement import SECOND_US, Statement, state_of
from quotas.services.usage import UsageLine

METER_COLUMNS, LONGEST = 12, 80
HEADINGS = ("scope", "limit", "", "used", "of", "left", "next call", "state")
ALIGNMENT = "<<<>>><<"
NOTHING = "-"
NOT_SHOWN = ("", *[NOTHING] * 5)
MINUTE, HOUR, DAY = 60, 3600, 86_400


def report(statement: Statement, encoding: str | None) -> list[str]:
    """The statement line by line: a table, and under each limit its rule and where it is from."""
    usage, tenant = statement.usage, statement.usage.tenant
    plan = f"plan {shown(usage.plan_name or '', LONGEST)} ({usage.plan_key})"
    lines = [
        f"{shown(tenant.name, LONGEST)} ({shown(tenant.key, LONGEST)}), "
        f"{plan if usage.plan_key else 'no plan'}, read at {_instant(statement.instant())}"
        + (" by this machine's clock" if usage.outage else "")
    ]
    if tenant.suspended:
        lines.append("Suspended: every request is answered 403 tenant_suspended.")
    rows = [(line.limit, _used(line)) for line in usage.lines]
    rows += [(limit, (limit.scope, limit.name, *NOT_SHOWN)) for limit in statement.apart]
    lines.append("")
    if rows:
        heading, *drawn = table([HEADINGS, *(cells for _, cells in rows)], ALIGNMENT, encoding)
        lines.append(heading)
        for (limit, _), text in zip(rows, drawn, strict=True):
            lines += [text, *_details(limit, statement)]
    else:
        lines.append("No limit applies.")
    return lines + list(_switched_off(statement))


def _used(line: UsageLine) -> tuple[str, ...]:
    limit, used = line.limit, line.used
    most = getattr(limit.rule, "most_at_once", None)
    return (
        limit.scope,
        limit.name,
        meter(used / most, METER_COLUMNS) if most and used is not None else "",
        NOTHING if used is None else f"{used:,}",
        "unlimited" if most is None else f"{most:,}",
        NOTHING if line.remaining is None else f"{line.remaining:,}",
        _next(line),
        state_of(line).replace("_", " "),
    )


def _next(line: UsageLine) -> str:
    if line.verdict is None:
        return NOTHING
    wait = line.next_admission_us
    if wait is None:
        return "never"
    if wait == 0:
        return "now"
    within = "within" if isinstance(line.limit.rule, Concurrency) else "in"
    return f"{within} {_span(-(-wait // SECOND_US))}"


def _span(seconds: int) -> str:
    """Seconds in their two largest units, rounded up: ``3 min 20 s``."""
    for large, small, names in ((DAY, HOUR, "d h"), (HOUR, MINUTE, "h min"), (MINUTE, 1, "min s")):
        if seconds >= large:
            first, second = names.split()
            whole, rest = divmod(-(-seconds // small), large // small)
            return f"{whole} {first} {rest} {second}" if rest else f"{whole} {first}"
    return f"{seconds} s"


def _details(limit: Limit, statement: Statement) -> Iterable[str]:
    rule = limit.rule
    numbers = [f"amount {'blank' if rule.amount is None else format(rule.amount, ',')}"]
    for name in ("period", "unit", "capacity"):
        value = getattr(rule, name, None)
        if value is not None:
            text = spoken(value) if name == "period" else format(value, "," * (name == "capacity"))
            numbers.append(f"{name} {text}")
    promise = guarantee(rule, anchor_day=statement.usage.tenant.anchor_day)
    yield f"    {rule.algorithm}, {', '.join(numbers)}: {promise}"
    if limit.cap is not None:
        without = "unlimited" if limit.uncapped is None else f"{limit.uncapped:,}"
        yield f"    capped by the tenant at {limit.cap:,}; {limit.source.kind}: {without}"
    shadow = "; shadow: never denies" if limit.mode is Mode.SHADOW else ""
    counted = "the tenant" if limit.subject is SubjectKind.TENANT else f"each {limit.subject}"
    yield f"    counts {counted}; from {_source(limit, statement)}{shadow}"


def _source(limit: Limit, statement: Statement) -> str:
    source = limit.source
    title = shown(source.title, LONGEST)
    if source.kind != "override":
        return f"{source.kind} {title}"
    until = "for good"
    if source.ends:
        until = f"until {_instant(source.ends.astimezone(statement.zone))}"
    return f'override {source.pk} "{title}", {until}'


def _switched_off(statement: Statement) -> Iterable[str]:
    for limit in statement.overrides:
        if limit.mode is Mode.OFF:
            yield f"{limit.scope} {limit.name} is off, by {_source(limit, statement)}"


def _instant(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S %Z}"
