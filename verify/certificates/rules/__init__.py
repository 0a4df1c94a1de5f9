"""The bound of rules over combinations, recomputed from prices of items.

``family`` reads what is asked, ``items`` counts. ``item_price_bound`` finds the
cheapest set of hidden columns of a row, the most that rows come to and what opened and
closed items add, and puts them together.
"""
