"""Django's classes that ours descend from, in one place: where another admin's would be chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from quotas.admin.bound import bound

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    StackedInline = admin.StackedInline[Any, Any]
    TabularInline = admin.TabularInline[Any, Any]
    ModelForm = forms.ModelForm[Any]
    ModelChoiceField = forms.ModelChoiceField[Any]
    InlineFormSet = forms.BaseInlineFormSet[Any, Any, Any]
    ModelFormSet = forms.BaseModelFormSet[Any, Any]
else:
    ModelAdmin = bound(admin.ModelAdmin)
    StackedInline = bound(admin.StackedInline)
    TabularInline = bound(admin.TabularInline)
    ModelForm = forms.ModelForm
    ModelChoiceField = forms.ModelChoiceField
    InlineFormSet = forms.BaseInlineFormSet
    ModelFormSet = forms.BaseModelFormSet


class LookOnlyAdmin(ModelAdmin):
    """Rows to look at, whatever one's permissions."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
