"""What the nodes of a taxonomy lose: by a rule, or each by a loss of its own."""

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file
from starmin.instances.scales.numbers import NUMBER
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy

Rule = Literal["ncp", "granularity", "stars"]
OwnLosses: TypeAlias = Mapping[str, Mapping[str, Fraction]]  # by column and node
Loss: TypeAlias = Rule | OwnLosses

_HEADER = ["column", "node", "loss"]
_MOST = 2**53  # larger sums are not exact in floating point
_SHARE = re.compile(rf"{NUMBER}|[0-9]+/0*[1-9][0-9]*", re.ASCII)
_MOST_DIGITS = 100


@dataclass(frozen=True)
class LossRule:
    """What nodes lose, by the leaves below them."""

    name: Rule  # name, help: as options name it, and what they say of it
    help: str
    # from the leaves below each node, two or more, and all leaves: a whole number
    losses: Callable[[Ints, int], Ints]
    # whether ranges of numbers that are not all of them lose by their lengths, too;
    # else they lose nothing
    of_ranges: bool = True


# A new one is an entry here, and in verify its like in other words.
_DECLARED = (
    LossRule("ncp", "values covered / all values", lambda leaves, whole: leaves),
    LossRule(
        "granularity",
        "(values covered - 1) / (all values - 1), as ARX counts",
        lambda leaves, whole: leaves - 1,
    ),
    LossRule(
        "stars",
        "1 for a star, or a category of all values, else 0",
        lambda leaves, whole: np.asarray(leaves == whole, np.int64),
        of_ranges=False,
    ),
)
LOSS_RULES: Mapping[str, LossRule] = {rule.name: rule for rule in _DECLARED}


def rule_losses(tree: Taxonomy, rule: Rule) -> Ints:
    """Return what each node loses by a rule; a node of a single leaf nothing.

    >>> tree = Taxonomy.parse("{pet{cat,dog},rat}")
    >>> [rule_losses(tree, rule)[3:].tolist() for rule in ("ncp", "granularity")]
    [[3, 2], [2, 1]]
    """
    leaves = tree.counts
    losses = LOSS_RULES[rule].losses(leaves, len(tree.leaves))
    return np.where(leaves > 1, losses, 0)


def own_losses(tree: Taxonomy, shares: Mapping[str, Fraction]) -> Ints:
    """Return losses of all nodes in the greatest unit that makes them whole numbers.

    ``shares`` are by node; only the shares of the root's loss matter. Leaves, and nodes
    with a single leaf, need none, for they lose nothing. Raises TableError where a node
    is missing or unknown, a leaf loses something, a loss is negative or above that of
    the node above it, the root loses nothing, or the unit is too small to compute with.

    >>> tree = Taxonomy.parse("{pet{cat,dog},rat}")
    >>> shares = {"*": Fraction(1), "pet": Fraction(1, 3)}
    >>> own_losses(tree, shares).tolist()
    [0, 0, 0, 3, 1]
    """
    found = [_own(tree, node, label, shares) for node, label in enumerate(tree.labels)]
    if unknown := [label for label in shares if label not in tree.labels]:
        raise TableError(f"{tree.name}: no node {unknown[0]!r}, which has a loss")
    for node, above in enumerate(tree.parents.tolist()):
        if found[node] > found[above]:
            raise TableError(
                f"{tree.name}: node {tree.labels[node]!r} loses {found[node]}, more "
                f"than {tree.labels[above]!r} above it ({found[above]})"
            )
    if len(tree.leaves) > 1 and not max(found):
        raise TableError(f"{tree.name}: the root loses nothing; expected more than 0")
    unit = lcm(*(share.denominator for share in found))
    whole = [int(share * unit) for share in found]
    if max(whole) > _MOST:
        raise TableError(f"{tree.name}: the losses have too many digits; round them")
    losses = np.array(whole, np.int64)
    return losses // (int(np.gcd.reduce(losses)) or 1)


def _own(
    tree: Taxonomy, node: int, label: str, shares: Mapping[str, Fraction]
) -> Fraction:
    """Return the loss of a node, checked by itself."""
    share, single = shares.get(label), tree.counts[node] == 1
    if share is None and not single:
        raise TableError(f"{tree.name}: node {label!r} has no loss")
    share = share or Fraction(0)
    if share < 0 or (single and share):
        what = "0, as it is a single value" if single else "0 or more"
        raise TableError(f"{tree.name}: node {label!r} loses {share}; expected {what}")
    return share


def read_own_losses(path: Path) -> OwnLosses:
    """Read losses by column and node from a CSV file with the header column,node,loss.

    A loss is a number such as 0.25, or a fraction such as 1/3. Raises TableError where
    there is no such file, or for another header, a line of another length, a loss that
    is none, or a node named twice.
    """
    try:
        expect_file(path)
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"--loss: {path}: cannot be read: {error}") from None
    if not lines or lines[0] != _HEADER:
        raise TableError(f"--loss: {path}: expected the header {','.join(_HEADER)}")
    found: dict[str, dict[str, Fraction]] = defaultdict(dict)
    for number, line in enumerate(lines[1:], start=2):
        where = f"--loss: {path}: line {number}"
        if len(line) != len(_HEADER):
            raise TableError(f"{where}: expected {len(_HEADER)} cells, got {len(line)}")
        column, node, text = line
        if node in found[column]:
            raise TableError(f"{where}: node {node!r} of {column!r} is named twice")
        if len(text) > _MOST_DIGITS or not _SHARE.fullmatch(text.strip()):
            raise TableError(f"{where}: expected a loss as 0.25 or 1/3, got {text!r}")
        found[column][node] = Fraction(text.strip())
    return dict(found)
