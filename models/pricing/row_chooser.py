"""The best choices of rows at prices with cuts, made in blocks side by side."""

import numpy as np

from starmin.instances.arrays import Floats
from starmin.instances.runs.workers.threads import Team
from starmin.models.lagrangian_relaxation.pricing_data import blocks_of
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.cut_terms import (
    CutTerms,
    Point,
    PricedRows,
    add_open,
    charge,
    choose_rows,
)


class Chooser:
    """Chooses rows for patterns, for many prices in turn.

    Blocks are chosen for by whoever is free. Copies are whole numbers, and what blocks
    are worth is added up in their order, so it makes no difference who that is. A group
    has at least ``k`` copies; ``point`` are the last choices.
    """

    def __init__(self, patterns: Patterns, k: int) -> None:
        self.point, self.patterns, self.k = Point(patterns), patterns, k
        self._blocks = blocks_of(patterns.starts)
        self._cheaper = np.zeros(len(patterns.types))
        self._opening = np.zeros(len(patterns))

    def choose(
        self,
        prices: Floats,
        terms: CutTerms,
        multipliers: Floats,
        team: Team,
        mean: Point,
        share: float,
    ) -> float:
        """Choose at some prices and multipliers; return what the choices cost.

        ``prices`` say what a copy of each type is worth, ``multipliers`` what a cut is;
        ``terms`` is what these add. The team helps. The share ``share`` of the choices
        is added to the point ``mean``.
        """
        patterns, point, k = self.patterns, self.point, self.k
        self._charge(terms, multipliers)
        values = [0.0] * len(self._blocks)
        short = {0: patterns.counts.astype(float)}  # by who works

        def work(worker: int, number: int) -> None:
            if worker not in short:
                short[worker] = np.zeros(len(patterns.counts))
            at = self._blocks[number]
            starts, y = patterns.starts[at.start : at.stop + 1], point.y[at]
            y[:] = point.x[starts[0] : starts[-1]] = 0
            rows = PricedRows(
                *(starts, patterns.types, patterns.counts, patterns.cost[at]),
                *(prices, self._cheaper, self._opening[at]),
            )
            values[number] = choose_rows(rows, k, point.x, y, short[worker])
            if share:
                add_open(starts, point.x, y, share, mean.x)
                mean.y[at] += share * y

        team.share(len(values), work)
        point.short = sum(short.values(), np.zeros(len(patterns.counts)))
        return sum(values)

    def _charge(self, terms: CutTerms, multipliers: Floats) -> None:
        """Note what multipliers make copies cheaper by, and patterns dearer."""
        self._cheaper[terms.imports] = 0
        self._opening[terms.opened] = 0
        charge(terms.imports, terms.import_cut, multipliers, self._cheaper)
        charge(terms.opened, terms.open_cut, multipliers * terms.r, self._opening)
