"""Eight numbers at a time, for compiled loops that compilers do not vectorise by themselves.

Which of many fractions is least can be found without a division, by comparing products; but then a
loop carries two numbers and a place along, and no compiler turns that into vector code. So it is
written with vectors here: inside functions compiled by Numba, ``Lanes`` are values that live in
registers, of whatever width the processor has. ``a * b + c`` may be rounded once or twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # Numba's way to LLVM, installed with it
from numba import extending, types
from numba.core import cgutils

#: Numba's tools, of which no types are known.
models: Any = extending.models
function_of: Any = cgutils.get_or_insert_function

#: Numbers in a vector.
WIDTH = 8


class Lanes(types.Type):
    """Numba's type of a vector of floats, of integers or of truth values."""

    def __init__(self, kind: str, element: Any) -> None:
        self.vector = ir.VectorType(element, WIDTH)
        super().__init__(name=f"Lanes({kind})")


FLOATS = Lanes("float64", ir.DoubleType())
INTS = Lanes("int64", ir.IntType(64))
BOOLS = Lanes("bool", ir.IntType(1))


@extending.register_model(Lanes)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, kind.vector)


def _inside_compiled(function: Callable[..., Any]) -> Any:
    """Return a function for use inside compiled ones, by what it says LLVM should be told."""
    return extending.intrinsic(function)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, start: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), FLOATS.vector.as_pointer())


def _same(builder: Any, number: Any, vector: Any) -> Any:
    """Return a vector of equal numbers."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, undefined, zeros)


def _reduced(builder: Any, name: str, lanes: Any, flags: tuple[str, ...] = ()) -> Any:
    """Return what LLVM's function of this name makes of all lanes."""
    kind = ir.FunctionType(lanes.type.element, [lanes.type])
    function = function_of(builder.module, kind, f"llvm.vector.reduce.{name}")
    return builder.call(function, [lanes], fastmath=flags)


@_inside_compiled
def load(typing: Any, array: Any, start: Any) -> Any:
    """Return the numbers of a contiguous array from ``start`` on."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args[0], *args), align=8)

    return FLOATS(array, types.intp), made


@_inside_compiled
def store(typing: Any, array: Any, start: Any, lanes: Any) -> Any:
    """Write numbers into a contiguous array from ``start`` on."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, start, lanes = args
        where = _pointer(context, builder, signature.args[0], array, start)
        builder.store(lanes, where, align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, FLOATS), made


@_inside_compiled
def all_of(typing: Any, number: Any) -> Any:
    """Return a number, float or integer, eight times."""
    kind = FLOATS if isinstance(number, types.Float) else INTS

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _same(builder, args[0], kind.vector)

    return kind(types.float64 if kind is FLOATS else types.int64), made


@_inside_compiled
def places(typing: Any, start: Any) -> Any:
    """Return ``start, start + 1, ...``."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        steps = ir.Constant(INTS.vector, list(range(WIDTH)))
        return builder.add(_same(builder, args[0], INTS.vector), steps)

    return INTS(types.int64), made


@_inside_compiled
def plus_product(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return ``a + b * c``."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c = args
        product = builder.fmul(b, c, flags=("contract",))
        return builder.fadd(a, product, flags=("contract",))

    return FLOATS(FLOATS, FLOATS, FLOATS), made


@_inside_compiled
def is_less(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Say where ``a / b < c / d``, for d > 0; where b <= 0 it is not."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c, d = args
        less = builder.fcmp_ordered("<", builder.fmul(a, d), builder.fmul(c, b))
        zeros = ir.Constant(FLOATS.vector, [0.0] * WIDTH)
        return builder.and_(less, builder.fcmp_ordered(">", b, zeros))

    return BOOLS(FLOATS, FLOATS, FLOATS, FLOATS), made


@_inside_compiled
def choose(typing: Any, where: Any, lanes: Any, others: Any) -> Any:
    """Return ``lanes`` where that is said and ``others`` elsewhere."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(*args)

    return lanes(BOOLS, lanes, lanes), made


@_inside_compiled
def at_least_fraction(typing: Any, a: Any, b: Any, places: Any) -> Any:
    """Return the place, of those given, where ``a / b`` is least; the first of several."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, places = args
        fractions = builder.fdiv(a, b)
        least = _reduced(builder, f"fmin.v{WIDTH}f64", fractions, ("nnan",))
        there = builder.fcmp_ordered("==", fractions, _same(builder, least, FLOATS.vector))
        nowhere = ir.Constant(INTS.vector, [2**62] * WIDTH)
        return _reduced(builder, f"smin.v{WIDTH}i64", builder.select(there, places, nowhere))

    return types.int64(FLOATS, FLOATS, INTS), made
