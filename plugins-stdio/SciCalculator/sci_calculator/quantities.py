"""The operators on scalars and quantities: units multiply, sums are checked, temperatures keep their origin."""

from fractions import Fraction

from . import arithmetic, powers
from .errors import DIMENSION_MISMATCH, CalculationError
from .units import Unit, dimension_text, find_unit, power_of_size
from .values import EXACT, Quantity, describe, settle

_KELVIN = Unit((("K", 1),))
_NUMBER = Unit(())
_ANGLE = Unit((("deg", 1),)).dimensions


def add(context, a, b):
    if not isinstance(a, Quantity) and not isinstance(b, Quantity):
        return arithmetic.add(context, a, b)
    _check_same_dimension("add", a, b)
    if b.unit.offset:
        raise _absolute_temperature(f"add {b.unit} to {a.unit}", "add a difference in K instead")
    return Quantity(arithmetic.add(context, a.value, _converted(context, b, a.unit, difference=True)), a.unit)


def subtract(context, a, b):
    if not isinstance(a, Quantity) and not isinstance(b, Quantity):
        return arithmetic.subtract(context, a, b)
    _check_same_dimension("subtract", a, b)
    if b.unit.offset:  # the difference of two temperatures is in kelvins
        a, b = convert(context, a, _KELVIN), convert(context, b, _KELVIN)
    return Quantity(arithmetic.subtract(context, a.value, _converted(context, b, a.unit, difference=True)), a.unit)


def multiply(context, a, b):
    if not isinstance(a, Quantity) and not isinstance(b, Quantity):
        return arithmetic.multiply(context, a, b)
    a, b = _as_factors(context, a, b)
    return _combine(context, arithmetic.multiply(context, a.value, b.value), a.unit, b.unit)


def divide(context, a, b):
    if not isinstance(a, Quantity) and not isinstance(b, Quantity):
        return arithmetic.divide(context, a, b)
    a, b = _as_factors(context, a, b)
    return _combine(context, arithmetic.divide(context, a.value, b.value), a.unit, b.unit.to_the(-1))


def floor_divide(context, a, b):
    if isinstance(a, Quantity) or isinstance(b, Quantity):
        _check_same_dimension("divide", a, b)
        a, b = a.value, _converted(context, b, a.unit, difference=True)
    return arithmetic.floor_divide(context, a, b)


def modulo(context, a, b):
    if not isinstance(a, Quantity) and not isinstance(b, Quantity):
        return arithmetic.modulo(context, a, b)
    _check_same_dimension("take the remainder of", a, b)
    return Quantity(arithmetic.modulo(context, a.value, _converted(context, b, a.unit, difference=True)), a.unit)


def power(context, base, exponent):
    if isinstance(exponent, Quantity):
        message = f"An exponent must be a plain number, not {describe(exponent)}: put the number in brackets, as in (2^3) m."
        raise CalculationError(DIMENSION_MISMATCH, message)
    if not isinstance(base, Quantity):
        return powers.power(context, base, exponent)
    if not isinstance(exponent, EXACT) or abs(exponent) > 100:
        raise CalculationError(DIMENSION_MISMATCH, "A quantity can only be raised to a whole or fractional power up to 100.")
    base = _without_origin(context, base)
    return _combine(context, powers.power(context, base.value, exponent), base.unit.to_the(exponent), _NUMBER)


def negate(context, a):
    if isinstance(a, Quantity):
        return Quantity(arithmetic.multiply(context, a.value, -1), a.unit)
    return arithmetic.multiply(context, a, -1)


def convert(context, a, unit):
    """The same quantity in another unit. A plain number counts as radians when the unit is an angle."""
    if not isinstance(a, Quantity):
        if not any(unit.dimensions):
            return arithmetic.divide(context, a, unit.size)
        if unit.dimensions != _ANGLE:
            raise _mismatch(f"Cannot convert {describe(a)} to {unit}", _NUMBER, unit)
        a = Quantity(a, Unit((("rad", 1),)))
    if a.unit.dimensions != unit.dimensions:
        raise _mismatch(f"Cannot convert {a.unit} to {unit}", a.unit, unit)
    return Quantity(_converted(context, a, unit), unit)


def measure(context, value, unit):
    """A number followed by a unit."""
    if isinstance(value, Quantity):
        raise CalculationError(DIMENSION_MISMATCH, f"The value already has the unit {value.unit}: write * before {unit}.")
    return Quantity(value, unit) if any(unit.dimensions) else arithmetic.multiply(context, value, unit.size)


def check_comparable(a, b):
    if isinstance(a, Quantity) or isinstance(b, Quantity):
        _check_same_dimension("compare", a, b)


def base_value(context, a):
    """The number to compare by: in base units."""
    return _to_base(context, a) if isinstance(a, Quantity) else a


def _to_base(context, a):
    scaled = arithmetic.multiply(context, a.value, a.unit.size)
    return arithmetic.add(context, scaled, a.unit.offset) if a.unit.offset else scaled


def _converted(context, a, unit, difference=False):
    if a.unit.atoms == unit.atoms:
        return a.value
    if not difference and (a.unit.offset or unit.offset):
        return arithmetic.divide(context, arithmetic.subtract(context, _to_base(context, a), unit.offset), unit.size)
    return _rescale(context, a.value, a.unit.size, unit.size)


def _rescale(context, value, size, new_size):
    exact = not isinstance(size, float) and not isinstance(new_size, float)
    return arithmetic.multiply(context, value, settle(Fraction(size) / Fraction(new_size) if exact else size / new_size))


def _combine(context, value, left, right):
    """Joins two units; units of one kind become one: 5 km * 3 m is in km^2, 2 kg/m^3 * 3 L in kg."""
    atoms = dict(left.atoms)
    for symbol, exponent in right.atoms:
        kin, new_exponent = _kin(atoms, symbol, exponent)
        if kin != symbol:
            sizes = power_of_size(find_unit(symbol).size, exponent), power_of_size(find_unit(kin).size, new_exponent)
            value = _rescale(context, value, *sizes)
        atoms[kin] = atoms.get(kin, 0) + new_exponent
    unit = Unit(tuple(atoms.items()))
    if any(unit.dimensions):
        return Quantity(value, unit)
    return arithmetic.multiply(context, value, unit.size)


def _kin(atoms, symbol, exponent):
    """The unit among the atoms that can take over symbol^exponent with a whole exponent, else the symbol itself."""
    if symbol in atoms:
        return symbol, exponent
    dimensions = find_unit(symbol).dimensions
    leading = next(index for index, power in enumerate(dimensions) if power)
    for other in atoms:
        others = find_unit(other).dimensions
        if others[leading]:
            ratio = Fraction(dimensions[leading], others[leading])
            taken = exponent * ratio
            if taken.denominator == 1 and all(power == ratio * base for power, base in zip(dimensions, others)):
                return other, int(taken)
    return symbol, exponent


def _as_factors(context, a, b):
    for number, quantity in ((a, b), (b, a)):
        if isinstance(quantity, Quantity) and quantity.unit.offset and not isinstance(number, Quantity):
            raise _absolute_temperature(f"scale a temperature in {quantity.unit}", "convert it with “in K” first")
    return _without_origin(context, a), _without_origin(context, b)


def _without_origin(context, a):
    if not isinstance(a, Quantity):
        return Quantity(a, _NUMBER)
    return convert(context, a, _KELVIN) if a.unit.offset else a


def _check_same_dimension(verb, a, b):
    left, right = (x.unit if isinstance(x, Quantity) else _NUMBER for x in (a, b))
    if left.dimensions != right.dimensions:
        raise _mismatch(f"Cannot {verb} {describe(a)} and {describe(b)}", left, right)


def _mismatch(what, left, right):
    left_dimension, right_dimension = dimension_text(left.dimensions), dimension_text(right.dimensions)
    return CalculationError(
        DIMENSION_MISMATCH,
        f"{what}: the dimensions {left_dimension} and {right_dimension} differ. Use units of the same dimension.",
        leftUnit=str(left) or "1",
        rightUnit=str(right) or "1",
        leftDimension=left_dimension,
        rightDimension=right_dimension,
    )


def _absolute_temperature(what, remedy):
    return CalculationError(DIMENSION_MISMATCH, f"Cannot {what}: it is a point on a scale with its own zero; {remedy}.")
