"""Tests that the benchmark of the one-dimensional framework runs, and goes on."""

import csv
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks/papers/one_dimensional"


def test_runs_are_kept_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import hilbert_framework as benchmark
    import hilbert_framework_cases as cases
    import hilbert_framework_page as page

    listed = list(cases.cases(3000, 100_000))
    assert len(set(listed)) == len(listed) > 900
    methods = ("hilbert", "mondrian", "anatomy", "perm_hilb", "accuracy_constrained")
    few = [
        case
        for case in listed
        if case.table == "census" and case.method in methods and case.d == 3
        if case.experiment in ("l by d", "E") and not case.projection
    ]
    store = tmp_path / "runs.csv"
    benchmark.run(few[:2], tmp_path, store)
    left = benchmark.missing(iter(few), benchmark.read(store))
    assert left == few[2:]
    benchmark.run(left, tmp_path, store)
    rows = benchmark.read(store)
    found = {row["method"]: row for row in rows if row["experiment"] == "l by d"}
    assert 0 < float(found["hilbert"]["gcp"]) < 1 and found["anatomy"]["gcp"] == ""
    assert float(found["perm_hilb"]["kl"]) < float(found["hilbert"]["kl"])
    page.draw_all(rows, tmp_path)
    written = {path.name for path in tmp_path.glob("*.csv")}
    names = {f"figure{number}.csv" for number in (27, 32, 35, 36)}
    assert written == {"runs.csv", *names}
    kept = tmp_path / "points.csv"
    page.keep(kept, rows)
    page.keep(kept, rows)  # in place of those that are there
    with kept.open(newline="", encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    keys = [tuple(row.values())[:-1] for row in points]
    assert len(set(keys)) == len(keys) > 10
    assert {row["figure"] for row in points} >= {"27", "32", "35", "36"}
    assert {"hilbert", "anatomy"} <= {row["method"] for row in points}
    assert all(float(row["value"]) >= 0 for row in points)
