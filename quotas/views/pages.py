"""The pages: the tenants that somebody may look at, and what one of them has used."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.generic import View

from quotas.models import Plan
from quotas.services.attempt import Attempt
from quotas.services.statement import Statement, statement_of
from quotas.views.access import Viewing, is_staff, nowhere, tenants_of, viewing
from quotas.views.callers import CallersView, Names, calls_for
from quotas.views.denials import denial_rows
from quotas.views.exports import history_lines, wrong_range
from quotas.views.history import HistoryView
from quotas.views.looks import look_at
from quotas.views.months import MonthsView
from quotas.views.peaks import MOST_DRAWN, peak_charts
from quotas.views.reads import PROBLEM, counted
from quotas.views.rows import page_of

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

NO_CACHE = "private, no-store"
TENANTS_A_PAGE = 25
LONGEST_SOUGHT = 200


class Private(LoginRequiredMixin, View):
    """A page for whoever has logged in, which no cache may keep.

    What is not there and what is not the viewer's are answered alike. ``headers`` are those of
    every answer.
    """

    http_method_names = ["get", "head", "options"]

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.headers = {"Cache-Control": NO_CACHE}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = super().dispatch(request, *args, **kwargs)
        except Http404 as error:
            response = TemplateResponse(
                request, "quotas/not_found.html", {"message": str(error)}, status=404
            )
        for name, value in self.headers.items():
            response[name] = value
        return response


class TenantList(Private):
    """The tenants that somebody may look at, with a search for staff.

    A member of one tenant goes straight on to it.
    """

    template_name = "quotas/tenants.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        staff = is_staff(user)
        tenants = tenants_of(user).order_by("key")
        sought = request.GET.get("q", "").replace("\0", "").strip() if staff else ""
        sought = sought[:LONGEST_SOUGHT]
        if sought:
            tenants = tenants.filter(Q(key__icontains=sought) | Q(name__icontains=sought))
        page = Paginator(tenants, TENANTS_A_PAGE).get_page(request.GET.get("page"))
        if not staff and page.paginator.count == 1:
            return redirect("quotas:usage", tenant=page.object_list[0].key)
        default = Plan.objects.filter(is_default=True, active=True).first()
        return TemplateResponse(
            request,
            self.template_name,
            {"page": page, "staff": staff, "sought": sought, "default_plan": default},
        )


class UsagePage(Private):
    """What a tenant may use and has used, as the limiter knows it. Looking consumes nothing."""

    template_name = "quotas/usage.html"

    def get(self, request: HttpRequest, tenant: str) -> HttpResponse:
        seen = viewing(request.user, tenant)
        look = look_at(read(seen), request.GET)
        calls = calls_for(look)
        denials = look.statement.usage.denials
        names = Names(seen.tenant_pk, {*calls.callers, *(each.caller for each in denials)})
        several = seen.staff or tenants_of(request.user).exclude(pk=seen.tenant_pk).exists()
        peaks = peak_charts(calls, look.statement, look.filters.scope)
        context = page_of(look.statement, reasons=seen.staff) | {
            "staff": seen.staff,
            "several": several,
            "history": HistoryView(look),
            "months": MonthsView(look),
            "peaks": peaks[:MOST_DRAWN],
            "peaks_left": len(peaks[MOST_DRAWN:]),
            "callers": CallersView(calls, names, now=look.statement.instant()),
            "denials": denial_rows(denials, look.statement, names),
        }
        return TemplateResponse(request, self.template_name, context)


class UsageExport(Private):
    """The history as a file for spreadsheets; in an outage its name says that it is stale.

    A read as those of the JSON twin are: one limit counts both.
    """

    def get(self, request: HttpRequest, tenant: str) -> HttpResponse:
        with Attempt():
            reads = counted(request.user)
            self.headers |= reads.headers
            if reads.problem is not None:
                return JsonResponse(reads.problem, status=reads.status, content_type=PROBLEM)
            seen = viewing(request.user, tenant)
            look = look_at(read(seen), request.GET)
        if look.filters.trouble:
            return wrong_range(look.filters.trouble)
        history = look.history
        response = HttpResponse(content_type="text/csv; charset=utf-8")
        stale = "-stale" if history.stale else ""
        name = f"usage-{history.span}-{history.buckets[-1].start:%Y-%m-%d}{stale}.csv"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        csv.writer(response).writerows(history_lines(history))
        return response


def read(seen: Viewing) -> Statement:
    """The statement that somebody may see: with their own numbers where users are counted apart."""
    statement = statement_of(seen.tenant_pk, user_pk=seen.member_pk)
    if statement is None:
        raise nowhere()
    return statement
