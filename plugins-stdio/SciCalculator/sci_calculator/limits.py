"""Every bound in one place. Exceeding one is the error SCI.LIMIT_EXCEEDED."""

import sys

MAX_EXPRESSION_CHARS = 4096
MAX_TOTAL_CHARS = 16_384  # the expression and all variables together
MAX_VARIABLES = 64
MAX_NESTING = 100  # brackets, calls, signs and right-hand powers inside one another
MAX_EVALUATION_DEPTH = 300  # nesting summed over variables that use variables
MAX_DIGITS = 10_000  # of an integer
MAX_BITS = 33_219  # MAX_DIGITS in bits
MAX_POWER_OF_FRACTION_BITS = 4096  # beyond it a power of a fraction becomes a float
MAX_RESULT_DIGITS = 100_000  # of all numbers of the result together
MAX_SHOWN_FRACTION_DIGITS = 100  # beyond it a fraction is shown as a float
MAX_MATRIX_SIDE = 64
MAX_ROUND_DIGITS = 300
MAX_PRECISION = 50  # significant digits
MAX_WORK = 300_000_000  # about one unit a nanosecond; see Context.spend
MAX_SAFE_INTEGER = 2**53 - 1  # beyond it JSON readers lose digits

_RECURSION_LIMIT = 4000  # MAX_EVALUATION_DEPTH levels of a few Python frames each


def allow_long_integers():
    """Lets Python print integers of MAX_DIGITS and recurse as deep as our own limits allow."""
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(MAX_DIGITS + 100)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
