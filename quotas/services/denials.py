"""Denied calls as people come back to them: the id that carries one, and how its limit stands now.

Nothing is stored for it: an id is the denial itself, signed with the project's SECRET_KEY, so that
nobody can make one up and the same denial is always called the same.
"""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from enum import StrEnum
from struct import Struct
from struct import error as TooShort  # noqa: N812 - a class in spite of its name
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, Signer, b64_decode, b64_encode

from quotas.domain.denials import Denial
from quotas.domain.keys import digest
from quotas.domain.limits import MOST_AMOUNT, Concurrency, DenyAll, Unlimited, in_flight
from quotas.domain.words import EVERY_SCOPE, Code, Mode, SubjectKind
from quotas.errors import BadDecisionId

if TYPE_CHECKING:
    from quotas.domain.policies import Limit
    from quotas.services.enforcement import Answer
    from quotas.services.statement import Statement
    from quotas.services.usage import UsageLine

SALT = "quotas.denials"
VERSION = 1
# Version, tenant, instant, cost, Retry-After (0: none), bytes of the scope and of the name; then
# scope, name and operation.
HEAD = Struct("<Bq7s6s5sBB")
LONGEST_SCOPE, LONGEST_NAME, LONGEST_OF_TEXTS = 60, 50, 125
ID = re.compile(r"[A-Za-z0-9_-]{1,206}\.[A-Za-z0-9_-]{43}", re.ASCII)


class Chance(StrEnum):
    """Whether a denied call would be admitted now.

    ``other``: its limit would admit it, but another one that it is charged to would not; ``gone``:
    the tenant's plan has no such limit; ``apart``: it counts each user, credential or address, and
    whose the call was is not known; ``unknown``: the limiter cannot be reached.
    """

    FITS = "fits"
    WAITS = "waits"
    OTHER = "other"
    NEVER = "never"
    APART = "apart"
    GONE = "gone"
    UNKNOWN = "unknown"


def denial_in(answer: Answer, operation: str) -> Denial | None:
    """What an answer denied to a tenant; None when it did not, or when no limiter was asked."""
    decision, longest = answer.decision, answer.decision.longest
    if answer.tenant is None or decision.allowed or longest is None or not decision.now_us:
        return None
    return Denial(
        tenant_pk=answer.tenant.pk,
        at_us=decision.now_us,
        scope=longest.limit.scope,
        name=longest.limit.name,
        cost=1 if in_flight(longest.limit.rule) else longest.cost,
        retry_after=decision.retry_after_seconds,
        operation=operation,
    )


def decision_id(denial: Denial) -> str:
    """The id of a denial: at most 250 characters, each of which may stand in an address.

    A scope above 60 bytes and a name above 50 go in by their digest; of the operation goes in what
    is left room for.
    """
    return _signer().sign(b64_encode(_packed(denial)).decode())


def short_id(denial: Denial) -> str:
    """What people read out to each other: 8 letters and digits, which outlive a changed key."""
    said = digest(_packed(denial).hex())
    return f"{said[1:5]}-{said[5:9]}"


def denial_of(decision_id: object) -> Denial:
    """The denial that an id carries. Raises `BadDecisionId` for whatever is not one of ours."""
    if not isinstance(decision_id, str) or not ID.fullmatch(decision_id):
        raise BadDecisionId("A decision id has another form.")
    try:
        packed = b64_decode(_signer().unsign(decision_id).encode())
        version, tenant_pk, at, cost, told, scope, name = HEAD.unpack_from(packed)
    except (BadSignature, NotBase64, TooShort) as error:
        raise BadDecisionId("This decision id was not made here.") from error
    if version != VERSION:
        raise BadDecisionId(f"The decision id is of version {version}: {VERSION} is known.")
    texts = packed[HEAD.size :]
    return Denial(
        tenant_pk=tenant_pk,
        at_us=int.from_bytes(at, "little"),
        scope=texts[:scope].decode(errors="replace"),
        name=texts[scope : scope + name].decode(errors="replace"),
        cost=int.from_bytes(cost, "little"),
        retry_after=int.from_bytes(told, "little") or None,
        operation=texts[scope + name :].decode(errors="replace"),
    )


def limit_of(denial: Denial, statement: Statement) -> Limit | None:
    """The limit that denied, as it is now; None when the tenant's plan has none of that name."""
    shown = (line.limit for line in statement.usage.lines)
    return next((each for each in (*shown, *statement.apart) if _is_of(each, denial)), None)


def chance_of(denial: Denial, statement: Statement) -> Chance:
    """Whether a call like the denied one would be admitted now."""
    found = _own_chance(denial, statement)
    if found is Chance.FITS and other_denying(denial, statement):
        return Chance.OTHER
    return found


def other_denying(denial: Denial, statement: Statement) -> Limit | None:
    """Another limit that would deny such a call now; None when there is none, or none is known.

    It is one of the denied scope or of every scope. Limits that count users are not asked.
    """
    for line in statement.usage.lines:
        limit = line.limit
        if (
            not _is_of(limit, denial)
            and (limit.scope == EVERY_SCOPE or _same_scope(limit, denial))
            and limit.subject is SubjectKind.TENANT
            and _stands_in_the_way(line, 1 if in_flight(limit.rule) else denial.cost)
        ):
            return limit
    return None


def _own_chance(denial: Denial, statement: Statement) -> Chance:
    """Whether the limit that denied a call would admit it now."""
    limit = limit_of(denial, statement)
    if limit is None:
        return Chance.GONE
    if limit.mode is Mode.SHADOW or isinstance(limit.rule, Unlimited):
        return Chance.FITS
    if denial.cost > limit.rule.most_at_once:
        return Chance.NEVER
    line = next((each for each in statement.usage.lines if each.limit is limit), None)
    if line is None or limit.subject is not SubjectKind.TENANT:
        return Chance.APART
    if line.remaining is None:
        return Chance.UNKNOWN
    return Chance.FITS if denial.cost <= line.remaining else Chance.WAITS


def _stands_in_the_way(line: UsageLine, cost: int) -> bool:
    enforced = line.limit.mode is Mode.ENFORCE
    return enforced and line.remaining is not None and cost > line.remaining


def code_of(denial: Denial, limit: Limit | None) -> Code:
    """Why it was denied, by what is known of it now."""
    if limit is not None and isinstance(limit.rule, Concurrency):
        return Code.TOO_MANY_IN_FLIGHT
    nothing = limit is not None and isinstance(limit.rule, DenyAll)
    if denial.retry_after is None and denial.cost > 1 and not nothing:
        return Code.COST_ABOVE_CAPACITY
    return Code.QUOTA_EXCEEDED


def _signer() -> Signer:
    return Signer(salt=SALT, sep=".")


def _packed(denial: Denial) -> bytes:
    scope, name = _text(denial.scope, LONGEST_SCOPE), _text(denial.name, LONGEST_NAME)
    room = LONGEST_OF_TEXTS - len(scope) - len(name)
    head = HEAD.pack(
        VERSION,
        denial.tenant_pk,
        denial.at_us.to_bytes(7, "little"),
        min(denial.cost, MOST_AMOUNT + 1).to_bytes(6, "little"),  # as the script takes it
        (denial.retry_after or 0).to_bytes(5, "little"),
        len(scope),
        len(name),
    )
    return head + scope + name + _cut(denial.operation, room)


def _text(text: str, most: int) -> bytes:
    """A text that fits, or its digest: whoever knows the text knows it again."""
    raw = text.encode(errors="replace")
    return raw if len(raw) <= most else digest(text).encode()


def _cut(text: str, most: int) -> bytes:
    """As much of a text as fits, in whole characters."""
    return text.encode(errors="replace")[:most].decode(errors="ignore").encode()


def _is_of(limit: Limit, denial: Denial) -> bool:
    same = _text(limit.name, LONGEST_NAME) == _text(denial.name, LONGEST_NAME)
    return same and _same_scope(limit, denial)


def _same_scope(limit: Limit, denial: Denial) -> bool:
    return _text(limit.scope, LONGEST_SCOPE) == _text(denial.scope, LONGEST_SCOPE)
