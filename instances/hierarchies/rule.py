"""A rule that says for any value which nodes are above it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.scales.taxonomies.taxonomy_text import ROOT

Text = str | None


class HierarchyRule(ABC):
    """Makes the hierarchy of a column from the values that it has.

    So the values of next month need no new file. A rule is also written as a text:
    ``starmin.hierarchy_rule`` has the forms.
    """

    @abstractmethod
    def tree(
        self,
        values: Iterable[Text],
        missing: Iterable[Text] = MISSING,
        name: str = "taxonomy",
    ) -> Taxonomy:
        """Return the tree of some values, below a root ``*``.

        Parameters
        ----------
        values
            Those of a column.
        missing
            Values that are leaves directly below the root.
        name
            What errors call the tree.

        Raises
        ------
        TableError
            A value that the rule does not fit.
        """

    @abstractmethod
    def example(self, node: str) -> str | None:
        """Return a value below a node of this name; None where it names no node."""

    def tree_of_release(
        self,
        published: Iterable[Text],
        missing: Iterable[Text] = MISSING,
        name: str = "taxonomy",
    ) -> Taxonomy:
        """Return a tree that has all that is published, where values are not known.

        A node has a value below it that stands for all that there may be, so what the
        node loses is not known.

        Parameters
        ----------
        published
            Values, nodes and the root.
        missing
            Values that are leaves directly below the root.
        name
            What errors call the tree.
        """
        values = list[Text]()
        for text in published:
            if text != ROOT:
                found = None if text is None else self.example(text)
                values.append(text if found is None else found)
        if not values:  # all are suppressed
            return Taxonomy([(ROOT,)], name)
        return self.tree(values, missing, name)
