"""Which methods try a problem, and the contest in which they take turns.

``schedule`` lists the turns; read it first. ``contest`` gives out slices of the time,
``waiting`` says who has the next one, ``guests`` work in them, and ``size`` tells how
large a problem is.
"""
