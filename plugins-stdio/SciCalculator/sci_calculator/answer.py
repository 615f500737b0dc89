"""An invocation in, a Plugin Result Payload (§5.2) out. Expected failures are error payloads, never exceptions."""

from .context import Context
from .errors import INVALID_ARGUMENT, MISSING_ARGUMENT, UNKNOWN_COMMAND, CalculationError, limit_exceeded
from .evaluate import evaluate
from .limits import MAX_EXPRESSION_CHARS, MAX_PRECISION
from .parser import parse
from .result_data import result_data
from .variables import Variables

_COMMAND = "Evaluate"
_SUMMARY_PART_CHARS = 200
_ADVICE = {
    "intent": "relay",
    "message": "Relay the result with its unit, and say so when it is rounded (exact is false).",
    "resourceIds": [],
    "renderHint": "text",
    "priority": "normal",
}


def answer(invocation):
    try:
        if invocation.command != _COMMAND:
            message = f"SciCalculator has no command “{str(invocation.command)[:40]}”: use {_COMMAND}."
            raise CalculationError(UNKNOWN_COMMAND, message, target="command")
        return _success(*_evaluate(invocation.arguments))
    except CalculationError as error:
        return _failure(error)


def _evaluate(arguments):
    expression, given, precision = _checked(arguments)
    try:
        context = Context(Variables(given, len(expression)))
        value = evaluate(context, parse(expression, context.variables.names))
        return {"expression": expression, **result_data(value, precision)}, context.warnings
    except CalculationError as error:
        raise error.locate(None, expression, "expression")


def _checked(arguments):
    """Parses the arguments; the core has already held them against the inputSchema."""
    unknown = sorted(set(arguments) - {"expression", "variables", "precision"})
    if unknown:
        raise _invalid(unknown[0][:40], "an unknown argument", "expression, variables or precision")
    if "expression" not in arguments:
        raise CalculationError(MISSING_ARGUMENT, "The argument “expression” is missing.", target="expression")
    expression, variables, precision = (arguments.get(key) for key in ("expression", "variables", "precision"))
    if not isinstance(expression, str):
        raise _invalid("expression", "not a text", "a text")
    if len(expression) > MAX_EXPRESSION_CHARS:
        message = f"The expression has {len(expression)} characters, at most {MAX_EXPRESSION_CHARS} are allowed."
        raise limit_exceeded(message, MAX_EXPRESSION_CHARS)
    given = {} if variables is None else variables
    if not isinstance(given, dict):
        raise _invalid("variables", "not an object", "an object of name → number or expression")
    for name, value in given.items():
        if not isinstance(value, (int, str)) or isinstance(value, bool):
            raise _invalid(f"variables.{name[:40]}", "neither a number nor a text", "a number or an expression")
    if precision is not None and (type(precision) is not int or not 1 <= precision <= MAX_PRECISION):
        raise _invalid("precision", "out of range", f"a whole number from 1 to {MAX_PRECISION}")
    return _well_formed(expression), {name: _well_formed(str(value)) for name, value in given.items()}, precision


def _well_formed(text):
    """Lone surrogates, which UTF-8 cannot carry, become U+FFFD."""
    return "".join("\ufffd" if 0xD800 <= ord(character) <= 0xDFFF else character for character in text)


def _invalid(target, found, expected):
    message = f"The argument “{target}” is {found}: expected {expected}."
    return CalculationError(INVALID_ARGUMENT, message, target=target, found=found, expected=expected)


def _success(data, warnings):
    return {
        "status": "success",
        "data": data,
        "resources": [],
        "warnings": warnings,
        "presentation": {"summary": _shortened(data["expression"]) + " = " + _shortened(data["text"])},
        "aiAdvice": _ADVICE,
        "extensions": {},
    }


def _failure(error):
    return {
        "status": "error",
        "data": None,
        "error": {
            "code": error.code,
            "message": error.message,
            "retryable": False,
            "target": error.target or "expression",
            "details": error.details,
        },
        "resources": [],
        "warnings": [],
        "extensions": {},
    }


def _shortened(text):
    if len(text) <= _SUMMARY_PART_CHARS:
        return text
    return f"{text[: _SUMMARY_PART_CHARS // 2]}…{text[-20:]} ({len(text):,} characters)"
