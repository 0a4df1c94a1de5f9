"""Proof trees that raise the bound of prices of rules, region by region.

A *region* is some row types and items, apart from those of all other regions. Within
it, ``region_forest`` opens items (some row shows them) and closes others (no row does),
and ``local`` moves prices of the region's types anew below each of these. The gains of
all trees add up.
"""
