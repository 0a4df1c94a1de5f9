"""How many people live where, as a file says."""

from starmin.instances import TableError, read_table


def read_population(path: str) -> dict[str, int]:
    """Read a table of codes and numbers of inhabitants, in its first two columns.

    A code that is named several times has all of its inhabitants. Raises TableError
    where there is no such file, fewer columns, or a number that is none.
    """
    table = read_table(path)
    if len(table.names) < 2:
        raise TableError(f"{path}: expected two columns, codes and their populations")
    found: dict[str, int] = {}
    codes, numbers = (table.cells(name) for name in table.names[:2])
    for row, (code, text) in enumerate(zip(codes, numbers, strict=True), start=1):
        plain = (text or "").strip().replace(",", "")
        if not code or not (plain.isascii() and plain.isdigit()):
            raise TableError(
                f"{path}: row {row}: expected a code and a whole number of people, got "
                f"{code!r} and {text!r}"
            )
        found[code] = found.get(code, 0) + int(plain)
    return found
