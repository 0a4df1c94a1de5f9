"""Tests that rare values are joined as a recount and brute force say."""

import csv
import json
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

import starmin
from starmin.instances import TableError


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    return by_line


def write(rows, name="t.csv"):
    """A table of jobs and sexes."""
    lines = ["job,sex", *(f"{job},{sex}" for job, sex in rows)]
    Path(name).write_text("\n".join(lines) + "\n")


def parted(rows):
    """All partitions of some rows into groups of two and more."""
    if not rows:
        yield []
        return
    first, others = rows[0], rows[1:]
    for chosen in range(1, 2 ** len(others)):
        inside = [r for i, r in enumerate(others) if chosen >> i & 1]
        rest = [r for i, r in enumerate(others) if not chosen >> i & 1]
        for more in parted(rest):
            yield [[first, *inside], *more]


def cheapest(rows, least):
    """The least share that is lost, each group and each node counted by hand."""
    jobs = Counter(job for job, _ in rows)
    rare = {job for job, n in jobs.items() if n < least}
    rare = rare if len(rare) > 1 else set()

    def lost(group):
        own, sexes = {job for job, _ in group}, {sex for _, sex in group}
        below = rare if own <= rare else {*jobs}
        job = Fraction(len(below), len(jobs)) if len(own) > 1 else Fraction(0)
        return len(group) * (job + (len(sexes) > 1)) / 2

    return min(sum(map(lost, groups)) for groups in parted(rows)) / len(rows)


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_that_of_brute_force_and_both_checkers_agree(seed, run):
    rng = random.Random(seed)
    rows = [(rng.choice("aaabbcde"), rng.choice("fm")) for _ in range(8)]
    least = rng.choice((2, 3))
    write(rows)
    how = f"--recoding generalization --hierarchy job=rare:{least} --k 2"
    code, out, err = run(
        f"solve t.csv {how} --json --quiet --out r.csv --certificate p.json"
    )
    said = json.loads(out)
    best = cheapest(rows, least)
    assert code == 0 and said["status"] == "optimal", err
    assert said["value"] == pytest.approx(float(best))
    line = f"verify r.csv {how} --original t.csv --certificate p.json --json"
    code, out, err = run(line)
    found = json.loads(out)
    assert code == 0 and found["consistent"] and found["certificate"]["accepted"], err
    assert found["gcp"] == pytest.approx(float(best))
    jobs = Counter(job for job, _ in rows)
    lines = csv.DictReader(Path("r.csv").read_text().splitlines())
    told = {row["job"] for row in lines}
    assert told <= {*jobs, "other", "*"}
    tree = starmin.hierarchy_rule(f"rare:{least}").tree([job for job, _ in rows])
    tree.write("h.csv")
    code, out, err = run("check p.json --original t.csv --hierarchy job=h.csv")
    assert code == 0, (out, err)
    assert run(f"verify r.csv {how}")[0] == 0  # and where no original is at hand


def test_a_rule_of_rare_values_counts_rows():
    tree = starmin.hierarchy_rule("rare:3:few").tree([*"aaabbc", "?"])
    assert tree.ancestors["b"] == tree.ancestors["c"] == ("few", "*")
    assert tree.ancestors["a"] == tree.ancestors["?"] == ("*",)
    alone = starmin.hierarchy_rule("rare:2").tree([*"aab"])
    assert alone.ancestors == {"a": ("*",), "b": ("*",)}
    counted = starmin.hierarchy_rule("rare:3").tree({"a": 9, "b": 1, "c": 2})
    assert counted.ancestors["b"] == counted.ancestors["c"] == ("other", "*")
    for wrong in ("rare:", "rare:1", "rare:x", "rare:5:"):
        with pytest.raises(TableError, match="rare: expected"):
            starmin.hierarchy_rule(wrong)
    with pytest.raises(TableError, match="'other' is a value already"):
        starmin.hierarchy_rule("rare:5").tree(["other", "a"])


def test_rare_values_are_refused_in_batches_in_one_line(run):
    write([(job, "f") for job in "aaabbc"])
    line = "solve t.csv --stream --k 2 --hierarchy job=rare:3"
    code, _, err = run(f"{line} --recoding generalization --quiet")
    assert code == 2 and err.count("\n") == 1 and "in batches" in err
