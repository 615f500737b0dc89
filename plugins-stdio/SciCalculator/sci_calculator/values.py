"""What an expression can be. A scalar is int, Fraction, float or complex; the rest are these classes."""

import math
from fractions import Fraction

from .errors import DOMAIN_ERROR, OVERFLOW, CalculationError, limit_exceeded
from .limits import MAX_BITS, MAX_DIGITS

EXACT = (int, Fraction)
REAL = (int, Fraction, float)
SCALAR = (int, Fraction, float, complex)


class Quantity:
    """A scalar with a unit."""

    __slots__ = ("value", "unit")

    def __init__(self, value, unit):
        self.value, self.unit = value, unit


class Vector:
    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items


class Matrix:
    """rows: a list of equally long lists."""

    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = rows

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])


def settle(value):
    """The canonical form of a scalar: whole fractions as integers, real complex numbers as floats, all in bounds."""
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise too_many_digits()
    elif isinstance(value, Fraction):
        if value.denominator == 1:
            return settle(value.numerator)
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            return float(value)
    elif isinstance(value, complex):
        _finite(value.real)
        _finite(value.imag)
        return value.real + 0.0 if value.imag == 0 else value
    else:
        _finite(value)
        return value + 0.0  # no negative zero
    return value


def too_many_digits():
    return limit_exceeded(
        f"The result would be an integer of more than {MAX_DIGITS:,} digits: use floats (write 2e0 for 2) or logarithms.",
        MAX_DIGITS,
    )


def describe(value):
    """What kind of value it is, for error messages."""
    if isinstance(value, Quantity):
        return f"a quantity in {value.unit}"
    if isinstance(value, Matrix):
        return "a {}×{} matrix".format(*value.shape)
    if isinstance(value, Vector):
        return f"a vector of {len(value.items)}"
    return "a complex number" if isinstance(value, complex) else "a plain number"


def _finite(number):
    if math.isnan(number):
        raise CalculationError(DOMAIN_ERROR, "The operation is not defined for these numbers.")
    if math.isinf(number):
        raise CalculationError(OVERFLOW, "The result is too large for a float (about 1.8e308).")
