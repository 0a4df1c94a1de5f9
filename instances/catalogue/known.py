"""Best known values of problems on named tables, kept in one file with a version."""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from starmin.instances.arguments import nearest
from starmin.instances.arrays import Int32s
from starmin.instances.errors import TableError
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.partition import Partition
from starmin.instances.requirements.diversity import LDiversity
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.runs.certificate import Certificate
from starmin.instances.runs.result import TOLERANCE

Counted: TypeAlias = Literal["stars", "tuples", "gcp"]
Group: TypeAlias = Literal["stars", "ranges", "l", "rules", "non-homogeneous", "tuples"]

KNOWN = Path(__file__).parents[1] / "best_known"
FILE = KNOWN / "best_known.json"


@dataclass(frozen=True, eq=False)
class BestKnown:
    """The least value known of a problem, and the greatest bound."""

    # the table, as the catalogue names it, with its parameters; the QI and sensitive
    # columns are the table's own
    instance: str
    k: int  # k, l: the requirement; 1: not asked
    l: int
    kind: Counted  # what is counted
    # value, found_by: the least number known (of gcp: a share of all that can be lost),
    # and what found it
    value: float
    found_by: str
    bound: float  # bound, bound_by: no release has less, and what proved it
    bound_by: str
    how: str  # a word on the proof, where no certificate is kept
    # a partition of that value, which anyone can recount; None for large tables
    partition: Partition | None
    # the file that keeps the certificate of the bound; None: there is none
    proof: str | None
    table_hash: str  # SHA-256 of the cells, as ``fingerprint`` makes it
    # what else is asked, by the names of options of the command line
    options: Mapping[str, Any] = field(default_factory=dict)
    stars: str | None = None  # packed bits: the cells hidden, where there are no groups

    @property
    def group(self) -> Group:
        """What kind of problem it is."""
        if "combinations" in self.options:
            return "rules"
        if self.options.get("recoding") == "nonhomogeneous":
            return "non-homogeneous"
        if self.kind == "gcp":
            return "ranges"
        return "tuples" if self.kind == "tuples" else "stars" if self.l == 1 else "l"

    @property
    def asked(self) -> dict[str, Any]:
        """All that is asked, by the names of options of the command line."""
        numbers = {name: n for name, n in (("k", self.k), ("l", self.l)) if n > 1}
        return numbers | dict(self.options)

    @property
    def cited(self) -> str:
        """How to cite it: the list, its version, the problem, and the table's hash."""
        return f"{_content()['name']} {version()}: {self.name}, {self.table_hash[:16]}"

    @property
    def name(self) -> str:
        """The name of the problem.

        >>> best_known("hospital")[4].name
        'hospital.k3.l2.stars'
        """
        return problem_name(self.instance, self.k, self.l, self.kind, self.options)

    @property
    def optimal(self) -> bool:
        """Whether it is proven that none is less; of losses, to 1e-6."""
        near = TOLERANCE if self.kind == "gcp" else 0
        return self.value - self.bound <= near * self.value

    @property
    def kept(self) -> bool:
        """Whether the release is kept, as it is of all but large tables."""
        return self.partition is not None or self.stars is not None

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


def problem_name(
    instance: str, k: int, l: int, kind: str, options: Mapping[str, Any] | None = None
) -> str:
    """Name a problem by its table, the requirement and what is counted.

    >>> problem_name("census:n=1000", 5, 1, "stars")
    'census:n=1000.k5.stars'
    >>> problem_name("hospital", 2, 1, "stars", {"combinations": "2"})
    'hospital.k2.combinations=2.stars'
    """
    asked = [f"{letter}{n}" for letter, n in (("k", k), ("l", l)) if n > 1]
    for name, value in sorted((options or {}).items()):
        told = ",".join(value) if isinstance(value, list) else value
        asked += [told if name == "recoding" else f"{name}={told}"]
    return ".".join((instance, *asked, kind))


@cache
def all_known() -> Mapping[str, BestKnown]:
    """Return what is known of all problems, by their names.

    >>> all_known()["mortgages.k5.stars"].value
    524
    """
    found = [_read(record) for record in _content()["problems"]]
    return {known.name: known for known in found}


@cache
def _content() -> Any:
    return json.loads(FILE.read_text("utf-8"))


def forget() -> None:
    """Read the file again when it is asked for: it has changed."""
    all_known.cache_clear()
    _content.cache_clear()


def version() -> str:
    """Return the version of the list and the first digits of the file's SHA-256."""
    digest = hashlib.sha256(FILE.read_bytes()).hexdigest()
    return f"{_content()['version']} ({digest[:12]})"


def known_of(word: str) -> tuple[BestKnown, ...]:
    """Return the problems that are proven of a kind, or with a word in their names.

    Raises TableError where there is none.

    >>> len(known_of("stars")) >= 10
    True
    """
    proven = [each for each in all_known().values() if each.optimal]
    small = [each for each in proven if each.group == word and each.kept]
    if found := small or [each for each in proven if word and word in each.name]:
        return tuple(found)
    kinds = ", ".join(get_args(Group))
    raise TableError(
        f"known:{word}: no proven problem; expected one of {kinds}, or a part of a "
        "name that `starmin instances best` lists"
    )


def best_known(instance: str) -> tuple[BestKnown, ...]:
    """Look up what is known of a table, in the order of its file.

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


def unpacked_groups(text: str) -> Int32s:
    """Read groups that were written as text: compressed numbers of four bytes."""
    plain = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(plain, "<i4").astype(np.int32)


def _read(record: Mapping[str, Any]) -> BestKnown:
    groups = record["groups"]
    if isinstance(groups, str):
        groups = unpacked_groups(groups)
    return BestKnown(
        record["instance"],
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
        record["table_sha256"],
        record.get("options", {}),
        record.get("stars"),
    )
