"""The files of a frontier: page, figure, numbers, releases and proofs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starmin.frontiers.frontier_outcome import Frontier, FrontierPoint
from starmin.frontiers.frontier_search import Point
from starmin.inputs.roles import Roles
from starmin.instances import check_writable
from starmin.instances.errors import lacking
from starmin.instances.io.atomic import make_folder
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.tables.random_orders import secret_order
from starmin.outputs.files import Outputs, as_lines, csv_text, write_text
from starmin.process.say import say
from starmin.process.steps import Steps, write_file
from starmin.report.headline import beside, cost, loss_words, percent, promise
from starmin.report.page import DataTable, render, title_of

if TYPE_CHECKING:
    from starmin.report.drawing import Drawing

# Of a row what is no single number or word.
_NO_SINGLE = "requirement", "sensitive", "unchanged", "undone", "range_ends", "out"


@dataclass(frozen=True)
class FrontierFiles:
    """The folder that a frontier is written to."""

    folder: Path  # it is there
    roles: Roles  # with the form of the table, which releases take
    # whether each release has its rows in an order of its own, which nobody can draw
    # again
    shuffle: bool = False

    @classmethod
    def make(cls, folder: Path, roles: Roles, shuffle: bool) -> "FrontierFiles":
        """Make the folder; raise TableError where nothing can be written to it."""
        make_folder(folder, "--out")
        check_writable(folder / "frontier.csv")
        return cls(folder, roles, shuffle)

    @property
    def page(self) -> Path:
        """The page to read."""
        return self.folder / "report.html"

    def release(self, point: Point) -> Path:
        """Name the release of a point."""
        return self.folder / f"{_stem(point)}.csv"

    def certificate(self, point: Point) -> Path:
        """Name the certificate of a point."""
        return self.folder / f"{_stem(point)}.certificate.json"

    def publish(self, each: FrontierPoint, steps: Steps) -> FrontierPoint:
        """Write the release of a point, if it has one; return it with where that is."""
        summary, out = each.summary, None
        if summary.release is not None:
            outputs = Outputs(self.release(each.asked))
            n = summary.problem.table.n
            order = secret_order(n, None) if self.shuffle else None
            out = outputs.publish(summary.release, order, self.roles, steps)
        return replace(each, summary=replace(summary, out=out))

    def write(
        self, outcome: Frontier, checks: Sequence[tuple[str, str]], steps: Steps
    ) -> None:
        """Write all but the releases.

        ``checks`` has for each release what was asked, and the command that checks it.
        """
        for each in outcome.points:
            if (proof := each.summary.result.certificate) is not None:
                path = self.certificate(each.asked)
                with steps.step("certificate", path):
                    proof.write(path)
        content, table = lambda: as_lines(outcome.as_json()), lambda: _csv(outcome)
        for name, text in (("frontier.json", content), ("frontier.csv", table)):
            write_text(self.folder / name, text, steps, "result", "replace")
        if why := lacking("report"):
            say(f"{self.page} is not written: {why}")
            return
        with steps.step("report", self.page):
            page, figure = frontier_page(outcome, checks)
            files = {self.page.name: page.encode(errors="replace")}
            for name, file in (files | (figure.files() if figure else {})).items():
                write_file(self.folder / name, file)


def _stem(point: Point) -> str:
    return point.words.replace(" = ", "").replace(", ", ".")


def _csv(outcome: Frontier) -> str:
    """Write one line for each point."""
    rows = [each.row() for each in outcome.points]
    return csv_text([key for key in rows[0] if key not in _NO_SINGLE], rows)


def frontier_page(
    outcome: Frontier, checks: Sequence[tuple[str, str]]
) -> "tuple[str, Drawing | None]":
    """Write the page, as text of HTML, and draw its figure; None without a release.

    ``checks`` has for each release that was written what was asked, and the command
    that checks it.
    """
    from starmin.frontiers.figure import frontier_figure  # loads matplotlib

    summary = outcome.points[0].summary
    table, figure = summary.problem.table, None
    if any(each.share is not None for each in outcome.points):
        figure = frontier_figure(outcome.curves(), outcome.symbol, outcome.unit)
    page = render(
        "frontier.html",
        title=f"What more privacy costs: {title_of(summary.origin.source)}",
        about=f"{table.n:,} rows; quasi-identifiers: {', '.join(table.qi)}.",
        lead=" ".join([_lead(outcome), *beside(outcome.disclosure)]),
        figure=figure,
        points=DataTable.of(
            "points",
            f"Shares of {outcome.unit}",
            "Requirement|%=Published|%At least|%Gap|#Groups|Status",
            [_line(each) for each in outcome.points],
            sortable=False,
        ),
        stories=[(each.asked.words, _story(each)) for each in outcome.points],
        checks=checks,
        order=outcome.order(),
        shuffled=bool(outcome.shuffled),
    )
    return page, figure


def _lead(outcome: Frontier) -> str:
    """Compare the first and the last of the requirements that have a release."""
    points = [each for each in outcome.points if each.share is not None]
    if not points:
        return "No requirement can be satisfied."
    points.sort(key=lambda each: ((each.asked.l or 1), (each.asked.k or 1)))
    low, high = points[0], points[-1]
    what, verb, _ = loss_words(low.asked.problem.objective)
    begin = f"With {low.asked.words}, {percent(low.share or 0)} {what} {verb}"
    if low is high:
        return f"{begin}."
    return f"{begin}; with {high.asked.words}, {percent(high.share or 0)}."


def _line(each: FrontierPoint) -> tuple[Any, ...]:
    summary, result = each.summary, each.summary.result
    figures = each.share, each.least_share, result.gap, summary.groups
    return each.asked.words, *figures, result.reason or summary.claim


def _story(each: FrontierPoint) -> str:
    """Say what the requirement promises and costs."""
    result, problem = each.summary.result, each.asked.problem
    if result.reason is not None:
        return f"No release: {result.reason}."
    if each.share is None:
        return "The search was interrupted before this requirement was begun."
    recoding = problem.coding.recoding or SUPPRESSION
    said = promise(problem.requirement, problem.table, recoding)
    exact = result.value == result.lower_bound
    costs = each.share, each.least_share, exact
    said.append(cost(problem.objective, recoding, *costs))
    return " ".join(said)
