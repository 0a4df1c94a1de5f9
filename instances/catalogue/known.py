"""Best known values of problems on named tables, kept in ``best_known/*.json``."""

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from starmin.instances.arguments import nearest
from starmin.instances.arrays import Int32s, IntArray
from starmin.instances.errors import TableError
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.partition import Partition
from starmin.instances.requirements.diversity import LDiversity
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.runs.certificate import Certificate

Counted: TypeAlias = Literal["stars", "tuples"]

KNOWN = Path(__file__).parents[1] / "best_known"


@dataclass(frozen=True, eq=False)
class BestKnown:
    """The least value known of a problem, and the greatest bound."""

    # the table, as the catalogue names it, with its parameters; the QI and sensitive
    # columns are the table's own
    instance: str
    k: int  # k, l: the requirement; 1: not asked
    l: int
    kind: Counted  # what is counted
    value: int  # value, found_by: the least number known, and what found it
    found_by: str
    bound: int  # bound, bound_by: no release has less, and what proved it
    bound_by: str
    how: str  # a word on the proof, where no certificate is kept
    # a partition of that value, which anyone can recount; None for large tables
    partition: Partition | None
    # the file that keeps the certificate of the bound; None: there is none
    proof: str | None

    @property
    def name(self) -> str:
        """The name of the problem.

        Examples
        --------
        >>> best_known("hospital")[-1].name
        'hospital.k3.l2.stars'
        """
        return problem_name(self.instance, self.k, self.l, self.kind)

    @property
    def optimal(self) -> bool:
        """Whether it is proven that none is less."""
        return self.value == self.bound

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

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the bound; None where none is kept."""
        if self.proof is None:
            return None
        return Certificate.read(KNOWN / self.proof)


def problem_name(instance: str, k: int, l: int, kind: str) -> str:
    """Name a problem by its table, the requirement and what is counted.

    Examples
    --------
    >>> problem_name("census:n=1000", 5, 1, "stars")
    'census:n=1000.k5.stars'
    """
    asked = [f"{letter}{n}" for letter, n in (("k", k), ("l", l)) if n > 1]
    return ".".join((instance, *asked, kind))


@cache
def all_known() -> Mapping[str, BestKnown]:
    """Return what is known of all problems, by their names.

    Examples
    --------
    >>> all_known()["mortgages.k5.stars"].value
    524
    """
    contents = [json.loads(path.read_text()) for path in sorted(KNOWN.glob("*.json"))]
    found = [
        _read(content["instance"], record)
        for content in contents
        for record in content["records"]
    ]
    return {known.name: known for known in found}


def best_known(instance: str) -> tuple[BestKnown, ...]:
    """Look up what is known of a table, in the order of its file.

    Examples
    --------
    >>> for known in best_known("hospital")[:3]:
    ...     print(known.requirement, known.kind, known.value, known.optimal)
    KAnonymity(k=2) stars 2 True
    KAnonymity(k=3) stars 12 True
    LDiversity(l=2) stars 6 True
    """
    return tuple(known for known in all_known().values() if known.instance == instance)


def find_known(name: str) -> BestKnown:
    """Find a problem by its name.

    Raises TableError where there is none; the message names the nearest.
    """
    known = all_known()
    if name not in known:
        raise TableError(
            f"--problem: no problem {name!r}{nearest(name, known)}; "
            "`starmin instances best` lists them"
        )
    return known[name]


def packed_groups(groups: IntArray) -> str:
    """Write groups as text: compressed numbers of four bytes.

    Examples
    --------
    >>> unpacked_groups(packed_groups(np.array([0, 1, 0]))).tolist()
    [0, 1, 0]
    """
    plain = np.asarray(groups, "<i4").tobytes()
    return base64.b64encode(zlib.compress(plain, 9)).decode()


def unpacked_groups(text: str) -> Int32s:
    """Read groups that ``packed_groups`` wrote."""
    plain = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(plain, "<i4").astype(np.int32)


def _read(instance: str, record: Mapping[str, Any]) -> BestKnown:
    groups = record["groups"]
    if isinstance(groups, str):
        groups = unpacked_groups(groups)
    return BestKnown(
        instance,
        record["requirement"].get("k", 1),
        record["requirement"].get("l", 1),
        record["objective"],
        record["value"],
        record["found_by"],
        record["bound"],
        record["bound_by"],
        record["how"],
        None if groups is None else Partition(np.array(groups, np.int32)),
        record["certificate"],
    )
