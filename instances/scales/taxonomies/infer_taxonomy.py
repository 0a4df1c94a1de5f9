"""A taxonomy for a column of which nothing is known but its cells."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import NUMBER
from starmin.instances.scales.taxonomies.build_taxonomy import (
    plain,
    prefix_taxonomy,
    to_number,
    tree_of,
)
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy

Text = str | None

_MOST_HALVINGS = 6  # so that there are at most 64 ranges


def infer_taxonomy(
    counts: Mapping[Text, int],
    missing: Iterable[Text] = MISSING,
    name: str = "taxonomy",
) -> Taxonomy:
    """Return a tree that the values of a column suggest.

    Numbers are halved again and again, up to 64 ranges, so that either half has about
    as many rows. Codes, which are texts of one length without blanks, or digits with a
    zero in front, are joined by their prefixes of those lengths at which at least half
    of the nodes of the level below are gone. All others are joined by the root alone.

    Parameters
    ----------
    counts
        For each value in how many rows it is.
    missing
        Values that are leaves directly below the root.
    name
        What errors call the tree.

    Examples
    --------
    >>> for path in infer_taxonomy({"1": 3, "2": 1, "5": 1, "9": 3}).paths:
    ...     print(path)
    ('1', '1-2', '*')
    ('2', '1-2', '*')
    ('5', '5-9', '*')
    ('9', '5-9', '*')
    >>> infer_taxonomy({"a1": 1, "a2": 1, "b1": 1, "b2": 1}).paths[0]
    ('a1', 'a*', '*')
    """
    texts, unknown = split_missing(counts, missing)
    if lengths := prefix_lengths(texts):
        return prefix_taxonomy(counts, lengths, missing, name)
    paths: list[tuple[str, ...]] = [(text,) for text in sorted(texts)]
    if texts and all(re.fullmatch(NUMBER, text) for text in texts):
        paths = _halved(texts, counts, name)
    return tree_of(paths, unknown, name)


def prefix_lengths(texts: Sequence[str]) -> list[int]:
    """Find the lengths of prefixes that join codes, the longest first.

    Examples
    --------
    >>> prefix_lengths(["021", "022", "101", "102"]), prefix_lengths(["7", "12"])
    ([2], [])
    """
    length = len(texts[0]) if texts else 0
    if any(len(text) != length or re.search(r"\s", text) for text in texts):
        return []
    numbers = all(re.fullmatch(NUMBER, text) for text in texts)
    if numbers and not any(re.match(r"0\d", text) for text in texts):
        return []
    lengths, nodes = [], len(texts)
    for at in range(length - 1, 0, -1):
        joined = len({text[:at] for text in texts})
        if 2 <= joined <= nodes / 2:
            lengths.append(at)
            nodes = joined
    return lengths


def _halved(
    texts: Sequence[str], counts: Mapping[Text, int], name: str
) -> list[tuple[str, ...]]:
    """Return paths, leaf first, without the root: ranges halved by their rows."""
    numbers = {text: to_number(text, name) for text in texts}
    values = sorted(set(numbers.values()))
    rows, texts_of = dict.fromkeys(values, 0), Counter(numbers.values())
    for text, number in numbers.items():
        rows[number] += counts[text]
    upto = [0, *accumulate(rows[value] for value in values)]
    signed = values[0] < 0

    def node(low: int, end: int) -> str:
        a, b = plain(values[low]), plain(values[end - 1])
        return f"[{a}, {b}]" if signed else f"{a}-{b}"

    # For each value its ranges, the widest first, which is all there is: no node.
    above: list[list[str]] = [[] for _ in values]
    waiting = [(0, len(values), _MOST_HALVINGS)]
    while waiting:
        low, end, halvings = waiting.pop()
        several = end - low > 1 or texts_of[values[low]] > 1
        if several and halvings < _MOST_HALVINGS:
            for at in range(low, end):
                above[at].append(node(low, end))
        if end - low > 2 and halvings:
            middle = (upto[low] + upto[end]) / 2
            cut = min(range(low + 1, end), key=lambda at: abs(upto[at] - middle))
            waiting += [(low, cut, halvings - 1), (cut, end, halvings - 1)]
    path_of = dict(zip(values, above, strict=True))
    most = max(map(len, above))
    ordered = sorted(texts, key=lambda text: (numbers[text], text))
    paths = [path_of[numbers[text]] for text in ordered]
    return [
        (text, *[text] * (most - len(path)), *reversed(path))
        for text, path in zip(ordered, paths, strict=True)
    ]
