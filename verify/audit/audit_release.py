"""Every inference on a release that is asked for, each timed."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from time import perf_counter
from typing import Any, Literal

import numpy as np

from starmin.instances import Coding, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION
from starmin.instances.releases.release import GROUP
from starmin.verify.audit.chances import definetti, matchings
from starmin.verify.audit.classes import (
    Classes,
    TypesInClasses,
    classes_of,
    type_rule,
    types_in_classes,
)
from starmin.verify.audit.hidden_cells import closure, ends, exclusion
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.audit.minimality_attack import minimality, minimality_by_types
from starmin.verify.audit.shuffled import in_any_order
from starmin.verify.cells.cells import Cells
from starmin.verify.exact import BeyondError, expect_time, until
from starmin.verify.texts import places_in

# Differencing: what several releases of one table show together, row by row.


def in_one_order(releases: Sequence[Classes]) -> Inference | None:
    """Intersect the cells of releases row by row, as if their rows were in one order.

    In what is returned, ``hidden`` counts the cells of the release that hides most,
    ``narrowed`` those that another one tells more of, ``pinned`` those that together
    have one value, and ``whole`` the rows of which each cell is known so. Rows that
    would have no value in some column are contradictions: then the orders differ. None
    where the numbers of rows differ.

    >>> from starmin.verify.cells.cells import PlainCells
    >>> def table(*rows): return Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> one = table("*x", "*x", "2y")
    >>> two = table("1x", "2*", "2*")
    >>> plain = {"a": PlainCells(), "b": PlainCells()}
    >>> found = in_one_order(classes_of([one, two], plain))
    >>> found.hidden, found.narrowed, found.pinned, found.whole
    (2, 2, 2, 2)
    """
    if len({release.released.n for release in releases}) > 1:
        return None
    most = max(releases, key=lambda release: release.hidden_cells)
    hidden_in_row = most.hidden[most.of_row]
    sizes = [_together(releases, j) for j in range(len(most.columns))]
    left, own, right = (np.stack(each, axis=1) for each in zip(*sizes, strict=True))
    own = own[:, :, releases.index(most)]
    fits = np.asarray((left > 0).all(axis=1))
    narrowed = hidden_in_row & (left < own) & fits[:, None]
    pinned = narrowed & (left == 1)
    whole = hidden_in_row.any(axis=1) & (pinned | ~hidden_in_row).all(axis=1)
    worst = [
        Worst(row + 1, f"{np.count_nonzero(pinned[row])} hidden cells are shown")
        for row in np.argsort(-pinned.sum(axis=1), kind="stable")[:MAX_WORST].tolist()
        if pinned[row].any()
    ]
    return Inference(
        SOUND,
        hidden=most.hidden_cells,
        narrowed=int(np.count_nonzero(narrowed)),
        pinned=int(np.count_nonzero(pinned)),
        whole=int(np.count_nonzero(whole)),
        false=None if most.truth is None else int((pinned & ~right).sum()),
        contradictions=int(np.count_nonzero(~fits)),
        worst=tuple(worst),
    )


def _together(releases: Sequence[Classes], j: int) -> tuple[Ints, Ints, Bools]:
    """Return for each row how many values a cell has together, and in each release.

    And whether its value in the original is one of them; True without an original.
    """
    expect_time()
    codes = np.stack([each.codes[each.of_row, j] for each in releases], axis=1)
    kinds, which = np.unique(codes, axis=0, return_inverse=True)
    masks = [each.columns[j].masks[kinds[:, i]] for i, each in enumerate(releases)]
    both = np.logical_and.reduce(masks)
    together = both.sum(axis=1)
    alone = np.stack([mask.sum(axis=1) for mask in masks], axis=1)
    which = which.reshape(-1)
    right = np.ones(len(which), bool)
    for release in releases:
        if release.truth is not None:
            right &= both[which, release.truth[j]]
    return together[which].astype(np.int64), alone[which].astype(np.int64), right


# Counts: how many rows of each value a class of a later stage must have.


def stage_counts(classes: Classes, k: int, out: list[Bools]) -> Inference:
    """Count the cells that are known since values of an earlier stage were too rare.

    A tool that generalizes by stages published whatever had k rows. A class of s rows,
    taken apart by one column one level lower, is made of m combinations that were not
    published, of at most k - 1 rows each. So each has at least s - (m - 1)(k - 1).
    ``classes`` are of a k-anonymous release made by stages; what ``exclusion`` rules
    out, ``out``, makes no combination.

    >>> from starmin.verify.cells.cells import PlainCells
    >>> rows = [["*", "1"]] * 5 + [["f", "2"], ["m", "2"]]
    >>> released = Table.from_rows(["sex", "age"], rows, qi=["sex", "age"])
    >>> plain = {"sex": PlainCells(), "age": PlainCells()}
    >>> (classes,) = classes_of([released], plain)
    >>> none = [np.zeros((classes.number, 2), bool)] * 2
    >>> stage_counts(classes, 4, none).pinned
    4
    """
    narrowed = pinned = 0
    impossible = np.zeros(classes.number, bool)
    false = None if classes.truth is None else 0
    for j, column in enumerate(classes.columns):
        expect_time()
        truly = classes.truly(j)
        for c in np.flatnonzero(classes.hidden[:, j]).tolist():
            children = column.children[classes.codes[c, j]]
            there = (children >= 0) & ~out[j][c]
            kinds, sizes = np.unique(children[there], return_counts=True)
            if len(kinds) == 0:
                continue
            s, m = int(classes.sizes[c]), len(kinds)
            impossible[c] |= m * (k - 1) < s
            least = s - (m - 1) * (k - 1)
            if least <= 0 or impossible[c]:
                continue
            narrowed += m * least
            pinned += int(np.count_nonzero(sizes == 1)) * least
            if false is not None and truly is not None:
                for kind in kinds:
                    rows = int(truly[c, children == kind].sum())
                    false += max(0, least - rows)
    return Inference(
        SOUND,
        hidden=classes.hidden_cells,
        narrowed=narrowed,
        pinned=pinned,
        false=false,
        contradictions=int(np.count_nonzero(impossible)),
    )


Model = Literal["optimal", "stages", "unknown"]
Knows = Literal["nothing", "qi", "classes"]


@dataclass(frozen=True)
class Question:
    """What the attacker is taken to know, and of what."""

    coding: Coding = field(default_factory=Coding)
    # k, l: what each class has to satisfy: so many rows, no value in more than a share
    # 1/l
    k: int = 1
    l: int = 1
    # how the release was made: ``optimal`` by a search that no single move of a row
    # would improve, by ``stages`` of rising generality (as ARX does), or ``unknown``
    model: Model = "unknown"
    # ``qi``: the quasi-identifiers of all people; ``classes``: whose row is in which
    # class, too
    knows: Knows = "nothing"

    @property
    def bounded(self) -> frozenset[str]:
        """Columns some of whose nodes may not be published, so that others are."""
        return frozenset(self.coding.max_levels) | {*self.coding.floors.columns}


@dataclass(frozen=True)
class Audit:
    """What releases tell who knows how they were made, by inference.

    Each is None where it does not apply: another model, other knowledge, or no such
    columns; or where it was not counted: ``not_counted`` says of these why, by name.
    """

    closure: Inference | None = None
    ends: Inference | None = None
    differencing: Inference | None = None
    minimality: Inference | None = None
    type_rule: Inference | None = None
    definetti: Inference | None = None
    exclusion: Inference | None = None
    counts: Inference | None = None
    matchings: Inference | None = None
    not_counted: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of ``starmin audit``."""
        content: dict[str, Any] = {
            name: found and found.as_json() for name, found in self.inferences.items()
        }
        return content | {"not_counted": {**self.not_counted} or None}

    @property
    def inferences(self) -> dict[str, Inference | None]:
        """All inferences by name."""
        every = {name: getattr(self, name) for name in self.__dataclass_fields__}
        del every["not_counted"]
        return every


def audit(
    releases: Sequence[Table],
    cells: Mapping[str, Cells],
    question: Question,
    original: Table | None = None,
    aligned: Sequence[Table | None] | None = None,
    seconds: float = math.inf,
) -> Audit:
    """Infer what releases tell; of several, the first is audited by itself.

    ``cells`` says what the cells of their quasi-identifiers stand for; ``aligned`` has
    for each release the original's rows in its order, None where that is unknown. Each
    inference may take so many ``seconds``: minimality by classes looks at as many as it
    can, the smallest ones first; others are not counted if they take longer.
    """
    whys: dict[str, str] = {}

    def timed(name: str, infer: Callable[[], Inference | None]) -> Inference | None:
        start = perf_counter()
        try:
            with until(lambda: perf_counter() - start >= seconds):
                found = infer()
        except BeyondError as error:
            whys[name] = str(error)
            return None
        return found and replace(found, seconds=perf_counter() - start)

    if question.coding.recoding == PERMUTATION:
        whole = None if aligned is None else aligned[0]
        told = timed("definetti", lambda: _of_permutation(releases[0], question, whole))
        return Audit(definetti=told, not_counted=whys)
    every = classes_of(releases, cells, original, aligned, question.bounded)
    first, source = every[0], None if aligned is None else aligned[0]
    tight, optimal = question.model != "stages", question.model == "optimal"
    coding, k, l = question.coding, question.k, question.l
    if coding.recoding == NONHOMOGENEOUS:
        return Audit(
            differencing=timed("differencing", lambda: differencing(every)),
            matchings=timed("matchings", lambda: _matched(first, question)),
            not_counted=whys,
        )
    known = _known(first, question)
    ruled: list[list[Bools]] = []

    def by_values() -> Inference | None:
        if known is None or not optimal:
            return None
        if question.knows == "classes":
            return minimality(known, k, l, seconds)
        return minimality_by_types(known, k, l)

    inferences: dict[str, Callable[[], Inference | None]] = {
        "closure": lambda: closure(first) if tight else None,
        "ends": lambda: ends(first, coding, source, original) if tight else None,
        "differencing": lambda: differencing(every),
        "minimality": by_values,
        "type_rule": lambda: None if known is None else type_rule(known, l),
        "definetti": lambda: _definetti(first, question),
        "exclusion": lambda: _excluded(first, question, ruled),
        "counts": lambda: (
            None if tight or not ruled else stage_counts(first, k, ruled[0])
        ),
    }
    found = {name: timed(name, infer) for name, infer in inferences.items()}
    return Audit(**found, not_counted=whys)


def _excluded(
    classes: Classes, question: Question, ruled: list[list[Bools]]
) -> Inference | None:
    """Rule out values, and keep which; None where a class may need its rows."""
    if question.model == "unknown" or question.l > 1 or question.k < 2:
        return None
    found, out = exclusion(classes, question.k, question.model == "stages")
    ruled.append(out)
    return found


def _matched(classes: Classes, question: Question) -> Inference | None:
    """Count matchings, where the quasi-identifiers of all people are known."""
    if question.knows == "nothing" or classes.truth is None:
        return None
    return matchings(classes, question.k)


def _definetti(classes: Classes, question: Question) -> Inference | None:
    """Guess values; None where rows are not known by quasi-identifiers and class."""
    released = classes.released
    if len(released.sensitive) != 1 or question.l < 2 or question.knows != "classes":
        return None
    if classes.truth is None or (classes.truth < 0).any():
        return None
    values = released.column(released.sensitive[0])
    return definetti(list(classes.truth), values, classes.of_row, question.l, values)


def _of_permutation(
    released: Table, question: Question, source: Table | None
) -> Inference | None:
    """Guess values of a release whose quasi-identifiers are published as they are."""
    if len(released.sensitive) != 1 or question.l < 2:
        return None
    (name,) = released.sensitive
    public = [c for c in released.names if c not in (GROUP, name)]
    columns = [released.column(c) for c in public]
    truth = None
    if source is not None:
        truth = np.maximum(places_in(source, name, released.dictionary(name)), 0)
    groups = released.column(GROUP)
    return definetti(columns, released.column(name), groups, question.l, truth)


def _known(classes: Classes, question: Question) -> TypesInClasses | None:
    """Return whose row is of which type, if that is known and values are sensitive."""
    released = classes.released
    if question.knows == "nothing" or question.l < 2 or len(released.sensitive) != 1:
        return None
    return types_in_classes(classes, released.sensitive[0])


def differencing(every: Sequence[Classes]) -> Inference | None:
    """Compare releases row by row, and whatever their orders; None: there is one.

    What is known in one order is told if each row agrees in all releases, else what is
    known in any. The other count is under ``any_order``.
    """
    if len(every) < 2:
        return None
    pairs = [in_any_order(*pair) for pair in combinations(every, 2)]
    shuffled = max(pairs, key=lambda found: found.pinned)
    ordered = in_one_order(every)
    if ordered is None or ordered.contradictions:
        return replace(shuffled, more=dict(shuffled.more) | {"order": "any"})
    counts = ("narrowed", "pinned", "contradictions")
    loose = {name: getattr(shuffled, name) for name in counts}
    return replace(ordered, more={"order": "one", "any_order": loose})
