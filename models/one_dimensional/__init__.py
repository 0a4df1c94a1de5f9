"""Optimal groups of rows that have one number each, in sorted order."""
