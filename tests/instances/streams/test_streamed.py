"""Tests that tables are counted, solved, published and checked in batches alike."""

import json
import math
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from starmin.auto.choice import solve_by
from starmin.cli import app
from starmin.commands import instances as instances_command
from starmin.heuristics.near_patterns.near_pattern_annealing import (
    near_pattern_annealing,
)
from starmin.heuristics.near_patterns.search_parts import NEAR_PATTERN_PARAMS
from starmin.heuristics.orders.suppression import (
    columns_by_entropy,
    offer_sorted_copies,
)
from starmin.inputs.loading import count_table
from starmin.inputs.roles import Roles
from starmin.instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Problem,
    Result,
    Run,
    Table,
    TableError,
    read_table,
    write_table,
)
from starmin.instances.catalogue.generators import census, census_part, clustered
from starmin.instances.runs.cores import Threads
from starmin.instances.streams.count import Budget, count_rows
from starmin.instances.streams.publish_apart import RowIndex
from starmin.instances.streams.source import Source
from starmin.instances.streams.write_parts import write_parts
from starmin.models.bounds import near_listing
from starmin.models.bounds.near_listing import NearPrices, near_patterns
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.registry import METHODS, find
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.places import HOME


def counted(table: Table) -> Table:
    """The table of the distinct rows of a table by QI and sensitive values."""
    types = table.sensitive_types
    codes = np.concatenate([types.codes, types.sensitive], axis=1).T
    names = (*table.qi, *table.sensitive)
    return Table(
        names,
        np.ascontiguousarray(codes),
        tuple(table.dictionary(name) for name in names),
        table.qi,
        table.sensitive,
        counts=types.counts,
    )


def by_text(table: Table) -> dict[tuple[str | None, ...], int]:
    """How often each row occurs."""
    counts = np.ones(table.n, int) if table.counts is None else table.counts
    found: dict[tuple[str | None, ...], int] = {}
    for row, count in zip(table.rows(), counts.tolist(), strict=True):
        found[row] = found.get(row, 0) + count
    return found


def parts_of(table: Table, folder: Path, ending: str, pieces: int) -> Path:
    """A folder with the rows of a table in several files."""
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(table.n), pieces)):
        write_table(table.take(rows), folder / f"{number}{ending}")
    return folder


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("most", [7, 60, 10**6])
def test_counting_is_that_of_the_whole_table(tmp_path, ending, most):
    table = clustered(500, d=4, alphabet=5, centres=9, noise=30, sensitive=3, seed=most)
    source = Source.of(parts_of(table, tmp_path / "t", ending, 4))
    found = count_rows(source, table.qi, table.sensitive, Budget(most, tmp_path))
    assert by_text(found) == by_text(table) and found.n == table.n
    assert len(found.counts) == len(table.sensitive_types)
    assert [p.name for p in tmp_path.iterdir()] == ["t"]  # nothing else is left


class Elsewhere(ThreadPoolExecutor):
    """An executor that sends what it calls, as a cluster does."""

    def submit(self, fn, /, *args):
        function, given = pickle.loads(pickle.dumps((fn, args)))
        return super().submit(function, *given)


def test_files_are_counted_side_by_side(tmp_path):
    table = clustered(500, d=4, alphabet=5, centres=9, noise=30, sensitive=3)
    folder = parts_of(table, tmp_path / "t", ".parquet", 5)
    write_table(table.take(np.arange(3)), folder / "x.parquet")
    pa.parquet.write_table(
        pa.parquet.read_table(folder / "x.parquet").slice(0, 0), folder / "x.parquet"
    )
    source = Source.of(folder)
    with Elsewhere(2) as executor:
        budget = Budget(100, tmp_path, executor)
        found = count_rows(source, table.qi, table.sensitive, budget)
    assert by_text(found) == by_text(table)


def test_missing_cells_numbers_and_columns_of_many_values_are_counted(tmp_path):
    rows = [["1", None], ["", "x"], ["1", None], [None, "x"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    write_table(table, tmp_path / "t.parquet")
    found = count_rows(Source.of(tmp_path / "t.parquet"), ["a", "b"])
    assert by_text(found) == by_text(table)
    wide = {f"c{j}": np.arange(3000) * (j + 1) % 2999 for j in range(7)}
    pa.parquet.write_table(pa.table(wide), tmp_path / "w.parquet")
    found = count_rows(Source.of(tmp_path / "w.parquet"), list(wide), (), Budget(900))
    assert by_text(found) == by_text(read_table(tmp_path / "w.parquet"))
    index = RowIndex(found.codes, [len(d) for d in found.dictionaries])
    order = np.random.default_rng(1).permutation(found.codes.shape[1])
    assert np.array_equal(index.find(list(found.codes[:, order])), order)


@pytest.mark.parametrize("seed", range(4))
def test_a_partition_of_counted_rows_is_that_of_rows(seed):
    rng = np.random.default_rng(seed)
    table = clustered(60, d=3, alphabet=3, centres=4, sensitive=3, seed=seed)
    few, types = counted(table), table.sensitive_types
    group = rng.integers(0, 5, table.n)
    pairs, copies = np.unique(
        np.stack([group, types.inverse]), axis=1, return_counts=True
    )
    of_rows = Partition.from_loads(types, *pairs, copies)
    of_copies = Partition.from_loads(few.sensitive_types, *pairs, copies)
    by_type = Partition.from_loads(few.row_types, *_by_row_type(table, group))
    for requirement in (KAnonymity(9), LDiversity(2)):
        for other in (
            (of_copies, by_type) if requirement == KAnonymity(9) else (of_copies,)
        ):
            assert other.violation(few, requirement) == of_rows.violation(
                table, requirement
            )
    for objective in (STARS, Objective("tuples"), Objective("gcp")):
        value = of_rows.value(table, objective)
        assert of_copies.value(few, objective) == value
        assert by_type.value(few, objective) == value
    wrong = replace(of_copies, copies=of_copies.copies + 1)
    assert "rows, the table" in str(wrong.violation(few, KAnonymity(2)))


def _by_row_type(table, group):
    pairs, copies = np.unique(
        np.stack([group, table.row_types.inverse]), axis=1, return_counts=True
    )
    return *pairs, copies


@pytest.mark.parametrize("seed", range(3))
def test_prices_of_near_patterns_prove_their_bound_on_all(seed):
    table = clustered(400, d=5, alphabet=4, centres=30, noise=25, seed=seed)
    objective = Objective(weights={"q1": 1 + seed, "q2": 2}, keep=("q5",) * (seed == 2))
    few, k = counted(table), 4
    run = Run(few, KAnonymity(k), objective)
    with Threads(2) as threads:
        near = near_patterns(run, few.row_types, k, threads, 2)
    prices = NearPrices.of_list(run, near, k)
    prices.improve(1e-3)
    every = closed_patterns(few, few.row_types, objective, k)
    exact, _ = LagrangianFunction(every, k, 1)(prices.prices)
    assert int(near.own @ few.counts) << 16 <= prices.value <= exact
    prices.certify(run)
    check = check_certificate(run.certificate, table, KAnonymity(k), objective)
    assert check.accepted and check.bound >= run.lower_bound


def test_a_search_in_parts_finds_a_release_and_a_bound(tmp_path, monkeypatch):
    """A column is kept; `test_streamed_dask` has it without one."""
    steps = replace(near_listing.LAGRANGIAN_PARAMS, steps=100)
    monkeypatch.setattr(near_listing, "LAGRANGIAN_PARAMS", steps)
    table = clustered(400, d=5, alphabet=4, centres=30, noise=25, seed=1)
    objective = Objective(keep=("q2",))
    params = replace(
        NEAR_PATTERN_PARAMS, most_types=60, proposals=50, tolerance=math.inf
    )
    bounds = []
    for each in (table, counted(table)):
        result = near_pattern_annealing(
            each, KAnonymity(3), objective=objective, params=params
        )
        assert result.best.violation(each, KAnonymity(3), objective) is None
        assert result.value < Partition.coarsest(each, objective).value(each) / 2
        bounds.append(result.lower_bound)
    check = check_certificate(result.certificate, table, KAnonymity(3), objective)
    prices = find("lagrangian").load()(table, KAnonymity(3), objective=objective)
    assert check.accepted and bounds == [check.bound] * 2
    own = find("own_pattern").load()(table, KAnonymity(3), objective=objective)
    assert own.lower_bound < check.bound <= 1.01 * prices.lower_bound
    with Elsewhere(2) as executor:
        given = {"params": params, "workers": 2, "executor": executor}
        found = near_pattern_annealing(
            each, KAnonymity(3), objective=objective, **given
        )
        late = near_pattern_annealing(
            each,
            KAnonymity(3),
            objective=objective,
            time_limit=1e-6,
            checkpoint=tmp_path / "kept",
            **given,
        )
    assert (found.value, found.lower_bound) == (result.value, result.lower_bound)
    assert late.best.violation(each, KAnonymity(3), objective) is None
    assert late.lower_bound <= result.lower_bound


@pytest.mark.parametrize("most_types", [60, 10**6])
def test_a_search_goes_on_from_its_checkpoint(tmp_path, most_types):
    table = counted(clustered(400, d=5, alphabet=4, centres=30, noise=25))
    params = replace(
        NEAR_PATTERN_PARAMS, most_types=most_types, proposals=50, tolerance=math.inf
    )

    def search(seconds: float = math.inf, k: int = 3) -> Result:
        return near_pattern_annealing(
            table,
            KAnonymity(k),
            time_limit=seconds,
            checkpoint=tmp_path / "kept",
            params=params,
        )

    assert search(0.0).value <= Partition.coarsest(table).value(table)
    first = search()
    again = search(1e-9)  # without any time: what was kept is all there is
    assert again.value == first.value and again.limit is Limit.TIME
    assert search().value <= first.value
    with pytest.raises(TableError, match="checkpoint of another problem"):
        search(k=4)
    for file in (tmp_path / "kept").iterdir():
        file.write_bytes(b"torn")
    with pytest.raises(TableError, match="no checkpoint; remove it"):
        search()


LIMITED = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.instances.streams.test_streamed import killed_search

print("begins", flush=True)
killed_search(Path(sys.argv[1]), 3600.0)
"""


def killed_search(folder: Path, seconds: float) -> Result:
    """Anneal a table in parts, for as long as the limit allows."""
    params = replace(
        NEAR_PATTERN_PARAMS, most_types=60, rounds=10**6, proposals=math.inf
    )
    return near_pattern_annealing(
        counted_table(),
        KAnonymity(3),
        time_limit=seconds,
        checkpoint=folder,
        params=params,
    )


def counted_table() -> Table:
    return counted(clustered(400, d=5, alphabet=4, centres=30, noise=25))


def test_a_search_in_parts_that_is_killed_keeps_the_limit_of_both_calls(
    tmp_path, monkeypatch
):
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    noted, until = tmp_path / "time-used.npz", time.monotonic() + 600
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=HOME) as first:
        assert first.stdout.readline() == b"begins\n"
        while not noted.exists() and time.monotonic() < until:
            time.sleep(0.05)
        first.kill()
    with np.load(noted) as kept:
        used = float(kept["seconds"])
    assert used > 0
    left = []
    module = import_module("starmin.heuristics.near_patterns.near_pattern_annealing")
    search = module.search_parts

    def noting(run, *others):
        left.append(run.time_limit)
        return search(run, *others)

    monkeypatch.setattr(module, "search_parts", noting)
    again = killed_search(tmp_path, used + 1.5)
    assert again.limit is Limit.TIME
    # There is no time any more, but a proof that is kept.
    done = killed_search(tmp_path, used + 1.5)
    assert left == [pytest.approx(1.5), 0.0]
    assert done.limit is Limit.TIME and 0 < done.lower_bound <= again.lower_bound
    assert done.best.violation(counted_table(), KAnonymity(3)) is None


@pytest.mark.parametrize("k", [2, 5, 9])
def test_sorted_copies_are_valid_groups_and_cost_little(k):
    table = clustered(400, d=5, alphabet=4, centres=30, noise=25, seed=k)
    of_rows = find("lexicographic_suppression").load()(table, KAnonymity(k))
    for each in (table, counted(table)):
        run = Run(each, KAnonymity(k))
        offer_sorted_copies(run, columns_by_entropy(each, STARS))
        assert run.best.violation(each, KAnonymity(k)) is None
        assert run.value <= 1.2 * of_rows.value


def test_counted_tables_are_refused_by_methods_that_look_at_rows():
    few = counted(clustered(50, d=3, sensitive=3))
    with pytest.raises(NotSupportedError, match="mondrian takes no counted table"):
        solve_by("mondrian", Problem(few, KAnonymity(2), STARS), {"time_limit": 1.0})
    options = {"time_limit": 5.0}
    with pytest.raises(NotSupportedError, match="No method takes"):
        solve_by("auto", Problem(few, LDiversity(2), Objective("tuples")), options)
    assert METHODS["near_pattern_annealing"].counted


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "requirement", [KAnonymity(3), LDiversity(2), KAnonymity(2), DistinctDiversity(2)]
)
def test_counted_tables_have_the_optimum_of_their_rows(seed, requirement):
    table = clustered(40, d=3, alphabet=3, centres=4, sensitive=3, seed=seed)
    found = [
        solve_by("auto", Problem(each, requirement, STARS), {"time_limit": 20.0})
        for each in (table, counted(table))
    ]
    assert found[0].value == found[1].value == found[1].lower_bound
    for name, method in METHODS.items() if seed == 0 else ():
        if not method.counted or not method.supports(requirement, STARS):
            continue
        if method.kind == "bound":
            continue
        result = solve_by(
            name, Problem(counted(table), requirement, STARS), {"time_limit": 0.5}
        )
        assert result.value >= found[0].value >= (result.lower_bound or 0)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_folder_is_solved_published_and_checked_in_batches(
    tmp_path, ending, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    table = clustered(300, d=4, alphabet=3, centres=5, noise=8, sensitive=4)
    names = (*table.names[:4], "note")
    table = replace(table, names=names, sensitive=())
    parts_of(table, Path("t"), ending, 3)
    options = "--qi q1,q2,q3,q4 --k 3 --quiet"
    out = "release" if ending == ".parquet" else "release.csv"
    solve = f"solve t {options} --memory-rows 1000 --time-limit 30"
    assert main(f"{solve} --out {out} --certificate c.json --shuffle", monkeypatch) == 0
    told = capsys.readouterr()
    assert "published as they are: note" in told.err and "optimal" in told.out
    check = f"verify {out} {options} --stream --original t --certificate c.json --json"
    assert main(check, monkeypatch) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["holds"] and said["consistent"] and said["certificate"]["accepted"]
    (file,) = Path(out).iterdir() if Path(out).is_dir() else (Path(out),)
    released = read_table(file, table.qi)
    whole = solve_by("auto", Problem(table, KAnonymity(3), STARS), {"time_limit": 5.0})
    assert released.n == table.n and said["stars"] == whole.value
    assert released.cells("note") == table.cells("note")
    broken = released.cells("q1")
    broken[250] = "7"
    lie = Table.from_rows(names, _with_column(released, broken), table.qi)
    Path(out).is_dir() or Path(out).unlink()
    write_table(lie, "lie.parquet")
    check = f"verify lie.parquet {options} --stream --original t --json"
    assert main(check, monkeypatch) == 1
    (difference,) = json.loads(capsys.readouterr().out)["inconsistencies"]
    assert (difference["column"], difference["rows"]) == ("q1", [251])


def _with_column(table, cells):
    return [(cell, *row[1:]) for cell, row in zip(cells, table.rows(), strict=True)]


def main(line: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command."""
    monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
    return app.main()


def test_faults_are_told_in_a_line_and_leave_nothing_behind(tmp_path):
    table = clustered(40, d=2, alphabet=3, sensitive=2)
    parts_of(table, tmp_path / "t", ".csv", 2)
    lines = (tmp_path / "t/1.csv").read_text()
    for broken, told in (
        (lines.replace("q2", "z"), r"1.csv: no column 'q2', which 0.csv has"),
        (lines + "1\n", r"1.csv: line 22: expected 3 cells, got 1"),
        (lines.replace("q1,q2", "q2,q1"), "another order"),
    ):
        (tmp_path / "t/1.csv").write_text(broken)
        with pytest.raises(TableError, match=told):
            count_rows(Source.of(tmp_path / "t"), ["q1", "q2"])
    with pytest.raises(TableError, match="no quasi-identifier column"):
        count_table(Source.of(tmp_path / "t/0.csv"), Roles(qi=()))
    with pytest.raises(TableError, match="a folder without files"):
        Source.of(tmp_path)
    for target in ("release", "release.parquet", "release.csv"):
        with pytest.raises(RuntimeError), write_parts(tmp_path / target) as write:
            write(table, {})
            raise RuntimeError
    assert [each.name for each in tmp_path.iterdir()] == ["t"]


def test_parts_of_the_census_are_those_of_the_whole():
    whole = census(1001, seed=3).rows()
    parts = [census_part(a, min(1001, a + 400), 1001, seed=3) for a in (0, 400, 800)]
    assert [row for part in parts for row in part.rows()] == whole


def test_generated_tables_are_written_in_parts(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(instances_command, "_PART", 40)
    for out in ("t", "t.csv", "t.csv.gz"):
        line = f"instances write census:n=99,seed=2 --out {tmp_path / out} --json"
        assert main(line, monkeypatch) == 0
        assert json.loads(capsys.readouterr().out)["n"] == 99
    rows = census(99, seed=2).rows()
    for out in ("t/part-00000.parquet", "t.csv", "t.csv.gz"):
        assert read_table(tmp_path / out).rows() == rows
