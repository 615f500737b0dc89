"""The caller's variables: numbers or expressions that may use one another, evaluated when first needed."""

from .errors import INVALID_ARGUMENT, CalculationError, limit_exceeded
from .evaluate import evaluate
from .limits import MAX_EXPRESSION_CHARS, MAX_TOTAL_CHARS, MAX_VARIABLES
from .parser import parse
from .tokens import END, NAME, normalize_name, tokenize

_RESERVED = ("in", "to", "mod")
_IN_PROGRESS = object()


class Variables:
    def __init__(self, given, expression_chars=0):
        """given: name → expression text."""
        if len(given) > MAX_VARIABLES:
            raise limit_exceeded(f"At most {MAX_VARIABLES} variables can be given.", MAX_VARIABLES)
        self._texts = {}
        self._values = {}
        for name, text in given.items():
            _check(name, text)
            self._texts[normalize_name(name)] = text
        if expression_chars + sum(map(len, self._texts.values())) > MAX_TOTAL_CHARS:
            raise limit_exceeded(f"All expressions together may have {MAX_TOTAL_CHARS} characters.", MAX_TOTAL_CHARS)

    @property
    def names(self):
        return self._texts.keys()

    def has(self, name):
        return name in self._texts

    def value(self, context, name):
        found = self._values.get(name)
        if found is _IN_PROGRESS:
            message = f"The variable “{name}” is defined by way of itself: break the circle."
            raise CalculationError(INVALID_ARGUMENT, message, target=f"variables.{name}", found=name, expected="no circle")
        if found is None:
            self._values[name] = _IN_PROGRESS
            text = self._texts[name]
            try:
                found = evaluate(context, parse(text, self.names))
            except CalculationError as error:
                raise error.locate(None, text, f"variables.{name}")
            self._values[name] = found
        return found


def _check(name, text):
    target = f"variables.{name[:40]}"
    try:
        tokens = tokenize(name[:100])
    except CalculationError:
        tokens = []
    if len(name) > 100 or [token.kind for token in tokens] != [NAME, END] or tokens[0].text in _RESERVED:
        message = f"“{name[:40]}” cannot be the name of a variable: use letters, digits and _, beginning with a letter."
        raise CalculationError(INVALID_ARGUMENT, message, target=target, found=name[:40], expected="a name")
    if len(text) > MAX_EXPRESSION_CHARS:
        message = f"The variable “{name[:40]}” is longer than {MAX_EXPRESSION_CHARS} characters."
        error = limit_exceeded(message, MAX_EXPRESSION_CHARS)
        error.target = target
        raise error
