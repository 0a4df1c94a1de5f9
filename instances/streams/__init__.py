"""Tables larger than memory: read, counted and published batch by batch.

``source`` reads files in batches, several of them side by side. ``count`` makes a
counted table of them: the distinct rows and how often each occurs, in runs that are
spilled to disk where memory is short. ``publish_apart`` gives each row of the input the
group of one of the copies of its type, and writes the release so. ``write_parts``
writes batches to a file or a folder.
"""
