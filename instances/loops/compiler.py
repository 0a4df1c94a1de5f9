"""How a loop is compiled: machine code is made only of what Python calls.

Numba makes machine code of every function, also of one that only other functions call,
and optimises it in full. But whoever calls it links and optimises it once more, as a
part of the caller, and never calls that machine code. Half of the time that LLVM needs
is saved where an inner loop is only made small enough to be linked.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.decorators import jit
from numba.core.target_extension import jit_registry
from numba.core.typed_passes import NativeLowering
from numba.core.untyped_passes import InlineClosureLikes

from starmin.instances.loops.lowering import BorrowingLowering

_GENERIC = "generic"  # Numba's name for functions that fit each kind of processor.
LINKED = "linked"  # What is kept of an inner loop: see ``_LinkedCode.serialize_..``.


class LoopCompiler(Compiler):
    """Numba's compiler, with our own kinds of code.

    What is overridden are methods that numba keeps for its own kinds of code, of
    compilers ahead of time and for other processors.
    """

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        *types, flags, known = rest
        super().__init__(typing, target, library, *types, _Flags(flags), known)

    def define_pipelines(self) -> list[Any]:
        """List the steps of numba, some of them replaced by ours."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.passes = [(_OURS.get(step, step), told) for step, told in steps.passes]
        steps.finalize()
        return [steps]

    def compile_extra(self, func: Any) -> CompileResult:
        """Compile a loop for the types of arguments that were given before."""
        with _numbas_own_are_inner():
            return self._compile_extra(func)

    def _compile_extra(self, func: Any) -> CompileResult:
        state = self.state
        inner = state.flags.no_cpython_wrapper
        kind = _LinkedCode if inner else _Code
        state.library = kind(state.targetctx.codegen(), func.__qualname__)
        if not inner:
            state.library.enable_object_caching()
            return super().compile_extra(func)
        state.flags.no_compile = True
        result = super().compile_extra(func)
        result = result._replace(entry_point=_no_function(result))
        library, description = result.library, result.fndesc
        state.targetctx.insert_user_function(result.entry_point, description, [library])
        return result


@register_pass(mutates_CFG=True, analysis_only=False)
class _InlineClosures(InlineClosureLikes):
    """The step that inlines comprehensions, left out where there are none."""

    _name = "inline_closures"

    def run_pass(self, state: Any) -> bool:
        """Inline them; whether anything was changed."""
        lines = (line for block in state.func_ir.blocks.values() for line in block.body)
        given = (getattr(line, "value", None) for line in lines)
        if any(getattr(each, "op", "") in _MAKES_CLOSURES for each in given):
            return bool(super().run_pass(state))
        return False


_MAKES_CLOSURES = ("make_function", "build_list")
_OURS = {NativeLowering: BorrowingLowering, InlineClosureLikes: _InlineClosures}


class _Flags(Flags):
    """What numba is told of a loop; all are told the same that matters to its own code.

    Numba compiles a function of its own again for each set of flags of its callers.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags)

    def __hash__(self) -> int:
        return hash(_Flags)


@contextmanager
def _numbas_own_are_inner() -> Iterator[None]:
    """Let numba compile functions of its own that loops call as inner loops.

    Meanwhile it takes no time of each call of LLVM, which are a hundred thousand.
    """
    if _GENERIC in jit_registry:
        yield  # inside of another loop
        return
    from starmin.instances.loops.short_errors import short_errors

    jit_registry[_GENERIC] = _inner
    told = _tell_of_calls([])
    try:
        with short_errors():
            yield
    finally:
        _tell_of_calls(told)
        del jit_registry[_GENERIC]


def _tell_of_calls(listeners: list[Any]) -> list[Any]:
    """Let these be told of each call of LLVM; who was told before."""
    lock = llvm.ffi.lib._lock
    with lock._lock:
        before, lock._cblist = lock._cblist, listeners
    return list(before)


def _inner(**options: Any) -> Any:
    always: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    return jit(pipeline_class=LoopCompiler, **options | always)


def rebuild(target: Any, stored: Sequence[Any]) -> CompileResult:
    """Return what ``CompileResult._reduce`` had made plain data of."""
    (name, kind, code), description, environment, signature = stored[:4]
    if kind != LINKED:
        return CompileResult._rebuild(target, *stored)
    library = _LinkedCode(target.codegen(), name)
    library.take(llvm.parse_bitcode(code))
    fields = dict.fromkeys(CompileResult._fields)
    fields |= {
        "target_context": target,
        "typing_context": target.typing_context,
        "library": library,
        "environment": environment,
        "fndesc": description,
        "signature": signature,
        "objectmode": False,
        "lifted": (),
        "reload_init": [],
        "referenced_envs": (),
    }
    result = CompileResult(**fields)
    return result._replace(entry_point=_no_function(result))


class _Code(JITCodeLibrary):
    """Code that Python calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise the functions one by one, but those that are only declared."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class _LinkedCode(_Code):
    """Code that is linked to its callers, and is nowhere by itself."""

    def _optimize_final_module(self) -> None:
        """Inline and tidy up; whoever links it optimises what is left of it."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def take(self, module: Any) -> None:
        """Take code that was compiled before."""
        self._final_module = module
        self._finalize_final_module()

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return plain data; of an object there is none."""
        self._ensure_finalized()
        return self.name, LINKED, self._get_module_for_linking().as_bitcode()


def _no_function(result: CompileResult) -> Any:
    """Return what numba asks for to call from Python: nobody may call it."""
    kept = (result.library,)
    module = result.fndesc.lookup_module()
    name = result.fndesc.qualname
    return make_function(module, name, "", 0, result.environment, kept)
