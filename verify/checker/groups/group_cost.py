"""What a row pays in a group of some types."""

from collections.abc import Sequence

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.words import RefusalError


class GroupCost:
    """Costs of groups, by what two of their types cost in each column.

    No node or range loses less than one within it, which is looked at first. So what a
    group is published as in a column loses what two of its rows lose alone.
    """

    def __init__(self, problem: Statement) -> None:
        self.problem = problem
        if not all(self.grows(column) for column in range(len(problem.qi))):
            raise RefusalError("losses fall where ranges grow")
        self.known: list[dict[tuple[str, str], int | None]] = [{} for _ in problem.qi]
        several = [len({type_[j] for type_ in problem.types}) for j in range(self.d)]
        # Most groups are dear by the columns of many values.
        self.columns = sorted(range(self.d), key=lambda j: -several[j])

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.problem.qi)

    def grows(self, column: int) -> bool:
        """Return whether no range of a column loses less than one within it."""
        line = self.problem.lines[column]
        if line is None:
            chains = self.problem.chains[column].values()
            losses = [[loss for _, loss in chain] for chain in chains]
            return all(each == sorted(each, reverse=True) for each in losses)
        count = len(line.places)
        return all(
            line.loss(low, high) <= line.loss(low, high + 1)
            and line.loss(low + 1, high + 1) <= line.loss(low, high + 1)
            for low in range(count)
            for high in range(low, count - 1)
        )

    def of(self, types: Sequence[int], below: int | None = None) -> int | None:
        """Return what a row pays in a group, as far as it is below a number.

        None where that is as much or more, or where the group is none, as its rows
        differ in a column that is kept.
        """
        total = 0
        for column in self.columns:
            texts = sorted({self.problem.types[t][column] for t in types})
            dearest = 0
            for place, first in enumerate(texts):
                for second in texts[place:] if len(texts) == 1 else texts[place + 1 :]:
                    lost = self.of_two(column, first, second)
                    if lost is None:
                        return None
                    dearest = max(dearest, lost)
            total += dearest
            if below is not None and total >= below:
                return None
        return total

    def of_two(self, column: int, first: str, second: str) -> int | None:
        """Return what two texts lose in a column; None where it is kept."""
        known = self.known[column]
        if (first, second) not in known:
            known[first, second] = self.computed(column, first, second)
        return known[first, second]

    def computed(self, column: int, first: str, second: str) -> int | None:
        """Return what two texts lose in a column, computed."""
        problem = self.problem
        if first != second and problem.kept[column]:
            return None
        unit, line = problem.units[column], problem.lines[column]
        if line is not None:
            low, high = sorted((line.places[first], line.places[second]))
            return unit * line.loss(low, high)
        both = problem.chains[column][first], problem.chains[column][second]
        common = [a for a, b in zip(*both, strict=False) if a == b]
        return unit * common[-1][1]
