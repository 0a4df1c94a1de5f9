"""The turns of auto, and what they share.

``schedule`` lists the turns; read it first. ``turns`` says what a turn is, ``board``
what all of them know, ``bounds_beside`` what works beside them, and ``first_bounds``
what that begins with.
"""
