"""A finished frontier: as rows, as curves, as JSON."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from starmin.frames.data_frames import frame_of
from starmin.frontiers.frontier_search import Curve, Point
from starmin.instances.errors import expect_extra, lacking
from starmin.outputs.claims import plain_claim
from starmin.outputs.summary import Summary
from starmin.process.say import number_text
from starmin.report.page import NONE, share
from starmin.solving import Solution
from starmin.verify.releases.disclosure import NOTHING, Disclosure, shown_by_another

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Of the rows of ``Frontier.frame``.
KEYS = (
    *("k", "l", "status", "value", "lower_bound", "gap", "share", "least_share"),
    "groups",
)
HEADER = (
    *("requirement", "status", "value", "lower bound", "gap", "share"),
    *("no release below", "groups"),
)


@dataclass(frozen=True)
class FrontierPoint:
    """What was found for one requirement."""

    asked: Point  # the requirement: its ``k`` and ``l``
    summary: Summary  # what is published, what it costs, and what was proven

    @cached_property
    def result(self) -> Solution:
        """What was found: value, bound, certificate and what to publish."""
        return Solution(self.summary.result, self.asked.problem)

    @property
    def share(self) -> float | None:
        """What the release costs, as a share of publishing nothing."""
        return self._share(self.summary.result.value)

    @property
    def least_share(self) -> float | None:
        """What every release costs at least, as the same share."""
        return self._share(self.summary.result.lower_bound)

    def _share(self, value: int | None) -> float | None:
        problem = self.asked.problem
        if value is None:
            return None
        return value / max(1, problem.objective.whole(problem.table))

    def __str__(self) -> str:
        asked, status, value, bound, *_ = self.cells()
        found = status if self.result.value is None else f"{value} (bound {bound})"
        return f"{asked}: {found}"

    def cells(self) -> tuple[str, ...]:
        """Return the texts of a line of the table that ``HEADER`` heads."""
        row = self.row()
        return (
            self.asked.words,
            plain_claim(self.summary.result),
            *(number_text(row[key], NONE) for key in ("value", "lower_bound")),
            *(share(row[key]).text for key in ("gap", "share", "least_share")),
            number_text(row["groups"], NONE),
        )

    def row(self) -> dict[str, Any]:
        """Return the keys of ``starmin solve --json`` and the two shares."""
        whole = self.summary.as_json()
        for key in ("table", "n", "d", "qi", "runtime"):
            del whole[key]
        numbers = {"k": self.asked.k, "l": self.asked.l}
        return numbers | whole | {"share": self.share, "least_share": self.least_share}


@dataclass(frozen=True)
class Frontier:
    """A finished frontier."""

    points: tuple[FrontierPoint, ...]  # in the order in which they were asked for
    runtime: float  # seconds
    # whether each release that was written has its rows in an order of its own; None:
    # none was written
    shuffled: bool | None = None
    # of the frame that it is of; None: pandas
    library: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Frontier({'; '.join(map(str, self.points))})"

    @property
    def disclosure(self) -> Disclosure:
        """What is published beside the quasi-identifiers, at the first release."""
        told = (p.summary.disclosure for p in self.points if p.summary.release)
        return next(told, NOTHING)

    @cached_property
    def side_by_side(self) -> tuple[float, float] | None:
        """How much of what one of two releases hides the other shows, row by row.

        The least and the greatest share of the hidden cells; None where there are no
        two releases that hide cells.
        """
        summaries = [p.summary for p in self.points if p.summary.release is not None]
        if len(summaries) < 2:
            return None
        releases = [summary.published for summary in summaries]
        return shown_by_another(summaries[0].problem.table, releases)

    def order(self) -> str | None:
        """Say what the order of rows tells whoever has two of the releases written."""
        if self.shuffled is None or sum(p.share is not None for p in self.points) < 2:
            return None
        if self.shuffled:
            return (
                "each release has its rows in an order of its own, which nobody can "
                "draw again; two of them still tell more together than each alone"
            )
        shown = ""
        if self.side_by_side is not None:
            least, most = (share(part).text for part in self.side_by_side)
            much = least if least == most else f"{least} to {most}"
            shown = f": of the cells that one hides, another shows {much}"
        return (
            "all releases have their rows in the order of the table, so that whoever "
            f"has two of them compares them row by row{shown}; publish one of them, or "
            "write each in an order of its own (--shuffle)"
        )

    @property
    def symbol(self) -> str:
        """What varies along a curve: k, or l where there is only one k."""
        ls = {each.asked.l for each in self.points}
        ks = {each.asked.k for each in self.points}
        return "l" if len(ls) > 1 and len(ks) == 1 else "k" if ks != {None} else "l"

    @property
    def unit(self) -> str:
        """What the costs are shares of, in words."""
        goal = self.points[0].asked.problem.objective
        return "the cost by the weights" if goal.weights else goal.declared.share

    def curves(self) -> list[Curve]:
        """Return one curve for each value of what does not vary along them."""
        along = self.symbol
        across = "l" if along == "k" else "k"
        lines: dict[int | None, list[FrontierPoint]] = {}
        for point in sorted(self.points, key=lambda p: getattr(p.asked, along)):
            lines.setdefault(getattr(point.asked, across), []).append(point)
        names = dict.fromkeys(getattr(each.asked, across) for each in self.points)
        return [
            Curve(
                f"{across} = {name}" if len(names) > 1 else "",
                [getattr(each.asked, along) for each in lines[name]],
                [each.share for each in lines[name]],
                [each.least_share for each in lines[name]],
            )
            for name in names
        ]

    @property
    def frame(self) -> Any:
        """A frame with a row for each requirement, in the library that was asked."""
        rows = [each.row() for each in self.points]
        return frame_of({key: [row[key] for row in rows] for key in KEYS}, self.library)

    def plot(self) -> "Figure":
        """Draw what each requirement costs, and at least must cost."""
        expect_extra("report", "plot")
        from starmin.frontiers.figure import frontier_picture  # loads matplotlib

        return frontier_picture(self.curves(), self.symbol, self.unit)

    def svg(self) -> str:
        """Draw the curves, as SVG."""
        expect_extra("report", "svg")
        from starmin.frontiers.figure import frontier_figure  # loads matplotlib

        return frontier_figure(self.curves(), self.symbol, self.unit).svg.decode()

    def _repr_svg_(self) -> str | None:
        return None if lacking("report") else self.svg()

    def as_json(self) -> dict[str, Any]:
        """Return what all points share, and the points."""
        first = self.points[0].summary.as_json()
        shared = {key: first[key] for key in ("table", "n", "d", "qi")}
        rows = [each.row() for each in self.points]
        side_by_side = None if self.shuffled is not False else self.side_by_side
        return shared | {
            "runtime": round(self.runtime, 3),
            "shuffled": self.shuffled,
            "side_by_side": side_by_side and list(side_by_side),
            "points": rows,
        }
