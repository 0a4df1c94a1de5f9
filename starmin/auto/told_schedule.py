"""The schedule of ``auto`` in words, for the page on the architecture."""

import math

from starmin.auto import many_pairs, nonhomogeneous, rings
from starmin.auto.schedule import bounds_beside, first_bounds
from starmin.auto.schedule.schedule import SCHEDULE
from starmin.auto.schedule.turns import SLICE, Pace, Turn, Where
from starmin.process.clock import DEFAULT_TIME_LIMITS

_UNITS = {
    "pairs": "pairs of a row type and a pattern",
    "couples": "pairs of two row types",
    "rows": "rows",
    "types": "row types",
}


def as_markdown() -> str:
    """Write the turns as a table, and what stands beside them.

    Returns
    -------
    str
        Markdown, without a newline at its end.

    Examples
    --------
    >>> as_markdown().splitlines()[0]
    '| turn | methods | for which problems | for how long, at most |'
    """
    lines = ["| turn | methods | for which problems | for how long, at most |"]
    lines.append("|---" * 4 + "|")
    for number, turn in enumerate(SCHEDULE, 1):
        methods = ", ".join(f"`{name}`" for name in turn.methods)
        lines.append(f"| {number} | {methods} | {_problems(turn)} | {_time(turn)} |")
    return "\n".join([*lines, "", *_beside()])


def _problems(turn: Turn) -> str:
    """Say which problems a turn is for."""
    told = "; ".join(dict.fromkeys(map(_where, turn.where)))
    if turn.starts:
        told += "; to begin with"
    if turn.stars:
        told += ", by groups for few stars"
    if turn.once:
        told += "; had no turn before"
    if turn.after:
        told += "; after the last"
    return told


def _where(where: Where) -> str:
    """Say which problems are meant."""
    told: list[str] = [where.goal] if where.goal else []
    if where.least is not None:
        told.append(f"{'l' if where.diverse else 'k'} = {where.least}")
    elif where.diverse is not None:
        told.append("l-diversity" if where.diverse else "k-anonymity")
    if where.distinct:
        told.append("distinct l-diversity")
    for unit, (fewest, most) in (("rows", where.rows), ("types", where.types)):
        if fewest:
            told.append(f"{fewest:,} {_UNITS[unit]} or more")
        if most < math.inf:
            told.append(f"{most:,.0f} {_UNITS[unit]} or fewer")
    if where.alike:
        told.append(f"at least {where.alike:g} rows of a type on average")
    if where.pace is not None:
        told.append(_pace(where.pace))
    return ", ".join(told) or "all"


def _pace(pace: Pace) -> str:
    """Say how large a problem may be for its time."""
    bounds = []
    if pace.more_than > 0:
        bounds.append(f"more than {pace.more_than:,.0f}")
    if pace.most < math.inf:
        bounds.append(f"at most {pace.most:,.0f}")
    return f"{' and '.join(bounds)} {_UNITS[pace.unit]} a second"


def _time(turn: Turn) -> str:
    """Say how long one of its methods may work."""
    if turn.contest:
        assert turn.per is not None
        unit, number = turn.per
        return (
            f"slices of {turn.share:.0%} of what is left, the first ones of {SLICE:g} "
            f"seconds or a second for {number:,} {_UNITS[unit]} at most, then twice as "
            "long each: one each, then to whose last one gained most a second"
        )
    if turn.ends:
        left = (
            "all that is left" if turn.share == 1 else f"{turn.share:.0%} of the rest"
        )
        return f"{left}; the first that takes the problem is the last"
    told = []
    if turn.share < 1:
        told.append(f"{100 * turn.share:g} % of what is left")
    if turn.per is not None:
        unit, number = turn.per
        told.append(f"a second for {number:,} {_UNITS[unit]}")
    if turn.most < math.inf:
        told.append(f"{turn.most:g} seconds")
    if turn.growth is not None:
        told.append(
            f"again, twice as long, while the gap is above {turn.growth.gap:g}, up to "
            f"{100 * turn.growth.share:g} % of the time in all"
        )
    return ", ".join(told) or "what is left"


def _exact() -> str:
    """Name the exact methods beside the search, and for which problems they are."""
    return "; ".join(
        f"`{name}` ({_problems(turn)})"
        for turn in bounds_beside.EXACT
        for name in turn.methods
    )


def _beside() -> list[str]:
    """Say what is not in the table."""
    bounds = ", ".join(f"`{name}`" for name in first_bounds.METHODS)
    return [
        f"- Without a time limit `auto` takes {DEFAULT_TIME_LIMITS['auto']:g} seconds.",
        "- Where losses are minimised, the first of these that proves anything bounds "
        f"them beside the search, at a core of its own: {bounds}. It ends where the "
        f"search has proven {bounds_beside.FAR:g} times as much, or more than it will "
        "come to at its pace. With one core it "
        f"comes before the search, for {100 * first_bounds.SHARE:g} % of the time and "
        f"{first_bounds.SECONDS:g} seconds at most. Tables of more than "
        f"{first_bounds.CELLS:,} cells have none, unless there are too many vectors of "
        "nodes to walk over: then rows alone prove it, with one core for as long as "
        f"they need and {100 * first_bounds.ROWS_SHARE:g} % of the time at most.",
        f"- That core then goes on with the first of these that takes the problem: "
        f"{_exact()}. It has no turn of its own before the last one then.",
        f"- Above {many_pairs.MANY:,} {_UNITS['pairs']} `{many_pairs.METHOD}` solves "
        f"k-anonymity with fewest stars alone; from there to {many_pairs.WIDE:,} only "
        f"if there are more than {many_pairs.WIDE_PER_SECOND:,} a second.",
        f"- Non-homogeneous releases: up to {nonhomogeneous.EXACT_ROWS} rows "
        "`matching_mip` proves the optimum after the heuristics; for k = 2 and up to "
        f"{nonhomogeneous.PAIR_ROWS:,} rows `pair_matching` comes first. Heuristics "
        f"have {100 * nonhomogeneous.SEARCH_SHARE:g} % of the time, matchings for "
        f"losses {100 * nonhomogeneous.MATCHED_SHARE:g} %; the rest is for the bound. "
        f"Tables of more than {nonhomogeneous.WHOLE_ROWS:,} rows are cut into blocks. "
        f"Groups that cost at most {rings.COST_RATIO:g} times as much are turned into "
        "rings.",
    ]
