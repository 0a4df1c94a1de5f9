"""Proofs over boxes: what groups are published as, and sets of rows that hold them.

Read ``box_bound`` first, which also reads what is stated; ``column_nodes`` says what a
column publishes, ``box_list`` finds the boxes that a cheaper release may use.
"""
