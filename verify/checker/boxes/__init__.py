"""Proofs over boxes: pieces of groups, and sets of rows that hold them."""
