"""The registry of methods: ``methods`` gathers the declarations of all families.

What a declaration says is in ``starmin.instances.runs.method``.
"""
