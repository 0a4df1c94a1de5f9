"""The program over groups in boxes: its relaxation, cuts, and the tree.

``box_tree`` bounds the problem by column generation (``master``) with cuts
(``side_constraints``, ``separation``) and splits what is left; ``exact`` proves bounds
of fine losses.
"""
