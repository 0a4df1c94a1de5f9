"""starmin solve: anonymize a table."""

from starmin.inputs import options
from starmin.inputs.option_groups import with_groups
from starmin.inputs.solve_options import SolveOptions
from starmin.recipes.by_recipe import by_recipe

EXAMPLES = (
    "starmin solve instance:hospital --l 2 --out hospital.l2.csv",
    "starmin solve instance:murakami-uno --k 2 --json",
    "starmin solve instance:hospital --l 2 --report hospital.l2.html",
    "starmin solve instance:murakami-uno --k 2 --recoding generalization",
    "starmin solve instance:murakami-uno --k 2 --recoding nonhomogeneous",
)


@by_recipe()
@with_groups
def solve(table: options.TableArg, *, asked: SolveOptions) -> int:
    """Make a table safe to publish, and hide as little as possible.

    Rows are put into groups in which enough people look alike. Where the rows of a
    group differ, a star is published, or a range or category that covers them
    (--recoding generalization); or else cells stay as they are, and sensitive values
    are published by group (permutation). Or stars are chosen row by row, so that each
    published row could be any of at least k people (nonhomogeneous, for k alone). It
    says what is lost, and how little any release loses at least.
    """
    # --help needs none of it.
    from starmin.commands.solve_request import SolveRequest, search_and_publish

    return search_and_publish(solve, SolveRequest(table=table, **vars(asked)))
