"""The table of functions: what each takes and what computes it."""

import math

from . import integer_functions as integer
from . import linear_functions as linear
from . import quantities, trigonometry
from . import real_functions as real
from . import statistics_functions as statistics
from .powers import cbrt, exp, root, sqrt
from .quantities import modulo, power
from .values import Quantity

# What the arguments may be.
NUMBERS = "plain numbers"
MEASURES = "numbers or quantities"
ANGLES = "plain numbers (radians) or angles such as 30 deg"
LISTS = "numbers, quantities or one list of them"
ANYTHING = "vectors or matrices"


class Function:
    __slots__ = ("compute", "accepts", "least", "most")

    def __init__(self, compute, accepts, least=1, most=None):
        self.compute, self.accepts, self.least, self.most = compute, accepts, least, most or least


def _root_of_measure(degree, plain):
    def compute(context, x):
        if not isinstance(x, Quantity):
            return plain(context, x)
        return Quantity(plain(context, x.value), x.unit.root(degree))

    return compute


def _degrees(context, x):
    return quantities.multiply(context, x, 180 / math.pi)


def _radians(context, x):
    return quantities.multiply(context, x, math.pi / 180)


_ANY_COUNT = 10**6

FUNCTIONS = {
    "sin": Function(trigonometry.sin, ANGLES),
    "cos": Function(trigonometry.cos, ANGLES),
    "tan": Function(trigonometry.tan, ANGLES),
    "csc": Function(trigonometry.reciprocal_of(trigonometry.sin, "csc"), ANGLES),
    "sec": Function(trigonometry.reciprocal_of(trigonometry.cos, "sec"), ANGLES),
    "cot": Function(trigonometry.reciprocal_of(trigonometry.tan, "cot"), ANGLES),
    **{name: Function(real.complex_function(name), NUMBERS) for name in (
        "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    "atan2": Function(real.real_function("atan2"), NUMBERS, 2),
    "hypot": Function(real.real_function("hypot"), NUMBERS, 2),
    "degrees": Function(_degrees, NUMBERS),
    "radians": Function(_radians, NUMBERS),
    "exp": Function(exp, NUMBERS),
    "ln": Function(real.ln, NUMBERS),
    "log": Function(real.log, NUMBERS, 1, 2),
    "log2": Function(real.log2, NUMBERS),
    "log10": Function(real.log10, NUMBERS),
    "sqrt": Function(_root_of_measure(2, sqrt), MEASURES),
    "cbrt": Function(_root_of_measure(3, cbrt), MEASURES),
    "root": Function(root, NUMBERS, 2),
    "pow": Function(power, MEASURES, 2),
    "mod": Function(modulo, MEASURES, 2),
    "abs": Function(real.absolute, MEASURES),
    "sign": Function(real.sign, MEASURES),
    "floor": Function(real.floor, MEASURES),
    "ceil": Function(real.ceil, MEASURES),
    "trunc": Function(real.trunc, MEASURES),
    "round": Function(real.round_to, MEASURES, 1, 2),
    "re": Function(real.real_part, NUMBERS),
    "im": Function(real.imaginary_part, NUMBERS),
    "conj": Function(real.conjugate, NUMBERS),
    "arg": Function(real.argument, NUMBERS),
    "factorial": Function(integer.factorial, NUMBERS),
    "gamma": Function(integer.gamma, NUMBERS),
    "lgamma": Function(real.real_function("lgamma"), NUMBERS),
    "erf": Function(real.real_function("erf"), NUMBERS),
    "erfc": Function(real.real_function("erfc"), NUMBERS),
    "comb": Function(integer.combinations, NUMBERS, 2),
    "perm": Function(integer.permutations, NUMBERS, 2),
    "gcd": Function(integer.greatest_common_divisor, LISTS, 1, _ANY_COUNT),
    "lcm": Function(integer.least_common_multiple, LISTS, 1, _ANY_COUNT),
    "sum": Function(statistics.total, LISTS, 1, _ANY_COUNT),
    "product": Function(statistics.product, LISTS, 1, _ANY_COUNT),
    "mean": Function(statistics.mean, LISTS, 1, _ANY_COUNT),
    "median": Function(statistics.median, LISTS, 1, _ANY_COUNT),
    "min": Function(statistics.minimum, LISTS, 1, _ANY_COUNT),
    "max": Function(statistics.maximum, LISTS, 1, _ANY_COUNT),
    "variance": Function(statistics.sample_variance, LISTS, 1, _ANY_COUNT),
    "stdev": Function(statistics.sample_deviation, LISTS, 1, _ANY_COUNT),
    "pvariance": Function(statistics.population_variance, LISTS, 1, _ANY_COUNT),
    "pstdev": Function(statistics.population_deviation, LISTS, 1, _ANY_COUNT),
    "det": Function(linear.determinant, ANYTHING),
    "inv": Function(linear.inverse, ANYTHING),
    "solve": Function(linear.solve, ANYTHING, 2),
    "rank": Function(linear.rank, ANYTHING),
    "transpose": Function(linear.transpose, ANYTHING),
    "trace": Function(linear.trace, ANYTHING),
    "eye": Function(linear.eye, NUMBERS),
    "dot": Function(linear.dot, ANYTHING, 2),
    "cross": Function(linear.cross, ANYTHING, 2),
    "norm": Function(linear.norm, ANYTHING),
}  # fmt: skip
