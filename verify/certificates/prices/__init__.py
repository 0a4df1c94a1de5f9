"""Checks of the bounds that prices of rows prove."""
