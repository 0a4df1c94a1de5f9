"""A lower bound on suppressed tuples: the rows that cannot stay with their type."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import (
    TUPLES,
    Certificate,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Int32s, Ints
from starmin.models.bounds import RESIDUE
from starmin.models.bounds.pattern_ranges import agreeing


def residue(
    table: Table, requirement: Requirement, *, objective: Objective = TUPLES
) -> Result:
    """Bound the suppressed tuples of any release from below, without a solver.

    For l-diversity in one sensitive column the bound is at most l - 1 below the
    optimum whenever phase 2 of TP ends with an l-eligible residue, so always for l = 2
    (Xiao, Yi, Tao); with kept columns this holds in each class of them. For
    k-anonymity it is the optimum unless the larger types cannot make up k rows.

    The idea: rows without a star share a group only with rows of their own type. Of
    each type as many rows as possible stay; the others, with rows of other types,
    are suppressed, and all suppressed rows together are again a valid group.

    .. math::

        h_t = \\min_{0 \\le j < l} \\Big\\lfloor \\frac{1}{l - j}
              \\sum_{i > j} c_{t(i)} \\Big\\rfloor, \\qquad
        R_{tv} = \\max(0, c_{tv} - h_t), \\qquad
        |R^*| \\ge \\max(|R|,\\ l \\max_v R_v,\\ k) \\text{ if } |R| > 0,

    where :math:`c_{tv}` counts rows of type t with sensitive value v,
    :math:`c_{t(1)} \\ge c_{t(2)} \\ge \\dots` are the same counts sorted, and all of
    type t enters R where :math:`\\sum_v \\min(c_{tv}, h_t) < k`, and where t has too
    few different values, if these are asked for; R has as many rows, too.

    Why it is right. If rows of type t that are l-eligible stay and h of them hold the
    most frequent value, then :math:`\\sum_v \\min(c_{tv}, h) \\ge l h`. The left side
    is the minimum over j of ``j h`` and all counts but the j largest, so h is at most
    :math:`h_t`: at least :math:`R_{tv}` rows leave, and all of them if fewer than k
    could stay. The rows that leave are the union of valid groups, hence valid: l
    times as many as any of their values, and at least k if there are any.

    With several sensitive columns each limits what can stay of a type, and the
    tightest limit counts. Classes of rows that differ on columns of ``keep`` never
    meet; their bounds add up. For k-anonymity alone, l = 1 and no column is looked at.

    Parameters
    ----------
    table
        With a sensitive column where the requirement is l-diversity.
    requirement
        k-anonymity, l-diversity (frequency form), different values, or several of them.
    objective
        Tuples; its ``keep`` is used.

    Returns
    -------
    Result
        A bound with its certificate (kind ``residue``, which holds no data), no
        release; or infeasible.

    Raises
    ------
    NotSupportedError
        Another requirement, or the objective stars.

    Notes
    -----
    A sort of the m distinct (type, value) pairs and l passes.

    References
    ----------
    Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT
    2010, section 5. The closed form of phase 1 and the part on k are ours.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, LDiversity
    >>> rows = [["0", "a"], ["0", "a"], ["0", "b"], ["1", "a"], ["1", "b"]]
    >>> table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    >>> residue(table.take(np.array([1, 2, 3, 4])), LDiversity(2)).lower_bound
    0
    >>> residue(table, KAnonymity(3)).lower_bound
    3
    """
    run = Run(table, requirement, objective, method=RESIDUE)
    core = requirement.core

    def search() -> None:
        stays = UnsuppressedRows.of(table, core.size, core.diversity, core.distinct)
        bound = int(stays.bounds(kept_classes(table, objective)).sum())
        proof = Certificate.of(table, requirement, objective, "residue", bound, {})
        run.raise_bound(bound, "residue", proof)

    return run.carry_out(search)


@dataclass(frozen=True, eq=False)
class UnsuppressedRows:
    """The most rows of each type that can be left without stars, for k and l."""

    # one for each sensitive column; one without values for k-anonymity alone
    profiles: tuple["Profile", ...]
    heights: Ints  # types x profiles: h_t, the most rows of one value that can be left
    rows: Ints  # by type: the most rows that can be left
    k: int
    l: int

    @classmethod
    def of(cls, table: Table, k: int, l: int, distinct: int = 1) -> "UnsuppressedRows":
        """Compute them from the table, for k-anonymity and diversity."""
        profiles: tuple[Profile, ...] = (Profile.of_types(table),)
        if max(l, distinct) > 1:
            types = table.sensitive_types
            profiles = profiles_of(qi_types(table), types.sensitive, types.counts)
        each = [profile.heights(l) for profile in profiles]
        rows = np.minimum.reduce(
            [p.unsuppressed(h) for p, h in zip(profiles, each, strict=True)]
        )
        k = max(k, distinct)
        rows = np.where(rows < k, 0, rows)
        for profile in profiles:
            rows = np.where(np.bincount(profile.types) < distinct, 0, rows)
        heights = np.stack([np.where(rows > 0, h, 0) for h in each], axis=1)
        return cls(profiles, heights, rows, k, l)

    def bounds(self, classes: Int32s) -> Ints:
        """Return the residue bound of each class, given the class of each row type."""
        types = self.profiles[0].sizes - self.rows
        total = np.bincount(classes, types).astype(np.int64)
        bounds = np.where(total > 0, np.maximum(total, self.k), 0)
        for profile, heights in zip(self.profiles, self.heights.T, strict=True):
            highest = profile.most_suppressed(heights, classes)
            bounds = np.maximum(bounds, self.l * highest)
        return np.asarray(bounds)


def kept_classes(table: Table, objective: Objective) -> Int32s:
    """Return the class of each row type: types in one agree on the kept columns."""
    columns, kept = list(table.row_types.codes.T), objective.kept(table)
    return agreeing(columns, table.qi_cardinalities, ~kept)[0]


@dataclass(frozen=True, eq=False)
class Profile:
    """How often each value of one sensitive column occurs in each row type."""

    # types, values, counts: one entry for each pair that occurs, sorted by type
    types: Int32s
    values: Int32s
    counts: Ints

    @classmethod
    def of_types(cls, table: Table) -> "Profile":
        """Count rows by type alone, as k-anonymity does."""
        counts = table.row_types.counts
        types = np.arange(len(counts), dtype=np.int32)
        return cls(types, np.zeros_like(types), counts)

    @property
    def starts(self) -> Ints:
        """Where the entries of each type begin; every type has some."""
        return np.searchsorted(self.types, np.arange(self.types[-1] + 1))

    @property
    def sizes(self) -> Ints:
        """Rows of each type."""
        return np.add.reduceat(self.counts, self.starts)

    def heights(self, l: int) -> Ints:
        """Return h_t: for each type the most rows of one value that can be left."""
        counts = self.counts[np.lexsort((-self.counts, self.types))]
        starts = self.starts
        ends = np.append(starts[1:], len(counts))
        rest = np.add.reduceat(counts, starts)
        heights = rest // l
        for j in range(1, l):
            at = starts + j - 1
            rest = rest - np.where(at < ends, counts[np.minimum(at, ends - 1)], 0)
            heights = np.minimum(heights, rest // (l - j))
        return heights

    def unsuppressed(self, heights: Ints) -> Ints:
        """Count the rows of each type left, at most ``heights`` of each value."""
        most = np.minimum(self.counts, heights[self.types])
        return np.add.reduceat(most, self.starts)

    def most_suppressed(self, heights: Ints, classes: Int32s) -> Ints:
        """Return for each class the most suppressed rows of one value."""
        suppressed = np.maximum(self.counts - heights[self.types], 0)
        of_class, count = classes[self.types], int(classes.max()) + 1
        pairs = group_by([of_class, self.values])
        highest = np.zeros(count, np.int64)
        np.maximum.at(highest, of_class[pairs.first], pairs.summed(suppressed))
        return highest


def profiles_of(types: Int32s, values: Int32s, counts: Ints) -> tuple[Profile, ...]:
    """Count the values of each sensitive column by row type.

    Of the distinct rows by QI and sensitive values these are the types by QI, the
    values, and how many rows there are.
    """
    profiles = []
    for value in values.T:
        pairs = group_by([types, value])
        rows = pairs.summed(counts)
        profiles.append(Profile(types[pairs.first], value[pairs.first], rows))
    return tuple(profiles)


def qi_types(table: Table) -> Int32s:
    """Return for each type by QI and sensitive values its type by QI alone."""
    codes = table.sensitive_types.codes
    return group_by(list(codes.T), table.qi_cardinalities).inverse
