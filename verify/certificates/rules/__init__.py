"""The bound of rules over combinations, recomputed from prices of items.

``family`` reads what is asked, ``items`` counts, ``minima`` finds the cheapest set of
hidden columns of a row, ``bound`` puts them together.
"""
