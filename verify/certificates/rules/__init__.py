"""The bound of rules over combinations, recomputed from prices of items.

``family`` reads what is asked, ``items`` counts, ``item_price_bound`` finds the
cheapest set of hidden columns of a row, ``item_price_bound`` the most that rows come
to, ``item_price_bound`` what opened and closed items add; ``item_price_bound`` puts
them together.
"""
