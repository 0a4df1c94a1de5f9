"""Best known values of the instances, from the files ``best_known/*.json``."""

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import numpy as np

from starmin.instances.releases.objective import Objective
from starmin.instances.releases.partition import Partition
from starmin.instances.requirements.frequency_diversity import LDiversity
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import (
    Requirement,
)


@dataclass(frozen=True, eq=False)
class BestKnown:
    """The least value known of an instance under a requirement.

    Attributes
    ----------
    instance
        Its name in the catalogue; the QI and sensitive columns are the table's own.
    k, l
        The requirement; 1: not asked.
    kind
        What is counted.
    value
        The least number known.
    optimal
        Whether it is proven that none is less.
    how
        How it was found and proven.
    partition
        A partition of that value, which anyone can recount; None for large tables.
    """

    instance: str
    k: int
    l: int
    kind: Literal["stars", "tuples"]
    value: int
    optimal: bool
    how: str
    partition: Partition | None

    @property
    def requirement(self) -> Requirement:
        """The requirement as an object."""
        if self.l == 1:
            return KAnonymity(self.k)
        if self.k == 1:
            return LDiversity(self.l)
        return KAnonymity(self.k) & LDiversity(self.l)

    @property
    def objective(self) -> Objective:
        """What is minimised as an object."""
        return Objective(self.kind)


def best_known(instance: str) -> tuple[BestKnown, ...]:
    """Look up what is known of an instance; nothing of the generated ones.

    Examples
    --------
    >>> for known in best_known("hospital")[:3]:
    ...     print(known.requirement, known.kind, known.value, known.optimal)
    KAnonymity(k=2) stars 2 True
    KAnonymity(k=3) stars 12 True
    LDiversity(l=2) stars 6 True
    """
    file = files("starmin.instances") / "best_known" / f"{instance}.json"
    if not file.is_file():
        return ()
    return tuple(
        BestKnown(
            instance,
            record["requirement"].get("k", 1),
            record["requirement"].get("l", 1),
            record["objective"],
            record["value"],
            record["optimal"],
            record["how"],
            record["groups"] and Partition(np.array(record["groups"], np.int32)),
        )
        for record in json.loads(file.read_text())["records"]
    )
