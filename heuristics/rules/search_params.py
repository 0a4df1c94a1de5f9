"""Constants of the search for rules over combinations."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RuleSearchParams:
    """Constants, in mean costs of a star where they are costs."""

    price_share: float = 0.4  # the share of the time that prices take
    # class_share, class_tree_share, mend_share: of rules by classes: the share of the
    # time that prices take, and of the rest that trees take, and that neighbourhoods
    # take at most to mend what a relaxation breaks
    class_share: float = 0.55
    mend_share: float = 0.75
    tree_share: float = 0.3  # the share of the rest, after prices, that trees take
    class_tree_share: float = 0.1
    # first, step, most: the first weight of an item, what is added each time that too
    # few rows show it, and from where on no row may
    first: float = 0.4
    # what the first weights of all that a row may show come to at most, on average:
    # rules of many columns have items within items, which one row makes rarer at once
    together: float = 6.0
    step: float = 0.1
    most: float = 20.0
    # turn_share, repair_share, haste_share, fill_share: the shares of the time left
    # then that turns, repairs, hasty repairs and rows that show what they may take at
    # the start
    turn_share: float = 0.3
    repair_share: float = 0.15
    haste_share: float = 0.6
    haste: int = 20  # the steps of hasty repairs, in usual ones
    fill_share: float = 0.5
    turns: int = 300  # in which all rows of what too few show answer, at the start
    repairs: int = 20  # how often the start is repaired before it is given up
    # the share of moves that begin with a row which pays much; none under rules by
    # classes
    wishes: float = 0.8
    moves: int = 1000  # of a thread before the best mask is shared
    # the share of the time left then that moves take; neighbourhoods have the rest
    move_share: float = 0.1
    # how much above the least a set costs that a neighbourhood chooses among
    near: float = 0.5
    size: int = 150  # the types of the first neighbourhoods
    # proof_share, moment, sets: how long CP-SAT may look for what is cheaper, a share
    # of what all else took and in seconds at least, and among how many sets
    proof_share: float = 1.0
    moment: float = 1.0
    sets: int = 20_000


PARAMS = RuleSearchParams()
