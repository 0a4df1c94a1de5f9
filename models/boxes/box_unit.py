"""What costs of boxes are whole numbers of, so that sums with prices fit 64 bits."""

from dataclasses import dataclass
from typing import NamedTuple

from starmin.instances import Objective, Table

# Constants that steer ``box_program``.


@dataclass(frozen=True)
class BoxParams:
    """How boxes and cuts are looked for, and how nodes are split."""

    boxes: int = 2_000  # that join at once: the start, and each look at all boxes
    cuts: int = 15  # that join at once; 0: none do
    # little, patience: so many rounds of cuts may each close less than this share of
    # the gap
    little: float = 0.01
    patience: int = 4
    tree_rounds: int = 2  # rounds of cuts at a node
    tried: int = 12  # splits of a node that are tried before one is taken
    most_left: int = 200_000  # boxes that may be left for the tree
    rounded: int = 20  # releases that a point of the root is rounded to
    # program_share, program_seconds: of the time, for a program of the groups at hand
    program_share: float = 0.1
    program_seconds: float = 10.0
    price_share: float = 0.1  # of the time, for dual ascent, whose prices come first
    # where the gap is a larger share of the value, such a program comes before each
    # round of cuts
    wide: float = 0.05


DEFAULTS = BoxParams()


_BITS = 51  # of a row's loss times the square of the rows: sums stay below 2^62
_FINE = 6  # bits that exact prices have at least beyond those that rounding takes


class BoxUnit(NamedTuple):
    """Costs in the unit of the objective, multiplied by a number, without last bits.

    *Exact* numbers have all bits. Loops compute without the last ones; where costs have
    some of these, a bound of theirs is off by less than ``rough``.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> unit = BoxUnit.of(table, Objective())
    >>> unit.per_cost == 1 << 49, unit.shift, unit.bound(3 << 48)
    (True, 0, 2)
    """

    per_cost: int  # what exact costs are multiplied by
    shift: int  # how many bits loops leave out: none unless losses are fine
    # by how much sums over all rows may be off for that; 0 where all these are 0
    rough: int
    whole: int  # what a row can lose at most, in numbers of loops

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "BoxUnit":
        """Choose the finest unit for a problem."""
        row = max(1, objective.whole(table) // table.n)
        size = row * table.n**2
        per_cost = max(1, (1 << _BITS) // size)
        # Prices are rounded, one for each row: that is to be less than a unit.
        finer = max(0, (table.n << _FINE).bit_length() - per_cost.bit_length())
        if size < 1 << _BITS:
            return cls(per_cost << finer, finer, 0, row * per_cost)
        shift = (size >> _BITS).bit_length()
        rough = 4 * table.n * (table.d + 1)  # each column of each row, both ends
        return cls(1 << finer, shift + finer, rough, max(1, row >> shift))

    def coarse(self, exact: int) -> int:
        """Return an exact number without its last bits."""
        return exact >> self.shift

    def exact_goal(self, value: int) -> int:
        """Return what proves that nothing costs less than a value, exactly."""
        return (value - 1) * self.per_cost + 1

    def goal(self, value: int) -> int:
        """Return what has to be proven in loops before it can be proven exactly."""
        return -self.coarse(-self.exact_goal(value)) - self.rough

    def exact(self, bound: int) -> int:
        """Return what a bound that loops found proves exactly."""
        return (bound - self.rough) << self.shift

    def bound(self, exact: int) -> int:
        """Return what an exact bound says in the unit of the objective."""
        return max(0, -(-exact // self.per_cost))
