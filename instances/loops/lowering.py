"""How arguments of a loop are read: as they came, without counting references.

Numba stores each argument in memory of the function, reads all of it again where one
field is asked for, and counts a reference more for each array that it reads. A state of
forty arrays has three hundred numbers, so a line that reads ten fields becomes three
thousand instructions, all of which LLVM has to remove. Here none is made: whoever calls
a loop holds what it gives until the loop returns.
"""

from collections.abc import Container, Mapping
from typing import Any

from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.core.types.containers import BaseTuple

_PARTS = ("getattr", "static_getitem", "exhaust_iter")
WHOLE = -1  # Stands for no place in a tuple.


class _BorrowingLower(Lower):  # type: ignore[misc]
    """Numba's translation to LLVM, with arguments and their fields borrowed.

    ``_borrowed`` tells what each variable is that is always the same argument, or the
    same field of a tuple that is borrowed. ``_direct`` are those that need no memory:
    they are assigned before each line that reads them.
    """

    def init(self) -> None:
        """Find what is borrowed, before any line is translated."""
        super().init()
        generator = self.func_ir.func_id.is_generator
        self._borrowed = {} if generator else self._find_borrowed()
        self._direct = self._borrowed.keys() & _assigned_before_use(self.blocks)
        self._values: dict[str, Any] = {}

    def _find_borrowed(self) -> dict[str, Any]:
        assigned: dict[str, list[Any]] = {}
        for block in self.blocks.values():
            for each in block.find_insts(ir.Assign):
                assigned.setdefault(each.target.name, []).append(each.value)
        once = {name: given[0] for name, given in assigned.items() if len(given) == 1}
        borrowed: dict[str, Any] = {}
        while found := {
            name: value
            for name, value in once.items()
            if name not in borrowed and self._borrows(name, value, borrowed)
        }:
            borrowed |= found
        return borrowed

    def _borrows(self, name: str, value: Any, borrowed: Container[str]) -> bool:
        """Check that a value is an argument or a part of one, and not converted."""
        if isinstance(value, ir.Arg):
            kind = self.typeof(f"arg.{value.name}")
        elif isinstance(value, ir.Var):
            kind = self.typeof(value.name) if value.name in borrowed else None
        elif getattr(value, "op", "") in _PARTS and value.value.name in borrowed:
            kind = self._part(value)[0]
        else:
            kind = None
        return kind is not None and kind == self.typeof(name)

    def _part(self, value: Any) -> tuple[Any, int]:
        """Return the type of a part of a tuple and its place; no type if it is none."""
        whole = self.typeof(value.value.name)
        if not isinstance(whole, BaseTuple):
            return None, WHOLE
        if value.op == "exhaust_iter":
            return whole, WHOLE
        if value.op == "getattr":
            fields = getattr(whole, "fields", ())
            place = fields.index(value.attr) if value.attr in fields else WHOLE
        else:
            place = value.index if isinstance(value.index, int) else WHOLE
        return (whole[place], place) if 0 <= place < len(whole) else (None, WHOLE)

    def lower_inst(self, inst: Any) -> None:
        """Translate one line of numba's own representation."""
        name = inst.target.name if isinstance(inst, ir.Assign) else ""
        if name not in self._borrowed:
            super().lower_inst(inst)
        elif name in self._direct:
            self._values[name] = self._read(inst.value)
        else:
            value = self._read(inst.value)
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.varmap[name])

    def _read(self, value: Any) -> Any:
        if isinstance(value, ir.Arg):
            return self.fnargs[value.index]
        if isinstance(value, ir.Var):
            return self.loadvar(value.name)
        whole, place = self.loadvar(value.value.name), self._part(value)[1]
        return whole if place == WHOLE else self.builder.extract_value(whole, place)

    def loadvar(self, name: str) -> Any:
        """Return the value of a variable."""
        return self._values[name] if name in self._values else super().loadvar(name)

    def delvar(self, name: str) -> None:
        """Forget a variable; of a borrowed one there is nothing to forget."""
        if name not in self._borrowed:
            super().delvar(name)


def _assigned_before_use(blocks: Mapping[int, Any]) -> set[str]:
    """Return the variables that one block assigns, on the way to all that read them.

    Blocks are translated in the order of their numbers.
    """
    dominators = compute_cfg_from_blocks(blocks).dominators()
    known = compute_use_defs(blocks)
    places: dict[str, set[int]] = {}
    for at, names in known.defmap.items():
        for name in names:
            places.setdefault(name, set()).add(at)
    before = {at: {each for each in dominators[at] if each < at} for at in blocks}
    late = {
        name
        for at, names in known.usemap.items()
        for name in names
        if not places.get(name, set()) <= before[at]
    }
    return {name for name, where in places.items() if len(where) == 1} - late


@register_pass(mutates_CFG=True, analysis_only=False)
class BorrowingLowering(NativeLowering):  # type: ignore[misc]
    """The step of numba's compiler that makes LLVM code."""

    _name = "borrowing_lowering"

    @property
    def lowering_class(self) -> Any:
        """Return what translates a function."""
        return _BorrowingLower
