"""Optimal groups of rows that have one number each, in sorted order.

Read ``k_total`` first. Files that begin with k are for k-anonymity, those that begin
with l for l-diversity; each says which loss it minimises, and whether its
groups are the best of all or the best of consecutive ones.

They are of G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient
data anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009.
"""
