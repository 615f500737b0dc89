"""A cursor over tokens with the syntax error that says what was found and what was expected."""

from .errors import INVALID_ARGUMENT, CalculationError, limit_exceeded
from .limits import MAX_NESTING
from .tokens import END, NAME, NUMBER, OPERATOR


class TokenStream:
    def __init__(self, tokens):
        self._tokens = tokens
        self._depth = 0
        self.index = 0

    @property
    def current(self):
        return self._tokens[self.index]

    @property
    def following(self):
        return self._tokens[min(self.index + 1, len(self._tokens) - 1)]

    def advance(self):
        token = self.current
        if token.kind != END:
            self.index += 1
        return token

    def at(self, *operators):
        return self.current.kind == OPERATOR and self.current.text in operators

    def mark(self):
        """The state to reset() to after looking ahead."""
        return self.index, self._depth

    def reset(self, mark):
        self.index, self._depth = mark

    def accept(self, operator):
        return self.advance() if self.at(operator) else None

    def expect(self, operator, expected):
        return self.accept(operator) or self.fail(expected)

    def enter(self):
        """Counts one level of nesting; leave() ends it."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            message = f"The expression is nested deeper than {MAX_NESTING} levels: split it with variables."
            error = limit_exceeded(message, MAX_NESTING)
            error.position = self.current.position
            raise error

    def leave(self):
        self._depth -= 1

    def fail(self, expected):
        token = self.current
        found = token.text if token.kind != END else "end of expression"
        shown = found if token.kind == END else f"“{found[:40]}”"
        raise CalculationError(
            INVALID_ARGUMENT,
            f"Unexpected {shown} at position {token.position}: expected {expected}.{self._hint(token)}",
            token.position,
            found=found[:40],
            expected=expected,
        )

    def _hint(self, token):
        previous = self._tokens[self.index - 1] if self.index else None
        if previous is not None and previous.kind == NUMBER and token.text == ",":
            return " Write numbers without thousands separators, and several values in [ ]."
        if previous is None or token.kind not in (NAME, NUMBER) and token.text != "(":
            return ""
        if previous.kind in (NAME, NUMBER) or previous.text == ")":
            reason = f"“{token.text[:20]}” is not a unit, and multiplication" if token.kind == NAME else "Multiplication"
            return f" {reason} is never implied: write “{previous.text[:20]} * {token.text[:20]}”."
        return ""
