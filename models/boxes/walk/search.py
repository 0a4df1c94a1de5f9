"""Boxes by the worth of their cheapest groups: the walk, with room as it is needed."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.box_walk import start, walk_on
from starmin.models.boxes.walk.walk_data import (
    AT,
    DEPTH,
    FOUND,
    FULL,
    NO_ROOM_BOXES,
    NO_ROOM_MEMBERS,
    NO_ROOM_STACK,
    WORK,
    BoxWalk,
)

_Part = TypeVar("_Part", Ints, Int32s)
_ROOM = 4_096  # for sets that wait, and for boxes, at first
_WORK = 5_000_000  # types and places looked at between two looks at the clock


class Charges(NamedTuple):
    """Sets of row types by which boxes are charged.

    ``starmin.models.boxes.master.row_sets`` says how.
    """

    inside: Bools  # R x m: which types are in each set
    share: Ints  # by what its coefficients are divided
    charge: Ints  # what each costs, times its coefficient; 0 or more


class FoundBoxes(NamedTuple):
    """Boxes, and what their cheapest groups are worth; none is left out below
    ``threshold``."""

    lows: Int32s
    highs: Int32s
    worth: Ints
    threshold: int


def find_boxes(
    data: BoxData,
    prices: Ints,
    charges: Charges,
    threshold: int,
    most: int,
    check_time: Callable[[], None],
) -> FoundBoxes:
    """Find the boxes whose cheapest group pays less than a threshold above its prices.

    Boxes worth ``threshold`` or more are not looked for. At most ``most`` are found:
    where there are more, the threshold becomes lower. ``check_time`` is called now and
    then.
    """
    order = np.argsort(-prices, kind="stable").astype(np.int32)
    walk = _walk(data, prices, charges, threshold, most)
    start(walk, order)
    while True:
        check_time()
        walk.state[WORK], walk.state[FULL] = _WORK, 0
        walk_on(walk)
        full = walk.state[FULL]
        if full == NO_ROOM_BOXES:
            walk = _more_boxes(walk, most)
        elif full == NO_ROOM_MEMBERS:
            walk = walk._replace(members=_doubled(walk.members))
        elif full == NO_ROOM_STACK:
            walk = walk._replace(
                stack=_doubled(walk.stack),
                lows=_doubled(walk.lows),
                highs=_doubled(walk.highs),
            )
        elif walk.state[DEPTH] == 0:
            break
    if walk.state[FOUND] > most:
        _tighten(walk, most)
    found = int(walk.state[FOUND])
    return FoundBoxes(
        walk.found_lows[:found].copy(),
        walk.found_highs[:found].copy(),
        walk.worth[:found].copy(),
        int(walk.threshold[0]),
    )


def _walk(
    data: BoxData, prices: Ints, charges: Charges, threshold: int, most: int
) -> BoxWalk:
    d, m = data.place.shape
    used = charges.charge > 0
    places = max(data.loss.shape[1], data.lower.shape[1])
    room = _ROOM
    return BoxWalk(
        data,
        prices,
        np.ascontiguousarray(charges.inside[used]),
        charges.share[used],
        charges.charge[used],
        np.array([threshold], np.int64),
        members=np.zeros(m + 16 * room, np.int32),
        stack=np.zeros((room, AT + 1), np.int64),
        lows=np.zeros((room, d), np.int32),
        highs=np.zeros((room, d), np.int32),
        heads=np.zeros(data.most + 1, np.int64),
        tags=np.zeros(data.most + 1, np.int32),
        own_heads=np.zeros(data.most + 1, np.int64),
        own_tags=np.zeros(data.most + 1, np.int32),
        first=np.zeros(d, np.int32),
        last=np.zeros(d, np.int32),
        paid=np.zeros(m, np.int64),
        tally=np.zeros(places, np.int32),
        starts=np.zeros(places + 1, np.int32),
        sorted=np.zeros(m, np.int32),
        forced=np.zeros(2 * d, np.int32),
        ends=np.zeros(2 * d + 2, np.int32),
        types=np.zeros(data.most + 2 * d, np.int32),
        copies=np.zeros(data.most + 2 * d, np.int64),
        seen=new_seen(data),
        found_lows=np.zeros((room, d), np.int32),
        found_highs=np.zeros((room, d), np.int32),
        worth=np.zeros(room, np.int64),
        state=np.zeros(4, np.int64),
    )


def new_seen(data: BoxData) -> Ints:
    """Return marks of sensitive values, none of them set."""
    return np.zeros(int(data.value.max()) + 2, np.int64)


def _more_boxes(walk: BoxWalk, most: int) -> BoxWalk:
    """Make room for boxes, or keep the best ones and lower the threshold."""
    if walk.state[FOUND] > 2 * most:
        _tighten(walk, most)
        return walk
    return walk._replace(
        found_lows=_doubled(walk.found_lows),
        found_highs=_doubled(walk.found_highs),
        worth=_doubled(walk.worth),
    )


def _tighten(walk: BoxWalk, most: int) -> None:
    """Keep the best boxes, all below a threshold that is lowered to that end."""
    found = int(walk.state[FOUND])
    worth = walk.worth[:found]
    limit = int(np.partition(worth, most)[most])
    keep = np.flatnonzero(worth < limit)
    for part in (walk.found_lows, walk.found_highs, walk.worth):
        part[: len(keep)] = part[keep]
    walk.state[FOUND], walk.threshold[0] = len(keep), limit


def _doubled(part: _Part) -> _Part:
    return np.concatenate([part, np.zeros_like(part)])
