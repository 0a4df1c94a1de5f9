"""Releases from fractional packings of pairs and triples."""

import math
from typing import Any

import numpy as np

from starmin.instances import Partition, Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.simplex_matching.duals import UNIT, Duals
from starmin.models.simplex_matching.pair_relaxation import packing_program
from starmin.models.simplex_matching.pairs_and_triples import Groups
from starmin.models.solvers.mip_search import MipSearch, solve_small
from starmin.models.solvers.whole_bound import note_bound

_WHOLE = 1e-6  # A use so near to a whole number is one.
_NOTHING = UNIT // 100  # A reduced cost up to this is none.
_MOST = 20_000  # groups of a program


def packed(groups: Groups, uses: Any) -> Partition:
    """Return the partition that uses each group so often.

    ``uses`` are whole numbers of groups that use up all rows.
    """
    members = np.repeat(groups.members, np.asarray(uses, np.int64), axis=0)
    unit, place = np.nonzero(members >= 0)
    types, one = members[unit, place], np.ones(len(unit), np.int64)
    return Partition.from_loads(groups.types, unit, types, one)


def round_up(
    run: Run,
    groups: Groups,
    uses: Floats,
    near: Groups,
    duals: Duals,
    seconds: float,
    rings: float = 0,
) -> bool:
    """Keep the groups of a packing that are whole, and solve what is left exactly.

    Groups that share a type with a fractional one are opened as well, and so are those
    around them. It offers what it finds to the run; whether it found a release.

    ``groups`` and ``uses`` are a fractional packing; the groups ``near`` may be used
    for what is left. The odd sets of ``duals`` make the program tighter. The search may
    take ``seconds``. The types that are opened are joined ``rings`` times by those that
    share a group of no reduced cost with them; infinite to pack all rows anew.
    """
    incidence = groups.incidence()
    part = np.abs(uses - np.rint(uses)) > _WHOLE
    opened = np.ones(len(groups), bool)
    if math.isfinite(rings):
        used = groups.select(uses > _WHOLE).incidence()
        free = near.select(duals.reduced_costs(near) <= _NOTHING).incidence()
        types = _touched(incidence, part)
        for _ in range(int(rings)):
            types = _touched(used, _touching(used, types))
            types |= _touched(free, _touching(free, types))
        opened = part | _touching(incidence, types)
    fixed = np.where(opened, 0, np.rint(uses)).astype(np.int64)
    left = groups.counts - np.asarray(incidence.T @ fixed)
    if not left.any():
        run.offer(packed(groups, fixed))
        return True
    near = _dearest_left_out(near.select(_fits(near, left)), duals)
    given = np.asarray(groups.odd(duals.sets).T @ fixed)
    sets = np.flatnonzero(given == 0)
    program = packing_program(near, left, duals.sets[sets])
    point = solve_small(program, seconds)
    if point is None:
        return False
    whole = groups.join(near)
    run.offer(packed(whole, np.append(fixed, np.rint(point).astype(np.int64))))
    return True


def _dearest_left_out(near: Groups, duals: Duals) -> Groups:
    """Return the groups of least reduced cost, as many as HiGHS takes in time.

    Of larger programs it does not hear for half a minute that it is to end.
    """
    if len(near) <= _MOST:
        return near
    return near.select(np.argsort(duals.reduced_costs(near), kind="stable")[:_MOST])


def _touched(incidence: Any, chosen: Bools) -> Bools:
    """Return which types are in some of the chosen groups."""
    return np.asarray(incidence[np.flatnonzero(chosen)].sum(axis=0)).ravel() > 0


def _touching(incidence: Any, types: Bools) -> Bools:
    """Return which groups have some of these types."""
    return np.asarray(incidence @ types.astype(np.int64)) > 0


def _fits(groups: Groups, left: Ints) -> Any:
    """Return which groups are made of rows that are left."""
    incidence = groups.incidence().tocoo()
    lacking = incidence.data > left[incidence.col]
    return np.bincount(incidence.row[lacking], minlength=len(groups)) == 0


def solve_packing(run: Run, groups: Groups, duals: Duals) -> bool:
    """Search the packings of some groups; whether the optimum is proven.

    The run learns releases and, as the groups are all that a better release than the
    incumbent may have, the bound. The odd sets of ``duals`` make the program tighter.
    """
    program = packing_program(groups, groups.counts, duals.sets)
    search = MipSearch(program, run.remaining)
    try:
        while search.running and not run.closed and run.remaining > 0:
            search.wait(0.1)
            _offer_all(run, search, program, groups)
    finally:
        search.stop()
    _offer_all(run, search, program, groups)
    note_bound(run, search.end(), "simplex_matching")
    return run.closed


def _offer_all(run: Run, search: MipSearch, program: Any, groups: Groups) -> None:
    for point in search.solutions():
        whole = np.rint(point)
        if program.holds(whole):
            run.offer(packed(groups, whole))
