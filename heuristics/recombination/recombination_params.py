"""Constants that steer the recombination of releases."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RecombinationParams:
    """Constants that steer the recombination of releases.

    Attributes
    ----------
    heat, coolest, hottest, spread
        The temperature at which offspring begins, as a share of that of an annealing
        from nothing: at first, its limits, and by how much that of each differs.
    proposals, most_proposals, longer
        Moves for each row type that make an offspring: at first and in the end, and how
        much longer each offspring takes than the one before it.
    batch, steps
        Moves between two looks at the clock at least, and steps of the temperature.
    tasks
        Parts of a generation at least, of several offspring if a release has fewer,
        where the time is not limited.
    pause
        Seconds between two releases that the run is told of, while better ones come.
    least_types
        Components of a program are solved together until they have so many row types,
        or a ``tasks``-th of all.
    releases, most_releases
        How many of the last offspring a program merges: at first, and at most.
    least_limit, limit_share, limit, soon
        Seconds for a program: the least, as a share of the time that the search has
        taken, and at most; it is solved soon where it took less than this share.
    hotter, cooler
        By what share the temperature rises after a program that was solved e times as
        soon, and what it is multiplied by after one that was not solved.
    more, fewer
        What the number of releases is multiplied by after a program that was solved
        soon, and after one that was not solved.
    most_pause
        After a program that was not solved the next one waits for twice as many
        offspring, up to so many times.
    in_vain
        Programs in a row without a gain after which a search without a time limit
        ends.
    """

    heat: float = 0.85
    coolest: float = 0.2
    hottest: float = 2.0
    spread: float = 0.2
    proposals: float = 3.0
    most_proposals: float = 20.0
    longer: float = 1.05
    batch: int = 100
    steps: int = 25
    tasks: int = 16
    pause: float = 0.5
    least_types: int = 400
    releases: int = 4
    most_releases: int = 12
    least_limit: float = 0.5
    limit_share: float = 0.1
    limit: float = 3.0
    soon: float = 0.25
    hotter: float = 0.05
    cooler: float = 0.95
    more: float = 1.06
    fewer: float = 0.8
    most_pause: int = 16
    in_vain: int = 15


RECOMBINATION_PARAMS = RecombinationParams()


@dataclass(frozen=True)
class DivedParams:
    """Constants that steer the recombination of dived offspring.

    Attributes
    ----------
    dives
        How many dives a program merges.
    rows, least_rows, most_rows
        For how many rows each of them is: at first, and the limits.
    fewer, more, soon
        What that number is multiplied by after a program that was not solved, and after
        one that took less than the share ``soon`` of its seconds.
    limit, longer, most_limit
        Seconds for a program: at first, what they are multiplied by after one that
        gained nothing, and at most.
    dive_limit
        Dives end after so many times these seconds.
    """

    dives: int = 10
    rows: int = 1_500
    least_rows: int = 200
    most_rows: int = 10_000
    fewer: float = 0.75
    more: float = 1.2
    soon: float = 0.33
    limit: float = 3.0
    longer: float = 1.1
    most_limit: float = 15.0
    dive_limit: float = 2.0


DIVED_PARAMS = DivedParams()
