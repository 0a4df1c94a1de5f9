"""starmin warm-up: the loops of the methods compiled, once for all."""

import json
import time
from typing import Annotated

from starmin.inputs import options
from starmin.inputs.declared import Listed, option
from starmin.instances import TableError
from starmin.instances.loops import notice
from starmin.instances.loops.versions import KNOWN, are_kept
from starmin.instances.tables.names import split_names
from starmin.process.say import answer, note

EXAMPLES = ("starmin warm-up --auto", "starmin warm-up")


def warm_up(
    methods: Annotated[
        str | None,
        option("A,B,..", "Methods of `starmin methods`; default: all of them."),
        Listed(),
    ] = None,
    auto: Annotated[bool, option("--auto", "What `--method auto` calls.")] = False,
    workers: options.Workers = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Compile the methods once, after an installation or an update.

    Without it each is compiled when it is first called for, which takes up to a minute
    that is missing from the time limit, or is added to it.
    """
    if not are_kept():
        raise TableError(f"functions of this numba are not kept, only those of {KNOWN}")
    # It imports what keeps them.
    from starmin.auto import warm_loops

    notice.on_compile = None
    started = time.perf_counter()

    def tell(name: str, loops: int) -> None:
        if not quiet:
            note(f"{name}: {loops}")

    names = split_names(methods, "--methods") if methods else ()
    names = (*names, *warm_loops.methods_of_auto()) if auto else names
    loops = warm_loops.warm_up(names, workers, tell)
    seconds = time.perf_counter() - started
    if as_json:
        answer(json.dumps({"compiled": loops, "runtime": seconds}))
    elif not quiet:
        answer(f"compiled {loops} functions in {seconds:.0f} seconds")
    return 0
