"""Rows of fractions as rows of integers over one denominator each, for fast exact loops."""

import math

from .context import bits
from .values import settle


def to_integer_rows(context, rows):
    """(integer rows, the denominator of each row, the length in bits of the longest integer)."""
    integers, scales, longest = [], [], 1
    for row in rows:
        context.spend(sum(200 + (bits(cell) // 30) ** 2 for cell in row))
        scale = settle(math.lcm(*(cell.denominator for cell in row)))
        scaled = [cell.numerator * (scale // cell.denominator) for cell in row]
        context.spend(sum((cell.bit_length() // 30) ** 2 for cell in scaled))
        longest = max(longest, max(cell.bit_length() for cell in scaled))
        integers.append(scaled)
        scales.append(scale)
    return integers, scales, longest
