"""starmin accuracy-constrained: the most privacy under a bound on each group's loss.

``starmin dual`` is its former name, which scripts use; it stays.
"""

from dataclasses import replace
from typing import Annotated, Any, Literal

from starmin.auto import dispatch
from starmin.driver import Driver
from starmin.heuristics.accuracy_constrained.max_privacy import privacy_of
from starmin.inputs import option_groups, options
from starmin.inputs.declared import of_objective, of_run
from starmin.inputs.loading import load_file
from starmin.inputs.notices import identifiers, tell_form, warn_disclosure
from starmin.inputs.option_groups import ungrouped, with_groups
from starmin.inputs.recoding_options import check_symbol
from starmin.inputs.solve_options import Groups, Out, Shuffle, ShuffleSeed
from starmin.inputs.spec import Spec
from starmin.instances import Limit
from starmin.instances.tables.names import counted
from starmin.outputs.files import Outputs, row_order
from starmin.outputs.last_lines import MORE_TIME
from starmin.outputs.recodings import companions, expect_coded, publish
from starmin.process import clock
from starmin.process.faults import BUG
from starmin.process.say import answer_in, is_verbose, say, say_later
from starmin.verify.releases.disclosure import NOTHING, Disclosure

EXAMPLES = (
    "starmin accuracy-constrained instance:hospital --max-loss 0.5",
    "starmin accuracy-constrained instance:hospital --max-loss 0.5 "
    "--method ipcsd-mondrian --json",
)


@with_groups
def accuracy_constrained(
    table: options.TableArg,
    max_loss: Annotated[
        float,
        of_objective(
            "--max-loss E",
            "What a group may lose at most: the (weighted) mean over its columns, 0 "
            "nothing, 1 all.",
            min=0,
            max=1,
        ),
    ],
    *,
    columns: option_groups.ColumnOptions,
    star: options.Star = "*",
    recoding: Annotated[
        Literal["generalization", "suppression", "permutation"],
        of_objective("--recoding", "What is published of a group, as of solve."),
    ] = "generalization",
    ranges: option_groups.HierarchyOptions,
    costs: option_groups.StarCostOptions,
    method: Annotated[
        str,
        of_run(
            "--method NAME",
            f"{', '.join(dispatch.ACCURACY_CONSTRAINED_METHODS)}, or auto: ac, and k "
            "without a sensitive column.",
        ),
    ] = "auto",
    time_limit: options.TimeLimit = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    out: Out = None,
    groups: Groups = None,
    shuffle: Shuffle = False,
    shuffle_seed: ShuffleSeed = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Find the most privacy under a bound on what each group loses.

    Privacy is the largest l that every group reaches, as a fraction: the rows of a
    group divided by those of its most frequent sensitive value. Without a sensitive
    column it is the largest k. What is found is the most that there is only for k
    along one numeric column.
    """
    spec = Spec.of(table, ungrouped(locals())).but(objective="gcp")
    there = spec.input()
    named, roles, coding = there.named, there.roles, there.coding
    outputs = Outputs(out, groups, beside=companions(coding, out))
    outputs.check(table)
    check_symbol(star)
    read = load_file(table, roles)
    say_later(*read.told)
    loaded, roles = read.table, replace(roles, beside=read.beside)
    objective = replace(spec.goal, scales=coding.scales(loaded))
    objective.check(loaded)
    expect_coded(loaded, coding)
    name = dispatch.name_of(method, loaded)
    driver = Driver(name, time_limit, clock=clock.PROCESS)
    left = driver.left(loaded.codes.size)
    with driver:
        steps = driver.steps
        given = {"seed": seed, "time_limit": left}
        found = dispatch.solve_accuracy_constrained(
            name, loaded, max_loss, objective, given, driver.control
        )
        release = None
        with steps.step("the release"):
            release = publish(loaded, found.best, coding, shuffle_seed)
        if release is None:
            outputs.save_groups(found.best.groups, steps)
            return BUG
        order = row_order(loaded.n, shuffle, shuffle_seed)
        saved = outputs.publish(release, order, roles, steps)
        told = NOTHING
        with steps.step("warnings"):
            published = release.tables()[""]
            told = Disclosure.of(loaded, published, coding)
            warn_disclosure(told, rounds=False)
            for line in identifiers(loaded, {*coding.numeric, *coding.trees}):
                say(f"warning: {line}")
            tell_form(table, named, roles.form, quiet)
            asked = {"seed": seed, "time_limit": time_limit}
            if line := dispatch.ignored(method, asked):
                say(f"warning: {line}")
        with steps.step("the summary", passing=(OSError,)):
            least = float(privacy_of(loaded, found.best)) if loaded.sensitive else None
            summary = {
                "table": table,
                "n": loaded.n,
                "d": loaded.d,
                "qi": list(loaded.qi),
                "sensitive": list(loaded.sensitive) or None,
                "max_loss": max_loss,
                "recoding": recoding,
                "method": name,
                "limit": found.limit and found.limit.value,
                "privacy": float(found.privacy),
                "k": int(found.best.sizes.min()),
                "l": least,
                "largest_loss": float(found.largest_loss),
                "stars": release.stars,
                "groups": found.best.size,
                **told.as_json(),
                "gcp": release.gcp,
                "runtime": round(clock.elapsed(), 3),
                "out": saved and str(saved),
            }
            answer_in(as_json, summary, _lines(summary))
    return driver.code()


def _lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text, to be read by people."""
    found = {
        "table": f"{summary['table']}: {counted(summary['n'], 'row')}, "
        f"{counted(summary['d'], 'quasi-identifier')}",
        "asked": f"no group loses more than {summary['max_loss']}",
        "privacy": f"k = {summary['k']}",
        "release": f"{counted(summary['groups'], 'group')}, the largest loss "
        f"{summary['largest_loss']:.4f}, {summary['gcp']:.2%} of all information",
        "status": MORE_TIME[summary["limit"] and Limit(summary["limit"])],
    }
    by = f"{summary['method']}, " if is_verbose() else ""
    found["status"] += f" ({by}{summary['runtime']:.1f} s)"
    if summary["l"] is not None:
        found["privacy"] += f", l = {summary['l']:.4g}"
    if summary["out"] is not None:
        found["wrote"] = f"out: {summary['out']}"
    return list(found.items())
