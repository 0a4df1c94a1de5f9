"""Runs of methods, their results and certificates.

Read ``run`` first.
"""
