"""starmin linkage plan and simulate: releases that withstand linking."""

import json
import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from starmin.commands.linkage import distribution
from starmin.commands.linkage.distribution import Source, SourceOptions
from starmin.inputs import options
from starmin.inputs.declared import of_output, of_run, option, usage
from starmin.inputs.option_groups import with_groups
from starmin.instances import (
    Table,
    TableError,
    check_format,
    check_writable,
    write_table,
)
from starmin.models.linkage import broadcast, plans
from starmin.process.say import answer, answer_in, show_lines, show_table
from starmin.verify.linkage import simulate

PLAN_EXAMPLES = (
    "starmin linkage plan --uniform 100,10 --l 3 --eps 0.01",
    "starmin linkage plan --geometric 100,10,0.8 --l 3 --eps 0.01 --samples 2000",
)
SIMULATE_EXAMPLES = (
    "starmin linkage simulate --uniform 100,10 --l 3 --eps 0.1 --gamma 0.02 --json",
)

_plan = partial(option, panel="Plan")
_of_p = partial(option, panel="Distribution")

Measured = Literal["paper", "power", "union", "association", "exact"]
L = Annotated[int, _plan("--l", "Values left in every class.")]
Eps = Annotated[float, _plan("", "Allowed probability that linking leaves fewer.")]
Linked = Annotated[int, _plan("--releases C", "Releases that will be linked.", min=1)]
Samples = Annotated[
    int | None,
    _plan(
        "N",
        "plan: the most samples a release can have. simulate: how many it has.",
        min=1,
    ),
]
MeasureBy = Annotated[Measured, _plan("--measure", "The sample size that counts.")]


@with_groups
def plan_command(
    l: L,
    eps: Eps,
    table: distribution.SourceArg = None,
    *,
    origin: SourceOptions,
    tv: Annotated[
        float,
        _of_p("", "How far P may be from the truth, in total variation.", min=0, max=1),
    ] = 0.0,
    estimated: Annotated[
        float | None,
        _of_p(
            "CONFIDENCE",
            "TABLE is an i.i.d. sample: deduct the error it has with this confidence.",
        ),
    ] = None,
    releases: Linked = 1,
    gamma: Annotated[
        float | None,
        _plan("", "Least probability of the l likeliest values of a class."),
    ] = None,
    samples: Samples = None,
    measure: MeasureBy = "association",
    any_classes: Annotated[
        bool,
        _plan(
            "--any-classes",
            "With --gamma: also the most classes that need not be contiguous.",
        ),
    ] = False,
    time_limit: options.TimeLimit = None,
    out: Annotated[
        Path | None,
        of_output("--out FILE", "Where to write the class of each quasi-identifier."),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Plan releases that keep l values in every class, with probability 1 - eps.

    Without --gamma: the best gamma for each number of classes; with --samples the
    most classes for that many rows. All releases must use the same classes.
    """
    if out is not None:
        if gamma is None and samples is None:
            raise TableError("--out needs --gamma or --samples: one plan")
        check_format(out)
        check_writable(out)
    source = Source.load(table, origin, tv, estimated)
    if measure == "exact" and (releases > 1 or source.tv or source.cell_error):
        raise TableError("--measure exact is for one release and a known P")
    off: dict[str, Any] = {"releases": releases, "tv": source.tv}
    off["cell_error"] = source.cell_error
    with usage():
        if gamma is not None:
            swept = [plans.plan(source.joint, l, eps, gamma, **off)]
        else:
            swept = plans.sweep(source.joint, l, eps, **off)
        chosen = swept[0] if gamma is not None else None
        if gamma is None and samples is not None:
            chosen = plans.most_classes(source.joint, l, eps, samples, measure, **off)
    content = {"l": l, "eps": eps, "releases": releases} | source.as_json()
    content["measure"] = measure
    content["plans"] = [*map(_describe, swept)]
    content["chosen"] = None if chosen is None else _describe(chosen)
    content["any_classes"], content["out"] = None, None
    if any_classes:
        if gamma is None:
            raise TableError("--any-classes needs --gamma")
        limit = math.inf if time_limit is None else time_limit
        most = broadcast.free_classes(source.joint, l, gamma, time_limit=limit)
        content["any_classes"] = {"classes": most.size, "at_most": most.upper_bound}
    if chosen is not None and out is not None:
        joint, classes = chosen.joint, chosen.classes.tolist()
        pairs = zip(joint.quasi_identifiers, classes, strict=True)
        rows = [(*cells, str(number + 1)) for cells, number in pairs]
        made = Table.from_rows((*joint.qi, "class"), rows, joint.qi, name="classes")
        write_table(made, out, origin.roles.sep)
        content["out"] = str(out)
    if as_json:
        answer(json.dumps(content))
    else:
        _show(content)
    return int(not swept or (samples is not None and chosen is None))


@with_groups
def simulate_command(
    l: L,
    eps: Eps,
    gamma: Annotated[float, _plan("", "As for plan.")],
    table: distribution.SourceArg = None,
    *,
    origin: SourceOptions,
    releases: Linked = 1,
    samples: Samples = None,
    measure: MeasureBy = "association",
    runs: Annotated[int, of_run("", "Repetitions.", min=1)] = 10_000,
    confidence: Annotated[
        float, of_run("", "Of the interval of the failure rate.")
    ] = 0.99,
    seed: options.Seed = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Draw releases of the planned size, link them, and count the failures.

    Exit code 1 where the failure rate is significantly above eps.
    """
    source = Source.load(table, origin)
    with usage():
        made = plans.plan(source.joint, l, eps, gamma, releases=releases)
        n = made.samples(measure) if samples is None else samples
        if n is None:
            raise TableError("--measure exact is for one release and a known P")
        drawn = {"runs": runs, "seed": seed or 0}
        found = simulate(made.masses, l, n, releases, **drawn, confidence=confidence)
    content = {"l": l, "eps": eps, "releases": releases, "samples": n}
    content |= {"classes": made.size, "gamma": made.gamma} | found.as_json()
    content["exceeds_eps"] = found.low > eps
    failures = (
        f"{found.failures:,} of {found.runs:,}: {found.rate:.3g} "
        f"({confidence:.0%} interval {found.low:.3g} to {found.high:.3g})"
    )
    lines = [
        ("plan", f"{made.size:,} classes, {n:,} samples in each release"),
        ("failures", failures),
        ("eps", f"{eps:g}: {'exceeded' if found.low > eps else 'not exceeded'}"),
    ]
    answer_in(as_json, content, lines)
    return int(found.low > eps)


def _describe(made: plans.Plan) -> dict[str, Any]:
    sizes = {measure: made.samples(measure) for measure in plans.MEASURES}
    return {"gamma": made.gamma, "classes": made.size, "samples": sizes}


def _show(content: dict[str, Any]) -> None:
    header = ("classes", "gamma", *(f"N {measure}" for measure in plans.MEASURES))
    rows = [
        (
            f"{made['classes']:,}",
            f"{made['gamma']:.4g}",
            *("-" if n is None else f"{n:,}" for n in made["samples"].values()),
        )
        for made in content["plans"]
    ]
    if rows:
        show_table(header, rows)
    lines = []
    if not rows:
        lines.append(("plans", "none: the error of the estimate exceeds every gamma"))
    if (chosen := content["chosen"]) is not None and len(rows) > 1:
        told = f"{chosen['classes']:,} classes, gamma {chosen['gamma']:.4g}, "
        told += f"{chosen['samples'][content['measure']]:,} samples"
        lines.append(("chosen", told))
    if (most := content["any_classes"]) is not None:
        told = f"{most['classes']} classes not contiguous, at most {most['at_most']}"
        lines.append(("any", told))
    if content["out"] is not None:
        lines.append(("wrote", content["out"]))
    show_lines(lines)
