"""Constants that steer the annealing on near patterns."""

from dataclasses import dataclass

from starmin.models.near_patterns.sizes import MOST_TYPES


@dataclass(frozen=True)
class NearPatternParams:
    """Constants that steer the search.

    Attributes
    ----------
    estimate
        Steps of the prices that the annealing begins with.
    estimating
        Of the time that is left, the share that these steps may take.
    bounding
        Of the time that is left, the share that own costs may take where a table is
        cut into parts.
    pricing
        Of what is left then, the share that their prices may take.
    listing
        Where that is less than this many times what the own costs took, prices are not
        improved: to list the patterns takes twice as long.
    tolerance
        Prices are refined until 500 steps raise the bound by less than this share.
    dealing
        Where less time is left than this many times what the list of patterns took,
        no rows are dealt to them: that could not end in time.
    closing
        Seconds for each row type that are left for the last release and the
        certificate.
    most_closing
        Of the time limit, the share that this may take.
    first, longer
        Seconds of the first round of the annealing for each row type, and the length of
        a further round as a multiple of that of the one before.
    last
        A round is the last one where no more than this multiple of it is left.
    proposals
        Moves for each row type and round, at most.
    rounds
        The search ends after so many rounds in which all moves were made.
    most_types
        Row types that are searched at once, at about 2 kB each; more are cut into
        parts, which are searched side by side.
    least_types
        Row types that a part has at least of a table that is searched on other
        machines, too.
    """

    estimate: int = 60
    estimating: float = 0.25
    bounding: float = 0.3
    pricing: float = 0.25
    listing: float = 3.0
    tolerance: float = 1e-4
    dealing: float = 2.0
    closing: float = 8e-7
    most_closing: float = 0.2
    first: float = 1e-5
    longer: float = 2.0
    last: float = 1.6
    proposals: float = 200
    rounds: int = 3
    most_types: int = MOST_TYPES
    least_types: int = 100_000

    def closing_of(self, types: int, time_limit: float) -> float:
        """Return the seconds that are left for the last release of so many types."""
        return min(self.closing * types, self.most_closing * time_limit)


NEAR_PATTERN_PARAMS = NearPatternParams()
