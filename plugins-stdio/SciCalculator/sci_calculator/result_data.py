"""A value as the structured facts of the result: {kind, value, exact, text}."""

from fractions import Fraction

from .context import bits
from .errors import OVERFLOW, CalculationError, limit_exceeded
from .limits import MAX_RESULT_DIGITS, MAX_SAFE_INTEGER, MAX_SHOWN_FRACTION_DIGITS
from .number_text import decimal_text, exact_decimal, rounded, scalar_text
from .values import EXACT, Matrix, Quantity, Vector

_LONGEST_FRACTION = 10**MAX_SHOWN_FRACTION_DIGITS
_BITS_PER_DIGIT = 3.3219


def result_data(value, digits=None):
    """digits: significant digits for what is not exact, or None for all there are."""
    value = _presentable(value)
    _check_length(value)
    if isinstance(value, Matrix):
        rows = [[_cell(cell, digits) for cell in row] for row in value.rows]
        text = "[" + ", ".join(_row_text(row, digits) for row in value.rows) + "]"
        return _facts("matrix", rows, all(_is_exact(cell) for row in value.rows for cell in row), text)
    if isinstance(value, Vector):
        items = [_cell(item, digits) for item in value.items]
        return _facts("vector", items, all(map(_is_exact, value.items)), _row_text(value.items, digits))
    if isinstance(value, Quantity):
        return _facts("quantity", _cell(value, digits), _is_exact(value), _text(value, digits))
    kind = {int: "integer", Fraction: "rational", float: "real", complex: "complex"}[type(value)]
    text = scalar_text(value, digits)
    if kind == "rational" and "/" in text:
        text += " ≈ " + decimal_text(value, digits)
    return _facts(kind, _cell(value, digits), kind in ("integer", "rational"), text)


def _facts(kind, value, exact, text):
    return {"kind": kind, "value": value, "exact": exact, "text": text}


def _presentable(value):
    """Fractions that nobody could read become floats; kg*m/s^2 becomes N."""
    if isinstance(value, Matrix):
        return Matrix([[_presentable(cell) for cell in row] for row in value.rows])
    if isinstance(value, Vector):
        return Vector([_presentable(item) for item in value.items])
    if isinstance(value, Quantity):
        return Quantity(_presentable(value.value), value.unit.shown())
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) > _LONGEST_FRACTION:
        nearest = _nearest_float(value)
        return value if nearest is None else nearest
    return value


def _check_length(value):
    cells = [value]
    if isinstance(value, Matrix):
        cells = [cell for row in value.rows for cell in row]
    elif isinstance(value, Vector):
        cells = value.items
    numbers = (cell.value if isinstance(cell, Quantity) else cell for cell in cells)
    if sum(map(bits, numbers)) > MAX_RESULT_DIGITS * _BITS_PER_DIGIT:
        raise limit_exceeded(f"The result has more than {MAX_RESULT_DIGITS:,} digits in all: ask for a part of it.",
        MAX_RESULT_DIGITS)


def _nearest_float(value, digits=None):
    """None when the fraction lies outside the range of floats."""
    try:
        nearest = float(decimal_text(value, digits)) if digits else float(value)
    except OverflowError:
        return None
    return None if nearest == 0 or nearest - nearest != 0 else nearest


def _cell(value, digits):
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, Fraction):
        above, below = _integer(value.numerator), _integer(value.denominator)
        return {"numerator": above, "denominator": below, "decimal": _nearest_float(value, digits)}
    if isinstance(value, complex):
        return {"re": rounded(value.real, digits), "im": rounded(value.imag, digits)}
    if isinstance(value, Quantity):
        number = value.value
        if isinstance(number, Fraction):
            number = _nearest_float(number, digits)
            if number is None:
                raise CalculationError(OVERFLOW, f"The value in {value.unit} is outside the range of floats: use another unit.")
        return {"value": _cell(number, digits), "unit": str(value.unit)}
    return rounded(value, digits)


def _integer(value):
    return value if abs(value) <= MAX_SAFE_INTEGER else str(value)


def _is_exact(value):
    """Whether nothing was rounded; a quantity shows a decimal number, so that has to hold all of it."""
    if isinstance(value, Quantity):
        return isinstance(value.value, int) or (isinstance(value.value, Fraction) and exact_decimal(value.value) is not None)
    return isinstance(value, EXACT)


def _text(value, digits):
    if not isinstance(value, Quantity):
        return scalar_text(value, digits)
    number = scalar_text(value.value, digits)
    if isinstance(value.value, Fraction) and "/" in number:
        number = decimal_text(value.value, digits)
    elif isinstance(value.value, complex):
        number = f"({number})"
    return f"{number} {value.unit}"


def _row_text(row, digits):
    return "[" + ", ".join(_text(cell, digits) for cell in row) + "]"
