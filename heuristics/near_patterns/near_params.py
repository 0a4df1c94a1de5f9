"""Constants that steer the annealing on near patterns."""

from dataclasses import dataclass

from starmin.models.near_patterns.pattern_ranges import MOST_TYPES


@dataclass(frozen=True)
class NearPatternParams:
    """Constants that steer the search."""

    estimate: int = 60  # steps of the prices that the annealing begins with
    # of the time that is left, the share that these steps may take
    estimating: float = 0.25
    # of the time that is left, the share that own costs may take where a table is cut
    # into parts
    bounding: float = 0.3
    pricing: float = 0.25  # of what is left then, the share that their prices may take
    # where that is less than this many times what the own costs took, prices are not
    # improved: to list the patterns takes twice as long
    listing: float = 3.0
    # prices are refined until 500 steps raise the bound by less than this share
    tolerance: float = 1e-4
    # where less time is left than this many times what the list of patterns took, no
    # rows are dealt to them: that could not end in time
    dealing: float = 2.0
    # seconds for each row type that are left for the last release and the certificate
    closing: float = 8e-7
    most_closing: float = 0.2  # of the time limit, the share that this may take
    # first, longer: seconds of the first round of the annealing for each row type, and
    # the length of a further round as a multiple of that of the one before
    first: float = 1e-5
    longer: float = 2.0
    # a round is the last one where no more than this multiple of it is left
    last: float = 1.6
    proposals: float = 200  # moves for each row type and round, at most
    rounds: int = 3  # the search ends after so many rounds in which all moves were made
    # row types that are searched at once, at about 2 kB each; more are cut into parts,
    # which are searched side by side
    most_types: int = MOST_TYPES
    # row types that a part has at least of a table that is searched on other machines,
    # too
    least_types: int = 100_000

    def closing_of(self, types: int, time_limit: float) -> float:
        """Return the seconds that are left for the last release of so many types."""
        return min(self.closing * types, self.most_closing * time_limit)


NEAR_PATTERN_PARAMS = NearPatternParams()
