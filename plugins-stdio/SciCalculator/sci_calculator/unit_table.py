"""The units: symbol → (size, in base units). Sizes as text are exact fractions, floats are rounded.

Base units: m, kg, s, A, K, mol, cd, deg (plane angle) and bit. The second part is a product of powers: "kg m s-2".
"""

from math import pi

BASE_UNITS = ("m", "kg", "s", "A", "K", "mol", "cd", "deg", "bit")

UNITS = {
    # SI base, and the gram that carries the prefixes of mass
    "m": (1, "m"), "g": ("1/1000", "kg"), "s": (1, "s"), "A": (1, "A"), "K": (1, "K"), "mol": (1, "mol"), "cd": (1, "cd"),
    # SI derived
    "Hz": (1, "s-1"), "N": (1, "kg m s-2"), "Pa": (1, "kg m-1 s-2"), "J": (1, "kg m2 s-2"), "W": (1, "kg m2 s-3"),
    "C": (1, "A s"), "V": (1, "kg m2 s-3 A-1"), "ohm": (1, "kg m2 s-3 A-2"), "S": (1, "kg-1 m-2 s3 A2"),
    "F": (1, "kg-1 m-2 s4 A2"), "H": (1, "kg m2 s-2 A-2"), "Wb": (1, "kg m2 s-2 A-1"), "T": (1, "kg s-2 A-1"),
    "lm": (1, "cd"), "lx": (1, "cd m-2"), "Bq": (1, "s-1"), "Gy": (1, "m2 s-2"), "Sv": (1, "m2 s-2"), "kat": (1, "mol s-1"),
    # time
    "min": (60, "s"), "h": (3600, "s"), "hr": (3600, "s"), "d": (86400, "s"), "day": (86400, "s"), "week": (604800, "s"),
    "yr": (31557600, "s"),
    # length, area, volume
    "inch": ("0.0254", "m"), "ft": ("0.3048", "m"), "yd": ("0.9144", "m"), "mi": ("1609.344", "m"), "nmi": (1852, "m"),
    "mil": ("0.0000254", "m"), "angstrom": ("1e-10", "m"), "au": (149597870700, "m"), "ly": (9460730472580800, "m"),
    "pc": (648000 / pi * 149597870700, "m"), "ha": (10000, "m2"), "acre": ("4046.8564224", "m2"),
    "L": ("1/1000", "m3"), "l": ("1/1000", "m3"), "gal": ("0.003785411784", "m3"), "qt": ("0.000946352946", "m3"),
    "pt": ("0.000473176473", "m3"), "cup": ("0.0002365882365", "m3"), "floz": ("0.0000295735295625", "m3"),
    "tbsp": ("0.00001478676478125", "m3"), "tsp": ("0.00000492892159375", "m3"),
    # mass, force, pressure
    "t": (1000, "kg"), "lb": ("0.45359237", "kg"), "oz": ("0.028349523125", "kg"), "stone": ("6.35029318", "kg"),
    "u": (1.66053906892e-27, "kg"), "Da": (1.66053906892e-27, "kg"), "ct": ("0.0002", "kg"),
    "lbf": ("4.4482216152605", "kg m s-2"), "kgf": ("9.80665", "kg m s-2"), "dyn": ("1e-5", "kg m s-2"),
    "bar": (100000, "kg m-1 s-2"), "atm": (101325, "kg m-1 s-2"), "torr": ("101325/760", "kg m-1 s-2"),
    "mmHg": ("133.322387415", "kg m-1 s-2"), "psi": ("44482216152605/6451600000", "kg m-1 s-2"),
    # energy, power
    "eV": ("1.602176634e-19", "kg m2 s-2"), "cal": ("4.184", "kg m2 s-2"), "BTU": ("1055.05585262", "kg m2 s-2"),
    "Wh": (3600, "kg m2 s-2"), "erg": ("1e-7", "kg m2 s-2"), "hp": ("745.69987158227022", "kg m2 s-3"),
    # speed
    "mph": ("0.44704", "m s-1"), "kph": ("5/18", "m s-1"), "knot": ("463/900", "m s-1"),
    # temperature; degC and degF have an origin of their own, see OFFSETS
    "degC": (1, "K"), "degF": ("5/9", "K"), "degR": ("5/9", "K"),
    # plane angle
    "deg": (1, "deg"), "rad": (180 / pi, "deg"), "turn": (360, "deg"), "rev": (360, "deg"), "grad": ("9/10", "deg"),
    "arcmin": ("1/60", "deg"), "arcsec": ("1/3600", "deg"), "rpm": (6, "deg s-1"),
    # magnetism, radioactivity, information
    "gauss": ("1e-4", "kg s-2 A-1"), "Ci": (37000000000, "s-1"), "bit": (1, "bit"), "B": (8, "bit"), "byte": (8, "bit"),
}  # fmt: skip

OFFSETS = {"degC": "273.15", "degF": "45967/180"}  # kelvins at 0 degrees

PREFIXABLE = frozenset(
    "m g s A K mol cd Hz N Pa J W C V ohm S F H Wb T lm lx Bq Gy Sv kat rad "
    "L l t u Da pc bar eV cal Wh bit B byte gauss Ci".split()
)
PREFIXES = {
    "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1,
    "d": -1, "c": -2, "m": -3, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24, "r": -27, "q": -30,
}  # fmt: skip
BINARY_PREFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
BINARY_PREFIXABLE = ("bit", "B", "byte")

# Written-out names, singular; a plural s and a written-out prefix (kilo…) are understood too.
LONG_NAMES = {
    "meter": "m", "metre": "m", "gram": "g", "second": "s", "sec": "s", "ampere": "A", "amp": "A", "kelvin": "K", "mole": "mol",
    "candela": "cd", "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "coulomb": "C", "volt": "V",
    "siemens": "S", "farad": "F", "henry": "H", "weber": "Wb", "tesla": "T", "lumen": "lm", "lux": "lx", "becquerel": "Bq",
    "gray": "Gy", "sievert": "Sv", "liter": "L", "litre": "L", "tonne": "t", "parsec": "pc", "electronvolt": "eV",
    "calorie": "cal", "watthour": "Wh", "radian": "rad", "minute": "min", "hour": "h", "year": "yr", "inches": "inch",
    "foot": "ft", "feet": "ft",
    "yard": "yd", "mile": "mi", "gallon": "gal", "quart": "qt", "pint": "pt", "teaspoon": "tsp", "tablespoon": "tbsp",
    "hectare": "ha", "pound": "lb", "lbs": "lb", "ounce": "oz", "atmosphere": "atm", "Torr": "torr", "degree": "deg",
    "celsius": "degC", "fahrenheit": "degF", "rankine": "degR", "revolution": "rev", "AU": "au", "lightyear": "ly",
    "dalton": "Da", "carat": "ct", "Btu": "BTU", "horsepower": "hp", "kn": "knot", "kmh": "kph", "Å": "angstrom",
}  # fmt: skip
LONG_PREFIXES = {
    "exa": "E", "peta": "P", "tera": "T", "giga": "G", "mega": "M", "kilo": "k", "hecto": "h", "deca": "da", "deci": "d",
    "centi": "c", "milli": "m", "micro": "u", "nano": "n", "pico": "p", "femto": "f", "atto": "a",
}  # fmt: skip

# Products of base units that are shown by their own name: kg*m/s^2 is N.
NAMED_PRODUCTS = ("N", "J", "W", "Pa", "C", "V", "ohm", "F", "T", "Wb", "H")
