"""The frontier in Python: one call for several requirements."""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import and_
from typing import Any

from instances import (
    Control,
    KAnonymity,
    LDiversity,
    Objective,
    Requirement,
    Table,
    Taxonomy,
    from_frame,
)
from instances.arguments import expect_kind, expect_seconds, expect_whole
from starmin.auto.dispatch import AUTO
from starmin.auto.rules import RULES
from starmin.frontiers.frontier import Frontier, FrontierPoint
from starmin.frontiers.points import Point
from starmin.frontiers.search import search_frontier
from starmin.inputs.loading import Problem
from starmin.inputs.recoding_options import GENERALIZATION, SUPPRESSION, Coding
from starmin.outputs.recodings import RECODINGS
from starmin.outputs.summary import Summary
from starmin.process.interrupts import hearing


def frontier(
    table: Table | Any,
    k: Sequence[int] = (),
    l: Sequence[int] = (),
    *,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    requirement: Requirement | None = None,
    recoding: str = SUPPRESSION,
    numeric: Collection[str] = (),
    taxonomies: Mapping[str, Taxonomy] | None = None,
    objective: Objective | None = None,
    method: str = AUTO,
    time_limit: float | None = None,
    gap: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Frontier:
    """Find what more privacy costs: a release and a bound for each requirement.

    Parameters
    ----------
    table
        A table, or a data frame.
    k, l
        Values of k and of l; each k is combined with each l.
    qi, sensitive
        The columns of a data frame; a table has its own.
    requirement
        A further one, joined to each.
    recoding, numeric, taxonomies, objective, method, seed
        As for ``solve``; the default of the objective is gcp for generalization, else
        stars.
    time_limit
        Seconds for all together; default: 300 for ``auto``, none for a named method.
    gap
        The search for a requirement ends where its gap is not above this.
    workers
        Searches at a time; default: one for each processor.

    Returns
    -------
    Frontier
        ``points`` in the order of k and l, each with ``asked``, ``share`` (what its
        release costs, as a share of publishing nothing), ``least_share`` (what every
        release costs at least) and ``result``. A notebook shows the curve.

    Raises
    ------
    NotSupportedError
        No method takes the problem.
    TableError, TypeError, ValueError
        As for ``solve``.

    Examples
    --------
    >>> from instances.catalogue.catalogue import load_instance
    >>> curve = frontier(load_instance("hospital"), k=[2, 3], l=[2])
    >>> [(point.asked.k, point.result.value, point.share) for point in curve.points]
    [(2, 6, 0.2), (3, 15, 0.5)]
    """
    started = time.perf_counter()
    if not isinstance(table, Table):
        table = from_frame(table, qi, sensitive)
    coding = Coding(recoding, numeric=tuple(numeric), trees=dict(taxonomies or {}))
    goal = objective or Objective("gcp" if recoding == GENERALIZATION else "stars")
    expect_kind("objective", goal, Objective)
    if goal.kind == "gcp" and goal.scales is None:
        goal = replace(goal, scales=coding.scales(table))
    RECODINGS[recoding].expect(table, coding)
    points = [
        Point(a, b, Problem(table.name, table, asked, goal, coding))
        for a, b, asked in _asked(k, l, requirement)
    ]
    if time_limit is None:
        time_limit = RULES.time_limit if method == AUTO else math.inf
    expect_seconds("time_limit", time_limit)
    end = started + time_limit
    with hearing():
        found = search_frontier(
            points,
            method,
            lambda: max(0.0, end - time.perf_counter()),
            {"seed": seed},
            workers=workers,
            control=Control((), gap),
        )
    return Frontier(
        tuple(
            FrontierPoint(point, Summary.of(point.problem, result))
            for point, result in found.items()
        ),
        time.perf_counter() - started,
    )


def _asked(
    ks: Sequence[int], ls: Sequence[int], further: Requirement | None
) -> list[tuple[int | None, int | None, Requirement]]:
    """Combine each k with each l and with what is required besides."""
    for name, numbers in (("k", ks), ("l", ls)):
        for number in numbers:
            expect_whole(name, number, 1)
    if not (ks or ls):
        raise ValueError("Expected values of k or of l, got neither.")
    asked = []
    for a, b in product(dict.fromkeys(ks) or [None], dict.fromkeys(ls) or [None]):
        parts: list[Requirement] = [] if a is None else [KAnonymity(a)]
        parts += [] if b is None else [LDiversity(b)]
        parts += [] if further is None else [further]
        asked.append((a, b, reduce(and_, parts)))
    return asked
