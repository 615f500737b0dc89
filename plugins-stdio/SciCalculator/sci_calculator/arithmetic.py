"""The operators on scalars. Exact stays exact; anything with a float becomes a float."""

import math
from fractions import Fraction

from .errors import DIVISION_BY_ZERO, DOMAIN_ERROR, CalculationError
from .limits import MAX_BITS
from .values import EXACT, settle, too_many_digits


def add(context, a, b):
    context.spend_on(a, b)
    return settle(a + b)


def subtract(context, a, b):
    context.spend_on(a, b)
    return settle(a - b)


def multiply(context, a, b):
    context.spend_on(a, b, 2)
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MAX_BITS + 1:
        raise too_many_digits()
    return settle(a * b)


def divide(context, a, b):
    context.spend_on(a, b, 4)
    if b == 0:
        raise division_by_zero()
    if isinstance(a, int) and isinstance(b, int):
        return settle(Fraction(a, b))
    return settle(a / b)


def floor_divide(context, a, b):
    _check_division(context, a, b)
    return settle(math.floor(Fraction(a) / Fraction(b)) if isinstance(a, EXACT) and isinstance(b, EXACT) else a // b)


def modulo(context, a, b):
    """Takes the sign of the divisor: -7 % 3 is 2."""
    _check_division(context, a, b)
    return settle(a % b)


def division_by_zero():
    return CalculationError(DIVISION_BY_ZERO, "Division by zero: check the divisor.")


def _check_division(context, a, b):
    context.spend_on(a, b, 4)
    if isinstance(a, complex) or isinstance(b, complex):
        raise CalculationError(DOMAIN_ERROR, "// and % are not defined for complex numbers: use / instead.")
    if b == 0:
        raise division_by_zero()
