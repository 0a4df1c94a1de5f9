"""A lower bound on suppressed tuples: the rows that cannot stay with their type."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import (
    TUPLES,
    Certificate,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    expect_parts,
    group_by,
    least_diversity,
    least_size,
)


def residue(
    table: Table, requirement: Requirement, *, objective: Objective = TUPLES
) -> Result:
    """Bounds the suppressed tuples of any release from below, without a solver.

    For l-diversity the bound is at most l - 1 below the optimum whenever phase 2 of
    TP ends with an l-eligible residue, so always for l = 2 (Xiao, Yi, Tao). For
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
    type t enters R where :math:`\\sum_v \\min(c_{tv}, h_t) < k`.

    Why it is right. If rows of type t that are l-eligible stay and h of them hold the
    most frequent value, then :math:`\\sum_v \\min(c_{tv}, h) \\ge l h`. The left side
    is the minimum over j of ``j h`` and all counts but the j largest, so h is at most
    :math:`h_t`: at least :math:`R_{tv}` rows leave, and all of them if fewer than k
    could stay. The rows that leave are the union of valid groups, hence valid: l
    times as many as any of their values, and at least k if there are any.

    With several sensitive columns each gives a bound and the largest counts. Classes
    of rows that differ on columns of ``keep`` never meet; their bounds add up. With
    k-anonymity alone, all rows count as having different values (l = 1).

    Parameters
    ----------
    table
        With a sensitive column where the requirement is l-diversity.
    requirement
        k-anonymity, l-diversity (frequency form), or both.
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
    >>> from instances import LDiversity
    >>> rows = [["0", "a"], ["0", "a"], ["0", "b"], ["1", "a"], ["1", "b"]]
    >>> table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    >>> residue(table.take(np.array([1, 2, 3, 4])), LDiversity(2)).lower_bound
    0
    >>> residue(table, KAnonymity(3)).lower_bound
    3
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    if objective.kind != "tuples":
        raise NotSupportedError("Expected the objective tuples, got stars.")
    run = Run(table, requirement, objective)
    if no := run.infeasible():
        return no
    bound = int(class_bounds(table, requirement, objective).sum())
    certificate = Certificate.of(table, requirement, objective, "residue", bound, {})
    run.raise_bound(bound, "residue", certificate)
    return run.result()


def class_bounds(
    table: Table, requirement: Requirement, objective: Objective
) -> npt.NDArray[np.int64]:
    """The residue bound of each class of rows that agree on the kept columns."""
    k, l = least_size(requirement), least_diversity(requirement)
    classes = kept_classes(table, objective)
    profiles = profiles_of(table) if l > 1 else [Profile.of_types(table)]
    bounds = [_bounds(profile, classes, k, l) for profile in profiles]
    return np.asarray(np.maximum.reduce(bounds))


def _bounds(
    profile: "Profile", classes: npt.NDArray[np.int32], k: int, l: int
) -> npt.NDArray[np.int64]:
    leaving = profile.counts - np.minimum(
        profile.counts, profile.heights(k, l)[profile.types]
    )
    of_class = classes[profile.types]
    pairs = group_by(
        [of_class, profile.values],
        [int(classes.max()) + 1, int(profile.values.max()) + 1],
    )
    by_value = np.bincount(pairs.inverse, leaving).astype(np.int64)
    total = np.bincount(of_class, leaving).astype(np.int64)
    height = np.zeros_like(total)
    np.maximum.at(height, of_class[pairs.first], by_value)
    bound = np.maximum(np.maximum(total, l * height), k)
    return np.where(total > 0, bound, 0)


def kept_classes(table: Table, objective: Objective) -> npt.NDArray[np.int32]:
    """For each row type its class: types in one agree on the kept columns."""
    codes = table.row_types.codes
    kept = np.flatnonzero(objective.kept(table))
    return group_by(
        [codes[:, j] for j in kept] or [np.zeros(len(codes), np.int32)],
        [table.qi_cardinalities[j] for j in kept] or [1],
    ).inverse


@dataclass(frozen=True, eq=False)
class Profile:
    """How often each value of one sensitive column occurs in each row type.

    Attributes
    ----------
    types, values, counts
        One entry for each pair that occurs, sorted by type.
    """

    types: npt.NDArray[np.int32]
    values: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of_types(cls, table: Table) -> "Profile":
        """Types as if without sensitive values (what k-anonymity alone sees)."""
        counts = table.row_types.counts
        types = np.arange(len(counts), dtype=np.int32)
        return cls(types, np.zeros_like(types), counts)

    def heights(self, k: int, l: int) -> npt.NDArray[np.int64]:
        """For each type, how many rows of one value can stay at most: h_t."""
        order = np.lexsort((-self.counts, self.types))
        counts = self.counts[order]
        starts = np.searchsorted(self.types, np.arange(self.types[-1] + 1))
        ends = np.append(starts[1:], len(counts))
        rest = np.add.reduceat(counts, starts)
        heights = rest // l
        for j in range(1, l):
            at = starts + j - 1
            rest = rest - np.where(at < ends, counts[np.minimum(at, ends - 1)], 0)
            heights = np.minimum(heights, rest // (l - j))
        staying = np.minimum(self.counts, heights[self.types])
        enough = np.add.reduceat(staying, starts) >= k
        return np.asarray(np.where(enough, heights, 0))


def profiles_of(table: Table) -> list[Profile]:
    """One profile for each sensitive column."""
    types = table.sensitive_types
    type_ = qi_types(table)
    profiles = []
    for j in range(types.sensitive.shape[1]):
        value = types.sensitive[:, j]
        pairs = group_by([type_, value], [len(table.row_types), int(value.max()) + 1])
        counts = np.bincount(pairs.inverse, types.counts).astype(np.int64)
        profiles.append(Profile(type_[pairs.first], value[pairs.first], counts))
    return profiles


def qi_types(table: Table) -> npt.NDArray[np.int32]:
    """For each type by QI and sensitive values its type by QI alone."""
    codes = table.sensitive_types.codes
    return group_by(list(codes.T), table.qi_cardinalities).inverse
