"""Sequential clustering (Goldberger and Tassa 2010).

``clustering`` is the method; ``groups`` and ``moves`` are its compiled loops.
"""
