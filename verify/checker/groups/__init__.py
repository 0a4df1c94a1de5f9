"""Proofs that no group costs less than its prices: of odd sets, and of prices alone.

Read ``group_cost`` first: what a row pays in a group.
"""
