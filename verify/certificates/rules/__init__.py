"""The bound of rules over combinations, recomputed from prices of items.

``family`` reads what is asked, ``items`` counts, ``least_row_costs`` finds the cheapest
set of hidden columns of a row, ``priced_items`` the most that rows come to, ``trees``
what opened and closed items add; ``item_price_bound`` puts them together.
"""
