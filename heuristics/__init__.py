"""Methods that find releases without a proof: a folder for each family.

``annealing``, ``diving``, ``large_neighbourhood``, ``local_search`` and ``clustering``
search for few stars. ``three_phase`` and ``approximation`` have guarantees. ``orders``
and ``recoding`` are fast and also generalize. ``nonhomogeneous`` has the methods that
form no groups, with ``matchings`` below it. ``mappings`` puts rows on a line.
"""
