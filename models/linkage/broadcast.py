"""Publish a table under classes that were fixed beforehand for all who publish."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from starmin.instances import Table, TableError
from starmin.instances.arrays import Int32s, IntArray, Ints
from starmin.instances.runs.background_call import interruptible
from starmin.models.linkage.contiguous_classes import (
    JointDistribution,
    greedy_classes,
    threshold_of,
)

# The most admissible classes when they need not be contiguous, exactly.


@dataclass(frozen=True, eq=False)
class FreeClasses:
    """An admissible generalization and what was proven of all of them."""

    classes: Int32s  # for each quasi-identifier the number of its class
    upper_bound: int  # no admissible generalization has more classes

    @property
    def size(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no generalization has more classes."""
        return self.size == self.upper_bound


def free_classes(
    joint: JointDistribution, l: int, gamma: float, *, time_limit: float = math.inf
) -> FreeClasses:
    r"""Partition quasi-identifiers into the most admissible classes. Exact.

    Classes need not be contiguous, so the difference to ``greedy_classes`` is what
    contiguity costs. Quasi-identifiers with equal rows of P are one type t with
    multiplicity n(t); ``x[t, g]`` of them go to class g, which is open (``y[g]``) and
    relies on the values s with ``z[g, s]``:

    .. math::

        \max \sum_g y_g \quad \sum_g x_{tg} \le n_t, \quad
        x_{tg} \le n_t y_g, \quad
        \sum_t P(t, s) x_{tg} \ge \gamma z_{gs}, \quad \sum_s z_{gs} = l y_g

    What no class takes joins the first one, which stays admissible. Open classes come
    first. The number of classes that are modelled is bounded beforehand: m classes need
    l m disjoint masses of at least gamma, and of these value s has no more than
    ``min(m, floor(P_S(s) / gamma))``.

    Bin covering is the case of one value, so this is NP-hard.

    ``joint`` is P(q, s), the quasi-identifiers in their order; ``l`` values must be
    likely in every class, each with at least ``gamma``. The search starts from the
    classes that ``greedy_classes`` finds. The proven upper bound equals their number
    where the limit, in wall-clock seconds, did not strike.

    Notes
    -----
    CP-SAT on whole weights. Proven in seconds up to some 12 quasi-identifiers with
    rows all different, more where many are alike.

    Examples
    --------
    >>> joint = JointDistribution.from_masses([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> found = free_classes(joint, l=2, gamma=0.25)
    >>> found.size, found.optimal, int(greedy_classes(joint, 2, 0.25).max()) + 1
    (2, True, 1)
    """
    threshold = threshold_of(joint, l, gamma)
    start = greedy_classes(joint, l, gamma)
    size = int(start.max()) + 1
    shares, limit = joint.weights.sum(axis=0) // threshold, joint.size
    while np.minimum(shares, limit).sum() < l * limit:
        limit -= 1
    if size == limit:
        return FreeClasses(start, limit)
    rows, type_of, counts = np.unique(
        joint.weights, axis=0, return_inverse=True, return_counts=True
    )
    model, x = _formulate(rows, counts, l, threshold, limit)
    hint = np.zeros((len(rows), limit), np.int64)
    np.add.at(hint, (type_of, start), 1)
    for t, g in np.ndindex(hint.shape):
        model.add_hint(x[t][g], int(hint[t, g]))
    loads, bound = _solve(model, x, time_limit)
    if loads is not None and loads.any(axis=0).sum() > size:
        start = _labels(loads, type_of)
    return FreeClasses(start, min(limit, bound))


def _formulate(
    rows: Ints, counts: Ints, l: int, threshold: int, limit: int
) -> tuple[Any, list[list[Any]]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = [
        [model.new_int_var(0, int(n), f"x{t},{g}") for g in range(limit)]
        for t, n in enumerate(counts)
    ]
    y = [model.new_bool_var(f"y{g}") for g in range(limit)]
    for t, n in enumerate(counts):
        model.add(sum(x[t]) <= int(n))
    for g in range(limit):
        z = [model.new_bool_var(f"z{g},{s}") for s in range(rows.shape[1])]
        model.add(sum(z) == l * y[g])
        for s, relied in enumerate(z):
            mass = sum(int(w) * row[g] for w, row in zip(rows[:, s], x, strict=True))
            model.add(mass >= threshold * relied)
        for t, n in enumerate(counts):
            model.add(x[t][g] <= int(n) * y[g])
        if g:
            model.add_implication(y[g], y[g - 1])
    model.maximize(sum(y))
    return model, x


def _solve(
    model: Any, x: list[list[Any]], time_limit: float
) -> tuple[Ints | None, int]:
    """Return how many of each type go to each class, if found, and a bound."""
    from ortools.sat.python import cp_model

    from starmin.models.solvers.cp_sat_search import new_solver

    solver = new_solver(time_limit)
    status = interruptible(lambda: solver.solve(model), solver.stop_search)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, len(x[0])
    loads = np.array([[solver.value(v) for v in row] for row in x], np.int64)
    return loads, round(solver.best_objective_bound)


def _labels(loads: Ints, type_of: IntArray) -> Int32s:
    """Deal the quasi-identifiers of each type out to its classes, the rest to 0."""
    open_ = np.flatnonzero(loads.any(axis=0))
    classes = np.zeros(len(type_of), np.int32)
    for t, row in enumerate(loads[:, open_]):
        dealt = np.repeat(np.arange(len(open_)), row)
        classes[np.flatnonzero(type_of == t)[: len(dealt)]] = dealt
    return classes


# How far an estimated distribution may be from the true one.


def interval_error(values: int, samples: int, confidence: float) -> float:
    """Bound the error of P(C, s), for every contiguous class C and s at once.

    For one sensitive value s, ``P(Q <= q, S = s)`` is the distribution function of a
    variable that is q where S = s and infinite elsewhere, so its empirical form is
    off by more than t with probability at most 2 exp(-2 n t^2) (Dvoretzky, Kiefer,
    Wolfowitz, Massart). The mass of an interval is a difference of two of its values:
    off by at most 2 t. A union bound over the a sensitive values:

    .. math:: 2 \\sqrt{\\ln(2 a / (1 - \\text{confidence})) / (2 n)}

    It holds for classes chosen by the same data, because it holds for all of them.

    Examples
    --------
    >>> round(interval_error(values=14, samples=30_162, confidence=0.99), 4)
    0.0229
    """
    if values < 1 or samples < 1:
        raise ValueError(
            f"Expected at least one cell and sample, got {values, samples}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"Expected 0 < confidence < 1, got {confidence}.")
    logarithm = math.log(2 * values) - math.log1p(-confidence)
    return min(1.0, 2 * math.sqrt(logarithm / (2 * samples)))


Cells: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class BroadcastClasses:
    """The class of each quasi-identifier, as a central agency announces it."""

    qi: tuple[str, ...]  # names of the quasi-identifier's columns
    label: str  # name of the column of classes
    labels: tuple[str, ...]  # the classes, in the order in which they are first named
    of: dict[Cells, int]  # for each quasi-identifier where its class is in ``labels``

    @classmethod
    def from_table(cls, announced: Table) -> "BroadcastClasses":
        """Read a table whose last column is the class, as ``linkage plan`` writes it.

        Raises TableError where there is no quasi-identifier, a row without a class, or
        a quasi-identifier in two classes.
        """
        *qi, label = announced.names
        if not qi:
            raise TableError(
                f"{announced.name}: expected columns of quasi-identifiers, and the "
                "class as the last one"
            )
        numbers: dict[str, int] = {}
        of: dict[Cells, int] = {}
        columns = (announced.cells(name) for name in announced.names)
        for i, (*cells, named) in enumerate(zip(*columns, strict=True), start=1):
            if named is None:
                raise TableError(f"{announced.name}: row {i} has no class; name one")
            number = numbers.setdefault(named, len(numbers))
            if of.setdefault(tuple(cells), number) != number:
                raise TableError(
                    f"{announced.name}: row {i} is in class {named!r} and, above it, "
                    "in another; leave one of them"
                )
        return cls(tuple(qi), label, tuple(numbers), of)

    def of_rows(self, table: Table) -> Int32s:
        """Return for each row of a table where its class is in ``labels``.

        Raises TableError where the table lacks a column, or some row's quasi-identifier
        is in no class.
        """
        if missing := [column for column in self.qi if column not in table.names]:
            raise TableError(
                f"{table.name}: no column {missing[0]!r} as of the classes"
            )
        types = table.with_roles(self.qi).row_types
        dictionaries = [table.dictionary(column) for column in self.qi]
        number = np.empty(len(types), np.int32)
        for i, row in enumerate(types.codes.tolist()):
            cells = tuple(d[code] for d, code in zip(dictionaries, row, strict=True))
            number[i] = self.of.get(cells, -1)
        found = number[types.inverse]
        if (found < 0).any():
            first = int(np.argmax(found < 0))
            cells = tuple(table.cells(column)[first] for column in self.qi)
            more = int((found < 0).sum()) - 1
            raise TableError(
                f"{table.name}: row {first + 1} {cells} and {more} more are in no "
                "class; every quasi-identifier needs one"
            )
        return found


def publish_broadcast(
    table: Table,
    classes: BroadcastClasses,
    numeric: Sequence[str] = (),
    star: str = "*",
) -> Table:
    """Publish each row's class in place of its quasi-identifier (Algorithm 1, step 5).

    The class is a column of its own, which is all that the theorems are about. The
    columns of quasi-identifiers say what a class holds: the value if it is one, else
    ``low-high`` for the ``numeric`` columns and a star for others. They depend on the
    announced classes alone, never on the rows.

    ``table`` has the rows of one data owner, with one sensitive column; the classes
    were announced to all owners.

    Examples
    --------
    >>> announced = Table.from_rows(
    ...     ["age", "class"], [["30", "1"], ["31", "1"], ["40", "2"]], ["age", "class"])
    >>> people = Table.from_rows(
    ...     ["age", "ill"], [["31", "flu"], ["40", "gout"]], ["age"], ["ill"])
    >>> classes = BroadcastClasses.from_table(announced)
    >>> publish_broadcast(people, classes, numeric=["age"]).rows()
    [('1', '30-31', 'flu'), ('2', '40', 'gout')]
    """
    if classes.label in table.names:
        raise TableError(
            f"{table.name}: the column of classes has the name of its column "
            f"{classes.label!r}; name it otherwise in the file of classes"
        )
    if extra := [column for column in table.qi if column not in classes.qi]:
        raise TableError(
            f"{table.name}: quasi-identifier {extra[0]!r} is none of the classes; "
            "drop it or name --qi"
        )
    numbers = classes.of_rows(table)
    members: list[list[Cells]] = [[] for _ in classes.labels]
    for cells, number in classes.of.items():
        members[number].append(cells)
    codes, dictionaries = table.codes.copy(), list(table.dictionaries)
    for j, column in enumerate(classes.qi):
        at = table.names.index(column)
        shown = [_shown({m[j] for m in of}, column in numeric, star) for of in members]
        place = {cell: i for i, cell in enumerate(dict.fromkeys(shown))}
        codes[at] = np.array([place[cell] for cell in shown], np.int32)[numbers]
        dictionaries[at] = tuple(place)
    return replace(
        table,
        names=(classes.label, *table.names),
        codes=np.concatenate([numbers[None], codes]),
        dictionaries=(classes.labels, *dictionaries),
        qi=(classes.label, *classes.qi),
    )


def _shown(values: set[str | None], numeric: bool, star: str) -> str | None:
    """Return the cell that stands for the values of a class in one column."""
    if len(values) == 1:
        return values.pop()
    if not numeric or None in values:
        return star
    try:
        ordered = sorted((value for value in values if value is not None), key=float)
    except ValueError as error:
        raise TableError(f"--numeric: {error}; the column is not numeric") from None
    return f"{ordered[0]}-{ordered[-1]}"
