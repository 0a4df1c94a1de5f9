"""The frontier: what each of several requirements costs, and at least must cost.

Read ``search`` first: how the requirements share their releases, bounds and time.
"""
