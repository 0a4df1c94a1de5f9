"""The risk of a table, in lines for people."""

from starmin.instances.tables.names import counted
from starmin.report.page import NONE, share
from starmin.verify.risk.candidates import SIZES, Candidate, PopulationRisk
from starmin.verify.risk.table_risk import Risk

HEADER = (
    "column",
    "values",
    "missing",
    "bits",
    "unique alone",
    "in pairs",
    "in triples",
    "remark",
)


def risk_lines(risk: Risk) -> list[tuple[str, str]]:
    """Return a label and a text for each kind of risk.

    Parameters
    ----------
    risk
        What was measured.
    """
    classes, population = risk.classes, risk.population
    rows = classes.rows
    below = ", ".join(f"{k}: {classes.below(k):,}" for k in SIZES)
    lines = [
        ("known", ", ".join(risk.qi)),
        (
            "unique",
            f"{classes.uniques:,} of {counted(rows, 'row')} look like no other "
            f"({share(classes.uniques / rows).text})",
        ),
        ("classes", f"{len(classes.sizes):,}; rows in classes of fewer than {below}"),
        (
            "linked",
            f"{share(classes.average).text} of the rows on average by someone who "
            f"knows who is in the table, {share(1 / classes.smallest).text} at most",
        ),
    ]
    if population is not None:
        how = "by weights" if population.estimated else "by the population"
        lines.append(
            (
                "journalist",
                f"{population.expected:,.1f} rows are expected to be linked right "
                f"{how} ({share(population.expected / rows).text}), the riskiest with "
                f"{share(population.highest).text}",
            )
        )
        if population.fewer:
            lines.append(("warning", other_population(population)))
    specials = risk.specials
    sets = ", ".join(f"{many:,} of {j}" for j, many in enumerate(specials.by_size, 1))
    lines.append(
        (
            "special",
            f"minimal unique sets of columns: {sets}, in {specials.rows:,} rows",
        )
    )
    held = [
        f"{key} {value}" for key, value in risk.measures.items() if value is not None
    ]
    lines.append(("holds", ", ".join(held)))
    return lines


def other_population(population: PopulationRisk) -> str:
    """Say that a population is too small to be that of the table.

    It has fewer people of some classes than the table has rows.
    """
    return (
        f"{counted(population.fewer, 'row')} have fewer people like them in the "
        "population than in the table; it may be another population"
    )


def candidate_cells(column: Candidate) -> tuple[str, ...]:
    """Return the texts of a line of the table that ``HEADER`` heads."""
    return (
        column.name,
        f"{column.distinct:,}",
        f"{column.missing:,}",
        f"{column.entropy:.2f}",
        share(column.alone).text,
        share(column.pairs).text,
        NONE if column.triples is None else share(column.triples).text,
        remark(column),
    )


def remark(column: Candidate) -> str:
    """Say what a column looks like, if like something."""
    if column.looks_like_id:
        return "an identifier: leave it out"
    if column.follows:
        return f"follows from {', '.join(column.follows)}"
    return ""
