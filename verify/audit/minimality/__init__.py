"""Minimality: sensitive values that an optimal release rules out.

Read ``cheaper_publishing`` first: what could have been published more cheaply.
"""
