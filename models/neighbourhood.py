"""Part of the pattern formulation solved anew, the loads outside it held fixed."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from instances import BoolArray, RowTypes, group_by
from models.pattern_program import PatternProgram, pattern_program
from models.patterns import Patterns
from models.program import INF, Floats, Program

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The program of some of the row types, all other copies staying where they are.

    Attributes
    ----------
    program
        The pattern program of the free types, with what the fixed copies already give
        to each pattern moved to its right-hand sides.
    incidences
        For each incidence of ``program`` its number in the whole.
    held
        Fixed copies in each pattern of ``program``.
    """

    program: PatternProgram
    incidences: Ints
    held: Ints

    def point(self, whole: Ints) -> Floats:
        """The values of the columns of ``program`` at the loads of the whole."""
        part, loads = self.program.patterns, whole[self.incidences]
        total = self.held + np.bincount(part.pattern, loads, minlength=len(part))
        columns = [loads.astype(float)]
        columns += [total.astype(float)] * (self.program.l > 1)
        columns += [(total > 0).astype(float)] * (self.program.k > 1)
        return np.concatenate(columns)

    def loads(self, whole: Ints, point: Floats) -> Ints:
        """The loads of the whole after the free types were dealt as at ``point``."""
        new = whole.copy()
        new[self.incidences] = np.rint(point[: len(self.incidences)]).astype(np.int64)
        return new


def neighbourhood(
    patterns: Patterns,
    types: RowTypes,
    k: int,
    l: int,
    loads: Ints,
    free: BoolArray,
    useful: BoolArray,
) -> Neighbourhood:
    r"""The program in which only the types marked ``free`` move.

    A pattern that holds L fixed copies, L_v of them with value v, is open already:

    .. math::
        \sum_t x_{pt} \ge k - L, \qquad
        l (L_v + \sum_{t: v} x_{pt}) \le z_p = L + \sum_t x_{pt}.

    Parameters
    ----------
    patterns, types
        The patterns and all row types.
    k, l
        The requirement; 1 where there is none.
    loads
        Copies by incidence of ``patterns``: a release, but for the free types.
    free
        Which types move.
    useful
        Which incidences of ``patterns`` they may use, beside those of ``loads``.
    """
    is_free = free[patterns.types]
    fixed = np.where(is_free, 0, loads)
    inside = np.flatnonzero(is_free & (useful | (loads > 0)))
    alive = np.flatnonzero(
        np.bincount(patterns.pattern[inside], minlength=len(patterns))
    )
    held = np.bincount(patterns.pattern, fixed, minlength=len(patterns))
    chosen = np.flatnonzero(free)
    new_type = np.cumsum(free) - 1
    starts = np.searchsorted(patterns.pattern[inside], np.append(alive, len(patterns)))
    part = replace(
        patterns,
        starred=patterns.starred[alive],
        cost=patterns.cost[alive],
        starts=starts.astype(np.int64),
        types=new_type[patterns.types[inside]].astype(np.int32),
        counts=patterns.counts[chosen],
    )
    sub_types = replace(
        types,
        codes=types.codes[chosen],
        sensitive=types.sensitive[chosen],
        counts=types.counts[chosen],
    )
    sub = pattern_program(part, sub_types, k, l)
    program = sub.program
    if l > 1:
        program = _hold_totals(held[alive].astype(float), sub, program)
        for c in range(types.sensitive.shape[1]):
            values = types.sensitive[:, c][patterns.types]
            by_value = np.zeros((len(patterns), int(values.max()) + 1), np.int64)
            np.add.at(by_value, (patterns.pattern, values), fixed)
            own = sub_types.sensitive[:, c][part.types]
            program = _hold_values(by_value[alive], own, c, sub, program)
    if k > 1:
        program = _hold_sizes(held[alive].astype(float), sub, program)
    return Neighbourhood(replace(sub, program=program), inside, held[alive])


def _can_open(patterns: Patterns, least: int, inside: Ints, held: Ints) -> Ints:
    """Drop the incidences of patterns that too few rows can reach here."""
    of_pattern = patterns.pattern[inside]
    reach = held + np.bincount(
        of_pattern, patterns.counts[patterns.types[inside]], minlength=len(patterns)
    )
    return inside[reach[of_pattern] >= least]


def _hold_sizes(held: Floats, sub: PatternProgram, program: Program) -> Program:
    """Patterns with fixed copies are open, and need only the rest of k."""
    sizes, links = program.rows[-2:]
    lower, upper = program.lower.copy(), links.upper.copy()
    y = slice(sub.first_y, sub.first_y + len(held))
    lower[y] = held > 0
    is_open = held[sub.patterns.pattern] > 0
    upper[is_open] = INF
    # With y = 1 the row reads: sum x - k >= -L.
    sizes = replace(sizes, lower=-held)
    rows = (*program.rows[:-2], sizes, replace(links, upper=upper))
    return replace(program, lower=lower, rows=rows)


def _hold_totals(held: Floats, sub: PatternProgram, program: Program) -> Program:
    """The total z of a pattern counts its fixed copies."""
    rows, upper = list(program.rows), program.upper.copy()
    rows[1] = replace(rows[1], lower=-held, upper=-held)
    upper[sub.incidences : sub.incidences + len(held)] += held
    return replace(program, upper=upper, rows=tuple(rows))


def _hold_values(
    by_value: Ints,
    own: npt.NDArray[np.integer],
    column: int,
    sub: PatternProgram,
    program: Program,
) -> Program:
    """The counts of values of a sensitive column start from the fixed copies."""
    rows, lower = list(program.rows), program.lower.copy()
    part = sub.patterns
    z = slice(sub.incidences, sub.incidences + len(part))
    # Values that only fixed copies have are bounded by the total alone.
    lower[z] = np.maximum(lower[z], sub.l * by_value.max(axis=1))
    pairs = group_by([part.pattern, own], [len(part), by_value.shape[1]])
    at = part.pattern[pairs.first], own[pairs.first]
    block = rows[2 + column]
    rows[2 + column] = replace(block, upper=-float(sub.l) * by_value[at])
    return replace(program, lower=lower, rows=tuple(rows))
