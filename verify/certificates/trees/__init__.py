"""Checks of the bounds that trees of cases prove, leaf by leaf."""
