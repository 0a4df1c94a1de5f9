"""Proofs by prices of rows and by trees of decisions.

``walk`` lists the patterns that matter, ``fills`` finds the cheapest fill of one,
``price_cuts`` adds them up, ``tree`` walks a tree, ``thinning`` shortens its list.
"""
