"""Gauss-Jordan elimination: fraction-free and exact for exact numbers, with pivoting for floats."""

from fractions import Fraction

from .errors import SINGULAR_MATRIX, CalculationError
from .exact_rows import to_integer_rows
from .limits import MAX_BITS
from .values import EXACT, settle, too_many_digits

_RELATIVE_ZERO = 1e-13  # a float pivot this small beside the largest entry counts as zero


class Eliminated:
    """rank, determinant of the left columns, and the reduced right columns (None when singular)."""

    __slots__ = ("rank", "determinant", "right")

    def __init__(self, rank, determinant, right):
        self.rank, self.determinant, self.right = rank, determinant, right


def eliminate(context, rows, columns):
    """Reduces the first `columns` columns of the rows to the identity, where they allow it."""
    if all(isinstance(cell, EXACT) for row in rows for cell in row):
        return _eliminate_exact(context, rows, columns)
    return _eliminate_float(context, rows, columns)


def singular(what):
    return CalculationError(
        SINGULAR_MATRIX, f"The matrix is singular (its determinant is 0), so {what}: check that its rows are independent."
    )


def _eliminate_exact(context, rows, columns):
    """Bareiss: every intermediate is a minor of the integer matrix, so all divisions are exact."""
    work, scales, longest = to_integer_rows(context, rows)
    size = min(len(work), columns)
    grown = size * (longest + size.bit_length())  # Hadamard's bound of a minor
    if grown > 2 * MAX_BITS:
        raise too_many_digits()
    context.spend(size * len(work) * len(work[0]) * (200 + (grown // 30) ** 2))
    previous, rank, sign = 1, 0, 1
    for column in range(columns):
        pivot_row = next((r for r in range(rank, len(work)) if work[r][column]), None)
        if pivot_row is None:
            continue
        if pivot_row != rank:
            work[rank], work[pivot_row], sign = work[pivot_row], work[rank], -sign
        pivot_line = work[rank]
        pivot = pivot_line[column]
        for index, line in enumerate(work):
            if index != rank:
                head = line[column]
                work[index] = [(pivot * x - head * y) // previous for x, y in zip(line, pivot_line)]
        previous, rank = pivot, rank + 1
        if rank == len(work):
            break
    if rank < len(work) or rank < columns:
        return Eliminated(rank, 0, None)
    scale = 1
    for row_scale in scales:
        scale *= row_scale
    right = [[settle(Fraction(cell, previous)) for cell in line[columns:]] for line in work]
    return Eliminated(rank, settle(Fraction(sign * previous, scale)), right)


def _eliminate_float(context, rows, columns):
    kind = complex if any(isinstance(cell, complex) for row in rows for cell in row) else float
    work = [[kind(cell) for cell in row] for row in rows]
    context.spend(150 * min(len(work), columns) * len(work) * len(work[0]))
    zero = _RELATIVE_ZERO * max((abs(cell) for row in work for cell in row[:columns]), default=0)
    determinant, rank = kind(1), 0
    for column in range(columns):
        if rank == len(work):
            break
        pivot_row = max(range(rank, len(work)), key=lambda r: abs(work[r][column]))
        pivot = work[pivot_row][column]
        if abs(pivot) <= zero:
            continue
        if pivot_row != rank:
            work[rank], work[pivot_row], determinant = work[pivot_row], work[rank], -determinant
        determinant *= pivot
        pivot_line = work[rank] = [cell / pivot for cell in work[rank]]
        for index, line in enumerate(work):
            head = line[column]
            if index != rank and head:
                work[index] = [x - head * y for x, y in zip(line, pivot_line)]
        rank += 1
    if rank < len(work) or rank < columns:
        return Eliminated(rank, 0.0, None)
    return Eliminated(rank, settle(determinant), [[settle(cell) for cell in line[columns:]] for line in work])
