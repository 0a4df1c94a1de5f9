"""The rules that join numbers to ranges: of given widths, or between given numbers."""

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from starmin.instances.errors import TableError
from starmin.instances.hierarchies.rule import HierarchyRule, Text
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import NUMBER
from starmin.instances.scales.taxonomies.build_taxonomy import plain, to_number, tree_of
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy

_DIGITS = 100  # of numbers that are computed with exactly
_FORMS = (
    re.compile(rf"\[?({NUMBER})-{NUMBER}\]?"),
    re.compile(rf"\[({NUMBER}), {NUMBER}\)"),
    re.compile(rf"({NUMBER})\+"),
)
_BELOW = re.compile(rf"<({NUMBER})")


class _NumberRule(HierarchyRule):
    """A rule for numbers, whose nodes are ranges of them."""

    def tree(
        self,
        values: Iterable[Text],
        missing: Iterable[Text] = MISSING,
        name: str = "taxonomy",
    ) -> Taxonomy:
        texts, unknown = split_missing(values, missing)
        numbers = {text: to_number(text, name) for text in texts}
        with localcontext(prec=_DIGITS):
            whole = self._whole([*numbers.values()], name)
            ordered = sorted(numbers.items(), key=lambda item: (item[1], item[0]))
            paths = [(text, *self._nodes(x, whole)) for text, x in ordered]
        return tree_of(paths, unknown, name)

    def example(self, node: str) -> str | None:
        if found := _BELOW.fullmatch(node):
            return plain(Decimal(found[1]) - 1)
        for form in _FORMS:
            if found := form.fullmatch(node):
                return found[1]
        return None

    def _whole(self, numbers: list[Decimal], name: str) -> bool:
        """Return whether all numbers, those of the rule too, are whole ones from 0."""
        each = [*numbers, *(to_number(text, name) for text in self._own())]
        return all(x == x.to_integral_value() and x >= 0 for x in each)

    @abstractmethod
    def _own(self) -> Sequence[str]:
        """Return the numbers of the rule itself, as they are written."""

    @abstractmethod
    def _nodes(self, number: Decimal, whole: bool) -> list[str]:
        """Return the nodes above a number, the lowest first."""


@dataclass(frozen=True)
class RangeRule(_NumberRule):
    """Joins numbers to ranges of given widths, which begin at their multiples.

    Of whole numbers from 0 on they are written ``20-24``, both ends included; of others
    ``[20, 25)``, without the second.

    Attributes
    ----------
    widths
        As text, each a multiple of the one before.
    bottom, top
        Numbers below ``bottom`` are joined to one node, as ``<18``, and those from
        ``top`` on to ``90+``; None: none.

    Raises
    ------
    TableError
        Widths that are not nested.

    Examples
    --------
    >>> tree = RangeRule(("5", "20"), top="90").tree(["17", "88", "97"])
    >>> tree.ancestors
    {'17': ('15-19', '0-19', '*'), '88': ('85-89', '80-89', '*'), '97': ('90+', '*')}
    """

    widths: tuple[str, ...]
    bottom: str | None = None
    top: str | None = None

    def __post_init__(self) -> None:
        with localcontext(prec=_DIGITS):
            steps = [to_number(width, "ranges: widths") for width in self.widths]
            for finer, step in zip([None, *steps], steps, strict=False):
                if step <= 0 or (finer and (step % finer or step == finer)):
                    raise TableError(
                        "ranges: expected widths above 0, each a multiple of the one "
                        f"before, as 5,10,20; got {','.join(self.widths)}"
                    )
            ends = [to_number(end, "ranges") for end in (self.bottom, self.top) if end]
            if ends != sorted(set(ends)):
                raise TableError(
                    f"ranges: expected <{self.bottom} to end before {self.top}+ begins"
                )

    def _own(self) -> Sequence[str]:
        return [text for text in (*self.widths, self.bottom, self.top) if text]

    def _nodes(self, number: Decimal, whole: bool) -> list[str]:
        if self.bottom is not None and number < Decimal(self.bottom):
            return [f"<{self.bottom}"] * len(self.widths)
        if self.top is not None and number >= Decimal(self.top):
            return [f"{self.top}+"] * len(self.widths)
        nodes = []
        for width in self.widths:
            step = Decimal(width)
            low = number // step * step  # towards zero
            low -= step if low > number else 0
            high = low + step
            low = max(low, Decimal(self.bottom)) if self.bottom is not None else low
            high = min(high, Decimal(self.top)) if self.top is not None else high
            nodes.append(_range(low, high, whole))
        return nodes


@dataclass(frozen=True)
class CutRule(_NumberRule):
    """Joins numbers to the ranges between given numbers, as age bands.

    Attributes
    ----------
    levels
        For each level, the finest first, where its ranges begin, as text; those of a
        level begin where ranges of the one before do.

    Raises
    ------
    TableError
        Numbers that do not ascend, or levels that are not nested.

    Examples
    --------
    >>> rule = CutRule((("18", "30", "65"), ("18", "65")))
    >>> rule.tree(["7", "21", "44", "70"]).ancestors["44"]
    ('30-64', '18-64', '*')
    """

    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        finer: set[Decimal] | None = None
        for level in self.levels:
            cuts = [to_number(text, "cuts") for text in level]
            if not cuts or cuts != sorted(set(cuts)):
                raise TableError(
                    f"cuts: expected numbers that ascend, as 18,30,65; got "
                    f"{','.join(level)}"
                )
            if finer is not None and not {*cuts} < finer:
                raise TableError(
                    f"cuts: expected some numbers of the level before, got "
                    f"{','.join(level)}"
                )
            finer = {*cuts}

    def _own(self) -> Sequence[str]:
        return [text for level in self.levels for text in level]

    def _nodes(self, number: Decimal, whole: bool) -> list[str]:
        nodes = []
        for level in self.levels:
            cuts = [Decimal(text) for text in level]
            at = bisect_right(cuts, number)
            if at == 0:
                nodes.append(f"<{level[0]}")
            elif at == len(cuts):
                nodes.append(f"{level[-1]}+")
            else:
                nodes.append(_range(cuts[at - 1], cuts[at], whole))
        return nodes


def _range(low: Decimal, high: Decimal, whole: bool) -> str:
    """Write the range of the numbers from one end on, before the other."""
    if whole:
        return f"{plain(low)}-{plain(high - 1)}"
    return f"[{plain(low)}, {plain(high)})"
