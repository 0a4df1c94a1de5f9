"""Certificates of the kind ``rules``: prices of combinations that rows show.

``rule_sets`` reads what is asked, ``rule_items`` numbers and counts, ``row_minima``
finds what a row pays at least, ``rule_prices`` the most that rows come to,
``rule_trees`` what trees add; ``rule_bound`` puts them together.
"""
