"""Taxonomies: trees over the values of a column, given, built or guessed."""
