"""Walks the syntax tree. Long chains such as 1+1+1+… are a loop, only real nesting recurses."""

from . import matrices, quantities
from .call import call
from .constants import constant_names, find_constant
from .errors import (
    DIMENSION_MISMATCH,
    DIVISION_BY_ZERO,
    DOMAIN_ERROR,
    INVALID_ARGUMENT,
    OVERFLOW,
    UNKNOWN_NAME,
    CalculationError,
    limit_exceeded,
)
from .functions import FUNCTIONS
from .limits import MAX_EVALUATION_DEPTH
from .operators import apply_operator, negate
from .suggest import suggest
from .syntax import Binary, Call, Convert, Factorial, ListOf, Literal, Measure, Name
from .units import Unit, find_unit, unit_names
from .values import SCALAR, Matrix, Quantity, Vector, describe, settle

_CHAINS = (Binary, Convert, Factorial)


def evaluate(context, node):
    """The value of a tree. A CalculationError carries the position of the operator or name at fault."""
    chain = []
    while isinstance(node, _CHAINS):
        chain.append(node)
        node = node.left
    context.depth += 1
    if context.depth > MAX_EVALUATION_DEPTH:
        message = f"The variables are nested deeper than {MAX_EVALUATION_DEPTH} levels: use simpler ones."
        raise limit_exceeded(message, MAX_EVALUATION_DEPTH)
    value = _at(node, _evaluate_leaf, context, node)
    for step in reversed(chain):
        value = _at(step, _apply, context, step, value)
    context.depth -= 1
    return value


def _at(node, function, *arguments):
    """Runs one step and gives its errors, Python's own included, a code and a position."""
    try:
        return function(*arguments)
    except CalculationError as error:
        if error.position is None and error.target is None:
            error.position = node.position
        raise
    except ZeroDivisionError:
        raise CalculationError(DIVISION_BY_ZERO, "Division by zero: check the divisor.", node.position) from None
    except OverflowError:
        message = "The result is too large for a float (about 1.8e308)."
        raise CalculationError(OVERFLOW, message, node.position) from None
    except ValueError:
        message = "The operation is not defined for these numbers."
        raise CalculationError(DOMAIN_ERROR, message, node.position) from None


def _apply(context, node, left):
    if isinstance(node, Factorial):
        return call(context, "factorial", [left])
    if isinstance(node, Convert):
        if isinstance(left, (Vector, Matrix)):
            raise CalculationError(DIMENSION_MISMATCH, f"Only single values can be converted, not {describe(left)}.")
        return quantities.convert(context, left, node.unit)
    right = evaluate(context, node.right)
    if node.operator == "/" and isinstance(node.right, Measure) and isinstance(left, SCALAR):
        context.warn("SCI.UNIT_BINDS_FIRST", f"The unit {right.unit} belongs to the divisor: for a fraction of it write (1/2) m.")
    return apply_operator(context, node.operator, left, right)


def _evaluate_leaf(context, node):
    if isinstance(node, Literal):
        return settle(node.value)
    if isinstance(node, Name):
        return _named(context, node.name)
    if isinstance(node, Call):
        return call(context, node.name, [evaluate(context, argument) for argument in node.arguments])
    if isinstance(node, ListOf):
        return matrices.list_of([evaluate(context, item) for item in node.items])
    if isinstance(node, Measure):
        value = evaluate(context, node.operand)
        if not isinstance(value, SCALAR + (Quantity,)):
            raise CalculationError(DIMENSION_MISMATCH, f"Write * between {describe(value)} and {node.unit}.")
        return quantities.measure(context, value, node.unit)
    operand = evaluate(context, node.operand)
    return negate(context, operand) if node.operator == "-" else operand


def _named(context, name):
    """Variables win over constants, constants over units."""
    if context.variables is not None and context.variables.has(name):
        return context.variables.value(context, name)
    constant = find_constant(name)
    if constant is not None:
        return constant
    if find_unit(name) is not None:
        return Quantity(1, Unit(((name, 1),)))
    if name in FUNCTIONS:
        message = f"“{name}” is a function: give it arguments, as in {name}(x)."
        raise CalculationError(INVALID_ARGUMENT, message, found=name, expected=f"{name}(…)")
    raise _unknown_name(context, name)


def _unknown_name(context, name):
    variables = context.variables.names if context.variables else []
    suggestions = suggest(name, list(variables) + constant_names() + list(FUNCTIONS) + unit_names())
    hint = f" Did you mean {' or '.join(suggestions)}? Otherwise define" if suggestions else " Define"
    hint += " it in the argument variables."
    return CalculationError(UNKNOWN_NAME, f"The name “{name[:40]}” is not known.{hint}", name=name[:40], suggestions=suggestions)
