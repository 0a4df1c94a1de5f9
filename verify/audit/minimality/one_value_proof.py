"""A proof that all rows of a type have one value, by constraint programming."""

import numpy as np

from starmin.instances.arrays import Bools, Ints

SECONDS = 5.0  # for one proof


def always(
    rows: Ints, counts: Ints, single: Bools, double: Bools, type_: int, value: int
) -> bool:
    """Prove by CP-SAT that in no world a row of a type has another value.

    The class has ``rows`` by type and ``counts`` by value; ``single`` and ``double``
    are what is ruled out: see ``ruled_out``. False where there is such a world, or none
    is ruled out in time.

    Examples
    --------
    >>> free = np.zeros((2, 2), bool), np.zeros((4, 4), bool)
    >>> two = np.array([1, 1])
    >>> always(two, two, *free, 0, 0)
    False
    >>> free[0][1, 0] = True
    >>> always(two, two, *free, 0, 0)
    True
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    m, n = single.shape
    number = [
        [
            model.new_int_var(
                0, 0 if single[t, v] else int(min(rows[t], counts[v])), ""
            )
            for v in range(n)
        ]
        for t in range(m)
    ]
    for t in range(m):
        model.add(sum(number[t]) == int(rows[t]))
    for v in range(n):
        model.add(sum(number[t][v] for t in range(m)) == int(counts[v]))
    some: dict[int, cp_model.IntVar] = {}

    def there(pair: int) -> cp_model.IntVar:
        if pair not in some:
            some[pair] = model.new_bool_var("")
            count = number[pair // n][pair % n]
            model.add(count == 0).only_enforce_if(some[pair].Not())
        return some[pair]

    for x, y in np.argwhere(np.triu(double)).tolist():
        if single[x // n, x % n] or single[y // n, y % n]:
            continue
        if x == y:
            model.add(number[x // n][x % n] <= 1)
        else:
            model.add_bool_or(there(x).Not(), there(y).Not())
    model.add(number[type_][value] <= int(rows[type_]) - 1)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # Interrupts are Python's; a step of presolve has an open report of a wrong answer.
    solver.parameters.catch_sigint_signal = False
    solver.parameters.presolve_inclusion_work_limit = 0
    solver.parameters.max_time_in_seconds = SECONDS
    return bool(solver.solve(model) == cp_model.INFEASIBLE)
