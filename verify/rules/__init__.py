"""Checks of masks by rules over combinations: shares no code with what finds them.

``mask_check`` judges a release from its cells, ``brute_force_masks`` and
``brute_force_nodes`` try everything for a tiny table.
"""
