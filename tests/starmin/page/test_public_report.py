"""The report for publication: nothing of the original, and no small count."""

import re
import sys
from pathlib import Path

import pytest

from starmin.cli.app import main


@pytest.mark.parametrize("extra", ["", " --l 2", " --numeric size --objective gcp"])
def test_it_holds_no_value_and_no_small_count(tmp_path, monkeypatch, extra):
    monkeypatch.chdir(tmp_path)
    places = range(101)
    rows = [
        (f"zq{i}", 7001 + i % 13 * 31, f"xj{i * i % 7}", f"hk{i % 3}") for i in places
    ]
    rows[5] = (*rows[5][:3], "hk9")
    lines = ["name,size,town,ill", *(",".join(map(str, row)) for row in rows)]
    Path("people.csv").write_text("\n".join(lines) + "\n")
    asked = "--drop name --sensitive ill --k 4 --method mondrian --quiet"
    if "gcp" in extra:
        asked += " --recoding generalization"
    line = f"solve people.csv {asked}{extra} --out r.csv --report-public p.html"
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split()])
    assert main() == 0
    page = Path("p.html").read_text()
    text = re.sub(r"<[^>]+>", " ", page.split("<main>")[1].split("</main>")[0])
    for column in zip(*rows, strict=True):
        assert not any(str(value) in text for value in column)
    counts = re.findall(r"\d+(?![\d,]| %)", re.sub(r"\d+ %", "", text))
    assert {*counts} <= {"4", "2", "101"}, text
    assert "people.csv" not in page
