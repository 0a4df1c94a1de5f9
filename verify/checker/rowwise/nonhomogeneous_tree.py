"""What a tree of starred cells proves (section "Kind nonhomogeneous_tree")."""

from itertools import islice

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import changes, listed_in, numbers, pair, whole
from starmin.verify.checker.words import Content, RefusalError


def nonhomogeneous_tree_bound(problem: Statement, data: Content) -> int:
    """Return the least bound of a leaf, in units of 1/denominator."""
    cells = Cells(problem, whole(data["denominator"], 1))
    n, d = problem.n, len(problem.qi)
    waiting = [([0] * n, [0] * n, [cells.free] * n)]
    bounds = []
    for node in listed_in(data["nodes"]):
        if not waiting:
            raise RefusalError("there are nodes beyond its tree")
        if not isinstance(node, dict) or not set(node) <= {"prices", "split"}:
            raise RefusalError("a node has an entry of unknown name")
        prices, must, may = waiting.pop()
        new = changes(node.get("prices", []), range(n), None)
        prices = [new.get(row, price) for row, price in enumerate(prices)]
        if "split" not in node:
            bounds.append(cells.bound(prices, must, may))
            continue
        row, column = pair(node["split"])
        numbers([row], range(n))
        numbers([column], range(d))
        bit = 1 << column
        if not cells.free & bit:
            raise RefusalError("a split names a column that is never starred")
        starred, unstarred = list(must), list(may)
        starred[row] |= bit
        unstarred[row] &= ~bit
        waiting += [(prices, starred, may), (prices, must, unstarred)]
    if waiting:
        raise RefusalError("a node of its tree is missing")
    proven = [bound for bound in bounds if bound is not None]
    if not proven:
        raise RefusalError("no release agrees with any of its leaves")
    return min(proven)


class Cells:
    """Which originals each released row may have, by its starred columns as bits."""

    def __init__(self, problem: Statement, unit: int) -> None:
        self.k, self.n = problem.k, problem.n
        columns = range(len(problem.qi))
        rows = [
            type_[: len(columns)]
            for type_, copies in zip(problem.types, problem.copies, strict=True)
            for _ in range(copies)
        ]
        self.free = sum(1 << j for j in columns if not problem.kept[j])
        self.costs: dict[int, int] = {0: 0}
        for j in columns:
            if not problem.kept[j]:
                more = unit * problem.units[j]
                self.costs |= {s | 1 << j: c + more for s, c in self.costs.items()}
        self.differ = [
            [sum(1 << j for j in columns if row[j] != other[j]) for other in rows]
            for row in rows
        ]

    def bound(self, prices: list[int], must: list[int], may: list[int]) -> int | None:
        """Return what a leaf proves; None if no release agrees with it."""
        dearest = sorted(range(self.n), key=lambda i: -prices[i])
        total: int = (self.k - 1) * sum(prices)
        for j in range(self.n):
            differ = [(self.differ[j][i], prices[i]) for i in dearest if i != j]
            least = None
            for starred, cost in self.costs.items():
                if must[j] & ~starred or starred & ~may[j]:
                    continue
                fitting = (price for bits, price in differ if not bits & ~starred)
                earned = list(islice(fitting, self.k - 1))
                if len(earned) == self.k - 1:
                    worth = cost - sum(earned)
                    least = worth if least is None else min(least, worth)
            if least is None:
                return None
            total += least
        return total
