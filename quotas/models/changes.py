"""Announces what is saved, deleted or loaded row by row. Bulk writes: `quotas.models.querysets`.

Versions, a tenant's ``plan_since`` and a limit's ``mode_since`` are kept on the same occasions.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models.signals import post_delete, post_save, pre_save

from quotas.models.reach import Announced, Reach, rows_of
from quotas.models.since import keep_since
from quotas.models.versions import LOADED, Versioned, acting, forget_double, keep

BEFORE = "_reach_before_save"


def connect() -> None:
    """Listen to every model of ours that concerns what applies, proxies of it included.

    For `AppConfig.ready`, when all models are known. Sender by sender: a listener to every model
    would cost every other app its fast deletes.
    """
    for model in apps.get_models():
        if issubclass(model, Announced):
            pre_save.connect(_before_save, sender=model, dispatch_uid="quotas")
            post_save.connect(_after_save, sender=model, dispatch_uid="quotas")
            post_delete.connect(_after_delete, sender=model, dispatch_uid="quotas")
            if model.since:
                pre_save.connect(keep_since, sender=model, dispatch_uid="quotas.since")
        if issubclass(model, Versioned):
            versions: Any = model
            post_save.connect(
                forget_double, sender=versions.history.model, dispatch_uid="quotas.versions"
            )


def _before_save(*, sender: type[Announced], instance: Announced, using: str, **_: Any) -> None:
    reach = Reach(sender, using)
    # Whom the row belonged to so far: the instance may have been built by hand or by loaddata.
    if instance.pk is not None and sender.concerns.movable:
        reach.add_rows(rows_of(sender, using).filter(pk=instance.pk))
    setattr(instance, BEFORE, reach)


def _after_save(
    *, sender: type[Announced], instance: Announced, using: str, raw: bool, **_: Any
) -> None:
    with acting(reason=LOADED if raw else ""):
        keep(sender, using, [instance.pk])
    reach = instance.__dict__.pop(BEFORE, None) or Reach(sender, using)
    reach.add(instance)
    reach.announce()


def _after_delete(*, sender: type[Announced], instance: Announced, using: str, **_: Any) -> None:
    keep(sender, using, [instance.pk])
    reach = Reach(sender, using)
    reach.add(instance)
    reach.announce()
