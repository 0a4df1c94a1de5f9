"""What the cells of a released table stand for, and whether they tell the truth.

Read ``cells`` first.
"""
