"""Several limits judged together: charged all, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quotas.domain.reference.judgement import Judgement
from quotas.domain.reference.single import Reference
from quotas.domain.words import Mode, Outcome
from quotas.errors import InvalidLimit


class ReferenceSet:
    """The limits that apply to one request, each with its mode: enforce unless given."""

    def __init__(self, limits: Sequence[Reference], *, modes: Sequence[Mode] | None = None) -> None:
        self.limits = list(limits)
        self.modes = [Mode.ENFORCE] * len(self.limits) if modes is None else list(modes)
        if len(self.modes) != len(self.limits) or Mode.OFF in self.modes:
            raise InvalidLimit(
                f"modes are {self.modes!r} for {len(self.limits)} limits: "
                "give one each, and leave a limit that is off out."
            )

    def judge(self, costs: Sequence[int], now_us: int) -> tuple[list[Judgement], Outcome]:
        """What `consume` would answer. Changes nothing."""
        judgements = [
            limit.judge(cost, now_us) for limit, cost in zip(self.limits, costs, strict=True)
        ]
        outcome = self._outcome(judgements)
        answers = [
            judgement
            if outcome is not Outcome.DENIED
            else self._uncharged(limit, judgement, now_us)
            for limit, judgement in zip(self.limits, judgements, strict=True)
        ]
        return answers, outcome

    def consume(
        self, costs: Sequence[int], now_us: int, *, slot: str | None = None
    ) -> tuple[list[Judgement], Outcome]:
        """Judge every limit, then charge those that fit, or none when an enforced one denies.

        A shadow limit that would deny is not charged and denies nothing. ``remaining`` and
        ``reset_us`` are those after the decision: of a limit that was not charged, those of now.
        """
        judgements, outcome = self.judge(costs, now_us)
        if outcome is Outcome.DENIED:
            return judgements, outcome
        for limit, cost, judgement in zip(self.limits, costs, judgements, strict=True):
            if judgement.fits:
                limit.charge(cost, now_us, slot=slot)
        return judgements, outcome

    def _outcome(self, judgements: Sequence[Judgement]) -> Outcome:
        denying = {
            mode
            for mode, judgement in zip(self.modes, judgements, strict=True)
            if not judgement.fits
        }
        if Mode.ENFORCE in denying:
            return Outcome.DENIED
        return Outcome.SHADOW_DENIED if denying else Outcome.ALLOWED

    @staticmethod
    def _uncharged(limit: Reference, judgement: Judgement, now_us: int) -> Judgement:
        now = limit.judge(0, now_us)
        return replace(judgement, delay_us=0, remaining=now.remaining, reset_us=now.reset_us)
