"""The rule that joins codes by what they begin with."""

from collections.abc import Iterable
from dataclasses import dataclass

from starmin.instances.hierarchies.rule import HierarchyRule, Text
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.build_taxonomy import prefix_taxonomy
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy


@dataclass(frozen=True)
class PrefixRule(HierarchyRule):
    """Joins codes, as postal codes, by their prefixes.

    Attributes
    ----------
    lengths
        Of the prefixes, the longest first.

    Examples
    --------
    >>> PrefixRule((3, 1)).tree(["02139", "02140"]).ancestors["02139"]
    ('021*', '0*', '*')
    """

    lengths: tuple[int, ...]

    def tree(
        self,
        values: Iterable[Text],
        missing: Iterable[Text] = MISSING,
        name: str = "taxonomy",
    ) -> Taxonomy:
        return prefix_taxonomy(values, self.lengths, missing, name)

    def example(self, node: str) -> str | None:
        prefix = node.removesuffix("*")
        joined = prefix != node and len(prefix) in self.lengths
        return f"{prefix}.." if joined else None
