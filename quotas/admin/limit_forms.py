"""A limit's form; its numbers may be said in words beside the plain fields, which they fill."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.utils.translation import gettext_lazy as _

from quotas.admin.seen import SeenForm
from quotas.domain.periods import written_period
from quotas.domain.phrases import (
    EXAMPLES,
    LONGEST_PHRASE,
    fields_said,
    fields_unsaid,
    phrase_text,
    read_phrase,
)
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit, InvalidRate
from quotas.models.choices import ALGORITHMS, UNITS
from quotas.models.limit_fields import LimitFields

WORDS = "words"
SAID = "_said"
WORDED = ("algorithm", "amount", "period", "unit", "capacity")


def in_words(limit: LimitFields) -> str:
    """The phrase of a row's numbers; nothing where no phrase says them."""
    try:
        return phrase_text(
            algorithm=Algorithm(limit.algorithm),
            amount=limit.amount,
            period=limit.period,
            unit=CalendarUnit(limit.unit) if limit.unit else None,
            capacity=limit.capacity,
        )
    except ValueError:
        return ""  # a word that is no choice, of a row that is refused


class LimitForm(SeenForm):
    """A limit, or some of its fields.

    What is wrong with an absent one is said of the whole row; of a field that was refused already,
    nothing is added: it counts as blank from there on.
    """

    def add_error(self, field: str | None, error: Any) -> None:
        if field is None and hasattr(error, "error_dict"):
            known = {*self.fields, NON_FIELD_ERRORS}
            told: dict[str, list[ValidationError]] = {}
            for name, errors in error.error_dict.items():
                if name in self.errors:
                    continue
                told.setdefault(name if name in known else NON_FIELD_ERRORS, []).extend(errors)
            error = ValidationError(told)
        super().add_error(field, error)


class WordedLimitForm(LimitForm):
    """A limit whose numbers may be said in words.

    A plain field that was changed as well must agree; what the words leave unsaid stays, or
    goes where it would not fit.
    """

    words = forms.CharField(
        label=_("In words"),
        required=False,
        max_length=LONGEST_PHRASE,
        widget=forms.TextInput(attrs={"size": 40, "placeholder": EXAMPLES[0], "data-words": ""}),
        help_text=_(
            "The numbers as people say them: “%(first)s”, “%(second)s”, “%(third)s”, “none” or "
            "“unlimited”. It fills the fields below."
        )
        % dict(zip(("first", "second", "third"), EXAMPLES, strict=True)),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            self.initial.setdefault(WORDS, in_words(self.instance))

    @property
    def unsure(self) -> bool:
        """Whether something is wrong with the numbers, so that the row is not what was written."""
        wrong: set[str] = set(self.errors) if self.is_bound else set()
        return not wrong.isdisjoint({*WORDED, WORDS, NON_FIELD_ERRORS})

    def clean(self) -> Any:
        cleaned = super().clean() or self.cleaned_data
        text, touched = cleaned.get(WORDS), list(self.changed_data)
        filled: set[str] = set()
        if text and WORDS in touched and "algorithm" in cleaned:
            # The page's script says in which row words were written last: there they win.
            win = bool(self.prefix) and self.data.get(SAID) == self.prefix
            try:
                filled = self._fill(text, set() if win else set(touched))
            except InvalidRate:
                self.add_error(WORDS, _unreadable(text))
            except InvalidLimit:
                self.add_error(WORDS, _misfit(text, cleaned["algorithm"]))
        if not self.errors:
            # The history tells of the columns.
            changed = filled | set(touched) - {WORDS}
            self.__dict__["changed_data"] = [name for name in self.fields if name in changed]
        return self.cleaned_data

    def _fill(self, text: str, touched: set[str]) -> set[str]:
        """Put what ``text`` says into the plain fields, or say with which it disagrees.

        Answers which of them have another value now.
        """
        given = self.cleaned_data
        phrase, algorithm = read_phrase(text), Algorithm(given["algorithm"])
        said = fields_said(phrase, algorithm)
        for name in touched & said.keys() & given.keys():
            if given[name] != said[name]:
                self.add_error(WORDS, self._disagreement(text, name, given[name]))
                return set()
        unsaid = fields_unsaid(phrase, algorithm)
        fresh = {name: value for name, value in unsaid.items() if name not in touched} | said
        filled = {name for name, value in fresh.items() if given.get(name) != value}
        given.update(fresh)
        return filled

    def _disagreement(self, text: str, name: str, value: Any) -> ValidationError:
        label = self.fields[name].label
        message = _("“%(text)s” and %(label)s “%(value)s” disagree: change one of the two.")
        values = {"text": text, "label": label, "value": _shown(name, value)}
        return ValidationError(message, code="disagree", params=values)


def _shown(name: str, value: Any) -> str:
    if value is None or value == "":
        return str(_("blank"))
    if name == "period":
        return written_period(value)
    choices: dict[str, Any] = {"algorithm": dict(ALGORITHMS), "unit": dict(UNITS)}
    return str(choices.get(name, {}).get(value, value))


def _unreadable(text: str) -> ValidationError:
    message = _("In words is “%(text)s”: write such as “%(a)s”, “%(b)s” or “%(c)s”.")
    values = {"text": text, **dict(zip("abc", EXAMPLES, strict=True))}
    return ValidationError(message, code="invalid", params=values)


def _misfit(text: str, algorithm: str) -> ValidationError:
    message = _(
        "“%(text)s” does not fit the algorithm “%(algorithm)s”: choose another one, "
        "or change the words."
    )
    values = {"text": text, "algorithm": dict(ALGORITHMS)[algorithm]}
    return ValidationError(message, code="misfit", params=values)
