"""From the patterns that whole classes are dealt to, to a release."""

from starmin.instances import Partition, Run
from starmin.instances.arrays import Ints
from starmin.models.persons.merging import merged_until_valid
from starmin.models.within.atoms import Atoms


def offer_unions(run: Run, atoms: Atoms, of_atom: Ints) -> None:
    """Offer the release of classes that are dealt to patterns.

    Where diversity is asked for as well, groups that fail are merged with others, each
    with the one where that costs least. ``atoms`` are the classes of the earlier
    release, ``of_atom`` the pattern of each.
    """
    groups = Partition.from_labels(of_atom[atoms.of_row])
    given = run.table, run.requirement, run.objective
    if groups.violation(*given) is not None:
        merged = merged_until_valid(groups, *given)
        if merged is None:
            return
        groups = merged
    run.offer(groups)
