"""The Lagrangian relaxation of the pattern formulation: prices, pricing, subgradients.

Read ``price_bound`` first: the bound that prices of row types prove, of all releases
and of those that use a pattern, and the pricing problem of a pattern.
``lagrangian_function`` computes the bound and its supergradient again and again
(``pricing_l``, and ``pricing_distinct`` for k and for distinct l-diversity),
``subgradient`` improves prices step by step.
"""
