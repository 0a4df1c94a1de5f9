"""The people among whom a combination has to be frequent, as a table or counts."""

from collections import Counter

from starmin.verify.checker.words import RefusalError, Values


class People:
    """A table of a population; ``count`` names its column of how many people."""

    def __init__(
        self, header: list[str], rows: list[list[str]], count: str | None
    ) -> None:
        if count is not None and count not in header:
            raise ValueError(f"the population has no column {count!r}")
        self.columns = [column for column in header if column != count]
        self._places = {column: header.index(column) for column in self.columns}
        self._rows = Counter[Values]()
        for row in rows:
            number = "1" if count is None else row[header.index(count)]
            if not (number.isascii() and number.isdigit()):
                raise ValueError(f"{number!r} is no number of people")
            self._rows[tuple(row)] += int(number)

    def expect(self, stated: object) -> None:
        """Refuse another population than the one that is stated."""
        own = {"columns": self.columns, "people": sum(self._rows.values())}
        if stated != own:
            raise RefusalError("it is for another population")

    def counted(self, columns: list[str]) -> Counter[Values]:
        """Count the people of each combination of values of some columns."""
        if not set(columns) <= set(self._places):
            raise RefusalError("a column of its rules is none of the population")
        places, found = [self._places[column] for column in columns], Counter[Values]()
        for row, number in self._rows.items():
            found[tuple(row[place] for place in places)] += number
        return found
