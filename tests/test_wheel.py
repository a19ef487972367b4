from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("django_tenant_quotas-*-py3-none-any.whl")
    return set(ZipFile(wheel).namelist())


def test_the_wheel_holds_all_of_the_package_and_nothing_else(contents):
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "quotas").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert files == {name for name in contents if ".dist-info/" not in name}


@pytest.mark.parametrize("suffix", [".lua", ".html", ".js", "/py.typed"])
def test_the_wheel_holds_what_is_not_python(contents, suffix):
    assert any(name.endswith(suffix) for name in contents)
