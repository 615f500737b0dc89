"""Looks units up and multiplies them. A Unit is a product of named units with exponents."""

from fractions import Fraction
from functools import lru_cache

from .unit_table import (
    BASE_UNITS,
    BINARY_PREFIXABLE,
    BINARY_PREFIXES,
    LONG_NAMES,
    LONG_PREFIXES,
    NAMED_PRODUCTS,
    OFFSETS,
    PREFIXABLE,
    PREFIXES,
    UNITS,
)


class NamedUnit:
    """size: how many base units it is; dimensions: exponents of BASE_UNITS; offset: base units at its zero."""

    __slots__ = ("size", "dimensions", "offset")

    def __init__(self, size, dimensions, offset=0):
        self.size, self.dimensions, self.offset = size, dimensions, offset


@lru_cache(maxsize=1024)  # bounded: a worker is asked for whatever names its callers think of
def find_unit(symbol):
    """The unit of that symbol, prefix or written-out name; None when there is none."""
    if symbol in UNITS:
        size, base = UNITS[symbol]
        offset = Fraction(OFFSETS[symbol]) if symbol in OFFSETS else 0
        return NamedUnit(_exact(size), _dimensions(base), offset)
    for prefix, power in PREFIXES.items():
        rest = symbol[len(prefix) :]
        if symbol.startswith(prefix) and rest in PREFIXABLE and (power > 0 or rest not in BINARY_PREFIXABLE):
            return _scaled(rest, Fraction(10) ** power)  # there is no decibyte: dB is something else
    for prefix, power in BINARY_PREFIXES.items():
        if symbol.startswith(prefix) and symbol[len(prefix) :] in BINARY_PREFIXABLE:
            return _scaled(symbol[len(prefix) :], 2**power)
    short = _short_symbol(symbol)
    return find_unit(short) if short else None


def unit_names():
    return list(UNITS) + list(LONG_NAMES)


class Unit:
    """An immutable product such as km/h: atoms are (symbol, exponent) pairs in the order of writing."""

    __slots__ = ("atoms", "size", "dimensions")

    def __init__(self, atoms):
        merged = {}
        for symbol, exponent in atoms:
            total = merged.get(symbol, 0) + exponent
            merged[symbol] = int(total) if total == int(total) else total
        self.atoms = tuple((symbol, exponent) for symbol, exponent in merged.items() if exponent != 0)
        self.size = 1
        dimensions = [0] * len(BASE_UNITS)
        for symbol, exponent in self.atoms:
            named = find_unit(symbol)
            self.size *= power_of_size(named.size, exponent)
            for index, power in enumerate(named.dimensions):
                dimensions[index] += power * exponent
        self.dimensions = tuple(dimensions)

    @property
    def offset(self):
        """Base units at zero: only a temperature scale standing alone has one; in W/degC it is a difference."""
        if len(self.atoms) == 1 and self.atoms[0][1] == 1:
            return find_unit(self.atoms[0][0]).offset
        return 0

    def times(self, other):
        return Unit(self.atoms + other.atoms)

    def to_the(self, exponent):
        return self if exponent == 1 else Unit(tuple((symbol, power * exponent) for symbol, power in self.atoms))

    def root(self, degree):
        return self.to_the(Fraction(1, degree))

    def shown(self):
        """This unit, or a simpler name of the same size: kg*m/s^2 is N, V/ohm is A. N*m stays, it may be a torque."""
        if len(self.atoms) > 1 and all(symbol in BASE_UNITS for symbol, _ in self.atoms):
            for symbol in NAMED_PRODUCTS:
                if find_unit(symbol).dimensions == self.dimensions:
                    return Unit(((symbol, 1),))
        if len(self.atoms) > 1 and self.size == 1 and sorted(self.dimensions) == [0] * (len(BASE_UNITS) - 1) + [1]:
            return Unit(((BASE_UNITS[self.dimensions.index(1)], 1),))
        return self

    def __str__(self):
        above = "*".join(_power(symbol, exponent) for symbol, exponent in self.atoms if exponent > 0)
        below = [_power(symbol, -exponent) for symbol, exponent in self.atoms if exponent < 0]
        if not below:
            return above
        return (above or "1") + "/" + (below[0] if len(below) == 1 else "(" + "*".join(below) + ")")


def dimension_text(dimensions):
    """Dimensions for people: kg*m/s^2; "1" for a plain number."""
    return str(Unit(tuple(zip(BASE_UNITS, dimensions)))) or "1"


def power_of_size(size, exponent):
    if isinstance(exponent, int) and not isinstance(size, float):
        return Fraction(size) ** exponent
    return float(size) ** float(exponent)


def _power(symbol, exponent):
    if exponent == 1:
        return symbol
    return f"{symbol}^{exponent}" if isinstance(exponent, int) else f"{symbol}^({exponent})"


def _scaled(symbol, factor):
    unit = find_unit(symbol)
    return NamedUnit(unit.size * (factor if not isinstance(unit.size, float) else float(factor)), unit.dimensions)


def _short_symbol(name):
    for candidate in (name, name[:-1] if name.endswith("s") else name):
        if candidate in LONG_NAMES:
            return LONG_NAMES[candidate]
        if candidate != name and len(candidate) > 2 and candidate in UNITS:
            return candidate
        for prefix, short in LONG_PREFIXES.items():
            rest = candidate[len(prefix) :]
            if candidate.startswith(prefix) and (rest in LONG_NAMES or rest in ("byte", "bit", "ohm")):
                symbol = short + LONG_NAMES.get(rest, rest)
                return symbol if symbol not in UNITS and LONG_NAMES.get(rest, rest) in PREFIXABLE else None
    return None


def _exact(size):
    return Fraction(size) if isinstance(size, str) else size


def _dimensions(base):
    dimensions = [0] * len(BASE_UNITS)
    for part in base.split():
        symbol = part.rstrip("-0123456789")
        dimensions[BASE_UNITS.index(symbol)] = int(part[len(symbol) :] or 1)
    return tuple(dimensions)
