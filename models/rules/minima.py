"""What each row type shows at least cost under prices of items.

The cost of every set of a type is summed at once: a price stands at the least set that
shows its item, and goes to all larger ones axis by axis. Of rules by classes, where one
item of a block is shown by each set, differences along the axes are placed so that the
same sums give each set its own.
"""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.choices import Choices

RARE = 1 << 46  # more than all that a row pays; sums of 2^16 fit 63 bits


@compiled
def row_minima(
    choices: Choices,
    costs: Ints,
    once: int,
    prices: Ints,
    first: int,
    last: int,
    work: Ints,
    values: Ints,
    places: Ints,
) -> None:
    """Write the least cost of types ``first`` to ``last``, and the set that has it.

    ``values`` and ``places``, by type, are written. ``costs`` are lists of costs x
    levels; ``once`` is what a row pays for anything hidden, 0 where ``costs`` say it;
    ``prices`` are of showing an item, by place in ``choices.item``. ``work`` is room:
    two rows of as many numbers as a type has sets.
    """
    for t in range(first, last):
        places[t] = least_place(choices, costs, once, prices, t, work)
        values[t] = work[0, places[t]]


@inner
def least_place(
    choices: Choices, costs: Ints, once: int, prices: Ints, t: int, work: Ints
) -> int:
    """Return the first of the sets of a type that cost least; ``work[0]`` says what."""
    sets = sum_costs(choices, costs, prices, t, work)
    sums, at = work[0], 0
    if once:
        hidden = choices.base[t] != 0
        for place in range(sets):
            if hidden or place:
                sums[place] += once
    least = sums[0]
    for place in range(sets):
        least = min(least, sums[place])
    while sums[at] != least:
        at += 1
    return at


@inner
def sum_costs(choices: Choices, costs: Ints, prices: Ints, t: int, work: Ints) -> int:
    """Write what each set of a type costs to ``work[0]``; return how many there are."""
    sums, sets = work[0], 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        sets *= choices.size[x]
    sums[:sets] = 0
    own = choices.starts[t + 1]
    if choices.block_starts[t] < choices.block_starts[t + 1]:
        own = choices.block[choices.block_starts[t]]
    for e in range(choices.starts[t], own):
        sums[choices.place[e]] += prices[e]
    for d in range(choices.dead_starts[t], choices.dead_starts[t + 1]):
        sums[choices.dead[d]] += RARE
    for b in range(choices.block_starts[t], choices.block_starts[t + 1]):
        _add_block(choices, prices, t, b, work)
    stride, top = 1, sets - 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        size, low = choices.size[x], choices.low[x]
        paid = costs[choices.cost[t, choices.axis[x]], low : low + size]
        sums[top] += paid[size - 1]
        for level in range(size - 1):
            cheaper = paid[level] - paid[level + 1]
            sums[top - (size - 1 - level) * stride] += cheaper
        stride *= size
    _sum_axes(choices, t, sums, sets)
    return sets


@inner
def _sum_axes(choices: Choices, t: int, sums: Ints, sets: int) -> None:
    """Add to each number those of all larger places, axis by axis.

    The short loops of the first axes of two levels are written out, which makes them
    four times as fast.
    """
    stride = 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        size = choices.size[x]
        if size == 2 and stride == 1:
            for p in range(0, sets, 2):
                sums[p] += sums[p + 1]
        elif size == 2 and stride == 2:
            for p in range(0, sets, 4):
                sums[p] += sums[p + 2]
                sums[p + 1] += sums[p + 3]
        elif size == 2 and stride == 4:
            for p in range(0, sets, 8):
                sums[p] += sums[p + 4]
                sums[p + 1] += sums[p + 5]
                sums[p + 2] += sums[p + 6]
                sums[p + 3] += sums[p + 7]
        else:
            for begin in range(0, sets, stride * size):
                for level in range(size - 2, -1, -1):
                    here = begin + level * stride
                    low = sums[here : here + stride]
                    above = sums[here + stride : here + 2 * stride]
                    for p in range(stride):
                        low[p] += above[p]
        stride *= size


@inner
def _add_block(choices: Choices, prices: Ints, t: int, b: int, work: Ints) -> None:
    """Add the items of a rule by classes, of which each set shows exactly one."""
    start = choices.block[b]
    end = choices.starts[t + 1]
    if b + 1 < choices.block_starts[t + 1]:
        end = choices.block[b + 1]
    states, part = end - start, work[1]
    for s in range(states):
        part[s] = RARE if choices.item[start + s] < 0 else prices[start + s]
    stride = 1
    for axis in range(choices.sizes.shape[1]):
        size = choices.sizes[b, axis]
        if size > 1:
            for begin in range(0, states, stride * size):
                for s in range(begin, begin + (size - 1) * stride):
                    part[s] -= part[s + stride]
        stride *= size
    for s in range(states):
        work[0, choices.place[start + s]] += part[s]


@compiled
def codes_of(
    choices: Choices, places: Ints, offsets: Ints, first: int, last: int, codes: Ints
) -> None:
    """Write the bits that are set by the set that each type shows."""
    for t in range(first, last):
        codes[t] = code_at(choices, t, places[t], offsets)


@inner
def code_at(choices: Choices, t: int, place: int, offsets: Ints) -> int:
    """Return the bits that a set of a type has."""
    code = choices.base[t]
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        level = choices.low[x] + place % choices.size[x]
        code |= ((1 << level) - 1) << offsets[choices.axis[x]]
        place //= choices.size[x]
    return int(code)


@compiled
def show_items(
    choices: Choices, codes: Ints, copies: Ints, first: int, last: int, shown: Ints
) -> None:
    """Write how many rows of each type show each item under the codes of types."""
    for t in range(first, last):
        for e in range(choices.starts[t], choices.starts[t + 1]):
            shows = codes[t] & choices.care[e] == choices.want[e]
            shown[e] = copies[t] if shows else 0
