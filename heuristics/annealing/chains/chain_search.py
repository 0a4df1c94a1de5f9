"""Find the cheapest ejection chain for a row, or for a pattern that lacks one."""

from starmin.heuristics.annealing.annealing_state import NONE, State, wide
from starmin.heuristics.annealing.chains.chain_labels import QUEUED, SEARCH, ChainLabels
from starmin.heuristics.annealing.chains.lacking import fill_lacking
from starmin.heuristics.annealing.chains.left_over import place_left_over
from starmin.heuristics.annealing.paths.queue import next_label
from starmin.instances.loops.compiled import inner


@inner
def find_chain(
    s: State,
    w: ChainLabels,
    lacks: bool,
    root: int,
    other: int,
    budget: float,
    slack: float,
    steps: int,
) -> bool:
    """Find a chain; it is left in the labels.

    It begins at an orphan or, where ``lacks``, at a pattern that lacks a row; ``root``
    is the orphan's type, or that pattern. A row that is left over joins a pattern or
    opens one, a pattern that lacks a row takes one: from patterns that can spare one,
    where the chain ends, or from one with just k rows, which then lacks one or leaves
    one over. The nearest label is the next to go on from (Dijkstra), from ``steps``
    labels at most; at good prices hardly any step costs much less than nothing.

    ``other`` is the orphan's type where the chain begins at a pattern, and the pattern
    that lacks a row where it begins at an orphan; -1 for none. The chain may add
    ``budget`` to the cost, less the prices of rows without a place, and patterns may
    exceed that by ``slack`` which are looked at in vain. ``w`` is updated. Returns
    whether there is a chain.
    """
    w.heads[SEARCH] += 1
    w.heads[QUEUED] = 0
    begin, patterns = 2 * len(s.patterns.cost) + 2, len(s.patterns.cost) + 1
    lacking = root if lacks else other
    best, at, distance = budget, begin, 0.0
    for _ in range(steps):
        if at == begin and lacks:
            best = fill_lacking(
                s, w, at, root, wide(NONE), other, distance, best, slack
            )
        elif at < patterns:
            best = fill_lacking(
                s, w, at, at, wide(w.who[at]), wide(NONE), distance, best, slack
            )
        else:
            left = root if at == begin else wide(w.who[at])
            best = place_left_over(s, w, at, left, lacking, distance, best, slack)
        at = next_label(w, best)
        if at < 0:
            break
        distance = w.distance[at]
    return best < budget
