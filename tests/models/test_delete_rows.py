"""Tests of releases that rows may be left out of, at a price."""

import csv
import json
import random
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np
import pandas
import pytest

from starmin import Anonymizer, anonymize, bound, solve, verify
from starmin.auto.choice import bound_by, solve_by
from starmin.instances import (
    DeletedRows,
    KAnonymity,
    LDiversity,
    Objective,
    PartialPartition,
    Problem,
    Run,
    Status,
    Table,
)
from starmin.instances.releases.release import deleted_rows
from starmin.models.pattern_variants.outliers import without_outliers
from starmin.models.pattern_variants.row_deletion import deletion_ilp
from starmin.verify import checker
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.every_partition import partitions
from tests.support.fuzzing import TRIES, starmin

EXACT = TRIES or 60
AUTO = TRIES or 16


class Small:
    """A tiny table with a price, solved by trying every release."""

    def __init__(self, seed):
        rng = random.Random(seed)
        n, self.d = rng.randint(3, 7), rng.randint(1, 3)
        self.k, self.l = rng.choice([(2, 1), (3, 1), (1, 2), (3, 2), (4, 1)])
        cells = [[rng.choice("abc") for _ in range(self.d)] for _ in range(n)]
        self.rows = [[*row, rng.choice("uvw")] for row in cells]
        qi = ["x", "y", "z"][: self.d]
        sensitive = ["s"] if self.l > 1 else []
        self.table = Table.from_rows([*qi, "s"], self.rows, qi, sensitive)
        self.weights = {"x": rng.randint(0, 3)} if rng.random() < 0.3 else {}
        self.star = [self.weights.get(column, 1) for column in qi]
        told = rng.choice(["row", "row", "1", "2", "4"])
        self.price = sum(self.star) if told == "row" else int(told)
        parts = [KAnonymity(self.k)] if self.k > 1 else []
        parts += [LDiversity(self.l)] if self.l > 1 else []
        self.requirement = DeletedRows(reduce(and_, parts), told)
        kind = "gcp" if told == "row" and rng.random() < 0.4 else "stars"
        self.objective = Objective(kind, weights=self.weights)

    def loss(self, group):
        """What a group costs as the cheaper of a class and deleted rows, and these."""
        deleted = self.price * len(group), len(group)
        rows = [self.rows[row] for row in group]
        values = [row[-1] for row in rows]
        most = max(map(values.count, values))
        if len(rows) < self.k or (self.l > 1 and self.l * most > len(rows)):
            return deleted
        differ = [len({row[j] for row in rows}) > 1 for j in range(self.d)]
        stars = sum(w for w, star in zip(self.star, differ, strict=True) if star)
        return min(deleted, (stars * len(rows), 0))

    def optimum(self):
        """The least cost of all partitions, and how many rows are deleted at least."""
        n = len(self.rows)
        sets = [[r for r in range(n) if mask >> r & 1] for mask in range(1 << n)]
        losses = np.array([(0, 0), *[self.loss(rows) for rows in sets[1:]]])
        return min(
            tuple(losses[[*line]].sum(axis=0).tolist()) for line in partitions(n)
        )


def test_the_exact_method_finds_what_trying_every_release_finds():
    deleted = 0
    for seed in range(EXACT):
        small = Small(seed)
        asked = small.requirement
        found = deletion_ilp(small.table, asked, objective=small.objective)
        if not asked.possible(small.table):
            assert found.status is Status.INFEASIBLE
            continue
        optimum, gone = small.optimum()
        assert found.value == found.lower_bound == optimum, seed
        none = gone == small.table.n
        assert (deleted_rows(found.best) == small.table.n) == none, seed
        deleted += isinstance(found.best, PartialPartition)
    assert deleted > EXACT // 6


def test_auto_finds_it_and_both_checkers_accept_its_certificate(tmp_path):
    proven, forms = 0, set()
    for seed in range(1_000_000, 1_000_000 + AUTO):
        small = Small(seed)
        table, asked, goal = small.table, small.requirement, small.objective
        problem = Problem(table, asked, goal)
        found = solve_by("auto", problem, {"time_limit": 60.0})
        optimum, gone = small.optimum()
        possible = asked.possible(table) and gone < table.n
        assert (found.best is not None) == possible, seed
        if found.best is not None:
            assert found.value == found.lower_bound == optimum, seed
            assert found.best.violation(table, asked, goal) is None
            assert found.best.value(table, goal) == optimum
        forms.add((goal.kind, "added_rows" in getattr(found.certificate, "data", {})))
        bounded = bound_by("auto", problem, {"time_limit": 60.0})
        for proof in (found.certificate, bounded.certificate):
            if proof is None:
                continue
            proven += 1
            assert proof.bound <= optimum
            assert check_certificate(proof, table, asked, goal).accepted, seed
            assert _checked_alone(tmp_path, table, proof) is True, seed
            for lie in _lies(proof, optimum):
                assert check_certificate(lie, table).accepted is False, seed
                assert _checked_alone(tmp_path, table, lie) is False, seed
    assert proven > AUTO // 4
    assert forms == {("stars", True), ("stars", False), ("gcp", False)}


def _lies(proof, optimum):
    """Certificates that claim more than the optimum, or of prices above the cap."""
    yield replace(proof, bound=optimum + 1)
    wrong = ["-3", "1e9", "rows", 3, None, "1/0"]
    if proof.objective["kind"] == "stars":  # of losses it may be whole, and a proof
        wrong += ["0.5", "1/3"]
    for price in wrong:
        yield replace(proof, requirement={**proof.requirement, "delete_rows": price})
    if many := proof.data.get("added_rows"):
        usual = {key: each for key, each in proof.data.items() if key != "added_rows"}
        for other in (many + 1, many - 1, str(many), None):
            yield replace(proof, data={**usual, "added_rows": other})
        yield replace(proof, data=usual)
        yield replace(proof, requirement={"k": many})
        for change in ({"kind": "gcp"}, {"keep": [proof.table["qi"][0]]}):
            yield replace(proof, objective={**proof.objective, **change})
        yield replace(proof, requirement={**proof.requirement, "delete_rows": "99"})
        return
    dear = [10**9 * proof.data["denominator"]] * len(proof.data["prices"])
    yield replace(proof, data={**proof.data, "prices": dear})
    yield replace(proof, kind="tree")
    yield replace(proof, data={**proof.data, "cuts": [], "patterns": []})


def _checked_alone(folder, table, proof):
    """The verdict of the checker that needs nothing but Python."""
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([table.names, *table.rows()])
    proof.write(folder / "proof.json")
    paths = str(folder / "table.csv"), str(folder / "proof.json")
    return checker.check(*paths)[0]


def test_prices_that_prove_more_where_all_rows_are_kept_are_refused(tmp_path):
    """Keeping all rows costs 9 stars here, and to delete the last one costs 3."""
    rows = [["0", "x", "p"]] * 2 + [["1", "y", "q"]]
    table = Table.from_rows(["a", "b", "c"], rows, qi=["a", "b", "c"])
    usual = bound_by("auto", Problem(table, KAnonymity(2)), {"time_limit": 60.0})
    assert usual.lower_bound > 3
    proof = usual.certificate
    stated = {**proof.requirement, "delete_rows": "row"}
    lie = replace(proof, requirement=stated)
    assert check_certificate(lie, table).accepted is False
    assert _checked_alone(tmp_path, table, lie) is False


def test_outliers_are_deleted_where_that_saves_stars():
    for seed in range(40):
        small = Small(2_000_000 + seed)
        problem = Problem(small.table, small.requirement.inner, small.objective)
        usual = solve_by("local_search", problem, {"time_limit": 60.0})
        if usual.best is None:
            continue
        asked = Problem(small.table, small.requirement, small.objective)
        run = Run(asked.table, asked.requirement, asked.objective)
        found = without_outliers(run, usual.best)
        given = asked.table, asked.requirement, asked.objective
        assert found.violation(*given) is None, seed
        cost = found.value(asked.table, asked.objective)
        assert small.optimum()[0] <= cost <= usual.value, seed
        late = Run(*given[:2], given[2], time_limit=0)
        assert without_outliers(late, usual.best).violation(*given) is None, seed


ROWS = [*(["0", "x", "p", "u"], ["0", "x", "p", "v"]), ["1", "x", "p", "u"]]
ROWS += [["1", "x", "q", "v"], ["9", "z", "r", "u"]]
PEOPLE = "\n".join(map(",".join, [list("abcs"), *ROWS])) + "\n"


def test_commands_publish_count_and_verify_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    asked = "--sensitive", "s", "--k", "2", "--delete-rows", "row"
    files = "--certificate", "c.json", "--groups", "g.csv", "--report", "page.html"
    told = "--result", "r.json", "--quiet"
    words = "people.csv", *asked, "--out", "few.csv", *files, *told
    assert starmin("solve", *words)[0] == 0
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["value"] == found["certified_bound"] == 5
    counts = [found[key] for key in ("n", "deleted", "stars", "groups")]
    assert counts == [5, 1, 2, 2]
    lines = (tmp_path / "few.csv").read_text().splitlines()
    assert lines[1:] == ["0,x,p,u", "0,x,p,v", "1,x,*,u", "1,x,*,v"]
    assert (tmp_path / "g.csv").read_text().split()[1:] == ["1", "1", "2", "2"]
    page = (tmp_path / "page.html").read_text()
    assert "1 of 5 rows, each counted as 3 stars" in page
    beside = "--original", "people.csv", "--json"
    code, said, _ = starmin(
        "verify", "few.csv", *asked, "--certificate", "c.json", *beside
    )
    check = json.loads(said)
    assert (code, check["value"], check["missing_rows"]) == (0, 5, 1)
    assert check["certificate"]["accepted"] is True
    code, said, _ = starmin("verify", "few.csv", *asked[:5], "2", *beside)
    assert (code, json.loads(said)["value"]) == (0, 4)
    dear = *asked[:5], "2", "--certificate", "c.json"
    assert starmin("verify", "few.csv", *dear, *beside)[0] == 1
    weighed = "--weights", "c=4", "--shuffle", "--out", "w.csv", "--json", "--quiet"
    _, said, _ = starmin("solve", "people.csv", *asked, *weighed)
    value = json.loads(said)["value"]
    _, said, _ = starmin("verify", "w.csv", *asked, "--weights", "c=4", *beside)
    assert json.loads(said)["value"] == value == 14


def test_what_is_not_built_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    for words, sign in (
        ("--k 2 --delete-rows 0", "above 0"),
        ("--k 2 --delete-rows 1.5", "whole number of stars"),
        ("--k 2 --delete-rows 1/0", "a number or 'row'"),
        ("--k 2 --delete-rows 0.5 --objective gcp", "multiple of 1/3"),
        ("--k 2 --delete-rows row --recoding permutation", "suppression"),
        ("--k 2 --delete-rows row --recoding nonhomogeneous", "suppression"),
        ("--k 2 --delete-rows row --objective tuples", "stars and gcp"),
        ("--k 2 --delete-rows row --keep a", "--keep"),
        ("--l 2 --diversity distinct --delete-rows row", "by frequency"),
        ("--k 2 --delete-rows row --person b", "by frequency"),
        ("--combinations 2 --k 2 --delete-rows row", "by frequency"),
        ("--k 2 --delete-rows row --pad", "--pad"),
        ("--k 2 --delete-rows row --top a=5", "floors"),
        ("--k 2 --delete-rows row --stream", "read as a whole"),
        ("--k 2 --delete-rows row --method local_search", "does not take"),
    ):
        columns = "--sensitive", "s", "--time-limit", "60"
        code, _, said = starmin("solve", "people.csv", *columns, *words.split())
        assert code == 2 and sign in said, (words, said)

    words = "group_partition", "people.csv", "--k", "2", "--delete-rows", "row"
    code, _, said = starmin("export", *words, "--out", "m.lp")
    assert code == 2 and "deleted rows" in said


def test_frames_lose_their_deleted_rows():
    frame = pandas.DataFrame(ROWS, columns=list("abcs"))
    release = anonymize(frame, list("abc"), "s", k=2, delete_rows=True)
    assert (release.value, release.certified_bound) == (5, 5)
    assert list(release.frame.index) == [0, 1, 2, 3] and len(release.groups) == 4
    check = release.verify()
    assert check.holds and check.consistent and check.missing_rows == 1
    assert check.value == 5
    assert release.as_json()["deleted"] == 1 and release.plot() is not None
    assert release.certificate.check(frame).accepted
    mixed = anonymize(frame, list("abc"), "s", k=2, delete_rows=2, shuffle=True)
    assert mixed.value == 4 and len(mixed.frame) == 4 and mixed.verify().holds
    lost = anonymize(
        *(frame, list("abc"), "s"), k=2, delete_rows="2/3", objective="gcp"
    )
    assert lost.value == pytest.approx(4 / 15) == lost.lower_bound
    whole = Table.from_rows(list("abcs"), ROWS, list("abc"), ["s"])
    found = solve(whole, k=2, delete_rows=2)
    assert (found.value, found.published.n) == (4, 4)
    assert bound(whole, k=2, delete_rows=True).lower_bound == 5
    with pytest.raises(ValueError, match="keeps all rows"):
        Anonymizer(k=2, delete_rows=True).fit(frame)
    cheap = anonymize(frame, list("abc"), "s", k=5, delete_rows=1)
    assert cheap.frame is None and "every row" in cheap.reason


def test_verify_counts_a_release_of_anyone(tmp_path):
    frame = pandas.DataFrame(ROWS, columns=list("abcs"))
    anyones = frame.iloc[[2, 0, 3, 1]].assign(c="*")  # the last row is deleted
    roles = {"qi": list("abc"), "sensitive": "s", "k": 2}
    whole = Table.from_rows(list("abcs"), ROWS, list("abc"), ["s"])
    for original in (frame, whole):
        asked = roles | {"original": original}
        assert verify(anyones, **asked).value is None
        assert verify(anyones, **asked, delete_rows=True).value == 7
        check = verify(anyones, **asked, delete_rows=2)
        assert check.value == check.as_json()["value"] == 6 and check.holds
        heavy = Objective(weights={"c": 4})
        assert verify(anyones, **asked, delete_rows=True, objective=heavy).value == 22
        lost = verify(anyones, **asked, delete_rows="2/3", objective="gcp")
        assert lost.value == pytest.approx((4 + 2) / 15)
    assert verify(anyones, **roles, delete_rows=True).value is None
    untrue = verify(anyones.assign(a="8"), **asked, delete_rows=True)
    assert (untrue.value, untrue.consistent) == (None, False)
    told = """columns.a.role = "quasi-identifier"
columns.b.role = "quasi-identifier"
columns.c = { role = "quasi-identifier", cost = 4 }
columns.s.role = "sensitive"
requirement = { k = 2, delete-rows = "row" }
"""
    (tmp_path / "a.toml").write_text(told)
    check = verify(anyones, recipe=tmp_path / "a.toml", original=frame)
    assert check.holds and check.value == 22
    for wrong, sign in (
        ({"objective": "gcp"}, "delete_rows beside"),
        ({"k": None, "delete_rows": True}, "beside delete_rows"),
        ({"delete_rows": 1.5}, "whole number of stars"),
        ({"delete_rows": True, "objective": "tuples"}, "stars and gcp"),
        ({"delete_rows": True, "numeric": ["a"]}, "suppression"),
    ):
        with pytest.raises(ValueError, match=sign):
            verify(anyones, **asked | wrong)
