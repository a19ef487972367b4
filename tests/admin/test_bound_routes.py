"""A route that somebody adds to an admin of ours, and forgets about bound staff, is bound too."""

from __future__ import annotations

import pytest
from django.contrib.admin import AdminSite
from django.http import HttpResponse
from django.urls import path, re_path

from quotas.admin import TenantAdmin
from quotas.models import Tenant
from tests.admin.companies import MARK, OWN, Company, bound_staff

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Careless(TenantAdmin):
    """Looks rows up by itself, and asks nobody whether they may be shown."""

    def get_urls(self):
        view = self.admin_site.admin_view(self.tell)
        own = [path("<int:object_id>/told/", view), re_path("^([^/]+)/told/([^/]+)/$", view)]
        return [*own, *super().get_urls()]

    def tell(self, request, object_id, what="name"):
        return HttpResponse(getattr(Tenant.objects.get(pk=object_id), what))


site = AdminSite()
site.register(Tenant, Careless)
urlpatterns = [path("admin/", site.urls)]


@pytest.mark.parametrize("ending", ["told/", "told/key/"])
def test_it_shows_the_own_tenants_and_leads_to_no_other(settings, ending):
    settings.QUOTAS_STAFF_TENANTS = "quotas.services.staff.by_membership"
    other, company = Company(MARK), Company(OWN)
    bound = bound_staff(company)

    shown, hidden, nowhere = (
        bound.get(f"/admin/quotas/tenant/{pk}/{ending}")
        for pk in (company.tenant.pk, other.tenant.pk, 987_654)
    )

    assert OWN in shown.content.decode()
    assert (302, 302) == (hidden.status_code, nowhere.status_code)
    assert hidden["Location"] == nowhere["Location"]
    assert MARK not in hidden.content.decode()


def test_who_has_not_logged_in_is_sent_to_do_so(settings, client):
    settings.QUOTAS_STAFF_TENANTS = "quotas.services.staff.by_membership"
    company = Company(OWN)

    answer = client.get(f"/admin/quotas/tenant/{company.tenant.pk}/told/")

    assert answer["Location"].startswith("/admin/login/")
