"""Break up some groups, and group their rows anew: the moves and their constants."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import most_increase
from starmin.heuristics.ruin_and_recreate.group_state import (
    REMOVED,
    TOUCHED,
    GroupState,
    join,
    keep_changes,
    open_group,
    take_back,
    touch,
)
from starmin.heuristics.ruin_and_recreate.ruin_rows import joined_loss
from starmin.instances.loops.compiled import compiled, inner


class RuinParams(NamedTuple):
    """Constants that steer the moves."""

    fewest: int = 2  # fewest, most: groups that a move breaks up
    most: int = 4
    skipped: float = 0.2  # share of the near groups that are passed over
    # what a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when the
    # cheapest one is chosen
    noise: float = 0.4
    # share of the moves that build one group less than there could be
    one_less: float = 0.15
    near: int = 12  # types near a row that is left over, whose groups may take it
    # share of the drawn rows that are taken where their group loses nothing, or little
    # beyond what its rows are worth
    idle: float = 0.1
    # where rows have a worth: the share of what a group costs, beyond its worth, above
    # which a row that is drawn is always taken
    excess: float = 0.2
    # by what part of its worth a row is preferred when a group grows
    regard: float = 0.5
    # where patterns are known: the share of the moves that make rows of one a group,
    # that of its kinds that are passed over, and up to which part of its worth a row
    # may pay to stay, most times, where it is
    by_pattern: float = 0.8
    passed_over: float = 0.1
    settled: float = 0.3
    stay: float = 0.7


RUIN_PARAMS = RuinParams()


@dataclass(frozen=True)
class RuinAndRecreateParams:
    """Constants that steer the search."""

    # hot, cold, calm: first and last temperature, as a share of what k rows pay on
    # average, where the time is enough for ``calm`` moves for each row; lower in
    # proportion where it is not, as there is no time to cool down
    hot: float = 0.3
    cold: float = 0.01
    calm: float = 80.0
    # the first temperature where prices guide the moves, of which more are of use
    hot_guided: float = 2.0
    neighbours: int = 30  # types that are listed for each type
    batch: int = 2_000  # moves between two looks at the clock
    offers: int = 20  # times that the release on hand is offered
    unlimited: int = 50  # moves for each row where nothing else limits the search
    # round, rounds, overhead: seconds after which parts are cut anew, if that is no
    # more than so many times in the whole search, and the share of the time that
    # cutting them, or taking new prices, may have
    round: float = 1.5
    rounds: int = 20
    overhead: float = 0.1
    least_groups: int = 100  # groups of k rows that a part has at least
    moves: RuinParams = RUIN_PARAMS  # constants of the moves themselves


RUIN_AND_RECREATE_PARAMS = RuinAndRecreateParams()


NONE = -1


@inner
def recreate(s: GroupState, ceiling: float, p: RuinParams, built: int) -> float:
    """Group the removed rows; return what groups that the move changed cost more.

    Groups that were broken up count as if they had cost nothing. Infinite where the
    move is to be taken back: where it would cost more than ``ceiling`` even if rows
    that are left cost no more than they are worth. The first ``built`` groups that the
    move touched have their rows already.
    """
    cost: float = 0.0
    broken, worth = s.counts[TOUCHED], _worth_of_removed(s)
    for g in s.touched[:built]:
        cost += s.size[g] * s.cost[g]
    # Groups that cannot be cut, as of few values, may have any number of rows.
    groups = min(s.counts[REMOVED] // s.k, len(s.touched) - built)
    if groups > 1 and np.random.random() < p.one_less:
        groups -= 1
    for i in range(built, built + groups):
        g = s.touched[i] if i < broken else open_group(s)
        if not _grow(s, g, p):
            break
        cost += s.size[g] * s.cost[g]
        if len(s.guide.worth) > 0:
            for row in s.members[g, : s.size[g]]:
                worth -= s.guide.worth[s.kinds[row]]
        if cost + worth > ceiling:
            return np.inf
    grown = s.counts[TOUCHED]
    for i in range(s.counts[REMOVED]):
        row = s.removed[i]
        cost += _place(s, row, grown, p.near)
        if len(s.guide.worth) > 0:
            worth -= s.guide.worth[s.kinds[row]]
        if cost + worth > ceiling:
            return np.inf
    return cost


@inner
def _worth_of_removed(s: GroupState) -> float:
    """Return what the removed rows are worth; nothing where that is not known."""
    worth = 0.0
    if len(s.guide.worth) > 0:
        for row in s.removed[: s.counts[REMOVED]]:
            worth += s.guide.worth[s.kinds[row]]
    return worth


@inner
def _grow(s: GroupState, g: int, p: RuinParams) -> bool:
    """Make a group of k removed rows, each time the one that costs least with them.

    Rows that are worth much are preferred: they cost much elsewhere. Returns False, and
    leaves the rows, where the values forbid it.
    """
    # Fields are read before the loops: numba counts a reference at each reading.
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    low, high, removed, members = s.low, s.high, s.removed, s.members
    kinds, worth = s.kinds, s.guide.worth
    left, noise, regard = s.counts[REMOVED], p.noise, p.regard / s.k
    priced = len(worth) > 0
    chosen, cost = np.random.randint(left), 0.0
    begin, best, least, best_cost = 0, NONE, np.inf, 0.0
    for size in range(s.k):
        row = removed[chosen]
        left -= 1
        removed[chosen], removed[left] = removed[left], row
        members[g, size] = row
        for j in range(len(columns)):
            here = positions[row, j]
            low[g, j] = min(low[g, j], here) if size else here
            high[g, j] = max(high[g, j], here) if size else here
        s.size[g], s.cost[g] = size + 1, cost
        if size + 1 == s.k:
            break
        chosen = NONE
        for i in range(begin, left):
            if s.l > 1 and not _admits(s, g, s.values[removed[i]], s.k):
                continue
            row = removed[i]
            bonus = regard * worth[kinds[row]] if priced else 0.0
            most = least + bonus
            here = joined_loss(columns, amounts, low, high, g, positions, row, most)
            if here == cost and not priced:  # no other row can add less
                chosen = i
                break
            noisy = here * (1 + noise * np.random.random()) - bonus
            if noisy < least:
                best, least, best_cost = i, noisy, here
        dearer = chosen < 0
        if dearer:
            chosen, cost = best, best_cost
        if chosen < 0:
            s.size[g] = 0
            return False
        if dearer or s.l > 1:
            begin, best, least = 0, NONE, np.inf
        else:
            begin = chosen  # rows before it cost what they did
    s.counts[REMOVED] = left
    return True


@inner
def _admits(s: GroupState, g: int, value: int, size: int) -> bool:
    """Check whether a group can take one more row of a value, ending at a size."""
    rows = 1
    for row in s.members[g, : s.size[g]]:
        rows += s.values[row] == value
    return bool(rows * s.l <= size)


@inner
def _place(s: GroupState, row: int, built: int, near: int) -> float:
    """Let a row join the group in which it adds least; return that, or infinity."""
    # Fields are read before the loop: numba counts a reference at each reading.
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    low, high, sizes, cost = s.low, s.high, s.size, s.cost
    known, group, rows, first = s.near, s.group, s.rows, s.first
    touched, is_touched, t = s.touched, s.is_touched, s.types[row]
    full, others = s.members.shape[1], s.counts[TOUCHED] < len(touched)
    best, least, paid = NONE, np.inf, 0.0
    for i in range(built + min(near, known.shape[1])):
        if i < built:
            g = touched[i]
        else:
            u = known[t, i - built]
            if not others:
                break
            if u < 0:
                continue
            g = group[rows[first[u]]]
            if is_touched[g]:
                continue
        size = sizes[g]
        if size == 0 or size == full:
            continue
        if s.l > 1 and not _admits(s, g, s.values[row], size + 1):
            continue
        before = size * cost[g]
        ceiling = (least + before) / (size + 1)
        here = joined_loss(columns, amounts, low, high, g, positions, row, ceiling)
        more = (size + 1) * here - before
        if more < least:
            best, least, paid = g, more, here
    if best >= 0:
        touch(s, best)
        join(s, best, row, paid)
    return least


@compiled
def anneal(s: GroupState, proposals: int, temperature: float, p: RuinParams) -> float:
    """Propose moves and keep those that cost little; return the change in cost.

    ``temperature`` is the mean increase in cost that is kept.
    """
    total, patterns = 0.0, len(s.guide.starts) - 1
    for _ in range(proposals):
        built = 0
        if patterns > 0 and np.random.random() < p.by_pattern:
            if not _choose_rows(s, np.random.randint(patterns), p):
                continue
            before, built = _ruin_for_chosen(s), 1
        else:
            row = np.random.randint(len(s.group))
            if not _is_worth_a_try(s, s.group[row], p):
                continue
            before = _ruin(s, row, p)
        allowed = most_increase(temperature, np.random.random())
        change = recreate(s, before + allowed, p, built) - before
        if change <= allowed:
            keep_changes(s)
            total += change
        else:
            take_back(s)
    return total


@inner
def _is_worth_a_try(s: GroupState, g: int, p: RuinParams) -> bool:
    """Check whether a group costs much beyond what its rows are worth, or by chance."""
    if np.random.random() < p.idle:
        return True
    cost = s.size[g] * s.cost[g]
    if len(s.guide.worth) == 0 or cost == 0:
        return bool(cost > 0)
    excess = cost
    for row in s.members[g, : s.size[g]]:
        excess -= s.guide.worth[s.kinds[row]]
    return bool(excess >= p.excess * cost * np.random.random())


@inner
def _ruin(s: GroupState, row: int, p: RuinParams) -> float:
    """Break up the group of a row and groups near to it; return what they cost."""
    near, wanted = s.near[s.types[row]], np.random.randint(p.fewest, p.most + 1)
    cost: float = _break_up(s, s.group[row])
    broken = 1
    for i in range(-1, len(near)):
        if broken == wanted:
            break
        t = s.types[row] if i < 0 else np.int64(near[i])
        if t < 0 or np.random.random() < p.skipped:
            continue
        g = s.group[s.rows[np.random.randint(s.first[t], s.first[t + 1])]]
        if not s.is_touched[g]:
            cost += _break_up(s, g)
            broken += 1
    return cost


@inner
def _choose_rows(s: GroupState, q: int, p: RuinParams) -> bool:
    """Choose k rows that fit a pattern, those of kinds that are worth most first.

    Returns False where there are too few, or they are one group already.
    """
    count, mixed, guide = 0, False, s.guide
    for i in range(guide.starts[q], guide.starts[q + 1]):
        if np.random.random() < p.passed_over:
            continue
        t = guide.kinds[i]
        first, copies = s.kind_first[t], s.kind_first[t + 1] - s.kind_first[t]
        begin = np.random.randint(copies)
        for j in range(copies):
            row = s.kind_rows[first + (begin + j) % copies]
            alike = 1
            for other in s.chosen[:count]:
                alike += s.values[other] == s.values[row]
            if alike * s.l > s.k:
                break
            settled = s.cost[s.group[row]] <= p.settled * guide.worth[t]
            if settled and np.random.random() < p.stay:
                continue
            s.chosen[count] = row
            mixed |= s.group[row] != s.group[s.chosen[0]]
            count += 1
            if count == s.k:
                return bool(mixed and count <= len(s.touched))
    return False


@inner
def _ruin_for_chosen(s: GroupState) -> float:
    """Break up the groups of the chosen rows and make these one; return their cost."""
    cost: float = 0.0
    for row in s.chosen:
        if not s.is_touched[s.group[row]]:
            cost += _break_up(s, s.group[row])
    g, paid = s.touched[0], 0.0
    columns, amounts, low, high = s.losses.columns, s.losses.amounts, s.low, s.high
    for row in s.chosen:
        at = 0
        while s.removed[at] != row:
            at += 1
        s.counts[REMOVED] -= 1
        s.removed[at] = s.removed[s.counts[REMOVED]]
        if s.size[g] > 0:
            paid = joined_loss(columns, amounts, low, high, g, s.positions, row, np.inf)
        join(s, g, row, paid)
    return cost


@inner
def _break_up(s: GroupState, g: int) -> float:
    """Remove all rows of a group; return what they cost."""
    touch(s, g)
    size, at = s.size[g], s.counts[REMOVED]
    for i in range(size):
        s.removed[at + i] = s.members[g, i]
    s.counts[REMOVED] += size
    s.size[g] = 0
    return float(size * s.cost[g])
