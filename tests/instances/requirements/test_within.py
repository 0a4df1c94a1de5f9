"""Tests of releases within an earlier one, whose classes are unions of its classes."""

import json
import random
from dataclasses import replace

import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Table,
    TableError,
)
from starmin.instances.requirements.within import Within, nested_within
from starmin.models.pattern_variants.within import within_ilp
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import seeds
from tests.support.every_partition import every_labelling

NAMES = ["a", "b", "c"]


def rendered(rows, labels):
    """The rows as groups publish them, by stars where they differ."""
    found = []
    for row, label in zip(rows, labels, strict=True):
        group = [other for other, its in zip(rows, labels, strict=True) if its == label]
        columns = zip(*group, strict=True)
        differ = [len(set(column)) > 1 for column in columns]
        found.append(["*" if d else x for x, d in zip(row, differ, strict=True)])
    return found


def cost(rows, weights):
    return sum(w for row in rows for x, w in zip(row, weights, strict=True) if x == "*")


def least(rows, earlier, k, weights):
    """The cheapest of all unions of the classes of an earlier release; None: none."""
    classes = sorted(set(map(tuple, earlier)))
    of_row = [classes.index(tuple(row)) for row in earlier]
    values = []
    for labels in every_labelling(len(classes)):
        of_group = [labels[c] for c in of_row]
        if all(of_group.count(group) >= k for group in of_group):
            values.append(cost(rendered(rows, of_group), weights))
    return min(values, default=None)


def small(seed):
    rng = random.Random(seed)
    n, d = rng.randint(2, 9), rng.randint(1, 3)
    rows = [[rng.choice("012") for _ in range(d)] for _ in range(n)]
    earlier = rendered(rows, [rng.randrange(5) for _ in range(n)])
    weights = [rng.choice([1, 1, 3]) for _ in range(d)]
    return rows, earlier, rng.choice([2, 3, 3, 4]), weights


def table_of(rows, **roles):
    names = NAMES[: len(rows[0])]
    return Table.from_rows(names, rows, qi=names, **roles)


@pytest.mark.parametrize("part", range(4))
def test_auto_finds_the_optimum_of_all_unions(part, tmp_path):
    for seed in seeds(30, 30 * part):
        rows, earlier, k, weights = small(seed)
        table, published = table_of(rows), table_of(earlier)
        goal = Objective(weights=dict(zip(table.qi, weights, strict=True)))
        found = starmin.solve(table, k, within=published, objective=goal)
        wanted = least(rows, earlier, k, weights)
        assert found.value == wanted, seed
        if wanted is None:
            assert found.reason is not None
            continue
        assert found.lower_bound == wanted
        assert starmin.verify(
            found.published, k, within=published, original=table
        ).holds
        proof = starmin.bound(table, k, within=published, objective=goal)
        assert proof.lower_bound <= wanted and proof.certificate_checked
        expect_proof(proof.certificate, rows, table, tmp_path)


def expect_proof(certificate, rows, table, folder):
    """Both checkers accept it, and nothing above what it proves."""
    source, file = folder / "table.csv", folder / "proof.json"
    source.write_text("\n".join(map(",".join, [table.qi, *rows])) + "\n")
    proven = check_certificate(certificate, table).bound
    for bound, accepted in ((certificate.bound, True), (proven + 1, False)):
        claim = replace(certificate, bound=bound)
        claim.write(file)
        assert check_certificate(claim, table).accepted is accepted
        assert checker.check(source, file)[0] is accepted


def test_the_oracle_agrees_with_brute_force_over_rows():
    for seed in range(40):
        rows, earlier, k, _ = small(seed)
        nested = nested_within(
            table_of(rows), KAnonymity(k), table_of(earlier).row_types.inverse
        )
        assert brute_force(*nested).value == least(
            rows, earlier, k, [1, 1, 1][: len(rows[0])]
        )


@pytest.mark.parametrize(
    "inner",
    [LDiversity(2), LDiversity(3), DistinctDiversity(3), KAnonymity(3) & LDiversity(2)],
    ids=str,
)
def test_the_program_finds_the_optimum_with_diversity(inner):
    solved = 0
    for seed in range(40):
        rows, earlier, _, _ = small(seed)
        rng = random.Random(seed)
        cells = [[*row, rng.choice("pqrs"), rng.choice("uvw")] for row in rows]
        names, qi = [*NAMES[: len(rows[0])], "s", "t"], NAMES[: len(rows[0])]
        table = Table.from_rows(names, cells, qi, ["s", "t"][: seed % 2 + 1])
        given = nested_within(table, inner, table_of(earlier).row_types.inverse)
        wanted, found = brute_force(*given).value, within_ilp(*given)
        assert (found.value, found.lower_bound) == (wanted, wanted), seed
        solved += wanted is not None
    assert solved > 2


def nested():
    rows = [["0", "x"], ["1", "x"], ["0", "y"], ["1", "y"], ["1", "y"]]
    earlier = [["*", "x"], ["*", "x"], ["0", "y"], ["1", "y"], ["1", "y"]]
    return rows, table_of(rows), table_of(earlier)


def test_other_classes_and_edited_data_are_refused(tmp_path):
    rows, table, earlier = nested()
    proof = starmin.bound(table, 3, within=earlier).certificate
    asked = {"k": 3, "within": proof.requirement["within"]}
    assert proof.requirement == asked and proof.bound == 9
    data, other = proof.data, [0, 0, 0, 1, 1]
    edited = [
        replace(proof, data={**data, "classes": other}),
        replace(proof, data={**data, "classes": [1, 1, 0, 2, 2]}),
        replace(proof, data={**data, "prices": data["prices"][1:]}),
        replace(proof, data={**data, "prices": [8 * data["denominator"]] * 3}),
        replace(proof, data={**data, "prices": [2**80] * 3}),
        replace(proof, requirement={"k": 3}),
        replace(proof, requirement={**asked, "k": 2}),
        replace(proof, requirement={**asked, "within": "0"}),
        replace(proof, kind="prices"),
    ]
    source, file = tmp_path / "table.csv", tmp_path / "proof.json"
    source.write_text("\n".join(map(",".join, [table.qi, *rows])) + "\n")
    for claim in edited:
        claim.write(file)
        assert check_certificate(claim, table).accepted is False
        assert checker.check(source, file)[0] is False
    wanted = nested_within(table, KAnonymity(3), earlier.row_types.inverse)[1]
    assert check_certificate(proof, table, wanted).accepted
    another = Within(KAnonymity(3), "0")
    assert check_certificate(proof, table, another).accepted is False


def test_verify_refuses_a_class_that_was_split():
    _, table, earlier = nested()
    plain = table_of([["0", "*"], ["1", "*"], ["0", "*"], ["1", "*"], ["1", "*"]])
    assert starmin.verify(plain, 2, original=table).holds
    check = starmin.verify(plain, 2, original=table, within=earlier)
    assert not check.holds and "some rows of a class" in check.violations[0].why


def test_ranges_trees_and_diversity():
    rows = [["1", "x"], ["2", "x"], ["4", "y"], ["9", "y"], ["9", "x"], ["8", "x"]]
    values = ["s", "t", "s", "s", "t", "t"]
    joined = [[*row, value] for row, value in zip(rows, values, strict=True)]
    table = Table.from_rows(["n", "b", "s"], joined, ["n", "b"], ["s"])
    given = {"recoding": "generalization", "numeric": ["n"]}
    first = starmin.solve(table, 2, **given)
    second = starmin.solve(table, 3, l=2, within=first.published, **given)
    assert second.value >= first.value and second.certificate_checked
    check = {"numeric": ["n"], "original": table, "within": first.published}
    assert starmin.verify(second.published, 3, l=2, **check).holds
    assert second.lower_bound <= second.value


def test_a_frame_within_another():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": list("0011222"), "b": list("xyxyxyx")})
    first = starmin.anonymize(frame, k=2)
    for earlier in (first, first.frame):
        second = starmin.anonymize(frame, k=3, within=earlier, shuffle=True)
        assert second.verify().holds and second.certificate.check(frame).accepted
        assert list(second.frame.columns) == ["a", "b"]


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command beside a table and an earlier release of it."""
    monkeypatch.chdir(tmp_path)
    rows, table, earlier = nested()
    for name, cells in (("t", rows), ("r", earlier.rows())):
        lines = map(",".join, [table.qi, *cells])
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")

    def run(line):
        monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
        code = main()
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_commands(command, tmp_path):
    told = "--k 3 --within r.csv --certificate c.json"
    code, out, err = command(f"solve t.csv {told} --out o.csv --report o.html")
    assert code == 0 and "within the earlier one hides fewer than 10 cells" in out
    assert "asked     k = 3, within = r.csv\n" in out
    assert "r.csv releases the same rows" not in err
    assert "\0" not in (tmp_path / "o.csv").read_text()
    assert "earlier release" in (tmp_path / "o.html").read_text()
    code, out, _ = command(f"verify o.csv {told} --original t.csv --json")
    assert code == 0 and json.loads(out)["certificate"]["accepted"]
    assert command("verify r.csv --k 2 --within o.csv")[0] == 1
    assert command("bound t.csv --k 3 --within r.csv")[0] == 0
    assert command("solve t.csv --k 3 --within r.csv --initial o.csv")[0] == 0


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("--recoding permutation --sensitive b --l 2", "permutation"),
        ("--k 2 --objective tuples", "objective stars or gcp; got tuples"),
        ("--combinations 2:2", "k-anonymity and diversity"),
        ("--k 2 --method forest", "these do: within_ilp, within_annealing"),
    ],
)
def test_what_is_refused_is_told_in_a_line(told, why, command):
    code, _, err = command(f"solve t.csv --within r.csv --quiet {told}")
    assert code == 2 and why in err.splitlines()[-1]


def test_another_release_is_refused():
    _, table, earlier = nested()
    with pytest.raises(TableError, match="has 4 rows"):
        starmin.solve(table, 2, within=earlier.take([0, 1, 2, 3]))
    other = table_of([["0", "x"], ["*", "x"], ["0", "y"], ["1", "y"], ["0", "y"]])
    with pytest.raises(TableError, match="in row 5"):
        starmin.solve(table, 2, within=other)
    with pytest.raises(TableError, match=r"in row 1, is|another order"):
        starmin.solve(table, 2, within=earlier.take([4, 3, 2, 1, 0]))


def test_only_quasi_identifiers_have_to_be_in_both():
    rows, _, earlier = nested()
    more = Table.from_rows(
        ["a", "s", "b", "t"], [[a, "1", b, "2"] for a, b in rows], ["a", "b"], ["s"]
    )
    cells = [["9", *row] for row in earlier.rows()]
    other = Table.from_rows(["u", "a", "b"], cells, ["a", "b"])
    found = starmin.solve(more, 3, within=other)
    assert found.value == 10 and found.published.names == ("a", "s", "b", "t")


def test_no_time_gives_a_release_all_the_same():
    _, table, earlier = nested()
    found = starmin.solve(table, 3, within=earlier, time_limit=0)
    assert found.limit is Limit.TIME and found.published.n == table.n
    assert STARS.kind == found.problem.objective.kind
