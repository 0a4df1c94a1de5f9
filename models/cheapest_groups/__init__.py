"""The cheapest group of each row type, where patterns are too many to look at.

Read ``cheapest_groups``. ``near_types`` finds the types that are near to one,
``group_search`` is the branch and bound among them. ``slack_search`` raises prices of
types from there, ``group_price_proof`` certifies what prices prove.
"""
