"""Numbers as people read them, exact where it is short enough."""

from fractions import Fraction

DEFAULT_DIGITS = 15  # what a float carries with certainty
_MAX_FLOAT_DIGITS = 17


def scalar_text(value, digits=None):
    """The shortest exact text, else rounded to `digits` significant digits (a fraction stays a fraction)."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Fraction):
        return exact_decimal(value, digits) or f"{value.numerator}/{value.denominator}"
    if isinstance(value, complex):
        return _complex_text(value, digits)
    return format(value, f".{min(digits or DEFAULT_DIGITS, _MAX_FLOAT_DIGITS)}g")


def decimal_text(value, digits=None):
    """A fraction rounded to a decimal number."""
    from decimal import Context, Decimal  # already loaded by fractions

    context = Context(prec=digits or DEFAULT_DIGITS)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    text = format(quotient.normalize(context), "g")
    return text.replace("E+", "e+").replace("E-", "e-")


def exact_decimal(value, digits=None):
    """The decimal text of a fraction that ends within the digits (0.1, 2.5); None for 1/3."""
    limit = max(digits or 0, DEFAULT_DIGITS)
    denominator = value.denominator
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0 and fives <= limit:
        rest //= 5
        fives += 1
    places = max(twos, fives)
    if rest != 1 or places > limit:
        return None
    units = abs(value.numerator) * 10**places // denominator
    text = str(units).rjust(places + 1, "0")
    if len(text.strip("0")) > limit:
        return None
    shown = text[:-places] + "." + text[-places:] if places else text
    return "-" + shown if value < 0 else shown


def rounded(value, digits):
    """A float rounded to significant digits."""
    return float(format(value, f".{min(digits, _MAX_FLOAT_DIGITS)}g")) if digits else value


def _complex_text(value, digits):
    imaginary = scalar_text(abs(value.imag), digits)
    imaginary = "" if imaginary == "1" else imaginary
    sign = "-" if value.imag < 0 else "+"
    if value.real == 0:
        return ("-" if sign == "-" else "") + imaginary + "i"
    return scalar_text(value.real, digits) + sign + imaginary + "i"
