"""Unit expressions: km/h, m^2, W/(m^2*K). Used after a value and after `in` or `to`."""

from .errors import UNKNOWN_NAME, CalculationError
from .suggest import suggest
from .tokens import NAME, NUMBER, SUPERSCRIPT
from .units import Unit, find_unit, unit_names

_WORD_OPERATORS = ("in", "to", "mod")
_MAX_EXPONENT = 100


def at_unit(stream):
    """Whether the next token is a unit and not a call such as min(…)."""
    token = stream.current
    if token.kind != NAME or token.text in _WORD_OPERATORS or find_unit(token.text) is None:
        return False
    return stream.following.text != "("


def parse_unit(stream, variables=(), suffix=False):
    """Reads a product of units. A suffix stops before anything that is not plainly a unit."""
    unit = _factor(stream)
    while stream.at("*", "/"):
        before = stream.mark()
        sign = -1 if stream.advance().text == "/" else 1
        if suffix and not _continues(stream, variables):
            stream.reset(before)
            break
        unit = unit.times(_factor(stream).to_the(sign))
    return unit


def _continues(stream, variables):
    """After `5 W /`: a unit, or brackets that hold nothing but units."""
    if not stream.at("("):
        return at_unit(stream) and stream.current.text not in variables
    before = stream.mark()
    stream.advance()
    try:
        inside = at_unit(stream) and stream.current.text not in variables and parse_unit(stream) and stream.at(")")
    except CalculationError:
        inside = False
    stream.reset(before)
    return bool(inside)


def _factor(stream):
    token = stream.current
    if stream.accept("("):
        stream.enter()
        unit = parse_unit(stream)
        stream.leave()
        stream.expect(")", "“)”, “*” or “/” between units")
    elif token.kind == NAME:
        if find_unit(token.text) is None:
            raise _unknown_unit(token)
        stream.advance()
        unit = Unit(((token.text, 1),))
    else:
        stream.fail("a unit such as km/h")
    return unit.to_the(_exponent(stream))


def _exponent(stream):
    token = stream.current
    if token.kind == SUPERSCRIPT:
        stream.advance()
        return _bounded(stream, token.value)
    if not stream.accept("^"):
        return 1
    sign = -1 if stream.accept("-") else 1
    token = stream.current
    if token.kind != NUMBER or not isinstance(token.value, int):
        stream.fail("a whole exponent of the unit")
    stream.advance()
    return _bounded(stream, sign * token.value)


def _bounded(stream, exponent):
    if abs(exponent) > _MAX_EXPONENT:
        stream.index -= 1
        stream.fail(f"an exponent of the unit between -{_MAX_EXPONENT} and {_MAX_EXPONENT}")
    return exponent


def _unknown_unit(token):
    suggestions = suggest(token.text, unit_names())
    hint = f" Did you mean {' or '.join(suggestions)}?" if suggestions else ""
    return CalculationError(
        UNKNOWN_NAME,
        f"“{token.text[:40]}” at position {token.position} is not a unit.{hint}",
        token.position,
        name=token.text[:40],
        suggestions=suggestions,
    )
