"""Sequential clustering: rows go to the groups in which they cost least."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np

from starmin.heuristics.approximation.diverse_cover import diverse_cover
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.clustering import CLUSTERING
from starmin.heuristics.clustering.cluster_moves import (
    DISSOLVE,
    MOVE,
    SPLIT,
    SWAP,
    propose,
)
from starmin.heuristics.clustering.group_labels import GroupLabels
from starmin.heuristics.orders.along_curves import gray_order
from starmin.heuristics.orders.lexicographic_suppression import offer_sorted
from starmin.heuristics.recoding.local_recoding import local_recoding
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.runs.nested import pass_on

Start = Literal["cover", "sorted"]
STARTS_FOR_LOSSES: tuple[Callable[..., Result], ...] = (
    gray_order,
    mondrian,
    local_recoding,
)


@dataclass(frozen=True)
class ClusteringParams:
    """Constants that steer the search."""

    batch: int = 1000  # rows that are visited between two checks of the requirement
    # groups of more rows are not searched for a row to swap, nor split where they have
    # more than the square of it
    large: int = 100


def clustering(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    start: Start = "cover",
    params: ClusteringParams = ClusteringParams(),
) -> Result:
    """Improve groups row by row, under any requirement. No guarantee of its own.

    The practical baseline of the field. Never worse than what it starts from, whose
    guarantee it keeps.

    The idea: the rows are visited in a random order, again and again, and each change
    that saves something is made: a row *moves* to the group in which it costs least;
    it is *swapped* with a row of that group, for groups that can spare none; a group is
    *dissolved*, its rows going to different others; or *split* in two, by a value in a
    starred column, or in the order of numbers or leaves. It ends when no change saves
    anything. A group costs what its smallest nodes lose; a star is the node of all
    values, so that stars and losses by generalization are searched alike.

    Changes are found for a thousand rows at a time, no two of which share a group, so
    that all groups they change can be shown to the requirement at once; those it does
    not allow are dropped. So any requirement will do. Where it is not k-anonymity
    alone, rows are swapped only if they agree in all columns that are no
    quasi-identifiers.

    Parameters
    ----------
    table, requirement, objective
        Any problem. No group mixes rows that differ in columns to be kept.
    time_limit
        Seconds, for the start as well.
    seed
        Of the order of the rows.
    initial
        A release to improve instead of the start.
    start
        A ``cover`` (``pattern_cover``, ``diverse_cover``) where there is one for the
        problem; else, or if ``sorted``, what ``lexicographic_suppression`` gives; for
        losses the best of that and of ``gray_order``, ``mondrian`` and
        ``local_recoding``.
    params
        Constants that steer the search.

    See Also
    --------
    starmin.heuristics.annealing.pattern_annealing : fewer stars, for k and l.
    starmin.heuristics.local_search.local_search.local_search : another descent. It
        draws one place to go to for a row, in all groups that are published alike
        there, and takes back what costs too much; here each row is compared with all
        groups, which keep their rows where two are published alike, and only what
        saves something is made.

    Notes
    -----
    O(n g d) at most for each round over n rows and g groups, mostly much less: groups
    are tried in order of what their rows pay, and those beyond the best one found are
    not. Rounds of Adult (30,162 rows by 8 columns) take 2 to 6 s. From the cover:
    18,276 / 32,880 / 53,005 stars for k = 2 / 5 / 25, in 11, 15 and 5 s; from the
    sorted order 35,190 for k = 5 in 30 s. Groups grown from far rows by near ones
    (k-member) are a worse start: 53,519 stars, 37,682 after 20 s. Adult with five
    columns, occupation sensitive: 4,888 / 22,150 for l = 2 / 4 in 4 and 10 s; distinct
    l = 2 / 4 from the sorted order 1,089 / 3,800 in 20 and 30 s, where 876 / 2,840 are
    bounds.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient anonymizations with enhanced utility,
    Transactions on Data Privacy 3, 2010; there from random groups, which may shrink
    below k and are repaired at the end.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "a"], ["2", "b"], ["2", "c"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> worse = Partition(np.array([0, 0, 1, 1, 1], np.int32))
    >>> worse.value(table), clustering(table, KAnonymity(2), initial=worse).value
    (10, 3)
    """
    run = Run(table, requirement, objective, time_limit, display, CLUSTERING)

    def search() -> Limit | None:
        if initial is None:
            _offer_start(run, start)
        else:
            run.offer(initial)
        done = _Clusters(run, seed, params).improve()
        return None if done else Limit.TIME

    return run.carry_out(search, otherwise=lambda: offer_sorted(run))


def _offer_start(run: Run, start: Start) -> None:
    """Offer what a cover finds, or else groups along a sorted order.

    For losses the cheapest of the starts that take hierarchies and ranges.
    """
    table, requirement, objective = run.table, run.requirement, run.objective
    for cover in (pattern_cover, diverse_cover) if start == "cover" else ():
        try:
            found = cover(
                table, requirement, objective=objective, time_limit=run.remaining
            )
        except NotSupportedError:
            continue
        if found.best is not None:
            run.offer(found.best)
        run.learn(found)
        pass_on(found)
        return
    offer_sorted(run)
    for method in STARTS_FOR_LOSSES if objective.by_node else ():
        if run.remaining > 0:
            with suppress(NotSupportedError):
                found = method(table, requirement, objective=objective)
                if found.best is not None:
                    run.offer(found.best)
                pass_on(found)


class _Clusters:
    """The groups while rows go from one to another."""

    def __init__(self, run: Run, seed: int, params: ClusteringParams) -> None:
        self.run, self.params = run, params
        start = run.best or Partition.coarsest(run.table, run.objective)
        self.labels = GroupLabels(run, start)
        self.rng = np.random.default_rng(seed)

    def improve(self) -> bool:
        """Make changes until none saves anything; return whether time sufficed."""
        try:
            changes = 1
            while changes and not self.run.closed:
                changes = 0
                for kind in (DISSOLVE, MOVE, SPLIT, SWAP):
                    for rows in self._batches():
                        if self.run.remaining == 0:
                            return False
                        changes += self._change(rows, kind)
                self._offer()
        finally:  # An interrupt leaves the groups as they are between two changes.
            self._offer()
        return True

    def _offer(self) -> None:
        self.run.offer(self.labels.partition())

    def _batches(self) -> list[Ints]:
        rows = self.rng.permutation(self.run.table.n)
        return np.array_split(rows, math.ceil(len(rows) / self.params.batch))

    def _change(self, rows: Ints, kind: int) -> int:
        """Make the changes of some rows that the requirement allows; count them."""
        labels = self.labels
        found = np.empty((3, self.run.table.n + 1), np.int64)
        used, changes = propose(
            labels.state(), rows, kind, labels.least, self.params.large, *found
        )
        return labels.allow(found[:, :used], changes)
