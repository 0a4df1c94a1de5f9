"""l-diversity by frequency: no sensitive value is in more than 1/l of a group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools
from starmin.instances.requirements.diversity.diversity import Diversity
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.measure import Measure, Measured, Number, least
from starmin.instances.requirements.plain_group import PlainGroup
from starmin.instances.requirements.requirement import (
    Core,
    Requirement,
    at_most,
    every,
    most_frequent,
    sensitive_counts,
)
from starmin.instances.tables.plural import number_word
from starmin.instances.tables.table import Table


@dataclass(frozen=True)
class LDiversity(Diversity):
    """No sensitive value covers more than a share 1/l of a group (frequency form).

    With several sensitive columns each of them must satisfy it.

    Notes
    -----
    It counts rows, and bounds the guess of a reader who knows the group alone. Whoever
    also knows the quasi-identifiers of all people and that cost was minimised may know
    more (docs/explanation/security.md, "What an optimum gives away").

    Examples
    --------
    >>> from starmin.instances import SensitiveCounts
    >>> counts = SensitiveCounts.of([0, 0, 0], [0, 0, 1], ("flu", "gout"))
    >>> stats = GroupStats.given([3], [counts])
    >>> LDiversity(2).holds(stats).tolist()
    [False]
    >>> LDiversity(2).why_not(0, stats)
    "sensitive value 'flu' covers 2 of 3 rows, more than 1/2"
    """

    name = "l"
    kind = "frequency"
    measure = Measure(
        "l", "l", "no value has more than 1/l of its group", "l", "{:.3f} by frequency"
    )

    l: int

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        return least([each.sizes / each.largest() for each in found.known])

    @property
    def core(self) -> Core:
        return Core(diversity=self.l)

    def sentence(self, table: Table, recoding: str) -> str:
        return at_most(f"one in {number_word(self.l)}", table)

    def holds(self, stats: GroupStats) -> Bools:
        # Divided, not multiplied: an l beyond any table must not overflow.
        most = stats.sizes // min(self.l, np.iinfo(np.int64).max)
        return every([column.largest() <= most for column in sensitive_counts(stats)])

    def allows(self, group: PlainGroup) -> bool:
        tops = [max(Counter(values).values()) for values in group.sensitive]
        return all(self.l * top <= group.size for top in tops)

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{most_frequent(group, stats)}, more than 1/{self.l}"

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l}
