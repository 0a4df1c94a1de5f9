"""Tests that persons and households are counted, and not their rows."""

import copy
import csv
import json
import math
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas
import pytest

from starmin import anonymize, solve, verify
from starmin.auto import easier_problems
from starmin.auto.choice import bound_by, solve_by
from starmin.instances import (
    STARS,
    TUPLES,
    Certificate,
    Coding,
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Persons,
    Problem,
    Release,
    Run,
    Scales,
    Table,
    Taxonomy,
    read_table,
)
from starmin.models.pattern_variants.person_ilp import person_ilp
from starmin.models.pattern_variants.person_price_tree import prove_together
from starmin.models.reductions.merged_groups import merged_until_valid
from starmin.verify import checker
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.every_person import FORMS, Small
from tests.support.fuzzing import TRIES

EXACT = TRIES or 40
AUTO = TRIES or 12


@pytest.mark.parametrize("form", FORMS)
def test_the_exact_method_finds_what_trying_every_release_finds(form):
    for seed in range(EXACT):
        small = Small.of(seed, form)
        tuples = seed % 4 == 3
        goal = TUPLES if tuples else STARS
        found = person_ilp(small.table, small.requirement, objective=goal)
        assert found.value == small.optimum(tuples), seed
        assert found.lower_bound == found.value, seed


@pytest.mark.parametrize("seconds", [math.inf, 0.0])
def test_groups_that_fail_are_merged_until_none_does(seconds):
    merged = 0
    for seed in range(10 * EXACT):
        small = Small.of(seed, "apart")
        given = small.table, small.requirement, STARS
        rows = Partition.from_labels(np.arange(small.table.n))
        found = merged_until_valid(rows, *given, Run(*given, time_limit=seconds))
        single = Partition.single(small.table)
        if found is None:
            assert single.violation(*given) is not None
        else:
            assert found.violation(*given) is None
            merged += found.size > 1
    assert merged


@pytest.mark.parametrize("form", FORMS)
def test_auto_finds_it_and_both_checkers_accept_its_certificate(form, tmp_path):
    proven = 0
    for seed in range(AUTO):
        small = Small.of(1_000_000 + seed, form)
        table, asked = small.table, small.requirement
        found = solve_by("auto", Problem(table, asked), {"time_limit": 60.0})
        assert found.value == small.optimum(), seed
        if found.best is not None:
            assert found.lower_bound == found.value
            release = Release(table, found.best).published
            columns = [table.names.index(c) for c in table.qi]
            cells = [[row[j] for j in columns] for row in release.rows()]
            assert small.allowed(cells) and cells in list(small.releases())
        bounded = bound_by("auto", Problem(table, asked), {"time_limit": 60.0})
        for proof in (found.certificate, bounded.certificate):
            if proof is None:
                continue
            proven += 1
            assert proof.bound <= found.value
            assert check_certificate(proof, table, asked, STARS).accepted
            assert _checked_alone(tmp_path, table, proof)[0] is True
    assert proven > AUTO // 4


def _checked_alone(folder, table, proof, *trees):
    """The verdict of the checker that needs nothing but Python."""
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([table.names, *table.rows()])
    proof.write(folder / "proof.json")
    paths = str(folder / "table.csv"), str(folder / "proof.json")
    return checker.check(*paths, *trees)


@pytest.mark.parametrize("form", FORMS)
def test_one_table_is_infeasible_at_all_doors_whatever_is_kept(form, tmp_path):
    """The whole table is asked beside columns to keep and highest levels, too."""
    tree = Taxonomy.parse("{u{0,1},v{2}}")
    infeasible = feasible = 0
    for seed in range(AUTO * 6):
        small = Small.of(3_000_000 + seed, form)
        table, asked = small.table, small.requirement
        value = small.optimum(keep=[0])
        roofed = Scales.of(table, (), {"c0": tree}, max_levels={"c0": 1})
        for goal in (Objective("stars", keep=("c0",)), Objective("gcp", scales=roofed)):
            problem = Problem(table, asked, goal)
            no = Run(table, asked, goal).infeasible()
            proof = Certificate.of(table, asked, goal, "tree", 0, {})
            here = check_certificate(proof, table, asked, goal).why
            assert ("for any release" in here) == (no is not None), (seed, here)
            if goal.by_star:  # it knows no highest levels
                alone = _checked_alone(tmp_path, table, proof)[1]
                assert ("for any release" in alone) == (no is not None), (seed, alone)
                assert (no is None) == (value is not None), seed
                if value is not None and seed % 6 == 0:
                    found = solve_by("auto", problem, {"time_limit": 60.0})
                    assert found.value == value, seed
            infeasible, feasible = (
                infeasible + (no is not None),
                feasible + (no is None),
            )
    assert min(infeasible, feasible) > AUTO


def test_a_release_of_a_table_that_fails_as_a_whole_does_not_hold(starmin):
    """Each class of it satisfies what is asked, and so do those of each value kept."""
    Path("t.csv").write_text("id,q,s\np3,b,x\np1,b,z\np1,d,w\np0,d,x\np0,d,x\n")
    Path("r.csv").write_text("q,s\nb,x\nb,z\nd,w\nd,x\nd,x\n")
    line = ["--qi", "q", "--sensitive", "s", "--person", "id"]
    for asked, keep in product(
        (["--l", "2"], ["--alpha", "0.5"]), ([], ["--keep", "q"])
    ):
        code, said, _ = starmin("solve", "t.csv", *line, *asked, *keep, "--json")
        assert code == 1 and "covers 2 of 3 persons" in json.loads(said)["reason"]
        code, said, _ = starmin(
            "verify", "r.csv", "--original", "t.csv", *line, *asked, "--json"
        )
        (found,) = json.loads(said)["violations"]
        assert code == 1 and found["why"].startswith("the table as a whole: ")
    both = [read_table(path, ["q"], ["s"]) for path in ("r.csv", "t.csv")]
    assert verify(both[0], l=2, person="id", original=both[1]).holds is False


def test_rows_of_persons_that_are_alike_are_proven_by_both_checkers(tmp_path):
    closed = asked_alone = 0
    for seed in range(TRIES or 60):
        small = Small.of(2_000_000 + seed, "whole")
        table, asked = small.table, small.requirement
        for goal in (STARS, TUPLES):
            value = small.optimum(goal is TUPLES)
            if not value:
                continue
            proof = prove_together(table, asked, goal, value, 30.0)
            alone = all(isinstance(part, KAnonymity) for part in asked.inner.parts)
            assert proof.bound == value or not alone, seed
            closed, asked_alone = closed + (proof.bound == value), asked_alone + alone
            assert check_certificate(proof, table, asked, goal).accepted, seed
            assert _checked_alone(tmp_path, table, proof)[0] is True, seed
            for lie in _lies(random.Random(seed), table, asked, goal, proof, value):
                assert check_certificate(lie, table, asked, goal).accepted is False
                assert _checked_alone(tmp_path, table, lie)[0] is False, seed
    assert closed >= asked_alone > 10


def _lies(rng, table, asked, goal, proof, value):
    """Certificates that claim more than the optimum, with numbers made for that."""
    yield replace(proof, bound=value + 1)
    sought = prove_together(table, asked, goal, value + 1, 30.0)
    yield replace(sought or proof, bound=value + 1)
    data = copy.deepcopy(dict(proof.data))
    for _ in range(4):
        node = rng.choice([node for node in data["nodes"] if "prices" in node])
        place = rng.randrange(len(node["prices"]))
        node["prices"][place] += rng.choice([-1, 1, 3]) * data["denominator"]
        yield replace(proof, bound=value + 1, data=copy.deepcopy(data))
    if len(data["nodes"]) > 1:
        yield replace(proof, data=data | {"nodes": data["nodes"][1:]})


def test_certificates_of_rows_alike_are_for_no_other_requirement(tmp_path):
    rows = [["1", "p"], ["1", "p"], ["2", "q"], ["2", "r"], ["3", "s"]]
    table = Table.from_rows(["a", "id"], rows, qi=["a"])
    asked = Persons.of(table, KAnonymity(2), "id", pseudonym=True)
    proof = prove_together(table, asked, STARS, 3, 9.0)
    assert proof.bound == 3 and check_certificate(proof, table, asked).accepted
    for told in ({"k": 2, "person": "id"}, {"k": 2}, {"k": 2, "person": "a"}):
        other = replace(proof, requirement=told)
        assert check_certificate(other, table).accepted is False
        assert _checked_alone(tmp_path, table, other)[0] is False
    parted = Table.from_rows(["a", "id"], [["2", "p"], *rows[1:]], qi=["a"])
    assert check_certificate(proof, parted).accepted is False
    assert _checked_alone(tmp_path, parted, proof)[0] is False
    data = {**proof.data, "nodes": [*proof.data["nodes"], {"prices": [0] * 4}]}
    assert check_certificate(replace(proof, data=data), table).accepted is False


def test_losses_over_hierarchies_and_ranges_are_proven(tmp_path):
    tree = Taxonomy.parse("{u{a,b},v{c,d}}")
    for seed in range(12):
        rng = random.Random(seed)
        own = {who: [rng.choice("abcd"), str(rng.randint(1, 9))] for who in "pqrstu"}
        rows = [[*own[who], who] for who in rng.choices("pqrstu", k=9)]
        table = Table.from_rows(["z", "x", "id"], rows, qi=["z", "x"])
        for numeric in ((), ("x",)):
            goal = Objective("gcp", scales=Scales.of(table, numeric, {"z": tree}))
            asked = Persons.of(table, KAnonymity(2), "id", pseudonym=True)
            problem = Problem(table, asked, goal, Coding("generalization"))
            found = solve_by("auto", problem, {"time_limit": 60.0})
            if not found.value:
                continue
            assert found.certified_bound == found.value == found.lower_bound, seed
            proof = found.certificate
            assert check_certificate(proof, table, asked, goal).accepted
            tree.write(tmp_path / "z.csv")
            verdict = _checked_alone(tmp_path, table, proof, f"z={tmp_path / 'z.csv'}")
            # Which proof is there first is a matter of time; of ranges it knows few.
            assert verdict[0] or (numeric and verdict[0] is None), proof.kind


ROWS = "1,a,x\n1,b,y\n2,a,x\n3,c,y\n"


def test_what_is_constant_in_a_household_is_judged_after_the_floor(starmin):
    """The table with floors is published as the one that is coarse already."""
    coarse = ROWS.replace("a", "L").replace("b", "L").replace("c", "R")
    Path("t.csv").write_text(f"id,q,o\n{ROWS}")
    Path("coarse.csv").write_text(f"id,q,o\n{coarse}")
    Path("h.csv").write_text("a;L;*\nb;L;*\nc;R;*\n")
    floor = ["--hierarchy", "q=h.csv", "--min-level", "q=1"]
    asked = ["--qi", "q,o", "--k", "2", "--household", "id", "--json"]
    for words, table in ((floor, "t.csv"), ([], "coarse.csv")):
        line = [table, *asked, *words]
        code, said, _ = starmin("solve", *line, "--out", "r.csv", "--certificate", "p")
        assert (code, json.loads(said)["value"]) == (0, 4)
        assert json.loads(said)["requirement"]["alike"] == ["q"]
        against = ["r.csv", "--original", *line, "--certificate", "p"]
        assert starmin("verify", *against)[0] == 0
    Path("parted.csv").write_text("q,o\nL,x\n*,y\nL,x\n*,y\n")
    code, said, _ = starmin(
        "verify", "parted.csv", "--original", "t.csv", *asked, *floor
    )
    assert code == 1 and "column 'q' in two ways" in said
    frame = pandas.read_csv("t.csv", dtype=str)
    tree = Taxonomy.read("h.csv")
    told = {"hierarchy": {"q": tree}, "min_level": {"q": 1}}
    made = anonymize(frame, qi=["q", "o"], k=2, household="id", **told)
    assert made.value == 0.5 and made.verify().holds
    table = read_table("t.csv", ["q", "o"])
    python = {"hierarchy": {"q": tree}, "min_level": {"q": 1}, "household": "id"}
    assert solve(table, k=2, objective="stars", **python).value == 4
    parted = read_table("parted.csv", ["q", "o"])
    assert verify(parted, original=table, k=2, **python).holds is False
    # So it is with a pseudonym: constant as published is enough.
    line = ["--qi", "q", "--drop", "o", "--k", "2", "--person", "id", "--pseudonym"]
    assert starmin("solve", "t.csv", *line, *floor, "--out", "r.csv", "--quiet")[0] == 0
    against = ["r.csv", "--original", "t.csv", *line, *floor]
    assert starmin("verify", *against)[0] == 0


@pytest.mark.parametrize("id_", ["3", "0", "-1"])
def test_one_household_that_differs_does_not_unprotect_the_others(starmin, id_):
    """It is named and refused; with ``--alike`` its rows show what they have in common.

    The ids 0 and -1 are of all whose household nobody knows.
    """
    homes = {"1": "WW", "2": "WW", id_: "WN", "4": "NN", "5": "NN"}
    rows = [f"{region},{k % 2},{who}" for who in homes for k, region in enumerate("WN")]
    cells = [region for told in homes.values() for region in told]
    rows = [f"{c},{row[2:]}" for c, row in zip(cells, rows, strict=True)]
    Path("t.csv").write_text("\n".join(["region,sex,home", *rows, ""]))
    line = ["t.csv", "--qi", "region,sex", "--k", "2", "--household", "home"]
    for door in (["solve"], ["bound"], ["verify", "t.csv", "--original"]):
        code, _, told = starmin(*door, *line)
        assert code == 2, door
        assert f"{id_!r} has 'W' in row 5 and 'N' in row 6 of column 'region'" in told
        assert "constant in 4 of 5" in told and "--alike" in told
    frame = pandas.read_csv("t.csv", dtype=str)
    table = read_table("t.csv", ["region", "sex"])
    told = {"k": 2, "household": "home"}
    with pytest.raises(ValueError, match="constant in 4 of 5"):
        anonymize(frame, qi=["region", "sex"], **told)
    with pytest.raises(ValueError, match="constant in 4 of 5"):
        solve(table, **told)
    named = [*line, "--alike", "region"]
    code, _, warned = starmin("solve", *named, "--out", "r.csv")
    assert code == 0 and "what they have in common" in warned
    shown = read_table("r.csv", ["region", "sex"]).cells("region")
    assert shown[4] == shown[5] == "*"
    assert all(shown[i] == shown[i + 1] for i in range(0, 10, 2))
    assert len({shown[i] for i in (0, 2, 6, 8)}) > 1  # the others keep theirs
    assert starmin("verify", "r.csv", "--original", *named)[0] == 0
    with pytest.warns(UserWarning, match="what they have in common"):
        made = anonymize(frame, qi=["region", "sex"], alike=["region"], **told)
    assert made.verify().holds
    # The release of row by row gives away where a household lives.
    apart = [cell if i != 5 else "*" for i, cell in enumerate(cells)]
    Path("apart.csv").write_text(
        "\n".join(["region,sex", *(f"{c},*" for c in apart), ""])
    )
    code, said, _ = starmin("verify", "apart.csv", "--original", *named)
    assert code == 1 and "column 'region' in two ways" in said


@pytest.mark.parametrize("alike", [["zz"], ["a", "zz"], [["a"]], [None], "a", {"a": 1}])
def test_columns_that_are_alike_are_quasi_identifiers(alike, tmp_path):
    """Of a household certificate; with others its requirement is none of the table.

    Rows may differ in them: the bound is that of different ids.
    """
    rows = ["1xpu", "1xqv", "2ypu", "2ypv", "3xru", "3xqw"]
    table = Table.from_rows("iabs", rows, "ab", "s")
    asked = Persons.of(table, KAnonymity(2), "i", "household")
    proof = bound_by("auto", Problem(table, asked), {"time_limit": 60.0}).certificate
    assert proof.requirement["alike"] == ["a"]
    assert check_certificate(proof, table).accepted
    assert _checked_alone(tmp_path, table, proof)[0] is True
    for true in ([], ["b"], ["a", "b"]):
        other = replace(proof, requirement={**proof.requirement, "alike": true})
        assert check_certificate(other, table).accepted
        assert _checked_alone(tmp_path, table, other)[0] is True
    lie = replace(proof, requirement={**proof.requirement, "alike": alike})
    assert check_certificate(lie, table).accepted is False
    assert _checked_alone(tmp_path, table, lie)[0] is False


def test_where_the_program_is_too_large_the_rest_of_the_time_is_used(monkeypatch):
    monkeypatch.setattr("starmin.models.pattern_variants.person_ilp.MAX_INCIDENCES", 0)
    asked, easier = list[dict[str, float]](), easier_problems._easier

    def noted(*given, **share):
        asked.append(share)
        return easier(*given, **share)

    monkeypatch.setattr(easier_problems, "_easier", noted)
    rows = [
        [f"{i % 3}", f"{i % 5}", "xyz"[i // 2 % 3], f"p{i // 2}"] for i in range(16)
    ]
    table = Table.from_rows(["a", "b", "s", "id"], rows, ["a", "b"], ["s"])
    found = solve(table, requirement=Persons.of(table, LDiversity(2), "id"))
    assert found.value is not None and asked == [{}]
