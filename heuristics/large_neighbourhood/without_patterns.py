"""The search where patterns are beyond counting: groups and a bound from rows."""

import math

from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import ruin_and_recreate
from starmin.heuristics.ruin_and_recreate.ruin_search import Assistance
from starmin.instances import Limit, NotSupportedError, Result, Run
from starmin.instances.runs.nested import pass_on
from starmin.instances.runs.workers.cores import cores
from starmin.instances.runs.workers.threads import Threads
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.bounds.own_pattern import own_pattern

_PROPOSALS = 1_000.0  # moves for each row, where the time is not limited


def search_without_patterns(run: Run, seed: int) -> Limit:
    """Improve the best release by ruin and recreate; find a bound beside it.

    Parameters
    ----------
    run
        The problem, with a release.
    seed
        Of the moves.
    """
    problem, left = (run.table, run.requirement), run.remaining
    assistance = Assistance()
    assert run.best is not None
    with Threads(1) as beside:
        search = beside.submit(
            ruin_and_recreate,
            *problem,
            objective=run.objective,
            time_limit=left,
            seed=seed,
            initial=run.best,
            proposals=_PROPOSALS if math.isinf(left) else None,
            assistance=assistance,
        )
        bound = _bound(run, left)
        assistance.threads = cores()
        run.learn(bound)
        found = search.result()
    if found.best is not None:
        run.offer(found.best)
    pass_on(bound)
    pass_on(found)
    return found.limit or Limit.ITERATIONS


def _bound(run: Run, seconds: float) -> Result:
    """Bound the problem of a run from rows."""
    problem = run.table, run.requirement
    try:
        return dual_ascent(*problem, objective=run.objective, time_limit=seconds)
    except NotSupportedError:  # groups are too large
        return own_pattern(*problem, objective=run.objective, time_limit=seconds)
