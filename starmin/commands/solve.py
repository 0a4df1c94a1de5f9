"""starmin solve: anonymize a table."""

from starmin.inputs import options
from starmin.inputs.defence_options import DefenceOptions
from starmin.inputs.first_options import first
from starmin.inputs.option_groups import (
    BatchOptions,
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    with_groups,
)
from starmin.inputs.solve_options import OutputOptions, PublishOptions, SearchOptions
from starmin.recipes.by_recipe import by_recipe

FIRST = (
    *("qi", "sensitive", "drop", "k", "l", "recoding"),
    *("time_limit", "out", "certificate", "report"),
)
EXAMPLES = (
    "starmin solve instance:hospital --l 2 --out hospital.l2.csv",
    "starmin solve instance:murakami-uno --k 2 --json",
    "starmin solve instance:hospital --l 2 --report hospital.l2.html",
    "starmin solve instance:murakami-uno --k 2 --recoding generalization",
    "starmin solve instance:murakami-uno --k 2 --recoding nonhomogeneous",
)


@first(*FIRST)
@by_recipe()
@with_groups
def solve(
    table: options.TableArg,
    *,
    recipe: options.RecipeFile = None,
    columns: ColumnOptions,
    asked: RequirementOptions,
    shape: PublishOptions,
    ranges: GeneralizationOptions,
    costs: CostOptions,
    defences: DefenceOptions,
    how: SearchOptions,
    batches: BatchOptions,
    files_out: OutputOptions,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Anonymize a table with the fewest stars.

    Rows are put into groups that satisfy the requirement; where the rows of a group
    differ, a star is published, or a range or category that covers them
    (generalization); or else cells stay, and sensitive values are published by group
    (permutation). Or each row has stars of its own, such that there are k perfect
    matchings without a common pair between the rows of the table and the released ones:
    k equally plausible people for each row (nonhomogeneous, k alone). Says how many
    stars that takes, or what loss, and how little any release needs at least.
    """
    question = locals()
    # --help needs none of it.
    from starmin.commands.solve_request import SolveRequest, search_and_publish

    return search_and_publish(solve, SolveRequest(**question))
