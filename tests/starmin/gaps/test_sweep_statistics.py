"""Tests of what a sweep says of several seeds, of time, and of pairs of methods."""

import csv
import json
import random
from itertools import product

import numpy as np
import pytest
from scipy.stats import wilcoxon

from starmin.gaps.sweep_statistics import (
    LEAST,
    Paired,
    aggregates,
    gap_integral,
    paired_tests,
    primal_integral,
    seconds_to,
)

pytestmark = pytest.mark.usefixtures("undrawn")

HOSPITAL = "instance:hospital"


def test_integrals_are_sums_over_small_steps():
    rng = random.Random(1)
    for _ in range(30):
        limit, best = rng.uniform(1, 5), rng.randint(1, 9)
        at = sorted(rng.uniform(0, 6) for _ in range(rng.randint(0, 5)))
        values = sorted((rng.randint(best, 20) for _ in at), reverse=True)
        bounds = sorted(rng.randint(0, best) for _ in at)
        points = [list(point) for point in zip(at, values, bounds, strict=True)]
        if points and rng.random() < 0.5:
            points[0][rng.randint(1, 2)] = None
        primal, gap = [], []
        for time in np.linspace(0, limit, 20_001)[:-1] + limit / 40_000:
            value = bound = None
            for seconds, found, proven in points:
                if seconds <= time:
                    value, bound = found, proven
            primal.append(1 if value is None else (value - best) / value)
            known = value is not None and bound is not None
            gap.append((value - bound) / value if known else 1)
        assert primal_integral(points, best, limit) == pytest.approx(
            np.mean(primal), abs=1e-3
        )
        assert gap_integral(points, limit) == pytest.approx(np.mean(gap), abs=1e-3)
    assert primal_integral([], None, 1.0) is None
    assert seconds_to([(1.0, None, 2), (2.0, 5, 2)], 5) == 2.0


def rows(values):
    """Rows of runs by method and problem; a list has one for each seed."""
    for method, problems in values.items():
        for number, each in enumerate(problems):
            for seed, value in enumerate(each if isinstance(each, list) else [each]):
                yield {
                    "problem": f"t{number} --k 2",
                    "table": f"t{number}",
                    "asked": "k 2",
                    "method": method,
                    "kind": "heuristic",
                    "seed": seed,
                    "outcome": "crash" if value is None else "ok",
                    "value": value,
                }


def test_pairs_are_tested_by_wilcoxon_and_adjusted_by_holm():
    rng = np.random.default_rng(3)
    base = rng.integers(100, 1_000, 12)
    values = {
        "good": [int(x) for x in base],
        "bad": [int(x * rng.uniform(1.01, 1.3)) + 1 for x in base],
        "noise": [int(x * rng.uniform(0.9, 1.1)) for x in base],
        "bound-like": [0] * 3,
    }
    found = {
        (p.first, p.second): p for p in paired_tests(aggregates(list(rows(values))))
    }
    raw = {}
    for one, other in (("good", "bad"), ("good", "noise"), ("bad", "noise")):
        logs = np.log(np.array(values[one]) / np.array(values[other]))
        raw[one, other] = wilcoxon(logs).pvalue
    least = 0.0
    for place, pair in enumerate(sorted(raw, key=raw.get)):
        least = max(least, min(1.0, raw[pair] * (3 - place)))
        assert found[pair].p == pytest.approx(least)
    assert found["good", "bad"].verdict == "good is better"
    assert found["good", "bad"].better == 12 and found["good", "bad"].ratio < 1
    assert found["good", "bound-like"].verdict == "too few problems"
    assert Paired("a", "b", 0, 0, 9, 1.2, 0.004).verdict == "b is better"
    assert LEAST == 6


def test_seeds_are_medians_and_a_failure_takes_the_problem_out():
    lines = aggregates(list(rows({"a": [[4, 6, 20], [1, None]], "b": [5, 1]})))
    assert [line.runs for line in lines] == [3, 2, 1, 1]
    assert lines[0].median("value") == 6 and lines[1].median("value") is None
    assert lines[0].as_row()["value_low"] == 5.0 and lines[1].failed == 1
    (pair,) = paired_tests(lines)
    assert (pair.better, pair.equal, pair.worse) == (0, 0, 1)  # of the first table


def test_sweeps_are_joined_and_tell_seeds_and_time(starmin, tmp_path, jobs_here):
    for folder, k in product("ab", "2"):
        method = {"a": "forest", "b": "pattern_ilp"}[folder]
        words = f"gap {HOSPITAL} --k {k} --methods {method} --seeds 0,1 --out {folder}"
        code, _, err = starmin(*words.split(), "--quiet", "--workers", "2")
        assert code == 0, err
    words = "gap --join a --join b --out c --json"
    code, out, err = starmin(*words.split())
    assert code == 0, err
    found = json.loads(out)
    assert len(found["runs"]) == 4 and len(found["problems"]) == 1
    assert found["problems"][0]["bound_by"] in ("own_pattern", "pattern_ilp")
    for run in found["runs"]:
        assert run["seconds"] <= run["process_seconds"] or run["process_seconds"] == 1.0
        assert run["trajectory"] and 0 <= run["primal_integral"] <= 1
        assert "--workers 2" in run["key"]
    lines = list(csv.DictReader((tmp_path / "c" / "summary.csv").open(newline="")))
    assert [line["method"] for line in lines] == ["forest", "pattern_ilp"]
    assert all(line["runs"] == "2" and line["seconds_median"] for line in lines)
    content = json.loads((tmp_path / "c" / "gaps.json").read_text())
    assert content["comparisons"][0]["verdict"] == "too few problems"
    assert "Significance" in (tmp_path / "c" / "report.html").read_text()
    code, _, err = starmin("gap", "--join", "nowhere")
    assert code == 2 and "nowhere has no runs.jsonl" in err
    code, _, err = starmin("gap", "--k", "2")
    assert code == 2 and "name a TABLE, or folders by --join" in err


def test_a_trajectory_falls_and_rises_to_the_result(starmin, tmp_path):
    words = "solve instance:census:n=400 --k 3 --trajectory t.csv --json --quiet"
    code, out, err = starmin(*words.split(), "--method", "pattern_annealing")
    assert code == 0, err
    found = json.loads(out)
    points = list(csv.DictReader((tmp_path / "t.csv").open(newline="")))
    values = [int(point["value"]) for point in points if point["value"]]
    bounds = [int(point["lower_bound"]) for point in points if point["lower_bound"]]
    seconds = [float(point["seconds"]) for point in points]
    assert values == sorted(values, reverse=True) and values[-1] == found["value"]
    assert bounds == sorted(bounds) and seconds == sorted(seconds)
    assert (bounds[-1] if bounds else None) == found["lower_bound"]
    code, out, _ = starmin(*f"bound {HOSPITAL} --k 2 --trajectory b.csv".split())
    assert code == 0
    last = list(csv.DictReader((tmp_path / "b.csv").open(newline="")))[-1]
    assert (last["value"], last["lower_bound"]) == ("", "2")
