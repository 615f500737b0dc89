"""Trigonometry in radians or in angle quantities, exact at the angles where the result is rational."""

import math
from fractions import Fraction

from .errors import DOMAIN_ERROR, CalculationError
from .values import EXACT, Quantity, settle

_STEPS_PER_TURN = 24  # of 15 degrees
_TOLERANCE = 4 * 2.0**-52  # pi/6 and its multiples are off by no more
_MAX_SNAPPED_STEPS = 10**6
_SINES = {0: 0, 2: Fraction(1, 2), 6: 1, 10: Fraction(1, 2), 12: 0, 14: Fraction(-1, 2), 18: -1, 22: Fraction(-1, 2)}
_TANGENTS = {0: 0, 3: 1, 9: -1}


def sin(context, x):
    return _circular(x, math.sin, "sin", lambda step: _SINES.get(step))


def cos(context, x):
    return _circular(x, math.cos, "cos", lambda step: _SINES.get((step + 6) % _STEPS_PER_TURN))


def tan(context, x):
    return _circular(x, math.tan, "tan", _tangent)


def reciprocal_of(function, name):
    """sec, csc and cot; where the function is zero they are not defined."""

    def reciprocal(context, x):
        if function is tan and _step(x) in (6, 18):
            return 0
        below = function(context, x)
        if below == 0:
            raise _pole(name)
        return settle(1 / below if isinstance(below, (float, complex)) else 1 / Fraction(below))

    return reciprocal


def _circular(x, function, name, exact_at):
    step = _step(x)
    exact = exact_at(step) if step is not None else None
    if exact is not None:
        return exact if isinstance(x, Quantity) and isinstance(x.value, EXACT) else settle(float(exact))
    if isinstance(x, Quantity):
        degrees = degrees_of(x)
        return settle(function(math.radians(degrees % 360)))
    if isinstance(x, complex):
        import cmath

        return settle(getattr(cmath, name)(x))
    return settle(function(x))


def degrees_of(angle):
    return angle.value * angle.unit.size


def _step(x):
    """Which multiple of 15 degrees the angle is, 0 to 23; None when it is not one."""
    if isinstance(x, complex):
        return None
    if isinstance(x, Quantity):
        if isinstance(x.value, complex):
            raise CalculationError(DOMAIN_ERROR, "An angle with a unit must be real: write the complex number without it.")
        degrees = degrees_of(x)
        if isinstance(degrees, EXACT):
            return int(degrees % 360) // 15 if degrees % 15 == 0 else None
        x = math.radians(degrees)
    steps = x * 12 / math.pi
    nearest = round(steps)
    if abs(nearest) > _MAX_SNAPPED_STEPS or abs(x - nearest * math.pi / 12) > _TOLERANCE * abs(x):
        return None
    return nearest % _STEPS_PER_TURN


def _tangent(step):
    if step % 12 == 6:
        raise _pole("tan")
    return _TANGENTS.get(step % 12)


def _pole(name):
    return CalculationError(DOMAIN_ERROR, f"{name} is not defined at this angle: it goes to infinity there.")
