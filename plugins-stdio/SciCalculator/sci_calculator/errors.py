"""The one exception of the calculator. It never leaves it: answer() turns it into an error payload."""

INVALID_ARGUMENT = "INVALID_ARGUMENT"
MISSING_ARGUMENT = "MISSING_ARGUMENT"
UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
DIVISION_BY_ZERO = "SCI.DIVISION_BY_ZERO"
DOMAIN_ERROR = "SCI.DOMAIN_ERROR"
DIMENSION_MISMATCH = "SCI.DIMENSION_MISMATCH"
UNKNOWN_NAME = "SCI.UNKNOWN_NAME"
LIMIT_EXCEEDED = "SCI.LIMIT_EXCEEDED"
OVERFLOW = "SCI.OVERFLOW"
SINGULAR_MATRIX = "SCI.SINGULAR_MATRIX"

_EXCERPT_RADIUS = 16


class CalculationError(Exception):
    """A fault in what was asked. `position` is a 0-based code point index into the text at `target`."""

    def __init__(self, code, message, position=None, target=None, **details):
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position
        self.target = target
        self.details = details

    def locate(self, position, text, target):
        """Fills in where it happened, unless something further inside already did."""
        if self.target is None:
            self.target = target
            if self.position is None:
                self.position = position
            if self.position is not None:
                self.details = {
                    "position": self.position,
                    **self.details,
                    "excerpt": excerpt(text, self.position),
                }
        return self


def limit_exceeded(what, limit, **details):
    return CalculationError(LIMIT_EXCEEDED, what, limit=limit, **details)


def excerpt(text, position):
    """The part of the text around a position, with … where it was cut."""
    start = max(0, position - _EXCERPT_RADIUS)
    end = min(len(text), position + _EXCERPT_RADIUS)
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
