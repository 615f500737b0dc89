"""Functions of vectors and matrices."""

from . import quantities
from .elimination import eliminate, singular
from .errors import DIMENSION_MISMATCH, DOMAIN_ERROR, CalculationError, limit_exceeded
from .limits import MAX_MATRIX_SIDE
from .matrices import checked_matrix, identity, products, shape_mismatch
from .powers import sqrt
from .values import SCALAR, Matrix, Quantity, Vector, describe


def determinant(context, a):
    _check_square(a, "det")
    return eliminate(context, _numbers(a), len(a.rows)).determinant


def inverse(context, a):
    _check_square(a, "inv")
    unit_rows = identity(len(a.rows)).rows
    reduced = eliminate(context, [row + unit for row, unit in zip(_numbers(a), unit_rows)], len(a.rows))
    if reduced.right is None:
        raise singular("it has no inverse")
    return Matrix(reduced.right)


def solve(context, a, b):
    """x with a·x = b; b is a vector or a matrix of right-hand sides."""
    _check_square(a, "solve")
    right = [[x] for x in b.items] if isinstance(b, Vector) else _check_matrix(b, "solve").rows
    if len(right) != len(a.rows):
        raise shape_mismatch("solve with", a, b, "the right side needs one element for each row")
    if any(isinstance(cell, Quantity) for row in right for cell in row):
        raise _plain_numbers_only()
    reduced = eliminate(context, [row + list(more) for row, more in zip(_numbers(a), right)], len(a.rows))
    if reduced.right is None:
        raise singular("the equations have no single solution")
    return Vector([row[0] for row in reduced.right]) if isinstance(b, Vector) else Matrix(reduced.right)


def rank(context, a):
    return eliminate(context, _numbers(_check_matrix(a, "rank")), a.shape[1]).rank


def transpose(context, a):
    if isinstance(a, Vector):
        return checked_matrix([[x] for x in a.items])
    return Matrix([list(column) for column in zip(*_check_matrix(a, "transpose").rows)])


def trace(context, a):
    _check_square(a, "trace")
    total = a.rows[0][0]
    for index in range(1, len(a.rows)):
        total = quantities.add(context, total, a.rows[index][index])
    return total


def eye(context, size):
    if not isinstance(size, int) or size < 1:
        raise CalculationError(DOMAIN_ERROR, "eye(n) needs a whole number n of at least 1.")
    if size > MAX_MATRIX_SIDE:
        raise limit_exceeded(f"A matrix may have at most {MAX_MATRIX_SIDE} rows and columns.", MAX_MATRIX_SIDE)
    return identity(size)


def dot(context, a, b):
    _check_vectors("dot", a, b)
    if len(a.items) != len(b.items):
        raise shape_mismatch("take the dot product of", a, b, "both need the same length")
    return products(context, [a.items], [b.items])[0][0]


def cross(context, a, b):
    _check_vectors("cross", a, b)
    if len(a.items) != 3 or len(b.items) != 3:
        raise shape_mismatch("take the cross product of", a, b, "both need three elements")
    (a1, a2, a3), (b1, b2, b3) = a.items, b.items
    pairs = ((a2, b3, a3, b2), (a3, b1, a1, b3), (a1, b2, a2, b1))
    times, minus = quantities.multiply, quantities.subtract
    return Vector([minus(context, times(context, p, q), times(context, r, s)) for p, q, r, s in pairs])


def norm(context, a):
    """Euclidean length of a vector, Frobenius norm of a matrix."""
    if isinstance(a, SCALAR + (Quantity,)):
        raise CalculationError(DIMENSION_MISMATCH, f"norm needs a vector or a matrix, not {describe(a)}: use abs.")
    items = a.items if isinstance(a, Vector) else [cell for row in a.rows for cell in row]
    if any(isinstance(item, complex) for item in items):
        items = [abs(item) for item in items]
    square = products(context, [items], [items])[0][0]
    if isinstance(square, Quantity):
        return Quantity(sqrt(context, square.value), square.unit.root(2))
    return sqrt(context, square)


def _check_square(a, function):
    _check_matrix(a, function)
    if a.shape[0] != a.shape[1]:
        raise CalculationError(DIMENSION_MISMATCH, f"{function} needs a square matrix, not {describe(a)}.")


def _check_matrix(a, function):
    if not isinstance(a, Matrix):
        raise CalculationError(DIMENSION_MISMATCH, f"{function} needs a matrix such as [[1, 2], [3, 4]], not {describe(a)}.")
    return a


def _check_vectors(function, *values):
    for value in values:
        if not isinstance(value, Vector):
            raise CalculationError(DIMENSION_MISMATCH, f"{function} needs vectors such as [1, 2, 3], not {describe(value)}.")


def _numbers(a):
    if any(isinstance(cell, Quantity) for row in a.rows for cell in row):
        raise _plain_numbers_only()
    return a.rows


def _plain_numbers_only():
    return CalculationError(DIMENSION_MISMATCH, "Here the elements must be plain numbers: divide by the unit first.")
