"""Reports: pages of one file that need no network, and their figures.

Here is what all share; ``release`` and ``sweep`` have the two kinds of page.
"""
