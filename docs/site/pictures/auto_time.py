"""Draws how ``auto`` shares its time: what each step may take of what is left.

    python docs/site/pictures/auto_time.py --measure

takes methods and shares from the rules that ``auto`` reads.
"""

from typing import Any

from canvas import LINE, WIDTH, Canvas
from keeping import read_json, remake

NAME = "auto_time"
LEFT, RIGHT = 212, 360  # of the bars
ROW, BAR = 23, 15


def measured() -> dict[str, Any]:
    """Read the steps of three kinds of problems from the rules."""
    from starmin.auto.rules import RULES

    def steps(*told: tuple[tuple[str, ...], float]) -> list[list[Any]]:
        return [[name, share] for names, share in told for name in names]

    whole = ("the candidates",), 1.0
    kinds: list[list[Any]] = [
        [
            f"Fewest stars, {RULES.large_rows} rows or more",
            steps(
                (RULES.starts, RULES.start_share),
                (RULES.improvers, RULES.improver_share),
                whole,
            ),
        ],
        [
            f"Ranges and trees, {RULES.large_rows} rows or more",
            steps(
                (RULES.range_starts, RULES.range_start_share),
                (RULES.range_star_starts, RULES.range_start_share),
                (RULES.improvers, RULES.range_improver_share),
                whole,
            ),
        ],
        [
            f"Ranges and trees, up to {RULES.small_rows} rows",
            steps(
                (RULES.small_improvers, RULES.start_share),
                ((RULES.small_method,), RULES.small_share),
                whole,
            ),
        ],
    ]
    return {
        "kinds": kinds,
        "bound": [
            *RULES.first_bounds[:1],
            RULES.first_bound_share,
            RULES.first_bound_seconds,
        ],
        "improver": [*RULES.improvers, RULES.improver_pairs],
        "small": [*RULES.small_improvers, RULES.small_rows_per_second],
        "starts": list(RULES.range_starts),
    }


def kept() -> dict[str, Any]:
    """The steps that are drawn."""
    found: dict[str, Any] = read_json(NAME)
    return found


def caption(rules: dict[str, Any]) -> str:
    """Say which step may take most, for each kind of problem."""
    told = []
    for title, steps in rules["kinds"]:
        before = [step for step in steps if step[1] < 1]
        name, share = max(before, key=lambda step: step[1])
        told.append(f"{100 * share:g} % for {name} ({_small(title)})")
    return (
        "How auto shares its time, for k of 3 or more. The most that a step before the "
        f"candidates takes of what is left: {', '.join(told)}."
    )


def limits(rules: dict[str, Any]) -> str:
    """Say what else ends a step, for the page."""
    (bound, share, seconds), (improver, pairs), (small, rows) = (
        rules[name] for name in ("bound", "improver", "small")
    )
    *starts, last = (f"`{name}`" for name in rules["starts"])
    return (
        "What a step does not take, the next ones have. Some end earlier: "
        f"`{improver}` after a second for each {pairs:,} pairs, `{small}` after a "
        f"second for each {rows} rows. Small tables start from the releases of "
        f"{', '.join(starts)} and {last}, too, which have no limit of their own "
        f"there. Where losses are minimised, `{bound}` bounds them beside all steps, "
        "at a core of its own; with one core it comes before them, for "
        f"{100 * share:g} % of the time and {seconds:g} seconds at most."
    )


def _small(title: str) -> str:
    return title[0].lower() + title[1:]


def drawn(rules: dict[str, Any]) -> str:
    """For each kind of problem a bar a step, as long as its share at most."""
    lines = sum(len(steps) + 1 for _, steps in rules["kinds"])
    canvas = Canvas(ROW * lines + 14 * len(rules["kinds"]) + LINE, caption(rules))
    canvas.text((WIDTH, 15), "at most, of what is left", "faint", anchor="end")
    y = float(LINE - 6)
    for title, steps in rules["kinds"]:
        y += ROW + 8
        canvas.text((0, y), title, size=15.5, bold=True)
        y += 4
        for name, share in steps:
            y += ROW
            rest = share == 1
            canvas.text((0, y - 4), name)
            canvas.box((LEFT, y - BAR - 1), (RIGHT - LEFT, BAR), "between")
            role = "line" if rest else "bound"
            canvas.box((LEFT, y - BAR - 1), (share * (RIGHT - LEFT), BAR), role)
            told = "the rest" if rest else f"{100 * share:g} %"
            canvas.text((WIDTH, y - 4), told, anchor="end")
    return canvas.svg()


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption, measured)
