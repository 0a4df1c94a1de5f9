"""Tables larger than memory: read, counted and published batch by batch.

``source`` reads files in batches, several of them ``side_by_side``. ``count`` makes a
counted table of them: the distinct rows and how often each occurs, by ``count`` in runs
that are spilled to disk where memory is short. ``deal`` gives each row of the input the
group of one of the copies of its type, ``publish_apart`` writes the release so.
``write_parts`` writes batches to a file or a folder.
"""
