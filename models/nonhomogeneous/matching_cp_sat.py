"""Non-homogeneous k-anonymity as a constraint program, in CP-SAT."""

import math

import numpy as np
from ortools.sat.python import cp_model

from starmin.instances import (
    STARS,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Ints
from starmin.models.matching.matching_network import charged_differences
from starmin.models.nonhomogeneous import MATCHING_CP_SAT
from starmin.models.nonhomogeneous.degree_prices import start_model
from starmin.models.nonhomogeneous.matching_flow_tree import release_of_pairs
from starmin.models.solvers.cp_sat_search import Watcher
from starmin.models.solvers.cp_sat_search import search as search_by_cp_sat

MAX_ROWS = 200


def matching_cp_sat(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: NonHomogeneous | None = None,
) -> Result[NonHomogeneous]:
    r"""Solve non-homogeneous k-anonymity exactly on tiny tables, by another solver.

    The model is that of ``matching_mip``: a boolean for each pair of different rows,
    k - 1 pairs for each original and each released row, and a star where a pair
    differs,

    .. math:: x_{ij} \Rightarrow z_{ja} \text{ where } i, j \text{ differ in } a;

    and each released row pays at least its distance to the (k-1)-th nearest other, all
    together at least the bound of ``degree_prices``, which the solver would not find.

    Parameters
    ----------
    table, requirement, objective
        At most 200 rows; ``KAnonymity``; stars or tuples; weights and ``keep`` are
        honoured.
    time_limit, display
        Wall-clock seconds; the best release and bound so far are returned. Progress is
        shown on stderr.
    seed
        Of the solver.
    initial
        A release with matchings to start from.

    Raises
    ------
    NotSupportedError
        Another requirement, or more rows.

    See Also
    --------
    starmin.models.nonhomogeneous.matching_mip.matching_mip : says why it is right.

    Notes
    -----
    n^2 booleans, d n^2 clauses. 8 rows x 8 columns take 0.2 s; of 12 rows some are not
    finished in 15 s, for which ``matching_mip`` needs 2.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> matching_cp_sat(table, KAnonymity(3)).value
    8
    """
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, MATCHING_CP_SAT
    )

    def search() -> Limit | None:
        if not start_model(run, initial):
            return Limit.TIME
        model = _Model(run, requirement.core.size)
        return search_by_cp_sat(model.cp, run, model, "matching_cp_sat", seed)

    return run.carry_out(search)


class _Model(Watcher):
    """Variables, constraints, objective, and what a solution says."""

    def __init__(self, run: Run[NonHomogeneous], k: int) -> None:
        super().__init__()
        self.run, self.k = run, k
        self.cp = cp_model.CpModel()
        differ, weights, apart = charged_differences(run.table, run.objective)
        np.fill_diagonal(apart, True)
        self.x = {
            (i, j): self.cp.new_bool_var("") for i, j in np.argwhere(~apart).tolist()
        }
        for row in range(run.table.n):
            for end in range(2):
                own = (x for ends, x in self.x.items() if ends[end] == row)
                self.cp.add(sum(own) == k - 1)
        self._charge_records(differ, weights)
        if run.best is not None and run.best.matchings is not None:
            pairs = {p for m in run.best.matchings for p in enumerate(m.tolist())}
            for pair, x in self.x.items():
                self.cp.add_hint(x, pair in pairs)

    def _charge_records(self, differ: Bools, weights: Ints) -> None:
        costs = []
        least = np.sort(differ @ weights, axis=1)[:, self.k - 1].tolist()
        self.run.raise_bound(sum(least), "matching_cp_sat")
        z = [[self.cp.new_bool_var("") for _ in weights] for _ in least]
        for (i, j), x in self.x.items():
            for a in np.flatnonzero(differ[i, j]).tolist():
                self.cp.add_implication(x, z[j][a])
        for record, at_least in zip(z, least, strict=True):
            terms = zip(weights.tolist(), record, strict=True)
            costs.append(sum(weight * star for weight, star in terms))
            self.cp.add(costs[-1] >= at_least)
        self.cp.add(sum(costs) >= (self.run.lower_bound or 0))
        self.cp.minimize(sum(costs))

    def release(self) -> NonHomogeneous:
        """Return the chosen pairs, and each row with itself."""
        pairs = [pair for pair, x in self.x.items() if self.boolean_value(x)]
        return release_of_pairs(self.run.table, pairs, self.k)
