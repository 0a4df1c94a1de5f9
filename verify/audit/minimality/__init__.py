"""Minimality: sensitive values that an optimal release rules out.

Read ``moves`` first: what could have been published more cheaply.
"""
