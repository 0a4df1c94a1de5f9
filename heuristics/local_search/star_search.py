"""The search for stars and tuples: groups as patterns with the rows dealt to them."""

import numpy as np

from starmin.heuristics.local_search.local_search_params import LocalSearchParams
from starmin.heuristics.local_search.local_search_state import (
    Loads,
    empty_state,
    loads_of,
)
from starmin.heuristics.local_search.requirement_check import undo_failing
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Partition,
    Requirement,
    RowTypes,
    Run,
    Table,
    group_by,
)

# Cells of the largest table of groups by sensitive values that is kept.
_DENSE = 2**27


class StarSearch:
    """The state of the search, and the best release found."""

    def __init__(
        self, run: Run, seed: int, proposals: int, params: LocalSearchParams
    ) -> None:
        from starmin.heuristics.local_search.pattern_index import deal

        assert run.best is not None
        self.run, self.params, table = run, params, run.table
        self.rng = np.random.default_rng(seed)
        self.types = types = _types(table, run.requirement)
        self.batch = max(min(params.batch, 10 * len(types)), len(types) // 20)
        self.tried, self.next_offer = 0, 0.0
        self.held: Loads | None = None
        k, l = run.requirement.core.size, run.requirement.core.diversity
        groups = table.n // max(k, l) + run.best.size + self.batch
        if l > 1 and not _one_dense_column(table, groups):
            l = 1
        kinds = (KAnonymity, LDiversity) if l > 1 else (KAnonymity,)
        self.plain = all(isinstance(part, kinds) for part in run.requirement.parts)
        self.sources = table.n if self.plain else params.sources
        values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
        self.state = empty_state(
            table,
            types,
            values,
            run.objective,
            (k, l),
            groups,
            self.rng,
            params.moves,
        )
        begin = run.best.groups
        pairs = group_by([begin, types.inverse], [run.best.size, len(types)])
        first = pairs.first
        deal(self.state, begin[first], types.inverse[first], pairs.counts)
        self.best: float = run.value or 0
        self.most = proposals * len(types)
        self.unit = float(run.objective.column_weights(table).mean())

    def step(self, temperature: float) -> None:
        """Propose some moves, and offer what they led to where it is time to."""
        from starmin.heuristics.local_search.local_moves import propose
        from starmin.heuristics.local_search.pattern_index import tidy

        state, run = self.state, self.run
        starts = propose(
            state, self.batch, temperature, self.sources, not self.plain, self.rng
        )
        self.tried += self.batch
        run.stats["proposals"] = self.tried
        if not self.plain:
            undo_failing(state, starts, run.table, self.types, run.requirement)
        value = tidy(state)
        if value < self.best:
            self.best, self.held = value, loads_of(state)
            if run.elapsed >= self.next_offer:
                self.offer()

    def offer(self) -> None:
        """Offer the best that was found."""
        began = self.run.elapsed
        if self.held is not None:
            self.run.offer(Partition.from_loads(self.types, *self.held))
            self.held = None
        now = self.run.elapsed
        self.next_offer = now + self.params.between * (now - began)


def _types(table: Table, requirement: Requirement) -> RowTypes:
    """Return the types of rows that are alike to the requirement and the objective."""
    parts = requirement.parts
    if all(isinstance(part, KAnonymity) for part in parts):
        return table.row_types
    if not requirement.columns:
        return table.sensitive_types
    return table.with_roles(table.qi, (*table.sensitive, *table.other)).sensitive_types


def _one_dense_column(table: Table, groups: int) -> bool:
    """Check whether a count for each group and sensitive value can be kept."""
    if len(table.sensitive) != 1:
        return False
    return groups * len(table.dictionary(table.sensitive[0])) <= _DENSE
