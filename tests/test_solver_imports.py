"""Tests that the two libraries that bundle HiGHS load beside each other."""

import subprocess
import sys

import pytest

ORTOOLS = "from ortools.math_opt.python import mathopt"
HIGHSPY = "import highspy; highspy.Highs().getNumCol()"


@pytest.mark.parametrize("order", [(ORTOOLS, HIGHSPY), (HIGHSPY, ORTOOLS)])
def test_import_in_either_order(order: tuple[str, str]) -> None:
    code = "; ".join(order)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
