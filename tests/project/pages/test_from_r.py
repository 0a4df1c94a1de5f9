"""Tests that R calls by reticulate as the page says, where R is there."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig

import numpy as np
import pandas
import pytest

import starmin
from starmin.instances import TableError
from tests.support.places import HOME

PAGE = (HOME / "docs" / "how_to" / "from_r.md").read_text()


def has_reticulate() -> bool:
    if shutil.which("Rscript") is None or not sysconfig.get_config_var(
        "Py_ENABLE_SHARED"
    ):
        return False
    asked = ["Rscript", "-e", "stopifnot(requireNamespace('reticulate'))"]
    return subprocess.run(asked, capture_output=True, timeout=60).returncode == 0


@pytest.fixture
def run_r(tmp_path):
    if not has_reticulate():
        pytest.skip("R with reticulate, and Python as a library, are not there")

    def run(code: str) -> str:
        script = tmp_path / "task.R"
        script.write_text(code)
        done = subprocess.run(
            ["Rscript", str(script)],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
            env=os.environ | {"RETICULATE_PYTHON": sys.executable},
        )
        return done.stdout if done.returncode == 0 else done.stdout + done.stderr

    return run


def test_the_task_of_the_page_gives_what_it_shows_and_types_are_as_it_says(run_r):
    ((code, said),) = re.findall(
        r"^```r\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.M | re.S
    )
    more = """
    people$age <- as.integer(people$age)
    people$age[2] <- NA
    print(inherits(try(starmin$anonymize(people, k = 2L), silent = TRUE), "try-error"))
    people$age <- as.numeric(people$age)
    people$sex <- factor(people$sex)
    made <- starmin$anonymize(
      people, qi = c("age", "sex"), k = 2L, numeric = list("age"),
      rounding = list(age = 5), top = list(age = 47), unchanged = list("zip"))
    print(made$verify()$holds)
    back <- as_r(made$frame)
    print(is.data.frame(back) && all(back$sex %in% c("f", "m", "*")))
    """
    found = run_r(code + more)
    rows, *cost = said.rpartition("10 stars")
    assert found.splitlines()[-3:] == ["[1] TRUE"] * 3, found
    told = found.splitlines()[: len(said.splitlines())]
    assert told[-2:] == "".join(cost).splitlines()  # one of several optima above
    assert told[0] == rows.splitlines()[0] and len(told) == len(said.splitlines())


def test_a_missing_whole_number_of_r_is_refused_in_its_words(monkeypatch):
    cells = np.array([30, -(2**31), 41])
    frame = pandas.DataFrame({"age": cells, "sex": list("fmf")})
    assert starmin.from_frame(frame).cells("age")[1] == "-2147483648"
    monkeypatch.setitem(sys.modules, "rpytools", sys)
    with pytest.raises(TableError, match=r"'age': a missing .* pass as\.numeric"):
        starmin.from_frame(frame)
    assert starmin.from_frame(frame.astype({"age": float})).n == 3
