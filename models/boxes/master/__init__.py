"""The program over groups in boxes: its relaxation, cuts, and the tree.

``root`` bounds the problem by column generation (``relaxation``, ``master``) with cuts
(``row_sets``, ``separation``); ``box_tree`` splits what is left (``branching``), and
``exact`` proves bounds of fine losses.
"""
