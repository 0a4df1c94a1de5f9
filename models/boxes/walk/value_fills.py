"""The cheapest group of a box where groups may have a value several times: loops."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inner
from starmin.models.boxes.walk.box_data import BoxData

NEVER = 1 << 61  # above the worth of any group


@inner
def place_of(t: int, types: Int32s, count: int) -> int:
    """Return where a type is among the first types of a list; -1: nowhere."""
    for i in range(count):
        if types[i] == t:
            return i
    return -1


@inner
def put(t: int, take: int, held: int, found: int, types: Int32s, copies: Ints) -> bool:
    """Add copies of a type where it is held, or at the end; whether it is new there."""
    if held >= 0:
        copies[held] += take
        return False
    types[found], copies[found] = t, take
    return True


@inner
def capped_fill(
    b: BoxData,
    prices: Ints,
    cost: int,
    gain: int,
    members: Int32s,
    forced: Int32s,
    must: int,
    heights: Ints,
    types: Int32s,
    copies: Ints,
) -> tuple[int, int]:
    """Find the cheapest group without a value in more than a share of its rows.

    As many rows as allow a value the same number of times are looked at together: of
    these the dearest are taken, of each value so many at most. That is best, as such
    sets of rows are the independent sets of a matroid.

    Arguments and result are those of ``best_fill``: ``prices`` are by type, a row pays
    ``cost`` in the box, and each pile of a group is worth ``gain`` beside, where groups
    have piles. ``members`` are the types that fit the box, by falling price; the first
    ``must`` of ``forced`` are in the group. ``types`` and ``copies`` are overwritten
    with it; ``heights`` is room for the rows of each value.
    """
    best, chosen = NEVER, 0
    given = members, forced, must, heights, types, copies
    for height in range(b.least // b.share, b.top + 1):
        worth, found = fill_below(b, prices, cost, *given, height)
        if found and worth - gain * height < best:
            best, chosen = worth - gain * height, height
    if chosen == 0:
        return NEVER, 0
    _, found = fill_below(b, prices, cost, *given, chosen)
    return best, found


@inner
def fill_below(
    b: BoxData,
    prices: Ints,
    cost: int,
    members: Int32s,
    forced: Int32s,
    must: int,
    heights: Ints,
    types: Int32s,
    copies: Ints,
    height: int,
) -> tuple[int, int]:
    """Find the cheapest group of a size at which a value is there so often at most."""
    least = max(b.least, height * b.share)
    most = b.most if height == b.top else height * b.share + b.share - 1
    size, worth, found = must, 0, must
    if must > most:
        return NEVER, 0
    heights[:] = 0
    for i in range(must):
        t = forced[i]
        heights[b.value[t]] += 1
        if heights[b.value[t]] > height:
            return NEVER, 0
        worth += cost - prices[t]
        types[i], copies[i] = t, 1
    for t in members:
        each = cost - prices[t]
        if size >= most or (size >= least and each >= 0):
            break
        held = place_of(t, types, must)
        take = min(b.counts[t] - (held >= 0), (most if each < 0 else least) - size)
        take = min(take, height - heights[b.value[t]])
        if take <= 0:
            continue
        heights[b.value[t]] += take
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if size < least:
        return NEVER, 0
    return worth, found


@inner
def distinct_fill(
    b: BoxData,
    prices: Ints,
    cost: int,
    members: Int32s,
    forced: Int32s,
    must: int,
    seen: Ints,
    types: Int32s,
    copies: Ints,
) -> tuple[int, int]:
    """Find the cheapest group of several values: see ``best_fill``.

    All rows that pay are in it. Values that are missing then come with the cheapest
    rows that have them, and rows that are missing are the cheapest others.
    """
    size, worth, found, values = must, 0, must, 0
    seen[-1] += 1
    for i in range(must):
        t = forced[i]
        values += seen[b.value[t]] != seen[-1]
        seen[b.value[t]] = seen[-1]
        worth += cost - prices[t]
        types[i], copies[i] = t, 1
    for t in members:
        each = cost - prices[t]
        paying = each < 0
        if not paying and values >= b.values:
            break
        new = seen[b.value[t]] != seen[-1]
        if not paying and not new:
            continue
        held = place_of(t, types, must)
        take = b.counts[t] - (held >= 0) if paying else 1
        values += new
        seen[b.value[t]] = seen[-1]
        if take <= 0:
            continue
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if values < b.values:
        return NEVER, 0
    for t in members:
        if size >= b.least:
            break
        each = cost - prices[t]
        if each < 0:
            continue
        held = place_of(t, types, found)
        take = b.counts[t] - (copies[held] if held >= 0 else 0)
        take = min(take, b.least - size)
        if take <= 0:
            continue
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if size < b.least:
        return NEVER, 0
    return worth, found
