"""Functions of many values: separate arguments or one list, plain numbers or quantities."""

from fractions import Fraction

from . import quantities
from .errors import DOMAIN_ERROR, CalculationError
from .values import Quantity


def total(context, *values):
    result = values[0]
    for value in values[1:]:
        result = quantities.add(context, result, value)
    return result


def product(context, *values):
    result = values[0]
    for value in values[1:]:
        result = quantities.multiply(context, result, value)
    return result


def mean(context, *values):
    return quantities.divide(context, total(context, *values), len(values))


def median(context, *values):
    ordered = _sorted(context, values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else mean(context, ordered[middle - 1], ordered[middle])


def minimum(context, *values):
    return _sorted(context, values)[0]


def maximum(context, *values):
    return _sorted(context, values)[-1]


def sample_variance(context, *values):
    if len(values) < 2:
        raise CalculationError(DOMAIN_ERROR, "The sample variance needs at least two values; pvariance takes one.")
    return _squares_over(context, values, len(values) - 1)


def population_variance(context, *values):
    return _squares_over(context, values, len(values))


def sample_deviation(context, *values):
    return quantities.power(context, sample_variance(context, *values), Fraction(1, 2))


def population_deviation(context, *values):
    return quantities.power(context, population_variance(context, *values), Fraction(1, 2))


def _squares_over(context, values, count):
    center = mean(context, *values)
    squares = (quantities.power(context, quantities.subtract(context, value, center), 2) for value in values)
    return quantities.divide(context, total(context, *squares), count)


def _sorted(context, values):
    for value in values:
        number = value.value if isinstance(value, Quantity) else value
        if isinstance(number, complex):
            raise CalculationError(DOMAIN_ERROR, "Complex numbers have no order: compare their abs, re or im.")
        if value is not values[0]:
            quantities.check_comparable(values[0], value)
    return sorted(values, key=lambda value: quantities.base_value(context, value))
