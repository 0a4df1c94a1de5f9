"""The nodes above each value of a hierarchy, and what they lose."""

from collections import Counter

from starmin.verify.checker.problem.column_floors import Level
from starmin.verify.checker.words import BeyondError, Chain, Content, InputError

LOSSES = ("ncp", "granularity", "stars")  # rules for nodes of hierarchies


def chains(
    texts: set[str],
    scale: Content,
    paths: list[list[str]] | None,
    floor: Level | None = None,
) -> dict[str, Chain]:
    """Return the nodes above each text in a hierarchy, and what they lose.

    A text that the hierarchy does not have is a missing value: below the root. With a
    floor texts are nodes, which lose something by themselves.
    """
    rule = scale.get("loss")
    if set(scale) != {"scale", "fingerprint", "loss"} or rule not in LOSSES:
        raise BeyondError("its losses are not those of hierarchies by a rule")
    if paths is None:
        raise InputError("name the hierarchy of each column that has one: COLUMN=FILE")
    paths = paths if floor is None else floor.paths
    above = {path[0]: list(dict.fromkeys(reversed(path))) for path in paths}
    if floor is None:
        for text in texts - set(above):
            above[text] = [paths[0][-1], text]
    leaves = Counter(node for path in above.values() for node in path)
    total = len(above)

    def loss(node: str) -> int:
        if leaves[node] == 1:
            return 0
        if rule == "stars":
            return int(leaves[node] == total)
        return leaves[node] - int(rule == "granularity")

    if floor is not None:
        for leaf, node in floor.nodes.items():
            above[node] = above[leaf][: above[leaf].index(node) + 1]
    return {text: [(node, loss(node)) for node in above[text]] for text in texts}
