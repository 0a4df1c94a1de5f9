"""The Lagrangian relaxation of the pattern formulation: prices, pricing, subgradients.

Read ``prices`` first: the bound that prices of row types prove. ``pricing_sweep``
computes it and its supergradient again and again (``pricing_k``, ``pricing_l``,
``pricing_distinct``), ``subgradient`` improves prices step by step, and
``lagrangian_fixing`` tells what a release must cost that uses a pattern.
"""
