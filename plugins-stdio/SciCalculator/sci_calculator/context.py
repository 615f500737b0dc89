"""What one evaluation carries along: the work left, the warnings so far, the variables."""

from .errors import limit_exceeded
from .limits import MAX_WORK

_LIMB_BITS = 30
_OPERATION_COST = 1500


class Context:
    """Handed to every operation, so that a hostile expression runs out of work instead of time."""

    def __init__(self, variables=None, work=MAX_WORK):
        self.variables = variables
        self.warnings = []
        self.depth = 0
        self._work = work
        self._granted = work

    def spend(self, units):
        """Takes work from the budget; one unit is about a nanosecond."""
        self._work -= units
        if self._work < 0:
            raise limit_exceeded(
                "The calculation needs more work than one call may do: use smaller numbers, smaller matrices, "
                "or floats (1e0 instead of 1) where exact digits are not needed.",
                self._granted,
            )

    def spend_on(self, a, b, factor=1):
        """Pays for one operation on two exact numbers: the product of their lengths."""
        self.spend(_OPERATION_COST + factor * (bits(a) // _LIMB_BITS + 1) * (bits(b) // _LIMB_BITS + 1) // 4)

    def spend_on_products(self, count, longest_bits):
        """Pays for `count` integer products of that length inside a tight loop."""
        self.spend(count * (60 + (longest_bits // _LIMB_BITS) ** 2))

    def warn(self, code, message):
        if all(warning["code"] != code for warning in self.warnings):
            self.warnings.append({"code": code, "message": message, "target": "expression"})


def bits(number):
    """The length of an exact number in bits; 64 for a float or a complex number."""
    if isinstance(number, int):
        return number.bit_length()
    numerator = getattr(number, "numerator", None)
    if numerator is None or isinstance(number, float):
        return 64
    return numerator.bit_length() + number.denominator.bit_length()
