"""The minimality attack: what follows of sensitive values from optimal classes."""

import math
from dataclasses import replace
from time import perf_counter

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.verify.audit.class_worlds import ClassWorlds, worlds_of
from starmin.verify.audit.classes import TypesInClasses
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.audit.shuffled import fixed_pairs
from starmin.verify.exact import BeyondError, expect_time, until

MOST_PAIRS = 3 * 10**7
PART = 2_000  # rows of classes that are looked at together
NEARLY = 1 - 1e-6  # a chance of 1 that is not proven
NOISE = 0.06  # what chances that are drawn may be off
ABOVE = 1 + 1e-9  # what a chance times l must exceed, beyond rounding


def minimality(
    known: TypesInClasses, k: int, l: int, seconds: float = math.inf
) -> Inference:
    """Infer sensitive values of people whose class is known.

    A world deals the values of a class to its rows. It is ruled out if one or two rows
    could go to cheaper classes and all would hold, or if the class could be split and
    would cost less: an optimal release would have done so (Wong, Fu, Wang and Pei,
    VLDB 2007). Worlds of up to nine rows are counted; of more, drawn, and what is
    called certain is proven by flows, or by CP-SAT where two rows are ruled out
    together.

    Of a class whose true world is ruled out, since the release could be improved there,
    nothing is counted but a contradiction; ``misled`` counts the people of such classes
    of whom an attacker would hold something false for certain. After so many
    ``seconds`` no further class is looked at, the smallest ones first: ``looked_at``.
    """
    found, looked_at, end = [], 0, perf_counter() + seconds
    sizes = known.classes.sizes
    order = np.argsort(sizes, kind="stable")  # the smallest ones first
    before = np.cumsum(sizes[order]) - sizes[order]
    for part in np.split(order, np.flatnonzero(np.diff(before // PART)) + 1):
        expect_time()
        try:
            with until(lambda: perf_counter() >= end):
                expect_time()
                found += worlds_of(known, np.sort(part), k, l)
        except BeyondError:
            break
        looked_at += len(part)
    told = _counted(known, found, l)
    return replace(told, more=dict(told.more) | {"looked_at": looked_at})


def minimality_by_types(known: TypesInClasses, k: int, l: int) -> Inference:
    """Infer sensitive values by the quasi-identifiers of all people alone.

    Whose row is in which class is known only where all ways to put row types in
    classes agree (no alternating cycle). A person's chance of a value is at least the
    share of the type's rows in such classes, times their chances.
    """
    there, fixed = composition(known)
    wanted = np.flatnonzero(fixed)
    found = worlds_of(known, wanted, k, l)
    told = _counted(known, found, l, fixed)
    more = dict(told.more) | {"classes_pinned": len(wanted), "people_pinned": there}
    return replace(told, more=more)


def _counted(
    known: TypesInClasses, found: list[ClassWorlds], l: int, alone: Bools | None = None
) -> Inference:
    """Count what is inferred; of classes ``alone`` and by types, if these are given."""
    chances = _chances(known, found, alone)
    certain = np.zeros(len(known.of_row), bool)
    misled = 0
    for each in found:
        if each.truth_out:
            truth = np.searchsorted(each.values, known.values[each.rows])
            wrong = each.chances.argmax(axis=1) != truth
            misled += int(np.count_nonzero(each.certain & wrong))
        elif not each.impossible:
            certain[each.rows] = each.certain
    if alone is not None:
        chances, certain = _by_type(known, chances)
    guess = chances.argmax(axis=1)
    sure = chances.max(axis=1)
    above = (sure * l > ABOVE) | certain
    right = guess == known.values
    classes = known.classes
    base = (known.counts.max(axis=1)).sum() / len(right)
    return Inference(
        SOUND,
        certain=int(np.count_nonzero(certain)),
        above=int(np.count_nonzero(above)),
        false=int(np.count_nonzero(certain & ~right)),
        contradictions=sum(each.impossible or each.truth_out for each in found),
        worst=_worst(known, certain, above, sure, guess),
        more={
            "misled": misled,
            "people": len(right),
            "sampled": sum(each.sampled for each in found),
            "above_sampled": _above_sampled(found, above),
            "right": float(right.mean()) if alone is None else None,
            "base": float(base),
            "classes": classes.number,
        },
    )


def _above_sampled(found: list[ClassWorlds], above: Bools) -> int:
    """Return how many of those above are so by what was drawn."""
    drawn = [each.rows for each in found if each.sampled and not each.certain.all()]
    return int(above[np.concatenate(drawn)].sum()) if drawn else 0


def _chances(
    known: TypesInClasses, found: list[ClassWorlds], alone: Bools | None
) -> Floats:
    """Return for each row and value its chance; 0 where the class is not known."""
    shares = known.counts / known.classes.sizes[:, None]
    if alone is not None:
        shares = shares * alone[:, None]
    chances = np.asarray(shares[known.classes.of_row])
    for each in found:
        if not (each.impossible or each.truth_out):
            unproven = np.minimum(each.chances, NEARLY)
            if each.sampled:
                fair = known.counts[known.classes.of_row[each.rows[0]], each.values]
                share = fair / len(each.rows)
                at_least = np.minimum(unproven, share)
                unproven = np.maximum(at_least, unproven - NOISE)
                stuck = (each.chances == 1).any(axis=1)  # the draws may not get there
                unproven[stuck] = share
            sure = np.where(each.certain[:, None], each.chances, unproven)
            chances[np.ix_(each.rows, each.values)] = sure
    return chances


def _by_type(known: TypesInClasses, chances: Floats) -> tuple[Floats, Bools]:
    """Return the chances of people of a type, who are not told apart."""
    sums = np.zeros((len(known.types), chances.shape[1]))
    np.add.at(sums, known.of_row, chances)
    mean = sums / known.sizes[:, None]
    sure = np.isclose(mean.max(axis=1), 1, rtol=0, atol=1e-12)
    return mean[known.of_row], np.asarray(sure[known.of_row])


def _worst(
    known: TypesInClasses, certain: Bools, above: Bools, sure: Floats, guess: Ints
) -> tuple[Worst, ...]:
    classes = known.classes
    name = classes.released.sensitive[0]
    texts = classes.released.dictionary(name)
    rows = np.flatnonzero(above)
    rows = rows[np.lexsort((rows, -sure[rows], ~certain[rows]))][:MAX_WORST]
    return tuple(
        Worst(
            row + 1,
            f"{name} is {texts[guess[row]]}"
            + ("" if certain[row] else f" with a chance of {sure[row]:.2f}"),
        )
        for row in rows.tolist()
    )


def composition(known: TypesInClasses) -> tuple[int, Bools]:
    """Return how many people's classes are known, and which classes are known in full.

    The number of rows of each type in each class is a flow, and may be fixed.
    """
    pairs = _pairs(known)
    m, n = len(known.types), known.classes.number
    at, number = np.unique(known.of_row * n + known.classes.of_row, return_counts=True)
    wanted = pairs[:, 0] * n + pairs[:, 1]
    place = np.minimum(np.searchsorted(at, wanted), len(at) - 1)
    flow = np.where(at[place] == wanted, number[place], 0)
    fixed = fixed_pairs(pairs, flow, m, n)
    known_in_full = np.bincount(pairs[~fixed, 1], minlength=n) == 0
    lone = np.bincount(pairs[flow > 0, 0], minlength=m) == 1
    of_type = np.bincount(pairs[(flow > 0) & fixed, 0], minlength=m) == 1
    return int(known.sizes[lone & of_type].sum()), known_in_full


def _pairs(known: TypesInClasses) -> Ints:
    """Return all pairs of a type and a class whose box it lies in."""
    found, number = [], 0
    for some, fits in known.fitting(np.arange(len(known.types))):
        t, c = np.nonzero(fits)
        number += len(t)
        if number > MOST_PAIRS:
            raise BeyondError("too many row types lie in too many classes")
        found.append(np.stack([some[t], c], axis=1))
    return np.concatenate(found).astype(np.int64)
