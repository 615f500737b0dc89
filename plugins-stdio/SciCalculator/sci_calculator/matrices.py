"""The operators on vectors and matrices, and the products that are functions."""

from . import quantities
from .errors import DIMENSION_MISMATCH, CalculationError, limit_exceeded
from .exact_rows import to_integer_rows
from .limits import MAX_BITS, MAX_MATRIX_SIDE
from .values import EXACT, SCALAR, Matrix, Quantity, Vector, describe, settle, too_many_digits


def list_of(items):
    """[1, 2] is a vector, [[1, 2], [3, 4]] a matrix."""
    if not items:
        raise CalculationError(DIMENSION_MISMATCH, "A vector needs at least one element.")
    if all(isinstance(item, SCALAR + (Quantity,)) for item in items):
        return Vector(items)
    if all(isinstance(item, Vector) for item in items) and len({len(item.items) for item in items}) == 1:
        return checked_matrix([item.items for item in items])
    raise CalculationError(
        DIMENSION_MISMATCH,
        "A list holds numbers, or rows of numbers that are all equally long: " + ", ".join(map(describe, items[:4])) + ".",
    )


def checked_matrix(rows):
    if max(len(rows), len(rows[0])) > MAX_MATRIX_SIDE:
        raise limit_exceeded(f"A matrix may have at most {MAX_MATRIX_SIDE} rows and columns.", MAX_MATRIX_SIDE)
    return Matrix(rows)


def elementwise(context, operation, a, b):
    """a + b and a - b for two vectors or two matrices of one shape."""
    if isinstance(a, Vector) and isinstance(b, Vector) and len(a.items) == len(b.items):
        return Vector([operation(context, x, y) for x, y in zip(a.items, b.items)])
    if isinstance(a, Matrix) and isinstance(b, Matrix) and a.shape == b.shape:
        return Matrix([[operation(context, x, y) for x, y in zip(*rows)] for rows in zip(a.rows, b.rows)])
    raise shape_mismatch("add or subtract", a, b, "both sides need the same shape")


def scale(context, a, factor, operation=quantities.multiply):
    """Every element times (or divided by) a number or quantity."""
    if isinstance(a, Vector):
        return Vector([operation(context, x, factor) for x in a.items])
    return Matrix([[operation(context, x, factor) for x in row] for row in a.rows])


def multiply(context, a, b):
    if not isinstance(a, (Vector, Matrix)):
        return scale(context, b, a)
    if not isinstance(b, (Vector, Matrix)):
        return scale(context, a, b)
    if isinstance(a, Vector) and isinstance(b, Vector):
        raise shape_mismatch("multiply", a, b, "use dot(a, b) or cross(a, b)")
    left = [a.items] if isinstance(a, Vector) else a.rows
    right = [[x] for x in b.items] if isinstance(b, Vector) else b.rows
    if len(left[0]) != len(right):
        raise shape_mismatch("multiply", a, b, "the left side needs as many columns as the right side has rows")
    rows = products(context, left, list(zip(*right)))
    if isinstance(a, Vector):
        return Vector(rows[0])
    return Vector([row[0] for row in rows]) if isinstance(b, Vector) else Matrix(rows)


def power(context, a, exponent, inverse):
    """A square matrix to a whole power by repeated squaring; a negative one by way of the inverse."""
    if not isinstance(a, Matrix) or a.shape[0] != a.shape[1] or not isinstance(exponent, int):
        raise CalculationError(DIMENSION_MISMATCH,
        f"Only a square matrix has powers, and only whole ones; this is {describe(a)}.")
    square = inverse(context, a) if exponent < 0 else a
    result, exponent = identity(a.shape[0]), abs(exponent)
    while exponent:
        if exponent & 1:
            result = multiply(context, result, square)
        exponent >>= 1
        if exponent:
            square = multiply(context, square, square)
    return result


def identity(size):
    return Matrix([[int(row == column) for column in range(size)] for row in range(size)])


def products(context, rows, columns):
    """Every row times every column."""
    cells = [cell for line in list(rows) + list(columns) for cell in line]
    count = len(rows) * len(columns) * len(columns[0])
    if any(isinstance(cell, Quantity) for cell in cells):
        return [[_general_dot(context, row, column) for column in columns] for row in rows]
    if all(isinstance(cell, EXACT) for cell in cells):
        return _exact_products(context, rows, columns, count)
    context.spend(100 * count)
    return [[settle(sum(x * y for x, y in zip(row, column))) for column in columns] for row in rows]


def shape_mismatch(verb, a, b, remedy):
    return CalculationError(DIMENSION_MISMATCH, f"Cannot {verb} {describe(a)} and {describe(b)}: {remedy}.")


def _exact_products(context, rows, columns, count):
    rows, row_scales, row_bits = to_integer_rows(context, rows)
    columns, column_scales, column_bits = to_integer_rows(context, columns)
    if row_bits + column_bits > 2 * MAX_BITS:
        raise too_many_digits()
    context.spend_on_products(count, max(row_bits, column_bits))
    context.spend(2000 * len(rows) * len(columns))
    result = []
    for row, row_scale in zip(rows, row_scales):
        sums = (sum(x * y for x, y in zip(row, column)) for column in columns)
        result.append([quantities.divide(context, dot, row_scale * scale_) if row_scale * scale_ != 1 else settle(dot)
                       for dot, scale_ in zip(sums, column_scales)])  # fmt: skip
    return result


def _general_dot(context, row, column):
    terms = [quantities.multiply(context, x, y) for x, y in zip(row, column)]
    total = terms[0]
    for term in terms[1:]:
        total = quantities.add(context, total, term)
    return total
