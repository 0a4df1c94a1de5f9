"""Adaptive large neighbourhood search: parts of a release are solved anew.

``large_neighbourhood`` is the method; read it first. ``operator_schedule`` lets several
searches take turns; ``chain_operator`` moves rows along ejection chains
(``chain_moves``, ``ejection_chains``, ``chain_search``, ``chain_state``).
"""
