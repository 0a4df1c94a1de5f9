"""Constants that steer the recombination of releases."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RecombinationParams:
    """Constants that steer the recombination of releases."""

    # heat, coolest, hottest, spread: the temperature at which offspring begins, as a
    # share of that of an annealing from nothing: at first, its limits, and by how much
    # that of each differs
    heat: float = 0.85
    coolest: float = 0.2
    hottest: float = 2.0
    spread: float = 0.2
    # proposals, most_proposals, longer: moves for each row type that make an offspring:
    # at first and in the end, and how much longer each offspring takes than the one
    # before it
    proposals: float = 3.0
    most_proposals: float = 20.0
    longer: float = 1.05
    # batch, steps: moves between two looks at the clock at least, and steps of the
    # temperature
    batch: int = 100
    steps: int = 25
    # parts of a generation at least, of several offspring if a release has fewer, where
    # the time is not limited
    tasks: int = 16
    # seconds between two releases that the run is told of, while better ones come
    pause: float = 0.5
    # components of a program are solved together until they have so many row types, or
    # a ``tasks``-th of all
    least_types: int = 400
    # releases, most_releases: how many of the last offspring a program merges: at
    # first, and at most
    releases: int = 4
    most_releases: int = 12
    # least_limit, limit_share, limit, soon: seconds for a program: the least, as a
    # share of the time that the search has taken, and at most; it is solved soon where
    # it took less than this share
    least_limit: float = 0.5
    limit_share: float = 0.1
    limit: float = 3.0
    soon: float = 0.25
    # hotter, cooler: by what share the temperature rises after a program that was
    # solved e times as soon, and what it is multiplied by after one that was not solved
    hotter: float = 0.05
    cooler: float = 0.95
    # more, fewer: what the number of releases is multiplied by after a program that was
    # solved soon, and after one that was not solved
    more: float = 1.06
    fewer: float = 0.8
    # after a program that was not solved the next one waits for twice as many
    # offspring, up to so many times
    most_pause: int = 16
    # programs in a row without a gain after which a search without a time limit ends
    in_vain: int = 15


RECOMBINATION_PARAMS = RecombinationParams()


@dataclass(frozen=True)
class DivedParams:
    """Constants that steer the recombination of dived offspring."""

    dives: int = 10  # how many dives a program merges
    # rows, least_rows, most_rows: for how many rows each of them is: at first, and the
    # limits
    rows: int = 1_500
    least_rows: int = 200
    most_rows: int = 10_000
    # fewer, more, soon: what that number is multiplied by after a program that was not
    # solved, and after one that took less than the share ``soon`` of its seconds
    fewer: float = 0.75
    more: float = 1.2
    soon: float = 0.33
    # limit, longer, most_limit: seconds for a program: at first, what they are
    # multiplied by after one that gained nothing, and at most
    limit: float = 3.0
    longer: float = 1.1
    most_limit: float = 15.0
    dive_limit: float = 2.0  # dives end after so many times these seconds


DIVED_PARAMS = DivedParams()
