"""The classes that ours descend from, in one place: unfold's where it is installed, or Django's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin import helpers
from django.http import HttpRequest

from quotas.admin.bound import bound
from quotas.admin.odd_input import guarded

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    StackedInline = admin.StackedInline[Any, Any]
    TabularInline = admin.TabularInline[Any, Any]
    ActionForm = helpers.ActionForm
    ModelForm = forms.ModelForm[Any]
    Select = forms.Select
    ModelChoiceField = forms.ModelChoiceField[Any]
    InlineFormSet = forms.BaseInlineFormSet[Any, Any, Any]
    ModelFormSet = forms.BaseModelFormSet[Any, Any]
else:
    if apps.is_installed("unfold"):
        from quotas.admin.unfolded import (
            ActionForm,
            InlineFormSet,
            ModelAdmin,
            ModelForm,
            Select,
            StackedInline,
            TabularInline,
        )
    else:
        ModelAdmin = admin.ModelAdmin
        StackedInline = admin.StackedInline
        TabularInline = admin.TabularInline
        ActionForm = helpers.ActionForm
        ModelForm = forms.ModelForm
        Select = forms.Select
        InlineFormSet = forms.BaseInlineFormSet
    ModelAdmin, StackedInline, TabularInline = (
        bound(guarded(each)) for each in (ModelAdmin, StackedInline, TabularInline)
    )
    ModelChoiceField = forms.ModelChoiceField
    ModelFormSet = forms.BaseModelFormSet


class LookOnlyAdmin(ModelAdmin):
    """Rows to look at, whatever one's permissions."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
