"""Tests that the instances load, and that their best known values are so."""

import subprocess
import sys

import pytest

from starmin.extensions import load_instance as load_any
from starmin.gaps.job import spec_of
from starmin.instances import (
    GroupStats,
    KAnonymity,
    Status,
    Table,
    TableError,
    why_infeasible,
)
from starmin.instances.catalogue.catalogue import INSTANCES, Instance, load_instance
from starmin.instances.catalogue.known import BestKnown, all_known, best_known
from starmin.instances.runs.certificate import fingerprint
from starmin.verify.brute_force import MAX_ROWS, brute_force
from tests.support.real_scale import needs_data

KNOWN = list(all_known().values())
PLAIN = [k for k in KNOWN if k.partition and not k.options]
SMALL = [k for k in PLAIN if len(k.partition.groups) <= MAX_ROWS]


def title(known: BestKnown) -> str:
    return f"{known.instance}-k{known.k}-l{known.l}-{known.kind}"


@pytest.mark.parametrize("name", [n for n in INSTANCES if n != "mortgages"])
def test_instances_load_and_their_example_is_feasible(name: str) -> None:
    table = load_instance(name)
    assert table.name == f"instance:{name}"
    assert table.other == ()
    assert why_infeasible(table, INSTANCES[name].requirement) is None
    assert INSTANCES[name].description
    assert INSTANCES[name].source


@pytest.mark.parametrize(
    ("name", "n", "d", "types"),
    [
        ("hospital", 10, 3, 5),
        ("chakaravarthy-figure-1", 4, 3, 4),
        ("murakami-uno", 7, 7, 7),
        pytest.param("mortgages", 214_144, 5, 1514, marks=needs_data),
    ],
)
def test_fixed_tables_have_their_shape(name: str, n: int, d: int, types: int) -> None:
    table = load_instance(name)
    assert (table.n, table.d, len(table.row_types)) == (n, d, types)


@needs_data
def test_mortgages_are_read_without_importing_their_package() -> None:
    table = load_instance("mortgages")
    assert table.names == ("bpl", "qob", "nonwhite", "vet_wwko", "home_ownership")
    code = (
        "import sys; from starmin.instances.catalogue.catalogue import load_instance;"
        "load_instance('mortgages');"
        "print({'causaldata', 'pandas', 'statsmodels'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "set()\n"


def test_without_the_package_the_mend_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "starmin.instances.catalogue.catalogue.find_spec", lambda name: None
    )
    with pytest.raises(TableError) as refusal:
        load_instance("mortgages")
    assert str(refusal.value) == (
        "instance:mortgages: its data are in the package causaldata, "
        "which is not installed; run pip install 'starmin[data]'"
    )


def test_generated_tables_take_parameters() -> None:
    table = load_instance("census:n=500,sensitive=income,seed=3")
    assert (table.n, table.sensitive) == (500, ("income",))
    assert table.name == "instance:census:n=500,sensitive=income,seed=3"
    assert load_instance("uniform:d=2").d == 2
    assert INSTANCES["census"].parameters == {
        "n": 10_000,
        "sensitive": "occupation",
        "seed": 0,
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x", "instance:x: no such instance; there are: hospital, "),
        ("", "instance:: no such instance"),
        ("hospital:n=4", "no parameter 'n'; hospital has: none"),
        ("census:m=4", "no parameter 'm'; census has: n, sensitive, seed"),
        ("census:n=x", "Expected a whole number for n, got 'x'"),
        ("census:n", "Expected a whole number for n, got ''"),
        ("census:n=4,n=5", "parameter n is given twice"),
        ("census:n=0", "instance:census:n=0: Expected 1 <= n <= "),
    ],
)
def test_wrong_names_are_refused_in_one_line(name: str, message: str) -> None:
    with pytest.raises(TableError) as refusal:
        load_instance(name)
    assert message in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


def test_other_catalogues_can_be_searched() -> None:
    def make(n: int = 3) -> Table:
        return Table.from_rows(["a"], [["0"]] * n, qi=["a"])

    mine = {"mine": Instance("mine", "zeros", "here", make, KAnonymity(2))}
    assert load_instance("mine:n=5", mine).n == 5
    with pytest.raises(TableError, match="there are: mine"):
        load_instance("hospital", mine)


@pytest.mark.parametrize("known", [k for k in KNOWN if k.partition], ids=title)
def test_stored_partitions_cost_what_is_claimed(known: BestKnown) -> None:
    problem, partition = spec_of(known).input().open()[0], known.partition
    table, objective = problem.table, problem.objective
    assert partition is not None
    assert fingerprint(load_any(known.instance)) == known.table_hash
    assert len(partition.groups) == table.n
    assert problem.requirement.holds(GroupStats.of(table, partition.groups)).all()
    whole = objective.whole(table) if known.kind == "gcp" else 1
    assert partition.value(table, objective) == round(known.value * whole)


@pytest.mark.parametrize("known", SMALL, ids=title)
def test_small_optima_are_those_of_brute_force(known: BestKnown) -> None:
    table = load_any(known.instance)
    assert known.optimal
    assert table.n <= MAX_ROWS
    result = brute_force(table, known.requirement, known.objective)
    assert (result.status, result.value) == (Status.OPTIMAL, known.value)


def test_the_promised_values_are_there() -> None:
    values = {title(known): known.value for known in KNOWN if not known.options}
    assert values["hospital-k2-l1-stars"] == 2
    assert values["hospital-k1-l2-stars"] == 6
    assert values["hospital-k1-l2-tuples"] == 4
    assert values["chakaravarthy-figure-1-k2-l1-stars"] == 4
    assert values["murakami-uno-k2-l1-stars"] == 15
    assert values["mortgages-k5-l1-stars"] == 524
    assert values["mortgages-k20-l1-stars"] == 3139
    assert best_known("census") == ()
