"""A release of anybody, measured for its report: by itself, and by its original."""

from dataclasses import replace

import numpy as np

from starmin.instances import IntArray, Partition, Problem, Table, TCloseness, group_by
from starmin.instances.releases.coding import PERMUTATION
from starmin.instances.releases.permutation import GROUP
from starmin.outputs.recodings import Checked
from starmin.report.release.columns.column_facts import column_facts
from starmin.report.release.release_measures import PAIRS, Measures, PrivacyMeasures
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.utility import Truth, compare, spread_of


def privacy(checked: Checked, problem: Problem) -> PrivacyMeasures:
    """Return what holds of a release that was checked.

    It is one by groups, or by rows; ``problem`` has the original, or the release
    itself, and how it is published.
    """
    check, released = checked.check, checked.released
    if isinstance(check, NonHomogeneousCheck):
        stars = _stars(released, problem.coding.star)
        return PrivacyMeasures(None, check.k, [], stars)
    assert isinstance(check, ReleaseCheck)
    if problem.coding.recoding == PERMUTATION:
        sizes = Partition.from_labels(released.column(GROUP)).sizes
        return PrivacyMeasures(check, None, None, sizes)
    codes = [released.column(column) for column in released.qi]
    cards = [len(released.dictionary(column)) for column in released.qi]
    sizes = group_by(codes, cards).counts
    if released.sensitive and "t" in check.measures and check.measures["t"] is None:
        further = check_release(released, TCloseness.of(released, 1.0)).measures
        told = {key: further[key] for key, v in check.measures.items() if v is None}
        check = replace(check, measures={**check.measures, **told})
    return PrivacyMeasures(check, None, [], sizes)


def measured(known: PrivacyMeasures, released: Table, problem: Problem) -> Measures:
    """Measure a release beside the rows of its original that it stands for.

    ``known`` is what holds of the release, whose rows are in the order of the original;
    ``problem`` has the original, and how the release is published.
    """
    table, coding = problem.table, problem.coding
    cells, columns, groups = None, None, None
    if coding.recoding == PERMUTATION:
        groups = Partition.from_labels(released.column(GROUP)).groups
    else:
        if coding.told:
            cells = read_cells(released, coding, table)
        columns = column_facts(table, released, coding.star, cells)
    scales = coding.scales(table)
    spread = spread_of(released, table, scales, coding.star, groups)
    fit = compare(spread, Truth.of(table, scales), pairs=PAIRS)
    found = known.check, known.matchings, columns, known.sizes, fit, spread, released
    return Measures(*found, cells, groups)


def _stars(released: Table, star: str) -> IntArray:
    """Count the stars of each row."""
    stars = np.zeros(released.n, np.int64)
    for column in released.qi:
        is_star = [text == star for text in released.dictionary(column)]
        stars += np.array(is_star, bool)[released.column(column)]
    return stars
