"""Many numbers at a time, for compiled loops that compilers do not vectorise by themselves.

Which of many fractions is least can be found without a division, by comparing products; but then a
loop carries two numbers and a place along, and no compiler turns that into vector code. So it is
written with vectors here: inside functions compiled by Numba, ``Lanes`` are values that live in
registers, of whatever width the processor has. They hold eight float64 or sixteen float32, as the
arrays do that they are loaded from. ``a * b + c`` may be rounded once or twice.
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

#: Numbers in a vector, of float64 and of float32.
WIDTH, SINGLE_WIDTH = 8, 16


class Lanes(types.Type):
    """Numba's type of a vector of floats, of integers or of truth values."""

    def __init__(self, kind: str, element: Any, width: int) -> None:
        self.vector, self.width = ir.VectorType(element, width), width
        super().__init__(name=f"Lanes({kind} x {width})")


FLOATS = Lanes("float64", ir.DoubleType(), WIDTH)
SINGLES = Lanes("float32", ir.FloatType(), SINGLE_WIDTH)
#: What goes with numbers: places, of the same size, and truth values.
PLACES = {
    FLOATS: Lanes("int64", ir.IntType(64), WIDTH),
    SINGLES: Lanes("int32", ir.IntType(32), SINGLE_WIDTH),
}
BOOLS = {
    FLOATS: Lanes("bool", ir.IntType(1), WIDTH),
    SINGLES: Lanes("bool", ir.IntType(1), SINGLE_WIDTH),
}
#: Lanes of numbers by what Numba calls one of them; and what LLVM calls the lanes.
OF = {types.float64: FLOATS, types.float32: SINGLES}
LLVM = {FLOATS: "v8f64", SINGLES: "v16f32", PLACES[FLOATS]: "v8i64", PLACES[SINGLES]: "v16i32"}


@extending.register_model(Lanes)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, kind.vector)


def _inside_compiled(function: Callable[..., Any]) -> Any:
    """Return a function for use inside compiled ones, by what it says LLVM should be told."""
    return extending.intrinsic(function)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, start: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), OF[kind.dtype].vector.as_pointer())


def _same(builder: Any, number: Any, vector: Any) -> Any:
    """Return a vector of equal numbers."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _reduced(builder: Any, name: str, kind: Lanes, lanes: Any, flags: tuple[str, ...] = ()) -> Any:
    """Return what LLVM's function of this name makes of all lanes."""
    signature = ir.FunctionType(lanes.type.element, [lanes.type])
    full_name = f"llvm.vector.reduce.{name}.{LLVM[kind]}"
    function = function_of(builder.module, signature, full_name)
    return builder.call(function, [lanes], fastmath=flags)


@_inside_compiled
def load(typing: Any, array: Any, start: Any) -> Any:
    """Return the numbers of a contiguous array from ``start`` on."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        where = _pointer(context, builder, signature.args[0], *args)
        return builder.load(where, align=array.dtype.bitwidth // 8)

    return OF[array.dtype](array, types.intp), made


@_inside_compiled
def store(typing: Any, array: Any, start: Any, lanes: Any) -> Any:
    """Write numbers into a contiguous array from ``start`` on."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (array, start, lanes), kind = args, signature.args[0]
        where = _pointer(context, builder, kind, array, start)
        builder.store(lanes, where, align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes), made


@_inside_compiled
def all_of(typing: Any, number: Any) -> Any:
    """Return a number in every lane."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _same(builder, args[0], OF[number].vector)

    return OF[number](number), made


@_inside_compiled
def nowhere(typing: Any, lanes: Any) -> Any:
    """Return -1 as the place of every one of these lanes."""
    kind = PLACES[lanes]

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(kind.vector, [-1] * kind.width)

    return kind(lanes), made


@_inside_compiled
def places(typing: Any, lanes: Any, start: Any) -> Any:
    """Return ``start, start + 1, ...``, the places of these lanes."""
    kind = PLACES[lanes]

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = args[1]
        if kind.vector.element != first.type:
            first = builder.trunc(first, kind.vector.element)
        steps = ir.Constant(kind.vector, list(range(kind.width)))
        return builder.add(_same(builder, first, kind.vector), steps)

    return kind(lanes, types.int64), made


@_inside_compiled
def plus_product(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return ``a + b * c``."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, one, other = args
        product = builder.fmul(one, other, flags=("contract",))
        return builder.fadd(number, product, flags=("contract",))

    return a(a, a, a), made


@_inside_compiled
def is_less(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Say where ``a / b < c / d``, for d > 0; where b <= 0 it is not."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        over, under, over_other, under_other = args
        crosswise = builder.fmul(over, under_other), builder.fmul(over_other, under)
        zeros = ir.Constant(under.type, [0.0] * a.width)
        less = builder.fcmp_ordered("<", *crosswise)
        return builder.and_(less, builder.fcmp_ordered(">", under, zeros))

    return BOOLS[a](a, a, a, a), made


@_inside_compiled
def fraction(typing: Any, a: Any, b: Any) -> Any:
    """Return ``a / b``."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fdiv(*args)

    return a(a, a), made


@_inside_compiled
def is_sooner(typing: Any, a: Any, b: Any, under: Any) -> Any:
    """Say where ``a < b`` and ``under > 0``."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one, other, number = args
        zeros = ir.Constant(number.type, [0.0] * a.width)
        less = builder.fcmp_ordered("<", one, other)
        return builder.and_(less, builder.fcmp_ordered(">", number, zeros))

    return BOOLS[a](a, a, a), made


@_inside_compiled
def choose(typing: Any, where: Any, lanes: Any, others: Any) -> Any:
    """Return ``lanes`` where that is said and ``others`` elsewhere."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(*args)

    return lanes(where, lanes, lanes), made


@_inside_compiled
def at_least(typing: Any, a: Any, places: Any) -> Any:
    """Return the place, of those given, where ``a`` is least; the first of several."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _place_of_least(builder, a, *args)

    return types.int64(a, places), made


@_inside_compiled
def at_least_fraction(typing: Any, a: Any, b: Any, places: Any) -> Any:
    """Return the place, of those given, where ``a / b`` is least; the first of several."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        over, under, where = args
        return _place_of_least(builder, a, builder.fdiv(over, under), where)

    return types.int64(a, a, places), made


def _place_of_least(builder: Any, kind: Lanes, numbers: Any, where: Any) -> Any:
    """Return the place, of those given, where a number is least; the first of several."""
    least = _reduced(builder, "fmin", kind, numbers, ("nnan",))
    there = builder.fcmp_ordered("==", numbers, _same(builder, least, kind.vector))
    size = where.type.element.width
    behind = ir.Constant(where.type, [2 ** (size - 2)] * kind.width)
    found = _reduced(builder, "smin", PLACES[kind], builder.select(there, where, behind))
    return found if size == 64 else builder.sext(found, ir.IntType(64))
