"""Check a non-homogeneous release against a public table, from their cells alone."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from instances import Requirement, Table, expect_k
from instances.tables.canonical import merge_equal_values
from instances.tables.plural import counted
from verify.cells.cells import Cells, lost_cells
from verify.cells.consistency import Inconsistency, find_inconsistencies
from verify.graphs.cover_graph import CoverGraph
from verify.graphs.flow import Flow, maximum_flow
from verify.graphs.graph import AnonymityGraph
from verify.graphs.reordering import is_reordered
from verify.nonhomogeneous.matchings import Matchings, disjoint_matchings
from verify.nonhomogeneous.notions import WeakerNotions

MAX_ROWS = 10


@dataclass(frozen=True)
class Obstruction:
    """Why there are no k matchings: a count that anyone can check.

    k matchings that share no pair would take k pairs from each row of ``originals``:
    at most k for each row of ``records``, and at most all pairs there are with rows
    outside ``records``. If that is fewer, there are none (Hall; Ore for k > 1).

    Attributes
    ----------
    originals, records
        Rows of the public table and of the release, from 0.
    outside
        Pairs of the anonymity graph from ``originals`` to rows not in ``records``.
    k
        The k that fails.
    """

    originals: npt.NDArray[np.int64]
    records: npt.NDArray[np.int64]
    outside: int
    k: int

    @property
    def why(self) -> str:
        """In words."""
        need, have = self.k * len(self.originals), self.k * len(self.records)
        rows = counted(
            len(self.originals),
            "row of the original needs",
            "rows of the original need",
        )
        return (
            f"{rows} {need} pairs for k = {self.k}; there are at most "
            f"{have + self.outside}: {have} with "
            f"{counted(len(self.records), 'released row')}, {self.outside} with all "
            "others"
        )


@dataclass(frozen=True)
class NonHomogeneousCheck:
    """What a non-homogeneous release is worth, recomputed from its cells.

    Attributes
    ----------
    holds
        Whether it is k-anonymous for the k that was asked; None where none was.
    k
        The largest k that holds.
    stars, gcp
        Suppressed QI cells, and their share of all QI cells.
    weaker
        What the weaker notions see.
    obstruction
        The proof that the k that was asked does not hold; None if it does, or if
        there are not as many released rows as originals.
    inconsistencies
        Where the release differs from the original, row by row.
    reordered
        Whether it differs, and agrees with the original in some other order of its
        rows.
    """

    holds: bool | None
    k: int
    stars: int
    gcp: float
    weaker: WeakerNotions
    obstruction: Obstruction | None
    inconsistencies: tuple[Inconsistency, ...]
    reordered: bool = False

    @property
    def why(self) -> str | None:
        """In words, why it does not hold, or None if it does."""
        if self.holds is not False:
            return None
        if self.obstruction is None:
            return "no matching is perfect: not as many released rows as originals"
        return self.obstruction.why

    @property
    def consistent(self) -> bool | None:
        """Whether it agrees with the original, row by row.

        None if the order differs, so that no row can be compared.
        """
        return None if self.reordered else not self.inconsistencies

    def as_json(self) -> dict[str, Any]:
        """The keys of ``starmin verify --json``."""
        violations = []
        if self.holds is False:
            found = self.obstruction
            rows = [] if found is None else (found.originals[:MAX_ROWS] + 1).tolist()
            violations = [{"group": None, "rows": rows, "why": self.why}]
        return {
            "holds": self.holds,
            "k": self.k,
            "l": None,
            "distinct_l": None,
            "entropy_l": None,
            "t": None,
            "stars": self.stars,
            "gcp": self.gcp,
            "groups": None,
            "violations": violations,
            "violations_total": len(violations),
            "recoding": "nonhomogeneous",
            **asdict(self.weaker),
            "consistent": self.consistent,
            "inconsistencies": [
                asdict(each) | {"rows": list(each.rows)}
                for each in self.inconsistencies
            ],
            "reordered": self.reordered,
        }


class Matcher:
    """Answers for each k whether a release is k-anonymous, with the proof.

    Parameters
    ----------
    graph
        The anonymity graph of the release and the public table.

    Examples
    --------
    >>> public = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["1"]], qi=["a"])
    >>> matcher = Matcher(AnonymityGraph.of(released, public))
    >>> matcher.matchings(1).tolist()
    [[0, 1]]
    >>> matcher.obstruction(2).why
    '1 row of the original needs 2 pairs for k = 2; there are at most 1: 0 with 0 \
released rows, 1 with all others'
    """

    def __init__(self, graph: AnonymityGraph) -> None:
        self.graph = graph
        self._flows: dict[int, Flow] = {}

    def holds(self, k: int) -> bool:
        """Whether there are k perfect matchings that share no pair."""
        if k == 0:
            return True
        if not self.even or k > min(int(each.min()) for each in self.graph.degrees):
            return False
        return self._flow(k).total == k * len(self.graph.public.inverse)

    @property
    def even(self) -> bool:
        """Whether there are as many released rows as originals."""
        return len(self.graph.public.inverse) == len(self.graph.released.inverse)

    def largest(self, known: int = 0) -> int:
        """The largest k that holds; it is found faster from one known to hold."""
        low, step = known, 1
        while self.holds(low + step):
            low, step = low + step, 2 * step
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.holds(middle) else (low, middle)
        return low

    def matchings(self, k: int) -> Matchings | None:
        """k perfect matchings that share no pair, or None."""
        if not self.holds(k):
            return None
        return disjoint_matchings(self.graph, self._flow(k).amounts, k)

    def obstruction(self, k: int) -> Obstruction | None:
        """Why there are no k such matchings, or None where there are, or sides differ.

        The rows that unused supply still reaches: a minimum cut. For a k above the
        number of rows n it is one for n + 1: what fails there has more originals
        than records, so it fails by more for every larger k.
        """
        if not self.even or self.holds(k):
            return None
        public, released = self.graph.public, self.graph.released
        flow = self._flow(min(k, len(public.inverse) + 1))
        tails, heads = self.graph.edges
        leaving = flow.left[tails] & ~flow.right[heads]
        pairs = public.counts[tails[leaving]] * released.counts[heads[leaving]]
        return Obstruction(
            np.flatnonzero(flow.left[public.inverse]),
            np.flatnonzero(flow.right[released.inverse]),
            int(pairs.sum()),
            k,
        )

    @cached_property
    def _capacities(self) -> npt.NDArray[np.int64]:
        """The pairs of rows of each edge."""
        tails, heads = self.graph.edges
        return self.graph.public.counts[tails] * self.graph.released.counts[heads]

    def _flow(self, k: int) -> Flow:
        """The maximum flow, k for each row on both sides (Theorem 1 of the paper).

        k is at most n + 1, so no sum of supplies or of pairs exceeds n (n + 1).
        """
        if k not in self._flows:
            tails, heads = self.graph.edges
            supplies = k * self.graph.public.counts
            demands = k * self.graph.released.counts
            self._flows = {
                k: maximum_flow(tails, heads, self._capacities, supplies, demands)
            }
        return self._flows[k]


def graph_of(
    released: Table,
    public: Table,
    star: str = "*",
    cells: Mapping[str, Cells] | None = None,
) -> AnonymityGraph:
    """The anonymity graph of a release by stars, or by cells with a meaning."""
    if cells is None:
        return AnonymityGraph.of(released, public, star)
    return CoverGraph.of_cells(released, public, cells, star)


def check_nonhomogeneous(
    released: Table,
    original: Table,
    requirement: Requirement | None = None,
    star: str = "*",
    cells: Mapping[str, Cells] | None = None,
) -> NonHomogeneousCheck:
    """Recompute whether a release is k-anonymous against the table it was made of.

    A star matches any value. The release is k-anonymous if and only if its anonymity
    graph has k perfect matchings that share no pair, which is a maximum flow of k
    for each row (Murakami and Uno 2018, Definition 1 and Theorem 1).

    Parameters
    ----------
    released
        The release, its QI columns named.
    original
        The public table.
    requirement
        k-anonymity, or None to measure only.
    star
        The symbol of a suppressed cell.
    cells
        Of a release by generalization, what the cells of QI columns stand for
        (``verify.cells.read_cells``); default: a star for all values, any other for
        itself.

    Raises
    ------
    NotSupportedError
        A requirement other than k-anonymity.

    Notes
    -----
    1 to 3 s for 100,000 rows by 8 or 10 columns released by rings.

    Examples
    --------
    >>> from instances import KAnonymity
    >>> names = ["a", "b"]
    >>> original = Table.from_rows(names, [["0", "x"], ["1", "x"], ["1", "y"]], names)
    >>> released = Table.from_rows(names, [["*", "x"], ["1", "*"], ["*", "*"]], names)
    >>> check = check_nonhomogeneous(released, original, KAnonymity(2))
    >>> check.holds, check.k, check.stars
    (True, 2, 4)
    """
    asked = 0 if requirement is None else expect_k(requirement)
    released = merge_equal_values(released)
    graph = graph_of(released, original, star, cells)
    matcher = Matcher(graph)
    holds = matcher.holds(asked)
    obstruction = None if holds else matcher.obstruction(asked)
    largest = matcher.largest(asked if holds else 0)
    stars = int(graph.starred.sum(axis=1) @ graph.released.counts)
    lost = Fraction(stars) if cells is None else lost_cells(released, cells)
    differences = tuple(find_inconsistencies(released, original, star, cells))
    return NonHomogeneousCheck(
        holds=None if requirement is None else holds,
        k=largest,
        stars=stars,
        gcp=float(lost / (released.n * released.d)),
        weaker=WeakerNotions.of(graph),
        obstruction=obstruction,
        inconsistencies=differences,
        reordered=bool(differences) and is_reordered(released, original, star, cells),
    )
