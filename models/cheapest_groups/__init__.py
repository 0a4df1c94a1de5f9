"""The cheapest group of each row type, where patterns are too many to look at.

Read ``cheapest_groups`` first, with the branch and bound. ``near_types`` finds the
types that are near to one. ``slack_search`` raises prices of types from there,
``group_price_proof`` certifies what prices prove.
"""
