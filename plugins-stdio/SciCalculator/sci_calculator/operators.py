"""Picks the operator for what the operands are: scalars and quantities, or vectors and matrices."""

from . import matrices, quantities
from .errors import DIMENSION_MISMATCH, CalculationError
from .linear_functions import inverse
from .values import Matrix, Vector, describe

_SCALAR_OPERATORS = {
    "+": quantities.add,
    "-": quantities.subtract,
    "*": quantities.multiply,
    "/": quantities.divide,
    "//": quantities.floor_divide,
    "%": quantities.modulo,
    "^": quantities.power,
}


def apply_operator(context, operator, a, b):
    if not isinstance(a, (Vector, Matrix)) and not isinstance(b, (Vector, Matrix)):
        return _SCALAR_OPERATORS[operator](context, a, b)
    if operator in ("+", "-"):
        return matrices.elementwise(context, _SCALAR_OPERATORS[operator], a, b)
    if operator == "*":
        return matrices.multiply(context, a, b)
    if operator == "/" and not isinstance(b, (Vector, Matrix)):
        return matrices.scale(context, a, b, quantities.divide)
    if operator == "^":
        return matrices.power(context, a, b, inverse)
    remedy = "use solve(A, b) or inv(A)" if operator == "/" else "apply it to the elements"
    raise CalculationError(DIMENSION_MISMATCH, f"“{operator}” is not defined for {describe(a)} and {describe(b)}: {remedy}.")


def negate(context, a):
    return matrices.scale(context, a, -1) if isinstance(a, (Vector, Matrix)) else quantities.negate(context, a)
