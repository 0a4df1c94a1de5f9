"""The stated problem: row types, requirement, floors, and what nodes and ranges lose.

Read ``statement`` first.
"""
