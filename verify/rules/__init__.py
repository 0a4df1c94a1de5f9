"""Checks of masks by rules over combinations: shares no code with what finds them.

``mask_check`` judges a release from its cells.
"""
