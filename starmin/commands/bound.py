"""starmin bound: what any release needs or loses at least."""

from dataclasses import replace
from typing import Any

from starmin.driver import Driver
from starmin.inputs import option_groups, options
from starmin.inputs.earlier_releases import nested_problem, read_within
from starmin.inputs.notices import tell_form
from starmin.inputs.option_groups import ungrouped, with_groups
from starmin.inputs.recoding_options import expect_plain
from starmin.inputs.solve_options import ObjectiveKind, RecodingName
from starmin.inputs.spec import Spec
from starmin.instances import Control
from starmin.outputs.files import Outputs, Trajectory
from starmin.outputs.summary import Summary
from starmin.process import clock
from starmin.process.say import say
from starmin.recipes.by_recipe import TAKEN, by_recipe

EXAMPLES = (
    "starmin bound instance:hospital --l 2",
    "starmin bound instance:murakami-uno --k 2 --method own_pattern --json",
    "starmin bound instance:murakami-uno --k 2 --objective gcp",
)


@by_recipe(*TAKEN)
@with_groups
def bound(
    table: options.TableArg,
    *,
    recipe: options.RecipeFile = None,
    columns: option_groups.ColumnOptions,
    asked: option_groups.RequirementOptions,
    ranges: option_groups.GeneralizationOptions,
    objective: ObjectiveKind = None,
    costs: option_groups.CostOptions,
    recoding: RecodingName = "suppression",
    method: options.MethodName = "auto",
    time_limit: options.TimeLimit = None,
    patience: options.Patience = None,
    within: options.Within = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    batches: option_groups.BatchOptions,
    certificate: options.CertificateOut = None,
    trajectory: options.TrajectoryOut = None,
    progress: options.ProgressForm = "lines",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Bound the cost of every release of a table from below.

    Nothing is published. The certificate lets anyone re-prove the bound without a
    solver.
    """
    spec = Spec.of(table, ungrouped(locals()))
    outputs = Outputs(certificate=certificate, trajectory=trajectory)
    seen = None if trajectory is None else Trajectory()
    outputs.check(table)
    read = spec.input(batches.stream, quiet)
    with batches.budget() as budget:
        problem, origin = read.open(budget)
    if spec.kind != "gcp":
        expect_plain(read.coding, problem.table, spec.kind)
    if within is not None:
        earlier = read_within(within, problem.table, read.named)
        problem = nested_problem(problem, earlier)
    given: dict[str, Any] = {"seed": seed, "workers": workers}
    listeners = () if seen is None else (seen,)
    control = Control(listeners, None, options.or_endless(patience))
    limits = method, time_limit, control
    with Driver(*limits, clock=clock.PROCESS, quiet=quiet, progress=progress) as driver:
        with batches.budget() as budget:
            if budget.executor is not None and read.files is not None:
                given |= {"executor": budget.executor, "workers": budget.workers}
            found = driver.bound(problem, given)
        if driver.steps.failed:  # the bound is not told
            return driver.code()
        outputs.write_trajectory(seen, found, problem, driver.steps)
        outputs.certify(found.certificate, driver.steps)
        with driver.steps.step("warnings"):
            for line in driver.cautions(problem, given):
                say(f"warning: {line}")
            tell_form(table, read.named, read.roles.form, quiet)
        with driver.steps.step("the summary", passing=(OSError,)):
            # A release that is the only one is not published, and perhaps cannot be.
            found = replace(found, best=None)
            Summary.of(problem, origin, found).show(driver.steps.wrote, as_json)
    return driver.code(no=found.reason is not None)
