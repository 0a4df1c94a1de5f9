"""The bound of rules over combinations, recomputed from prices of items.

``family`` reads what is asked, ``items`` counts, ``minima`` finds the cheapest set of
hidden columns of a row, ``fills`` the most that rows come to, ``trees`` what opened and
closed items add; ``bound`` puts them together.
"""
