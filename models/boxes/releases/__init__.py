"""Releases and the program: the groups of a release, and releases made of groups.

``first_prices`` reads the groups of a release, ``rounding`` and ``incumbent`` make
releases of the groups that the program has.
"""
