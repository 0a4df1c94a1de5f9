"""The page of a frontier: what more privacy costs, for whoever chooses."""

from collections.abc import Sequence

from starmin.frontiers.figure import frontier_figure
from starmin.frontiers.frontier_outcome import Frontier, FrontierPoint
from starmin.instances.releases.coding import SUPPRESSION
from starmin.report.drawing import Drawing
from starmin.report.headline import beside, cost, loss_words, percent, promise
from starmin.report.page import Cell, DataTable, heads, number, render, share, title_of


def frontier_page(
    outcome: Frontier, checks: Sequence[tuple[str, str]]
) -> tuple[str, Drawing | None]:
    """Write the page, as text of HTML, and draw its figure; None without a release.

    ``checks`` has for each release that was written what was asked, and the command
    that checks it.
    """
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
        points=DataTable(
            "points",
            f"Shares of {outcome.unit}",
            heads("Requirement|#Published|#At least|#Gap|#Groups|Status"),
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


def _line(each: FrontierPoint) -> list[Cell]:
    summary = each.summary
    return [
        Cell(each.asked.words),
        share(each.share, bar=True),
        share(each.least_share),
        share(summary.result.gap),
        number(summary.groups),
        Cell(summary.result.reason or summary.claim),
    ]


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
