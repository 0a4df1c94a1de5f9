"""Checks of non-homogeneous releases."""
