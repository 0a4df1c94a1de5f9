"""Dives along Lagrangian prices: rows are dealt where prices leave no doubt.

``lagrangian_diving`` is the method; read it first. ``dive`` is one dive,
``pilot_method`` one that looks ahead, ``group_neighbourhoods`` and ``group_dive`` deal
the rows of some groups anew.
"""
