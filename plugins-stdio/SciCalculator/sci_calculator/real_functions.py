"""Logarithms, rounding and the other functions of one or two numbers."""

import math
from fractions import Fraction

from . import quantities
from .errors import DOMAIN_ERROR, CalculationError, limit_exceeded
from .limits import MAX_ROUND_DIGITS
from .values import EXACT, Quantity, settle


def ln(context, x):
    if x == 0:
        raise CalculationError(DOMAIN_ERROR, "The logarithm of 0 is not defined.")
    if isinstance(x, complex) or x < 0:
        import cmath

        return settle(cmath.log(x))
    if isinstance(x, Fraction):
        return settle(math.log(x.numerator) - math.log(x.denominator)) if _beyond_float(x) else math.log(x)
    return math.log(x)


def log(context, x, base=None):
    if base is None:
        context.warn("SCI.NATURAL_LOG", "log(x) was read as the natural logarithm; log10(x) or log(x, 10) has base 10.")
        return ln(context, x)
    if base in (0, 1):
        raise CalculationError(DOMAIN_ERROR, f"A logarithm has no base {base}: use a base above 0 other than 1.")
    ratio = quantities.divide(context, ln(context, x), ln(context, base))
    if isinstance(x, EXACT) and isinstance(base, EXACT) and isinstance(ratio, float):
        return _exact_logarithm(context, x, base, ratio)
    return ratio


def log2(context, x):
    return log(context, x, 2)


def log10(context, x):
    return log(context, x, 10)


def complex_function(name):
    """The function of math, or that of cmath where no real result exists: acosh(0.5), asin(2)."""

    def function(context, x):
        if not isinstance(x, complex):
            try:
                return settle(getattr(math, name)(x))
            except ValueError:
                pass
        import cmath

        return settle(getattr(cmath, name)(x))

    return function


def real_function(name):
    """A function of math that is defined for real numbers only."""

    def function(context, *numbers):
        if any(isinstance(number, complex) for number in numbers):
            raise CalculationError(DOMAIN_ERROR, f"{name} is not defined for complex numbers.")
        return settle(getattr(math, name)(*numbers))

    return function


def absolute(context, x):
    if isinstance(x, Quantity):
        return Quantity(absolute(context, x.value), x.unit)
    return settle(abs(x))


def sign(context, x):
    value = x.value if isinstance(x, Quantity) else x
    _check_real("sign", value)
    return (value > 0) - (value < 0)


def floor(context, x):
    return _rounded("floor", x, math.floor)


def ceil(context, x):
    return _rounded("ceil", x, math.ceil)


def trunc(context, x):
    return _rounded("trunc", x, math.trunc)


def round_to(context, x, digits=0):
    """Half away from zero, as people round: round(2.5) is 3."""
    if not isinstance(digits, int):
        raise CalculationError(DOMAIN_ERROR, "round(x, digits) needs a whole number of digits.")
    if abs(digits) > MAX_ROUND_DIGITS:
        raise limit_exceeded(f"round works to at most {MAX_ROUND_DIGITS} digits.", MAX_ROUND_DIGITS)
    step = Fraction(10) ** -digits

    def nearest(number):
        size = math.floor(abs(Fraction(number)) / step + Fraction(1, 2)) * step
        rounded = size if number >= 0 else -size
        return float(rounded) if isinstance(number, float) and digits > 0 else rounded

    return _rounded("round", x, nearest)


def real_part(context, x):
    return x.real if isinstance(x, complex) else x


def imaginary_part(context, x):
    return x.imag if isinstance(x, complex) else 0


def conjugate(context, x):
    return x.conjugate()


def argument(context, x):
    return math.atan2(x.imag, x.real) if isinstance(x, complex) else math.pi if x < 0 else 0


def _rounded(name, x, rounding):
    if isinstance(x, Quantity):
        return Quantity(_rounded(name, x.value, rounding), x.unit)
    _check_real(name, x)
    return settle(rounding(x))


def _check_real(name, x):
    if isinstance(x, complex):
        raise CalculationError(DOMAIN_ERROR, f"{name} is not defined for complex numbers: use re, im or abs first.")


def _exact_logarithm(context, x, base, ratio):
    nearest = round(ratio)
    if abs(ratio - nearest) < 1e-9 and quantities.power(context, base, nearest) == x:
        return nearest
    return ratio


def _beyond_float(x):
    return max(x.numerator.bit_length(), x.denominator.bit_length()) > 1000
