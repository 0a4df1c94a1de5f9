"""The registry of methods: what each solves, and with what guarantee.

``method`` says what an entry is, ``methods`` lists them.
"""
