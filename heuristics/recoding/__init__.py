"""Recodings from the top down or level by level, and Anatomy.

Methods: ``mondrian`` (read it first), ``top_down``, ``top_down_specialization``,
``incognito`` and ``anatomy``.
"""
