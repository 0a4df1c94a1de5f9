"""What values are published as at each level, and what that costs."""

import math
from collections import Counter

from starmin.verify.checker.problem.hierarchies import chains
from starmin.verify.checker.reading import entries, whole
from starmin.verify.checker.words import (
    STAR,
    BeyondError,
    Chain,
    Content,
    RefusalError,
    Trees,
)


class Levels:
    """The levels of each quasi-identifier.

    ``nodes[j][text]`` are the nodes of a value and what they cost, level by level:
    first the value itself, last what shows nothing.
    """

    def __init__(
        self,
        qi: list[str],
        texts: list[set[str]],
        objective: Content,
        trees: Trees,
        floors: Content,
    ) -> None:
        weights = [whole(objective["weights"].get(c, 1), 0) for c in qi]
        scales = entries(objective, "scales") if objective["kind"] == "gcp" else {}
        if not set(scales) <= set(qi):
            raise RefusalError("its scales name a column that is no quasi-identifier")
        if set(scales) & set(floors):
            raise BeyondError("a column of its rules has a hierarchy and a floor")
        self.nodes = list[dict[str, Chain]]()
        for column, values in zip(qi, texts, strict=True):
            if column in scales:
                paths = trees.get(column)
                self.nodes.append(rising(values, scales[column], paths))
            else:
                self.nodes.append({text: [(text, 0), (STAR, 1)] for text in values})
        domains = [
            max(1, *(path[-1][1] for path in of_text.values()))
            for of_text in self.nodes
        ]
        common = math.lcm(*domains) if scales else 1
        for j, weight in enumerate(weights):
            unit = weight * (common // domains[j])
            for text, path in self.nodes[j].items():
                self.nodes[j][text] = [(node, unit * loss) for node, loss in path]
        self.last = [len(next(iter(of.values()), [0, 0])) - 1 for of in self.nodes]


def rising(
    texts: set[str], scale: Content, paths: list[list[str]] | None
) -> dict[str, Chain]:
    """Return the nodes above values from below, as many for each.

    Of nodes above the same values all but the lowest are left out, and nodes above all
    values but for the root. A value with fewer nodes has its first levels by itself.
    """
    every = texts | {path[0] for path in paths or []}
    falling = chains(every, scale, paths)
    below = Counter(node for chain in falling.values() for node, _ in chain)
    found: dict[str, Chain] = {}
    for text, chain in falling.items():
        path = [chain[-1]]
        for node, loss in chain[-2::-1]:
            if below[path[-1][0]] < below[node] < len(every):
                path.append((node, loss))
        found[text] = [*path, chain[0]]
    most = max(map(len, found.values()))
    return {
        text: (most - len(path)) * path[:1] + path
        for text, path in found.items()
        if text in texts
    }
