"""Powers and roots of scalars: exact where the result is rational, complex where no real one exists."""

import cmath
import math
from fractions import Fraction

from .arithmetic import division_by_zero
from .context import bits
from .limits import MAX_BITS, MAX_POWER_OF_FRACTION_BITS
from .trigonometry import cos, sin
from .values import EXACT, settle, too_many_digits

_MAX_EXACT_ROOT = 64


def power(context, base, exponent):
    if base == 0:
        return _power_of_zero(base, exponent)
    if isinstance(exponent, int) and isinstance(base, EXACT):
        return _whole_power(context, base, exponent)
    if isinstance(exponent, Fraction) and isinstance(base, EXACT) and exponent.denominator <= _MAX_EXACT_ROOT:
        exact = _exact_root(context, base, exponent.denominator) if base > 0 else None
        if exact is not None:
            return _whole_power(context, exact, exponent.numerator)
    if base == math.e and isinstance(base, float):
        return exp(context, exponent)
    if isinstance(base, complex) or isinstance(exponent, complex):
        return settle(complex(base) ** complex(exponent))
    if isinstance(exponent, int):
        return settle(float(base) ** exponent)
    return settle(float(base) ** float(exponent))  # Python answers a complex number for a negative base


def exp(context, x):
    """e to the power of x, with e^(i·pi) exactly -1."""
    if isinstance(x, complex):
        size = math.exp(x.real)
        return settle(complex(size * cos(context, x.imag), size * sin(context, x.imag)))
    return settle(math.exp(x))


def sqrt(context, x):
    return root(context, x, 2)


def cbrt(context, x):
    return root(context, x, 3)


def root(context, x, degree):
    """The n-th root; an odd root of a negative number is real, an even one complex."""
    if not isinstance(degree, int) or degree == 0:
        return power(context, x, settle(1 / degree if isinstance(degree, (float, complex)) else 1 / Fraction(degree)))
    if x == 0:
        return power(context, x, Fraction(1, degree))
    if isinstance(x, complex):
        return settle(cmath.sqrt(x) if degree == 2 else x ** (1 / degree))
    if x < 0 and degree % 2:
        return -root(context, -x, degree)
    if isinstance(x, EXACT) and abs(degree) <= _MAX_EXACT_ROOT:
        exact = _exact_root(context, abs(x), abs(degree))
        if exact is not None:
            exact = exact if degree > 0 else settle(1 / Fraction(exact))
            return exact if x > 0 else settle(complex(0, exact)) if degree == 2 else power(context, x, Fraction(1, degree))
    if degree == 2:
        return settle(_float_sqrt(x) if x > 0 else complex(0, _float_sqrt(-x)))
    return _nearest_root(x, degree) if x > 0 else settle(complex(x) ** (1 / degree))


def _float_sqrt(x):
    try:
        return math.sqrt(x)
    except OverflowError:  # an integer beyond floats whose root may still be one
        return float(math.isqrt(math.floor(x)))


def _nearest_root(x, degree):
    """A float root, corrected by one Newton step: cbrt(2.7e1) is 3."""
    try:
        estimate = float(x) ** (1 / degree)
    except OverflowError:  # an integer beyond floats whose root may still be one
        return settle(math.exp(math.log(x) / degree))
    if degree > 0 and math.isfinite(estimate) and degree * abs(math.log2(estimate)) < 1000:
        estimate -= (estimate - float(x) / estimate ** (degree - 1)) / degree
    return settle(estimate)


def _power_of_zero(base, exponent):
    real = exponent.real
    if exponent == 0:
        return 1
    if real <= 0:
        raise division_by_zero()
    return base if isinstance(base, EXACT) else 0.0


def _whole_power(context, base, exponent):
    if base in (1, -1):
        return 1 if base == 1 or exponent % 2 == 0 else -1
    longest = max(abs(base.numerator), base.denominator)
    # A lower bound of the length, so that nothing within the limit is refused; settle() does the rest.
    needed = (longest.bit_length() - 1) * abs(exponent)
    if isinstance(base, Fraction) and needed > MAX_POWER_OF_FRACTION_BITS:
        return settle(float(base) ** exponent)
    if needed > MAX_BITS:
        raise too_many_digits()
    context.spend(1500 + 5 * (needed // 30 + 1) ** 2)
    return settle(base**exponent if exponent >= 0 else 1 / Fraction(base) ** -exponent)


def _exact_root(context, x, degree):
    """The exact root of a positive number when it is rational, else None."""
    context.spend(30 * (bits(x) // 30 + 1) ** 2)
    if isinstance(x, int):
        found = _integer_root(x, degree)
        return found if found**degree == x else None
    above, below = _integer_root(x.numerator, degree), _integer_root(x.denominator, degree)
    return settle(Fraction(above, below)) if Fraction(above, below) ** degree == x else None


def _integer_root(n, degree):
    """The largest integer whose power is at most n, by Newton's method from above."""
    if degree == 1:
        return n
    if degree == 2:
        return math.isqrt(n)
    guess = 1 << -(-n.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + n // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better
