"""Asks laid out for the script: which limits, whose counters, which costs.

Kept with the policy until it changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quotas.domain.keys import Subject, digest, subject_text, tenant_tag, user_tag
from quotas.domain.words import EVERY_SCOPE, SubjectKind
from quotas.engine.bundle import Asked, Bundle, pack
from quotas.engine.wire import Tally, whole
from quotas.errors import ConflictingCosts, NotInPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from quotas.domain.policies import Limit
    from quotas.services.policy import Policy, TenantRow

MOST_LAID_OUT = 512
COUNTED, SUBJECT = "k", "x"
CREDENTIAL_LETTERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One throttle's question.

    Of the plan: ``scope`` (None: only ``*`` applies). In code: ``limit`` in the plan's place. A
    drop-in also says which text is ``counted``; only its digest enters a key, and no tenant is
    looked up for it. ``subject`` is a text that is counted inside the tenant in place of each
    limit's own subject.
    """

    cost: int = 1
    scope: str | None = None
    limit: Limit | None = None
    counted: str | None = None
    subject: str | None = None

    @property
    def own(self) -> str:
        """Whether a text of its own is counted instead of the limit's subject.

        `COUNTED`, `SUBJECT` or neither.
        """
        if self.counted is not None:
            return COUNTED
        return "" if self.subject is None else SUBJECT

    @property
    def text(self) -> str:
        """The subject part of a key for a text of its own: its kind, and a digest."""
        return self.own + digest(self.counted if self.counted is not None else self.subject or "")

    @property
    def needs_tenant(self) -> bool:
        """Whether a tenant is looked up: for all but drop-ins."""
        return self.counted is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks.

    ``address`` is canonical text, ``credential`` a secret of which only the digest is used.
    ``operation`` is what was called, for people: method and route.

    ``resolve`` gives the tenant: its primary key, its key, or None; it is called anew after an
    edit.
    """

    address: str
    user_pk: object | None = None
    credential: str | None = None
    operation: str = ""
    resolve: Callable[[], str | int | None] = lambda: None

    @property
    def text(self) -> str:
        """Who asks, for people: the user, and a few letters of the credential's digest.

        Blank for an address: it is nobody in particular, and personal.
        """
        user = "" if self.user_pk is None else user_tag(self.user_pk)
        if self.credential is None:
            return user
        return f"{user} c{digest(self.credential)[1 : 1 + CREDENTIAL_LETTERS]}".lstrip()


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A bundle, and for each of its limits the position of the ask that gives its cost.

    None: the largest of the plan's.
    """

    bundle: Bundle
    costed: tuple[int | None, ...]

    def costs(self, asks: Sequence[Ask]) -> list[int]:
        """The cost of each limit, by position."""
        largest = max((ask.cost for ask in asks if ask.limit is None), default=1)
        return [largest if position is None else asks[position].cost for position in self.costed]

    def tallies(self, asks: Sequence[Ask]) -> tuple[Tally, ...]:
        """What is counted for people, scope by scope; a call that costs nothing is not."""
        units: dict[str, int] = {}
        for ask in asks:
            scope = (ask.limit.scope if ask.limit else ask.scope) or EVERY_SCOPE
            if ask.cost and ask.needs_tenant:
                units[scope] = max(whole(ask.cost), units.get(scope, 0))
        return tuple(Tally(*each) for each in units.items())


def distinct(asks: Iterable[Ask]) -> tuple[Ask, ...]:
    """The asks without repetitions.

    Raises `ConflictingCosts` when one thing is asked at two costs.
    """
    found: dict[object, Ask] = {}
    for ask in asks:
        same = found.setdefault(
            (ask.scope if ask.limit is None else ask.limit, ask.counted, ask.subject), ask
        )
        if same.cost != ask.cost:
            scope = ask.limit.scope if ask.limit else ask.scope
            raise ConflictingCosts(
                f"Scope {scope!r} costs {same.cost} by one throttle and {ask.cost} by another: "
                "let them agree, or give one a scope of its own."
            )
    return tuple(found.values())


def lay_out(policy: Policy, caller: Caller, asks: tuple[Ask, ...], at_us: int) -> LaidOut:
    """The bundle for these asks under a policy as it holds at ``at_us``. Raises `NotInPlan`."""
    laid_out = policy.laid_out  # before the plan is read: another thread may swap both
    counted = Counted(caller, policy.tenant, asks)
    shape = (
        tuple((ask.scope, ask.limit, counted.own(ask)) for ask in asks),
        tuple(counted.kind(kind) for kind in SubjectKind),
    )
    held = laid_out.get(shape)
    if isinstance(held, LaidOut):
        return held
    asked, costed = _limits(policy, counted, at_us)
    span = policy.in_force(at_us).span
    bundle = pack(asked, edges_of=lambda unit: policy.edges(unit, at_us), span=span)
    if len(laid_out) >= MOST_LAID_OUT:
        laid_out.clear()
    laid = laid_out[shape] = LaidOut(bundle, tuple(costed))
    return laid


def _limits(policy: Policy, counted: Counted, at_us: int) -> tuple[list[Asked], list[int | None]]:
    rows = policy.in_force(at_us)
    asked: list[Asked] = []
    costed: list[int | None] = []
    for position, ask in enumerate(counted.asks):
        own = counted.own(ask)
        if ask.limit is not None:
            asked.append(Asked(ask.limit, own or counted.kind(ask.limit.subject)))
            costed.append(position)
            continue
        if not rows.covers(ask.scope):
            plan = policy.plan.key if policy.plan else "none"
            raise NotInPlan(
                f"Neither scope {ask.scope!r} nor {EVERY_SCOPE!r} has a row in plan {plan!r}."
            )
        for limit in rows.limits([ask.scope]):
            entry = Asked(limit, own or counted.kind(limit.subject))
            if entry not in asked:
                asked.append(entry)
                costed.append(None if limit.scope == EVERY_SCOPE else position)
    return asked, costed


def subjects_of(
    caller: Caller, tenant: TenantRow | None, asks: Sequence[Ask], bundle: Bundle
) -> Mapping[str, Subject]:
    """Who is counted, by `Place.who`.

    Inside the tenant when there is one, else each under a tag of its own.
    """
    found: dict[str, Subject] = {}
    for who in {place.who for place in bundle.places}:
        own = who[0] in {COUNTED, SUBJECT}
        text = asks[int(who[1:])].text if own else _text(SubjectKind(who), caller)
        if tenant is None or who[0] == COUNTED:
            found[who] = Subject(text, text)
        else:
            found[who] = Subject(tenant_tag(tenant.pk), text, tenant.epoch)
    return found


@dataclass(frozen=True, slots=True)
class Counted:
    """Whom the limits of a call come down to.

    Kinds that fall back to one subject are one: their states must share a key, or each would
    overwrite the other's.
    """

    caller: Caller
    tenant: TenantRow | None
    asks: tuple[Ask, ...]

    def own(self, ask: Ask) -> str:
        """Of an ask with a text of its own: its kind, and the position of the first with it."""
        if not ask.own:
            return ""
        first = next(place for place, each in enumerate(self.asks) if _same_text(each, ask))
        return f"{ask.own}{first}"

    def kind(self, kind: SubjectKind) -> SubjectKind:
        """The kind that is known: each falls back to the next, and none falls away."""
        if kind is SubjectKind.TENANT and self.tenant is not None:
            return kind
        if kind is SubjectKind.ADDRESS:
            return kind
        order = [SubjectKind.USER, SubjectKind.CREDENTIAL]
        if kind is SubjectKind.CREDENTIAL:
            order.reverse()
        known = {
            SubjectKind.USER: self.caller.user_pk is not None,
            SubjectKind.CREDENTIAL: self.caller.credential is not None,
        }
        return next((each for each in order if known[each]), SubjectKind.ADDRESS)


def _same_text(one: Ask, other: Ask) -> bool:
    return (one.counted, one.subject) == (other.counted, other.subject)


def _text(kind: SubjectKind, caller: Caller) -> str:
    """The subject part of a key, for a kind that is known."""
    values: dict[SubjectKind, object] = {
        SubjectKind.TENANT: "",
        SubjectKind.USER: caller.user_pk,
        SubjectKind.CREDENTIAL: caller.credential,
        SubjectKind.ADDRESS: caller.address,
    }
    return subject_text(kind, values[kind])
