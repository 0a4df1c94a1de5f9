"""Neighbourhoods of a release that are solved anew by the pattern program.

``neighbourhood`` is their program; read it first. ``destroy_operators`` choose the row
types that move, ``neighbourhood`` serves those that give up groups whole.
"""
