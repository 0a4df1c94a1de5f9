"""The report of a release: what it hides, what it risks, what it is worth, why."""

import math
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from starmin.inputs.roles import Formula
from starmin.instances import Limit, Problem, Requirement, Status, Table
from starmin.instances.io.beside import Labels
from starmin.instances.releases.coding import (
    GENERALIZATION,
    NONHOMOGENEOUS,
    SUPPRESSION,
)
from starmin.instances.requirements.population import Population
from starmin.instances.tables.names import counted
from starmin.outputs.claims import is_certified, whose_word
from starmin.outputs.summary import Summary
from starmin.report.audit_page import SECONDS, what_it_tells
from starmin.report.headline import beside, cost, promise
from starmin.report.page import NONE, Cell, DataTable, number, render, share, title_of
from starmin.report.recheck import Question
from starmin.report.release.before_after import BeforeAfter
from starmin.report.release.column_facts import by_columns, by_values, loss_text
from starmin.report.release.distributions import weights_of
from starmin.report.release.release_figures import (
    bins,
    column_figure,
    group_sizes,
    level_parts,
    stars_of_rows,
)
from starmin.report.release.risk_left import (
    Measures,
    PrivacyMeasures,
    risk_rows,
    risk_text,
    still_learned,
)
from starmin.report.release.verdict import verdict
from starmin.report.rule_page import rule_page
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.mask_check import check_mask

_NEAR = 0.5  # a gap below this is told as what a release may cost too much

_SECRET = (
    "This page speaks of the original table, of values that the release hides. It is "
    "for whoever holds that table; do not publish it with the release."
)


def release_page(
    summary: Summary, question: Question, people: Population | None = None
) -> str:
    """Write the page, as text of HTML.

    Parameters
    ----------
    summary
        Of a result that has a release.
    question
        What was asked.
    people
        All people, among whom a journalist looks.
    """
    kept, release = summary.kept, summary.release
    problem, best = kept.problem, kept.result.best
    assert release is not None
    assert best is not None
    measures = Measures.of(problem, release, best)
    figure = (stars_of_rows if measures.check is None else group_sizes)(measures.sizes)
    given, formula = question.given, question.given.get("check")
    return render(
        "release.html",
        title=f"Release of {title_of(summary.origin.source)}",
        version=version("starmin"),
        about=_about(summary),
        lead=" ".join(lead_lines(summary)),
        learned=still_learned(problem, measures, summary.disclosure),
        inferred=what_it_tells(problem, release.tables()[""], _seconds(question)),
        sheet=verdict(summary),
        **compared_parts(
            *(problem, measures, _recoding(summary), given.get("weight"), people),
            formula and Formula.parse(formula),
            summary.origin.beside.labels,
        ),
        verdict=_verdict(summary),
        tiles=_tiles(summary, measures),
        secret=_SECRET,
        risk_text=risk_text(problem, measures),
        risk=risk_table(risk_rows(problem, measures)),
        figure=figure,
        sizes=size_table(measures),
        **level_parts(release, problem.coding),
        proof_title="Value, bound and proof",
        findings=None,
        proof=proof_lines(summary),
        commands=command_lines(summary, question),
    )


def compared_parts(
    problem: Problem,
    measures: Measures,
    recoding: str,
    weight: str | None,
    people: Population | None,
    formula: Formula | None,
    labels: Labels | None = None,
) -> dict[str, Any]:
    """Return the parts of a page that lay a release beside its original.

    ``weight`` is a column, ``people`` are those among whom a journalist looks, and
    ``formula`` is what a model learns; None where nothing was named.
    """
    columns, spread = measures.columns, None
    weights = weights_of(measures.released, weight)
    if weights is not None and weights_of(problem.table, weight) is not None:
        spread = measures.weighted(problem, weights)
    both = BeforeAfter(
        *(problem.table, measures.released, problem.coding, measures.spread, spread),
        *(columns, measures.cells, measures.check is not None, weight, people),
    )
    changed = {column.name for column in columns or () if column.changed}
    known = {} if labels is None else labels.values
    return {
        **both.parts(measures.matchings, formula),
        "lost_text": loss_text(recoding, columns, problem.table.n),
        "columns": columns and by_columns(columns, recoding),
        "by_value": columns and by_values(columns, recoding, labels),
        "figures": [
            column_figure(place, column, known.get(column.name))
            for place, column in enumerate(both.columns)
            if column.name in changed
        ],
        "utility": _utility_table(measures),
        "utility_text": _utility_text(measures),
    }


def risk_table(rows: list[list[Cell]]) -> DataTable:
    """Write what was asked and what holds."""
    header = ("Measure", False), ("Asked", True), ("Holds", True), ("Meaning", False)
    told = "What was asked and what holds"
    return DataTable("risk", told, header, rows, sortable=False)


def _seconds(question: Question) -> float:
    """Return how long worlds are counted: the page belongs to the time of all."""
    limit = question.seconds
    return SECONDS if limit is None else min(SECONDS, 0.05 * limit)


def _about(summary: Summary) -> str:
    table, asked = summary.problem.table, summary.problem.requirement
    return f"{table.n:,} rows, " + about(table, asked, _recoding(summary))


def about(table: Table, asked: Requirement | None, recoding: str) -> str:
    """Say what the quasi-identifiers are, and what was asked."""
    named = {} if asked is None else asked.as_told()
    told = [f"{name} = {v}" for name, v in named.items() if v is not None]
    sensitive = f"; sensitive: {', '.join(table.sensitive)}" if table.sensitive else ""
    recoding = recoding.replace(NONHOMOGENEOUS, "non-homogeneous suppression")
    return (
        f"{counted(table.d, 'quasi-identifier')} ({', '.join(table.qi)}){sensitive}. "
        f"Asked: {', '.join(told) or 'nothing'}, by {recoding}."
    )


def lead_lines(summary: Summary) -> list[str]:
    """Say what the release promises, and what that costs."""
    problem, found = summary.problem, summary.result
    goal, recoding = problem.objective, _recoding(summary)
    whole = max(1, goal.whole(problem.table))
    least = None if found.lower_bound is None else found.lower_bound / whole
    told = promise(problem.requirement, problem.table, recoding)
    told += beside(summary.disclosure)
    exact = found.value == found.lower_bound
    told.append(cost(goal, recoding, (found.value or 0) / whole, least, exact))
    if problem.requirement.may_delete:
        told.append(
            f"Deleted: {summary.told_deleted}. That is part of the cost; all that "
            "follows is of the rows that are kept."
        )
    if found.status is Status.OPTIMAL and summary.claim != "optimal":
        told.append(f"This is {summary.claim}.")
    return told


def _verdict(summary: Summary) -> str:
    found = summary.result
    value, unit = _shown(summary, found.value), _unit(summary)
    what = f"It costs {value} {unit}"
    if _recoding(summary) == "permutation":
        what = f"Starred, its groups would cost {value} {unit}; permuted, none is due"
    if found.status is Status.OPTIMAL:
        if summary.claim == "optimal":
            return f"{what}. No groups cost less: it is optimal."
        return f"{what}. It is {summary.claim}."
    if not found.lower_bound:
        return f"{what}. How much less is possible is not known."
    bound = _at_least(summary, found.lower_bound)
    least = f"{what}. No release with this promise costs less than {bound}"
    if found.gap is None or found.gap > _NEAR:
        return f"{least}. What the least is, between {bound} and {value}, is not known."
    return f"{least}, so this one costs at most {share(found.gap).text} too much."


def _tiles(summary: Summary, measures: Measures) -> list[tuple[str, str, str]]:
    found, release = summary.result, summary.release
    assert release is not None
    groups, alike = NONE, "none"
    if summary.groups is not None:
        groups, alike = f"{summary.groups:,}", "rows that look alike"
    if summary.classes != summary.groups:
        alike = f"in {summary.classes:,} classes of rows that look alike"
    bound = NONE if found.lower_bound is None else _at_least(summary, found.lower_bound)
    unit = _unit(summary)
    stars = "" if unit == "stars" else f"; {release.stars:,} stars"
    where = f"in {release.suppressed_tuples:,} of {summary.problem.table.n:,} rows"
    if release.stars:
        unit += f"{stars}, {where}"
    return [
        ("Value", _shown(summary, found.value), unit),
        ("Lower bound", bound, found.bound_method or ""),
        ("Gap", share(found.gap).text, summary.claim),
        ("Groups", groups, alike),
        ("Lost", share(release.gcp).text, "of the information in the cells"),
        ("KL", f"{measures.fit.kl:.3f}", "nats from the original"),
    ]


def size_table(measures: PrivacyMeasures) -> DataTable:
    """Write the numbers of the figure of classes, or of stars by row."""
    rows = [
        [Cell(f"{a:,}" if a == b else f"{a:,} to {b:,}", a), number(count)]
        for a, b, count in bins(measures.sizes)
        if count
    ]
    groups = measures.check is not None
    header = (("Rows", True), ("Classes", True)) if groups else _STARS_OF_ROWS
    return DataTable("sizes", "The figure in numbers", header, rows, sortable=False)


_STARS_OF_ROWS = (("Stars", True), ("Rows", True))


def _utility_table(measures: Measures) -> DataTable:
    """Write what the release is worth to who counts."""
    fit, columns = measures.fit, measures.columns or []
    cells = sum(column.rows for column in columns)
    changed = sum(column.changed for column in columns) / cells if cells else 0.0
    lost = sum(column.lost for column in columns) / len(columns) if columns else 0.0
    rows = [
        ("Cells published as they are", share(1 - changed), "of quasi-identifiers"),
        ("Information lost", share(lost), "the mean loss of a cell (GCP)"),
        ("KL", number(fit.kl), "nats; 0 where release and original tell the same"),
        (
            "Relative error",
            number(fit.relative_error),
            "mean error of the count of a combination of values, by that count",
        ),
    ]
    header = (("Measure", False), ("Value", True), ("Meaning", False))
    return DataTable(
        "utility",
        "What the release is worth to who counts with it",
        header,
        [[Cell(name), value, Cell(meaning)] for name, value, meaning in rows],
        sortable=False,
    )


def _utility_text(measures: Measures) -> str:
    """Say of which combinations utility is measured."""
    fit = measures.fit
    if fit.asked == fit.cells:
        return f"KL and error are of all {fit.cells:,} combinations that occur."
    return (
        f"KL and error are estimated by {fit.asked:,} of the {fit.cells:,} "
        "combinations that occur."
    )


def proof_lines(summary: Summary) -> list[str]:
    """Say what was found and what is proven."""
    found = summary.result
    lines = [
        f"{summary.method} found the release in {summary.runtime:.1f} seconds"
        f"{'' if found.limit is None else f', stopped by: {found.limit.value}'}."
    ]
    if found.lower_bound is None:
        return [*lines, "No lower bound was proven."]
    bound, unit = _at_least(summary, found.lower_bound), _unit(summary)
    lines.append(
        f"That no release costs less than {bound} {unit} was proven by "
        f"{found.bound_method}."
    )
    if found.certificate is None:
        rests = "" if is_certified(found) else f": the bound is {whose_word(found)}"
        return [*lines, f"There is no certificate{rests}."]
    if found.certified_bound is None:
        return [
            *lines,
            "There was no time to check its certificate; until somebody does, the "
            f"bound is {whose_word(found)}.",
        ]
    part = _at_least(summary, found.certified_bound)
    rest = "" if is_certified(found) else f"; what is beyond is {whose_word(found)}"
    return [
        *lines,
        f"A certificate, which was checked, proves {part} to anyone, in exact "
        f"arithmetic and without a solver{rest}.",
    ]


def command_lines(summary: Summary, question: Question) -> Sequence[tuple[str, str]]:
    """Return the lines that repeat the release and check it, with what they do."""
    given = question.given
    proof = given["certificate"] if summary.result.certificate else None
    lines = [(f"{_again(summary, question)}:", question.again())]
    if (check := question.check(proof)) is None:
        return [
            *lines,
            ("To check it, write it:", f"{question.again()} --out FILE.csv"),
        ]
    what = "This one checks the release"
    if given["shuffle"]:
        what += "; its rows are shuffled and cannot be compared with the original"
    else:
        what += " against the original" + (" and re-proves the bound" if proof else "")
    lines.append((f"{what}:", check))
    if proof is None and summary.result.certificate is not None:
        lines[0] = (
            f"{lines[0][0][:-1]} (--certificate FILE adds the proof):",
            lines[0][1],
        )
    return lines


def _again(summary: Summary, question: Question) -> str:
    """Say what comes out where the same is asked again."""
    given = question.given
    anew = "; what hides people is drawn anew" if question.drawn else ""
    seed = given.get("seed") or 0
    if question.repeats and summary.result.limit in (None, Limit.WORK):
        return f"This command makes the release again, with the seed {seed}{anew}"
    limit = question.seconds
    within = "without a limit" if limit is None else f"for at most {limit:g} seconds"
    return (
        f"This command searches again, with the seed {seed}, {within}. How far a "
        "search comes depends on the machine and what else it does: another run may "
        f"find another release, with the same promise and another cost{anew}"
    )


def _recoding(summary: Summary) -> str:
    return summary.problem.coding.recoding or SUPPRESSION


def _unit(summary: Summary) -> str:
    goal = summary.problem.objective
    if goal.weights:
        return "by the weights"
    return goal.declared.unit


def _shown(summary: Summary, value: int | None) -> str:
    shown = summary.problem.shown(value)
    if shown is None:
        return "unknown"
    return f"{100 * shown:.4f} %" if isinstance(shown, float) else f"{shown:,}"


def _at_least(summary: Summary, bound: int | None) -> str:
    """Write a lower bound, rounded down, so that it stays one."""
    shown = summary.problem.shown(bound)
    if not isinstance(shown, float):
        return _shown(summary, bound)
    return f"{math.floor(shown * 1e6 + 1e-9) / 1e4:.4f} %"


# The report of a release that was just made by rules over combinations.


def rules_of_release(summary: Summary, question: Question) -> str:
    """Write the page of a result that has a release, as text of HTML."""
    problem, release = summary.problem, summary.release
    assert release is not None
    released, coding = release.tables()[""], problem.coding
    original, cells = problem.original, None
    if coding.recoding == GENERALIZATION or coding.told:
        cells = read_cells(released, coding, original)
    asked = problem.requirement, original, coding.star, cells, problem.table
    check = check_mask(released, *asked)
    return rule_page(
        check,
        released,
        problem.requirement,
        f"Release of {title_of(summary.origin.source)}",
        lead_lines(summary),
        proof_lines(summary),
        command_lines(summary, question),
        verdict(summary),
    )
