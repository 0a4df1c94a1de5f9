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
    """Read the turns at three kinds of problems from the schedule."""
    from starmin.auto.schedule import first_bounds
    from starmin.auto.schedule.schedule import SCHEDULE
    from starmin.auto.schedule.turns import Size

    class Asked(Size):
        """A problem of k-anonymity, k of 3 or more."""

        def __init__(self, goal: Any, rows: int) -> None:
            self.goal, self.rows, self.least = goal, rows, 3
            self.diverse = self.distinct = False

        def pace(self, unit: str) -> float:
            return 1.0

    def turns(goal: str, rows: int) -> list[list[Any]]:
        """List the turns that end before the rest of the time."""
        size = Asked(goal, rows)
        fits = [turn for turn in SCHEDULE if turn.fits(size) and turn.share < 1]
        fitting = [turn for turn in fits if not turn.ends]
        told = [[name, turn.share] for turn in fitting for name in turn.methods]
        return [*told, ["the candidates", 1.0]]

    return {
        "kinds": [
            ["Fewest stars, 500 rows or more", turns("stars", 500)],
            ["Ranges and trees, 500 rows or more", turns("losses", 500)],
            ["Ranges and trees, up to 300 rows", turns("losses", 300)],
        ],
        "bound": [first_bounds.METHODS[0], first_bounds.SHARE, first_bounds.SECONDS],
        "ends": [
            [name, *turn.per]
            for turn in SCHEDULE
            for name in turn.methods
            if turn.per is not None
            and not turn.contest
            and turn.fits(Asked("losses", 300))
        ],
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
    """Say what else ends a turn, for the page."""
    bound, share, seconds = rules["bound"]
    ends = ", ".join(
        f"`{name}` ends after a second for each {number:,} {unit}"
        for name, unit, number in dict.fromkeys(map(tuple, rules["ends"]))
    )
    return (
        f"In small tables {ends}. Beside all turns `{bound}` bounds losses at a core "
        f"of its own; with one core it comes before them, for {100 * share:g} % of the "
        f"time and {seconds:g} seconds at most."
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
