"""Recombination of releases: the best of each region, from many releases.

Releases annealed from the same one differ from it in many small regions, worse in most
and better in some. ``parts`` finds these regions and takes those that are better, each
by itself (partition crossover), and cuts a release into parts. ``recombination``
anneals such releases, by parts, side by side, and solves the program of all that the
best release and some of its offspring use (optimal recombination), by components.
``dived`` does the same for l-diversity, with offspring that is dived for.
``recombination_params`` are the constants.
"""
