"""Run the fixed cases once, with the starmin that this Python finds.

    python benchmarks/history/record.py

prints a JSON object for each case: its name, value, bound, certified bound and seconds.
``compare.py`` calls it for one commit after the other.
"""

import json
import time
import warnings
from typing import Any

from cases import CASES, Case

import starmin


def record(case: Case) -> dict[str, Any]:
    """Return what a call finds, and how long it takes; or why it fails."""
    table = starmin.load_instance(case.instance)
    call = {"solve": starmin.solve, "bound": starmin.bound}[case.call]
    began = time.perf_counter()
    try:
        found = call(table, **case.options)
    except Exception as error:  # a case that fails is one that got worse
        return {"case": case.name, "error": f"{type(error).__name__}: {error}"}
    return {
        "case": case.name,
        "value": found.value,
        "bound": found.lower_bound,
        "certified": found.certified_bound,
        "seconds": round(time.perf_counter() - began, 3),
    }


def main() -> None:
    """Print a line for each case."""
    warnings.simplefilter("ignore")
    for case in CASES:
        print(json.dumps(record(case)), flush=True)


if __name__ == "__main__":
    main()
