"""Proofs over boxes: what groups are published as, and sets of rows that hold them.

Read ``box_bound`` first; ``column_nodes`` says what a column publishes, ``box_list``
finds the boxes that a cheaper release may use, ``box_bound`` reads what is stated.
"""
