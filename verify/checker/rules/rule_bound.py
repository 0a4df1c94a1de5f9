"""The bound that prices of combinations prove (section "Kind rules")."""

from starmin.verify.checker.problem.column_floors import floor_of
from starmin.verify.checker.reading import entries, whole
from starmin.verify.checker.rules.people import People
from starmin.verify.checker.rules.row_minima import row_minimum
from starmin.verify.checker.rules.rule_items import RuleItems
from starmin.verify.checker.rules.rule_prices import (
    expect_prices,
    fills_of,
    prices_by_type,
)
from starmin.verify.checker.rules.rule_sets import rule_family
from starmin.verify.checker.rules.rule_trees import gains_of_trees, named_in_trees
from starmin.verify.checker.words import Content, RefusalError, Trees


def rule_bound(
    header: list[str],
    rows: list[list[str]],
    certificate: Content,
    trees: Trees,
    people: list[People],
) -> tuple[int, int]:
    """Return what no mask costs less than, at most the claim, and what all costs."""
    data, table = entries(certificate, "data"), entries(certificate, "table")
    kind = entries(certificate, "objective")["kind"]
    if kind not in ("stars", "tuples", "gcp"):
        raise RefusalError("its objective is neither stars, tuples nor gcp")
    if {*data, "trees"} != {"denominator", "prices", "trees"}:
        raise RefusalError("its data are not denominator, prices and maybe trees")
    if (whole(table["n"], 0), whole(table["d"], 0)) != (len(rows), len(table["qi"])):
        raise RefusalError("it is for a table of another size")
    for column, stated in entries({"floors": {}, **table}, "floors").items():
        floor, j = floor_of(column, stated, header, rows, trees), header.index(column)
        rows = [[*row[:j], floor.text(row[j]), *row[j + 1 :]] for row in rows]
    unit, prices = whole(data["denominator"], 1), prices_by_type(data["prices"])
    named = {e for own in prices.values() for e in own}
    named |= named_in_trees(data.get("trees", []))
    wanted = entries(certificate, "requirement")
    family = rule_family(wanted, table["qi"], people)
    items = RuleItems(header, rows, certificate, family, named, trees)
    expect_prices(items, prices)
    total, once = 0, kind == "tuples"
    for t, copies in enumerate(items.copies):
        least = row_minimum(items, t, prices.get(t, {}), unit, once, set())
        if least is None:
            raise RefusalError("the table has no release at all")
        total += copies * least
    total -= fills_of(items, prices)
    total += gains_of_trees(data.get("trees", []), items, prices, unit, once)
    every = range(len(items.units))
    most = sum(
        copies * sum(items.cost(t, u, items.last[u]) for u in every)
        for t, copies in enumerate(items.copies)
    )
    return min(whole(certificate["bound"], None), -(-total // unit)), most
