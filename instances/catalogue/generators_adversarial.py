"""Seeded tables on which the three-phase algorithm TP needs its later phases."""

from collections import Counter

import numpy as np

from starmin.instances.tables.random_codes import Bits, expect
from starmin.instances.tables.table import Table


def hard_residue(
    l: int = 3, height: int = 10, phase: int = 3, d: int = 3, seed: int = 0
) -> Table:
    """Generate an l-eligible table on which TP ends in phase 2 or in phase 3.

    Two to l - 1 sensitive values, the pillars, have ``height`` rows each that share
    their QI values with no other value: phase 1 moves just these to the residue, which
    then has fewer than l values. For phase 3 every other group is thin (the most
    frequent of its values covers exactly 1/l of it) and holds a pillar, so that it is
    dead at once; for phase 2 there are, besides, enough groups without a pillar. Thin
    groups are added until the table as a whole is l-eligible.

    ``l`` is from 3 to 100: for l = 2 phase 3 never runs. ``phase`` is 2 or 3. No two
    groups agree on all of the ``d`` QI columns. Equal seeds give equal tables. Raises
    TableError where a parameter is out of range.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, section 5; phase 3 never ran on their data.

    Examples
    --------
    >>> table = hard_residue(l=3, height=2, seed=1)
    >>> table.d, table.sensitive
    (3, ('s',))
    """
    expect("l", l, 3, 100)
    expect("height", height, 1, 10_000)
    expect("phase", phase, 2, 3)
    expect("d", d, 1, 20)
    groups = _lonely_and_thin(_Dice(seed), l, height, phase)
    return _spread(_Dice(seed + 1), groups, d)


class _Dice:
    def __init__(self, seed: int) -> None:
        self._bits = Bits(seed)

    def below(self, size: int) -> int:
        return int(self._bits.draw(1)[0]) % size


def _lonely_and_thin(
    dice: _Dice, l: int, height: int, phase: int
) -> list[Counter[int]]:
    """Return the groups, each as its rows by sensitive value; pillars first."""
    pillars = range(2 + dice.below(l - 2))
    others = range(len(pillars), len(pillars) + 2 * l)
    groups = []
    for pillar in pillars:
        here = 1 + dice.below(height)
        groups += [Counter({pillar: here}), Counter({pillar: height - here})]
    total = sum(groups, Counter[int]())
    if phase == 2:
        spare = Counter[int]()
        while spare.total() < l * height:
            spare += _add_thin(dice, groups, total, l, [], others)
    while total.total() < l * max(total.values()):
        least = sorted(pillars, key=total.__getitem__)
        most = 2 if len(pillars) > 2 and dice.below(4) == 0 else 1
        _add_thin(dice, groups, total, l, least[:most], others)
    return [group for group in groups if group]


def _add_thin(
    dice: _Dice,
    groups: list[Counter[int]],
    total: Counter[int],
    l: int,
    pillars: list[int],
    others: range,
) -> Counter[int]:
    """Add a thin group with these pillars and the rarest of the other values."""
    each = 1 + dice.below(3)
    rarest = sorted(others, key=lambda value: (total[value], dice.below(2**16)))
    group = Counter(dict.fromkeys([*pillars, *rarest[: l - len(pillars)]], each))
    last = rarest[l - len(pillars) - 1]
    if each > 1 and dice.below(2):  # its rows shared by two values, it stays thin
        group[last] -= 1
        group[rarest[l]] += 1
    groups.append(group)
    total += group
    return group


def _spread(dice: _Dice, groups: list[Counter[int]], d: int) -> Table:
    """Make a table with other QI values for each group, rows in random order."""
    base = 2
    while base**d < len(groups):
        base += 1
    start = dice.below(base**d)
    rows = []
    for index, group in enumerate(groups):
        code = (start + index) % base**d
        qi = [str(code // base**j % base) for j in range(d)]
        for value, count in sorted(group.items()):
            rows += [[*qi, str(value)]] * count
    keys = [dice.below(2**16) for _ in rows]
    order = np.argsort(keys, kind="stable")
    names = [f"q{j + 1}" for j in range(d)]
    return Table.from_rows(
        [*names, "s"], [rows[i] for i in order], names, ["s"], "hard_residue"
    )
