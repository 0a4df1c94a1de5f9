"""What the benchmark of the one-dimensional framework measures: tables and cases."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np

from starmin.instances import Objective, Result, Scales, Table, Taxonomy, read_table
from starmin.instances.catalogue.catalogue import correlated
from starmin.instances.catalogue.generators import census
from starmin.registry import find

# The columns of Table II of the paper in its order.
CENSUS = (
    "age",
    "gender",
    "education",
    "marital_status",
    "race",
    "work_class",
    "birth_place",
)
ADULT = (
    "age",
    "sex",
    "education",
    "marital-status",
    "race",
    "workclass",
    "native-country",
)
SIBLINGS = {"marital_status": 3, "work_class": 3, "birth_place": 8}

CURVES = ("hilbert", "hilbert_fast", "idistance", "idistance_fast", "gray_order")
OTHERS = ("mondrian", "mondrian_by_places", "top_down")
GLOBAL = ("top_down_specialization", "incognito")
DIRECT = (*CURVES, *OTHERS, *GLOBAL)
GENERALIZED = ("hilbert", "idistance", "gray_order", "mondrian")
PERMUTED = {
    "perm_hilb": "hilbert",
    "perm_idist": "idistance",
    "perm_gray": "gray_order",
}
QUERIED = (*GENERALIZED, *PERMUTED, "anatomy")
ACCURACY_CONSTRAINED = ("accuracy_constrained", "ipcsd_1d", "ipcsd_mondrian")

# Rows up to which slow methods are run.
REACH = {"top_down": 400_000, "incognito": 100_000}

K, L, DIVERSE_DIGITS, MAX_LOSS, LEVEL = 50, 10, 5, 0.4, 2

Direct = Callable[..., Result]


@dataclass(frozen=True)
class Case:
    """One method on one table; ``x`` is what the experiment varies."""

    experiment: str
    table: str
    x: float
    method: str
    n: int
    d: int = 7
    k: int = 1
    l: int = 1
    correlation: int = 0
    max_loss: float = 0.0
    level: int = 0
    projection: int = 0


@lru_cache(maxsize=2)
def whole(name: str, n: int, correlation: int, data: Path) -> Table:
    """A table with all its columns."""
    if name == "adult":
        return read_table(data / "adult.csv", ADULT, ["occupation"])
    if name == "correlated":
        return correlated(n, correlation)
    table = census(n)
    return table.with_roles(CENSUS, table.sensitive)


@lru_cache(maxsize=2)
def problem(
    name: str, n: int, d: int, correlation: int, projection: int, data: Path
) -> tuple[Table, Objective]:
    """A table projected to d columns, and how they are generalized."""
    table = whole(name, n, correlation, data)
    sets = list(combinations(table.qi, d))
    table = replace(table.with_roles(sets[projection], table.sensitive))
    numeric = [c for c in table.qi if c in ("age", "education") and name == "census"]
    trees = {}
    if name == "adult":
        numeric = ["age"] if "age" in table.qi else []
        trees = {
            c: Taxonomy.read(data / f"hierarchies/adult_hierarchy_{c}.csv")
            for c in table.qi
            if c != "age"
        }
    elif name == "correlated":
        numeric = list(table.qi)
    else:
        trees = {c: tree(table, c) for c in table.qi if c in SIBLINGS}
    return table, Objective("gcp", scales=Scales.of(table, numeric, trees))


def tree(table: Table, column: str) -> Taxonomy:
    """Three levels: values that follow each other are siblings."""
    labels = [text or "" for text in table.dictionary(column)]
    step = SIBLINGS[column]
    paths = [(x, f"from {labels[at - at % step]}", "*") for at, x in enumerate(labels)]
    return Taxonomy(paths, column)


def direct(name: str) -> Direct:
    """The method of a name."""
    if name == "mondrian_by_places":
        mondrian = find("mondrian").load()

        def by_places(
            table: Table, requirement: object, objective: Objective
        ) -> Result:
            return mondrian(table, requirement)

        return by_places
    return find(PERMUTED.get(name, name)).load()


def cases(rows: int, most: int) -> Iterator[Case]:
    """All cases, figure by figure."""
    sizes = [n for n in (50_000, 100_000, 200_000, 400_000) if n <= most]
    for table, n in (("adult", 30_162), ("census", rows)):
        base = Case("", table, 0, "", n)
        ks = (2, 5, 10, 20, 50, 100) if table == "adult" else (10, 20, 50, 100)
        ls = (2, 3, 4, 5, 6, 7) if table == "adult" else range(2, 14)
        l = 4 if table == "adult" else L
        for k in ks:
            yield from methods(replace(base, experiment="k", x=k, k=k))
        for d in range(2, 8):
            yield from methods(replace(base, experiment="k by d", x=d, d=d, k=K))
            yield from methods(replace(base, experiment="l by d", x=d, d=d, l=l), True)
        for each in ls:
            yield from methods(replace(base, experiment="l", x=each, l=each), True)
        for level in range(1, 8):
            for method in QUERIED:
                yield replace(
                    base, experiment="level", x=level, level=level, l=l, method=method
                )
        yield from accuracy_constrained(base, sizes if table == "census" else [])
    for n in sizes:
        base = Case("", "census", n, "", n)
        yield from methods(replace(base, experiment="k by n", k=K))
        yield from methods(replace(base, experiment="l by n", l=L), True)
    for percent in range(0, 51, 10):
        base = Case("correlation", "correlated", percent / 100, "", rows, 4)
        yield from methods(replace(base, l=DIVERSE_DIGITS, correlation=percent))


def methods(base: Case, queries: bool = False) -> Iterator[Case]:
    """All methods of the direct problem; with queries those of permutation, too."""
    for method in (*DIRECT, *((*PERMUTED, "anatomy") if queries else ())):
        if base.n <= REACH.get(method, base.n):
            level = LEVEL if queries and method in QUERIED and base.d >= LEVEL else 0
            yield replace(base, method=method, level=level)


def accuracy_constrained(base: Case, sizes: list[int]) -> Iterator[Case]:
    """The methods of the accuracy-constrained problem, on all projections."""
    losses = np.arange(2, 7) / 10
    varied = [
        *(replace(base, experiment="E", x=float(e), max_loss=float(e)) for e in losses),
        *(replace(base, experiment="E by d", x=d, d=d) for d in range(2, 8)),
        *(replace(base, experiment="E by n", x=n, n=n) for n in sizes),
    ]
    for case in varied:
        d = case.d if case.experiment == "E by d" else 3
        loss = case.max_loss or MAX_LOSS
        for method in ACCURACY_CONSTRAINED:
            for projection in range(comb(len(CENSUS), d)):
                yield replace(
                    case, method=method, d=d, max_loss=loss, projection=projection
                )
