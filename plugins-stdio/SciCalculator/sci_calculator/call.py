"""Calls a function by name, after checking how many arguments it gets and what they are."""

from .errors import DIMENSION_MISMATCH, INVALID_ARGUMENT, UNKNOWN_NAME, CalculationError
from .functions import ANGLES, ANYTHING, FUNCTIONS, LISTS, MEASURES
from .suggest import suggest
from .units import BASE_UNITS
from .values import SCALAR, Matrix, Quantity, Vector, describe

_ANGLE_DIMENSIONS = tuple(int(base == "deg") for base in BASE_UNITS)


def call(context, name, arguments):
    function = FUNCTIONS.get(name)
    if function is None:
        raise _unknown_function(name)
    if function.accepts == LISTS:
        arguments = _flattened(arguments)
    if not function.least <= len(arguments) <= function.most:
        raise _wrong_count(name, function, len(arguments))
    for number, argument in enumerate(arguments, 1):
        if not _accepted(function.accepts, argument):
            message = f"{name} takes {function.accepts}; argument {number} is {describe(argument)}."
            raise CalculationError(DIMENSION_MISMATCH, message, function=name)
    return function.compute(context, *arguments)


def _flattened(arguments):
    flat = []
    for argument in arguments:
        if isinstance(argument, Vector):
            flat.extend(argument.items)
        elif isinstance(argument, Matrix):
            flat.extend(cell for row in argument.rows for cell in row)
        else:
            flat.append(argument)
    return flat


def _accepted(accepts, argument):
    if isinstance(argument, SCALAR) or accepts == ANYTHING:
        return True
    if isinstance(argument, Quantity):
        return accepts in (MEASURES, LISTS) or (accepts == ANGLES and argument.unit.dimensions == _ANGLE_DIMENSIONS)
    return False


def _wrong_count(name, function, count):
    bounds = str(function.least) if function.most == function.least else f"{function.least} to {function.most}"
    expected = f"{bounds} argument{'s' if function.most > 1 else ''}" if function.most < 10 else "at least 1 value"
    return CalculationError(
        INVALID_ARGUMENT, f"{name} takes {expected}, not {count}.", function=name, found=f"{count} arguments", expected=expected
    )


def _unknown_function(name):
    suggestions = suggest(name, list(FUNCTIONS))
    hint = f" Did you mean {' or '.join(suggestions)}?" if suggestions else " To multiply by brackets, write * before them."
    return CalculationError(
        UNKNOWN_NAME, f"There is no function “{name[:40]}”.{hint}", name=name[:40], suggestions=suggestions
    )


