"""Areas with few inhabitants, joined to one node of a taxonomy of codes."""

from collections import Counter
from collections.abc import Mapping

from starmin.instances.errors import TableError
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy


def join_small_areas(
    tree: Taxonomy, population: Mapping[str, int], more_than: int, label: str = "000"
) -> Taxonomy:
    """Return a taxonomy of codes where areas with few inhabitants are one node.

    The areas are the nodes of level 1, as ``prefix_taxonomy`` makes them: all codes
    that begin alike. One that has no more inhabitants than ``more_than`` is told by the
    common ``label`` instead, directly below the root. An area of which nothing is known
    has none. Values directly below the root of the tree stay. ``population`` tells by
    code how many people live there; codes may be longer than those of areas. Raises
    TableError where the label is a code, or a node, already.

    Examples
    --------
    >>> from starmin.instances.scales.taxonomies.build_taxonomy import prefix_taxonomy
    >>> tree = prefix_taxonomy(["02139", "02140", "03601"], [3])
    >>> people = {"02139": 15_000, "02140": 9_000, "036": 20_000}
    >>> join_small_areas(tree, people, 20_000).paths
    [('02139', '021*', '*'), ('02140', '021*', '*'), ('03601', '000', '*')]
    """
    if label in tree.labels:
        raise TableError(
            f"{tree.name}: {label!r} is a value or a node; name the small areas "
            "otherwise"
        )
    areas = {path[1].removesuffix("*") for path in tree.paths}
    people = Counter[str]()
    for length in {len(area) for area in areas}:
        for code, number in population.items():
            if len(code) >= length and code[:length] in areas:
                people[code[:length]] += number
    paths = list[tuple[str, ...]]()
    for path in tree.paths:
        root, area = path[-1], path[1].removesuffix("*")
        if path[1] == root or people[area] > more_than:
            paths.append(tuple(path))
        else:
            paths.append((path[0], label, root))
    return Taxonomy(paths, tree.name)
