"""The rules by which ``auto`` chooses: every name and number, in one table.

The choice reads them from here, and ``starmin methods --auto`` writes them for the
page on the architecture.
"""

from dataclasses import dataclass, fields
from typing import Annotated, Any, get_type_hints


@dataclass(frozen=True)
class Meaning:
    """What a rule says, in one sentence, and the unit of its value."""

    sentence: str
    unit: str


@dataclass(frozen=True)
class AutoRules:
    """How ``auto`` chooses for releases that publish groups.

    The pattern formulation is as large as its pairs: of a row type and a set of starred
    columns.
    """

    time_limit: Annotated[
        float, Meaning("Limit where the user gives none.", "seconds")
    ] = 300.0
    candidates: Annotated[
        tuple[str, ...],
        Meaning("The first of these that takes the problem solves it.", "methods"),
    ] = (
        "tuple_ilp",
        "bipartite_matching",
        "pattern_ilp",
        "large_neighbourhood",
        "ruin_and_recreate",
        "local_search",
    )
    near_pairs: Annotated[
        int,
        Meaning(
            "Above this size of the pattern formulation `near_pattern_annealing` "
            "solves k-anonymity with fewest stars, but where the next two rules say "
            "otherwise.",
            "pairs",
        ),
    ] = 67_000_000
    wide_pairs: Annotated[
        int,
        Meaning(
            "Up to this size the candidates are asked all the same, if there is no "
            "more than the next number of pairs for each second of the time limit.",
            "pairs",
        ),
    ] = 200_000_000
    wide_pairs_per_second: Annotated[
        int,
        Meaning(
            "Up to so many for each second `large_neighbourhood` finds more on two "
            "cores.",
            "pairs per second",
        ),
    ] = 5_000_000
    small_rows: Annotated[
        int,
        Meaning(
            "Up to this size the next method comes first where losses by "
            "generalization are minimised.",
            "rows",
        ),
    ] = 300
    small_method: Annotated[
        str,
        Meaning("It solves small tables, and certifies that.", "method"),
    ] = "box_program"
    small_improvers: Annotated[
        tuple[str, ...],
        Meaning(
            "It starts from the best release of `range_starts`, which these improve.",
            "methods",
        ),
    ] = ("ruin_and_recreate",)
    small_rows_per_second: Annotated[
        int,
        Meaning("For so many rows they have a second.", "rows"),
    ] = 150
    small_share: Annotated[
        float,
        Meaning(
            "What the method for small tables may take of the time that is left; the "
            "candidates have the rest.",
            "share of the time",
        ),
    ] = 0.75
    large_rows: Annotated[
        int,
        Meaning(
            "From this size on, unless tuples are minimised, the candidates start from "
            "the best release of fast heuristics.",
            "rows",
        ),
    ] = 500
    starts: Annotated[
        tuple[str, ...],
        Meaning(
            "The heuristics that give large tables a release to start from; only the "
            "first of them runs where `pattern_ilp` is left out.",
            "methods",
        ),
    ] = ("lexicographic_suppression", "lagrangian_diving")
    range_starts: Annotated[
        tuple[str, ...],
        Meaning(
            "The heuristics that large tables start from where losses by "
            "generalization are minimised.",
            "methods",
        ),
    ] = ("gray_order", "mondrian", "local_recoding")
    range_start_share: Annotated[
        float,
        Meaning(
            "What each of these may take of the time that is left.",
            "share of the time",
        ),
    ] = 0.5
    improvers: Annotated[
        tuple[str, ...],
        Meaning(
            "Where stars, or losses by generalization, are minimised for k-anonymity, "
            "and `pattern_ilp` is not left out, these improve that release first.",
            "methods",
        ),
    ] = ("large_neighbourhood",)
    improver_pairs: Annotated[
        int,
        Meaning(
            "For so many pairs they have a second, as `pattern_ilp` needs no more time "
            "than that for few.",
            "pairs per second",
        ),
    ] = 4_000
    improver_share: Annotated[
        float,
        Meaning(
            "What they then take at most of the time that is left, where stars are "
            "minimised.",
            "share of the time",
        ),
    ] = 0.15
    range_improver_share: Annotated[
        float,
        Meaning("The same where losses are minimised.", "share of the time"),
    ] = 0.4
    range_star_starts: Annotated[
        tuple[str, ...],
        Meaning(
            "The heuristics that form groups with few stars for the same large "
            "tables; they start from these where they lose less.",
            "methods",
        ),
    ] = ("lexicographic_suppression",)
    start_share: Annotated[
        float,
        Meaning(
            "What each of these may take of the time that is left; what it does not "
            "take remains.",
            "share of the time",
        ),
    ] = 0.1
    packing: Annotated[
        tuple[str, str],
        Meaning(
            "For k = 2 on large tables, and for k = 2 and l = 2 wherever losses are "
            "minimised: the first of these finds a release, and the second one proves "
            "that there is no better, or finds one.",
            "methods",
        ),
    ] = ("large_neighbourhood", "simplex_matching")
    packing_pairs_per_second: Annotated[
        float,
        Meaning(
            "Up to so many pairs of two row types for each second of the time limit "
            "they run before the candidates.",
            "pairs per second",
        ),
    ] = 6_000_000
    packing_diverse_pairs_per_second: Annotated[
        float,
        Meaning(
            "The same under l = 2, where few pairs cost nothing.", "pairs per second"
        ),
    ] = 600_000
    packing_types: Annotated[
        int,
        Meaning("For so many row types the first of them has a second.", "types"),
    ] = 1_800
    packing_seconds: Annotated[
        float,
        Meaning("What its first turn takes at most.", "seconds"),
    ] = 10.0
    packing_gap: Annotated[
        float,
        Meaning(
            "It has another turn, twice as long, while its release is farther from "
            "its bound than this.",
            "share of the bound",
        ),
    ] = 0.1
    packing_search_share: Annotated[
        float,
        Meaning("All of its turns take at most so much.", "share of the time"),
    ] = 0.3
    packing_share: Annotated[
        float,
        Meaning(
            "What the second of them may take of the time that is left; the candidates "
            "have the rest.",
            "share of the time",
        ),
    ] = 0.9
    pairs_per_second: Annotated[
        float,
        Meaning(
            "Above this size of the pattern formulation, divided by the time limit, "
            "`pattern_ilp` is left out for large tables.",
            "pairs per second",
        ),
    ] = 2_000
    diverse_range_pairs_per_second: Annotated[
        float,
        Meaning(
            "The limit on pairs of a row type and a vector of nodes above which, under "
            "l-diversity, for large tables and losses by generalization, there is no "
            "time for prices.",
            "pairs per second",
        ),
    ] = 5_000_000_000
    diverse_range_candidates: Annotated[
        tuple[str, ...],
        Meaning(
            "The candidates above that limit: the search without prices comes first.",
            "methods",
        ),
    ] = ("bipartite_matching", "ruin_and_recreate", "large_neighbourhood")
    priced_pairs_per_second: Annotated[
        float,
        Meaning(
            "The same limit under distinct l-diversity, where Lagrangian multipliers "
            "replace the relaxation.",
            "pairs per second",
        ),
    ] = 30_000
    priced_starts: Annotated[
        tuple[str, ...],
        Meaning(
            "The heuristics that give the release to start from where the pattern "
            "formulation is above the first limit and Lagrangian multipliers replace "
            "its relaxation.",
            "methods",
        ),
    ] = ("lexicographic_suppression", "local_search")
    priced_start_share: Annotated[
        float,
        Meaning(
            "What each of these may take of the time that is left.",
            "share of the time",
        ),
    ] = 0.5
    bound_after: Annotated[
        str,
        Meaning(
            "Where a heuristic solves a problem under distinct l-diversity, this "
            "method bounds it afterwards.",
            "method",
        ),
    ] = "distinct_prices"
    first_bounds: Annotated[
        tuple[str, ...],
        Meaning(
            "Bounds beside the search, at a core of their own, where losses by "
            "generalization are minimised; the first one that proves anything is "
            "enough.",
            "methods",
        ),
    ] = ("dual_ascent", "own_pattern", "lagrangian")
    first_bound_share: Annotated[
        float,
        Meaning(
            "With one core they come before the search; each has at most so much of "
            "it.",
            "share of the time",
        ),
    ] = 0.1
    first_bound_seconds: Annotated[
        float, Meaning("And at most so long.", "seconds")
    ] = 5.0
    first_bound_cells: Annotated[
        int, Meaning("In larger tables there is none of them.", "cells")
    ] = 500_000
    bound_share: Annotated[
        float,
        Meaning(
            "What is kept for that, of the time that is left.", "share of the time"
        ),
    ] = 0.2
    missing_share: Annotated[
        float,
        Meaning(
            "Where missing sensitive values are any value, or none, the usual problem "
            "that bounds this one has so much of the time.",
            "share of the time",
        ),
    ] = 0.4
    missing_candidates: Annotated[
        tuple[str, ...],
        Meaning("These go on from its release.", "methods"),
    ] = ("known_values_ilp", "local_search")
    persons_share: Annotated[
        float,
        Meaning(
            "Where persons or households count, easier problems have so much of the "
            "time.",
            "share of the time",
        ),
    ] = 0.4
    persons_method: Annotated[
        str, Meaning("This goes on from their releases.", "method")
    ] = "person_ilp"
    within_methods: Annotated[
        tuple[str, ...],
        Meaning(
            "Where classes are unions of those of an earlier release, the first of "
            "these searches and bounds, and the second goes on if classes are few.",
            "methods",
        ),
    ] = ("within_annealing", "within_ilp")
    fallbacks: Annotated[
        tuple[str, ...],
        Meaning(
            "Where no candidate takes the problem, the best release of these is "
            "returned, as many as there is time for.",
            "methods",
        ),
    ] = (
        "lexicographic_suppression",
        "hilbert_suppression",
        "mondrian",
        "top_down",
    )
    range_fallbacks: Annotated[
        tuple[str, ...],
        Meaning(
            "These run instead where losses by generalization (GCP) are minimised.",
            "methods",
        ),
    ] = ("gray_order", "mondrian", "hilbert", "idistance", "top_down")


@dataclass(frozen=True)
class NonHomogeneousRules:
    """How ``auto`` chooses for non-homogeneous releases."""

    exact_rows: Annotated[
        int,
        Meaning(
            "Up to this size `matching_mip` proves the optimum in seconds or minutes, "
            "whatever k is, and runs after the heuristic.",
            "rows",
        ),
    ] = 20
    pair_rows: Annotated[
        int,
        Meaning(
            "Up to this size `pair_matching`, exact for k = 2, comes before the "
            "heuristics.",
            "rows",
        ),
    ] = 20_000
    whole_rows: Annotated[
        int,
        Meaning("Above this size the table is cut into blocks (`blocks`).", "rows"),
    ] = 200_000
    search_share: Annotated[
        float,
        Meaning(
            "What the heuristic may take of the time; the rest is for the lower bound.",
            "share of the time",
        ),
    ] = 0.6
    matched_share: Annotated[
        float,
        Meaning(
            "What matchings may take of the time before groups are searched, where "
            "losses of ranges and taxonomies are minimised.",
            "share of the time",
        ),
    ] = 0.15
    ring_cost_ratio: Annotated[
        float,
        Meaning(
            "Groups that cost at most this times the best release so far are improved "
            "and turned into rings.",
            "ratio of costs",
        ),
    ] = 1.08
    ring_seconds_per_row: Annotated[
        float,
        Meaning("What the search for such groups may take at most.", "seconds per row"),
    ] = 2e-3


RULES = AutoRules()
NONHOMOGENEOUS_RULES = NonHomogeneousRules()


def as_markdown(
    rules: AutoRules = RULES,
    nonhomogeneous: NonHomogeneousRules = NONHOMOGENEOUS_RULES,
) -> str:
    """Write the rules as two tables: for groups and for non-homogeneous releases.

    Returns
    -------
    str
        Markdown, without a newline at its end.

    Examples
    --------
    >>> as_markdown().splitlines()[4]
    '| `time_limit` | 300 | seconds | Limit where the user gives none. |'
    """
    return "\n\n".join(
        (
            "Releases that publish groups:",
            _table(rules),
            "Non-homogeneous releases:",
            _table(nonhomogeneous),
        )
    )


def _table(rules: AutoRules | NonHomogeneousRules) -> str:
    """Write one table, a rule in each line."""
    hints = get_type_hints(type(rules), include_extras=True)
    lines = ["| rule | value | unit | effect |", "|---|---|---|---|"]
    for each in fields(rules):
        (meaning,) = hints[each.name].__metadata__
        value = _text(getattr(rules, each.name))
        lines.append(
            f"| `{each.name}` | {value} | {meaning.unit} | {meaning.sentence} |"
        )
    return "\n".join(lines)


def _text(value: Any) -> str:
    """Write names as code, in their order, and numbers with separators."""
    if isinstance(value, tuple):
        return ", ".join(f"`{name}`" for name in value)
    if isinstance(value, str):
        return f"`{value}`"
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}"
