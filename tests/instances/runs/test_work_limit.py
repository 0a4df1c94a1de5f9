"""Tests that a search which ends by its work ends the same, whatever the machine."""

import random
from pathlib import Path

import pytest

import starmin
from starmin.auto.choice import COUNTED
from starmin.cli.app import main
from starmin.instances import STARS as STARS_ALONE
from starmin.instances import Limit, NotSupportedError, Run, Table
from starmin.instances.catalogue.catalogue import load_instance
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.runs import search_control as gate
from starmin.instances.runs.search_control import counted, now, spend
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.star_listing import StarGroups

STARS = "instance:census:n=400 --k 3"
DIVERSE = "people.csv --l 2 --sensitive ill --qi age,sex,zip"
LOSSES = (
    "people.csv --k 4 --qi age,sex,zip --numeric age --hierarchy zip=prefix:2,1 "
    "--recoding generalization"
)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(3)
    lines = ["age,sex,zip,ill"]
    for _ in range(300):
        told = rng.randint(20, 80), rng.choice("mf"), rng.randint(100, 160)
        lines.append(",".join(map(str, (*told, rng.choice(["flu", "cold", "gout"])))))
    Path("people.csv").write_text("\n".join(lines))

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *words])
        return main(), *capsys.readouterr()

    return call


@pytest.mark.parametrize("asked", [STARS, DIVERSE, LOSSES])
def test_the_same_bytes_for_any_number_of_workers(asked, run):
    made = []
    for name, workers in (("a", "1"), ("b", "2"), ("c", "2")):
        words = "--work-limit", "300000", "--workers", workers, "--out", f"{name}.csv"
        code, _, said = run("solve", *asked.split(), *words, "--seed", "5")
        assert code == 0, said
        made.append(Path(f"{name}.csv").read_bytes())
    assert made[0] == made[1] == made[2]


def test_a_slow_clock_changes_nothing(monkeypatch):
    """The machine may be as slow as it likes: no clock is asked."""
    table = load_instance("census:n=300")
    found = [starmin.solve(table, k=3, work_limit=100_000)]
    seconds = iter(range(10**9))
    monkeypatch.setattr(gate.time, "perf_counter", lambda: float(next(seconds)))
    found.append(starmin.solve(table, k=3, work_limit=100_000))
    assert found[0].value == found[1].value
    assert (found[0].best.groups == found[1].best.groups).all()
    assert found[0].lower_bound == found[1].lower_bound


def test_more_work_is_not_worse_and_less_ends_by_its_limit():
    table = load_instance("census:n=400")
    little, much = (starmin.solve(table, k=3, work_limit=n) for n in (1, 400_000))
    assert little.limit.value == "work" and little.best is not None
    assert much.value < little.value
    for found in (little, much):
        assert starmin.verify(found.published, k=3, original=table).holds
    assert much.certificate_checked and much.lower_bound <= much.value


@pytest.mark.parametrize("name", COUNTED)
def test_a_method_that_counts_its_work_ends_by_it(name):
    table, more = load_instance("census:n=300"), {}
    if name == "within_annealing":
        more["within"] = starmin.solve(table, k=2, method="gray_order").published
    one, two = (
        starmin.solve(table, k=3, method=name, work_limit=200_000, **more)
        for _ in range(2)
    )
    assert one.value == two.value and (one.best.groups == two.best.groups).all()


@pytest.mark.parametrize("more", [{"within": True}, {"pad": True}])
def test_nested_and_padded_releases_are_the_same_for_any_number_of_workers(more):
    table = load_instance("census:n=300")
    if "within" in more:
        more = {"within": starmin.solve(table, k=2, method="gray_order").published}
    little, one, two = (
        starmin.solve(table, k=4, work_limit=n, workers=w, **more)
        for n, w in ((1, 1), (400_000, 1), (400_000, 2))
    )
    assert one.published.rows() == two.published.rows()
    assert one.lower_bound == two.lower_bound
    assert one.value < little.value
    assert starmin.verify(one.published, k=4, original=table).holds


@pytest.mark.parametrize("name", ["auto", "pattern_annealing"])
@pytest.mark.parametrize(("n", "d"), [(12, 18), (12, 20), (60, 18)])
def test_few_rows_of_many_columns_take_no_more_than_is_allowed(name, n, d, monkeypatch):
    """Each set of columns that a bound or a listing looks at is counted."""
    rng, seen, split = random.Random(d), [], StarGroups._split
    names = [f"c{j}" for j in range(d)]
    rows = [rng.choices("0123", k=d) for _ in range(n)]
    table = Table.from_rows(names, rows, names)
    monkeypatch.setattr(
        StarGroups, "_split", lambda *given: seen.append(1) or split(*given)
    )
    found = starmin.solve(table, k=3, method=name, work_limit=500_000)
    assert found.limit in (None, Limit.WORK, Limit.ITERATIONS) and found.best
    assert len(seen) < 500_000 / 20 < 1 << d
    again = starmin.solve(table, k=3, method=name, work_limit=500_000)
    assert len(seen) % 2 == 0 and found.value == again.value


def test_pairs_are_counted_once_for_each_set():
    """Their sum was made anew for each of 2^d sets: 2^36 additions for 18 columns."""
    rows = [[str(i + j) for j in range(6)] for i in range(9)] * 2
    table = Table.from_rows("abcdef", rows, qi="abcdef")
    listed = closed_patterns(table, table.row_types, STARS_ALONE, 2)
    assert len(listed.types) == 9 + 9
    with pytest.raises(NotSupportedError, match="at most 17 pairs"):
        closed_patterns(table, table.row_types, STARS_ALONE, 2, most_incidences=17)


def test_what_ends_by_a_clock_is_refused(run):
    table = load_instance("hospital")
    with pytest.raises(NotSupportedError, match="pattern_ilp ends by the clock"):
        starmin.solve(table, k=2, method="pattern_ilp", work_limit=1000)
    with pytest.raises(NotSupportedError, match="no work limit for releases by rows"):
        starmin.solve(table, k=2, recoding="nonhomogeneous", work_limit=1000)
    words = "solve", "people.csv", "--k", "2", "--work-limit", "9", "--time-limit", "9"
    code, _, said = run(*words)
    assert code == 2 and "--time-limit: not beside --work-limit" in said
    assert run("solve", "people.csv", "--k", "2", "--work-limit", "0")[0] == 2


def test_infeasible_is_an_answer_and_persons_are_counted():
    rows = [[f"p{i // 3}", str(i % 4), "ab"[i % 2]] for i in range(30)]
    table = Table.from_rows(["id", "x", "y"], rows, qi=["x", "y"])
    assert starmin.solve(table, k=31, work_limit=1000).reason is not None
    found = [
        starmin.solve(table, k=3, person="id", work_limit=50_000, workers=n)
        for n in (1, 2)
    ]
    assert found[0].value == found[1].value is not None


def test_a_run_shows_the_work_that_is_counted():
    table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    with counted():
        run = Run(table, KAnonymity(2), time_limit=1.0)
        spend(400_000)
        assert 0.4 <= run.elapsed < 0.41 and 0.59 < run.remaining <= 0.6
        spend(700_000)
        with pytest.raises(TimeoutError):
            run.check_time()
    assert now() > 1  # a clock again
