"""Factorials, binomials and divisors: exact, and bounded before anything is computed."""

import math

from . import arithmetic
from .errors import DOMAIN_ERROR, CalculationError
from .limits import MAX_BITS
from .values import settle, too_many_digits

_LN2 = math.log(2)
_LARGEST_GAMMA = 171.7
_SAFE_INTEGER = 2**53
_COUNTING_COST = 20_000_000  # of a binomial of 10,000 digits


def factorial(context, x):
    if isinstance(x, int):
        if x < 0:
            raise CalculationError(DOMAIN_ERROR, "The factorial of a negative integer is not defined.")
        if x > MAX_BITS or math.lgamma(x + 1) / _LN2 > MAX_BITS:
            raise too_many_digits()
        context.spend(1500 + 100 * x)
        return settle(math.factorial(x))
    return gamma(context, arithmetic.add(context, x, 1))


def gamma(context, x):
    if isinstance(x, complex):
        raise CalculationError(DOMAIN_ERROR, "gamma and ! are not defined here for complex numbers.")
    if x <= 0 and x == math.floor(x):
        raise CalculationError(DOMAIN_ERROR, "gamma is not defined at 0 and the negative integers.")
    if isinstance(x, int):
        return factorial(context, x - 1)
    if x > _LARGEST_GAMMA:
        raise OverflowError
    return settle(math.gamma(x))


def combinations(context, n, k):
    n, k = _counts("comb", n, k)
    if k > n:
        return 0
    k = min(k, n - k)
    _check_bits(_log_permutations(n, k) - math.lgamma(k + 1) if k <= MAX_BITS else math.inf)
    context.spend(_COUNTING_COST if k > 20 else 20_000)
    return settle(math.comb(n, k))


def permutations(context, n, k):
    n, k = _counts("perm", n, k)
    if k > n:
        return 0
    _check_bits(_log_permutations(n, k) if k <= MAX_BITS else math.inf)
    context.spend(_COUNTING_COST if k > 20 else 20_000)
    return settle(math.perm(n, k))


def greatest_common_divisor(context, *numbers):
    result = 0
    for number in _integers("gcd", numbers):
        context.spend_on(result, number, 4)
        result = math.gcd(result, number)
    return result


def least_common_multiple(context, *numbers):
    result = 1
    for number in _integers("lcm", numbers):
        if number == 0:
            return 0
        context.spend_on(result, number, 4)
        result = arithmetic.multiply(context, result, abs(number) // math.gcd(result, number))
    return result


def _log_permutations(n, k):
    """ln(n!/(n-k)!); for an n beyond floats the upper bound n^k, which is then as good as exact."""
    if n < _SAFE_INTEGER:
        return math.lgamma(n + 1) - math.lgamma(n - k + 1) if n - k < n * 0.999 else k * math.log(n)
    return k * math.log(n)


def _check_bits(natural_logarithm):
    if natural_logarithm / _LN2 > MAX_BITS + 1:
        raise too_many_digits()


def _counts(function, n, k):
    for number in (n, k):
        if not isinstance(number, int) or number < 0:
            raise CalculationError(DOMAIN_ERROR, f"{function}(n, k) needs whole numbers n and k of at least 0.")
    return n, k


def _integers(function, numbers):
    for number in numbers:
        if not isinstance(number, int):
            raise CalculationError(DOMAIN_ERROR, f"{function} needs whole numbers.")
    return numbers
