"""The frontier: what each of several requirements costs, and at least must cost.

Read ``frontier_search`` first: how the requirements share their releases, bounds and
time.
"""
