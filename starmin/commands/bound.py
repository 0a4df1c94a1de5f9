"""starmin bound: what any release needs or loses at least."""

from typing import Annotated, Any, Literal

import typer

from instances import Control, TableError
from starmin.commands.counting import counting
from starmin.commands.search import search_bound, warn_ignored
from starmin.inputs import options
from starmin.inputs.loading import (
    Problem,
    Roles,
    coded_columns,
    tell_form,
    warn_identifiers,
)
from starmin.inputs.objective_options import make_objective
from starmin.inputs.recoding_options import Coding
from starmin.inputs.requirements import Asked
from starmin.inputs.streams import files_of
from starmin.outputs.files import Outputs
from starmin.outputs.summary import Summary
from starmin.process.display import show_progress
from starmin.process.interrupts import INTERRUPTED, Interrupts

EXAMPLES = (
    "starmin bound instance:hospital --l 2",
    "starmin bound instance:murakami-uno --k 2 --method own_pattern --json",
    "starmin bound instance:murakami-uno --k 2 --objective gcp",
)


RecodingName = Annotated[
    Literal["suppression", "nonhomogeneous"],
    typer.Option(
        "--recoding",
        help="Releases by groups, or with stars of its own in each row.",
        rich_help_panel="Goal",
    ),
]


def bound(
    table: options.TableArg,
    qi: options.Qi = None,
    sensitive: options.Sensitive = None,
    drop: options.Drop = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    k: options.K = None,
    l: options.L = None,
    diversity: options.DiversityForm = "frequency",
    c: options.C = None,
    alpha: options.Alpha = None,
    t: options.T = None,
    k_column: options.KColumn = None,
    numeric: options.Numeric = None,
    missing: options.Missing = None,
    hierarchy: options.Hierarchy = None,
    steps: options.Round = None,
    width: options.Width = None,
    max_level: options.MaxLevel = None,
    objective: options.ObjectiveKind = "stars",
    loss: options.LossName = None,
    weights: options.Weights = None,
    keep: options.Keep = None,
    recoding: RecodingName = "suppression",
    method: options.MethodName = "auto",
    time_limit: options.TimeLimit = None,
    patience: options.Patience = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    stream: options.Stream = False,
    memory_rows: options.MemoryRows = None,
    dask: options.DaskCounts = None,
    certificate: options.CertificateOut = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Bound the cost of every release of a table from below.

    Nothing is published. The certificate lets anyone re-prove the bound without a
    solver.
    """
    outputs = Outputs(certificate=certificate)
    outputs.check(table)
    named = Roles.parse(qi, sensitive, drop, sep, encoding)
    files = files_of(table, stream, named, quiet)
    roles = named.of_file(table) if files is None else named
    unknown = options.missing_values(missing)
    other = () if k_column is None else (k_column,)
    coding = Coding.parse(
        *(recoding, "*", numeric, hierarchy, unknown),
        lambda: coded_columns(table, roles, other),
    ).limited(steps, max_level, width)
    asked = Asked(k, l, diversity, c, alpha, t, k_column, None, coding.trees)
    goal = make_objective(objective, weights, keep)
    with counting(memory_rows, dask) as budget:
        problem = Problem.load(table, roles, asked, goal, coding, loss, files, budget)
    if goal.kind != "gcp":
        for option, columns in (
            ("numeric", coding.numeric),
            ("hierarchy", coding.trees),
        ):
            for column in columns:
                raise TableError(
                    f"--{option} {column}: is for --objective gcp; {goal.kind} have no "
                    "use for it"
                )
    given: dict[str, Any] = {"seed": seed, "workers": workers}
    with Interrupts() as interrupts:
        with show_progress(problem.shown, quiet) as shown:
            control = Control(shown, patience=options.or_endless(patience))
            found = search_bound(problem, method, time_limit, given, control)
        interrupts.defer()
        outputs.certify(found.certificate)
        warn_identifiers(problem.table, problem.coding)
        tell_form(table, named, roles.form, quiet)
        warn_ignored(method, time_limit, given)
    written = [("certificate", certificate)] if certificate is not None else []
    summary = Summary.of(problem, found)
    summary.show(written if found.certificate else [], as_json)
    return INTERRUPTED if interrupts.count else int(found.reason is not None)
