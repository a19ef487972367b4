"""Every id is listed once, belongs to one rule, and every rule has one."""

from __future__ import annotations

import re
from pathlib import Path

from django.core.checks import Tags, registry

from quotas import checks

LISTED = re.findall(r"^(quotas\.[EWI]\d{3})  ", checks.__doc__, re.MULTILINE)
FOLDER = Path(checks.__file__).parent


def our_checks():
    everything = registry.registry.get_checks(include_deployment_checks=True)
    return [each for each in everything if each.__module__.startswith("quotas.checks")]


def test_the_table_lists_each_id_once_and_no_other():
    source = "".join(path.read_text() for path in FOLDER.glob("*.py") if path.stem != "__init__")
    used = set(re.findall(r'"(quotas\.[EWI]\d{3})"', source))

    assert sorted(used) == sorted(LISTED)


def test_every_rule_is_one_function_that_names_its_id_first():
    first = [re.match(r"([EWI]\d{3}): ", each.__doc__)[1] for each in our_checks()]

    assert sorted(first) == sorted(code[7:] for code in LISTED if code != "quotas.I001")


def test_all_have_our_tag_and_those_that_query_djangos_too():
    marked = re.findall(r"^quotas\.(\w{4})  .*\(database\)$", checks.__doc__, re.MULTILINE)

    assert all("quotas" in each.tags for each in our_checks())
    assert sorted(marked) == sorted(
        each.__doc__[:4] for each in our_checks() if Tags.database in each.tags
    )
