"""A Pratt parser: the table below is the grammar of the operators."""

from .syntax import Binary, Call, Convert, Factorial, ListOf, Literal, Measure, Name, Sign
from .token_stream import TokenStream
from .tokens import END, NAME, NUMBER, OPERATOR, SUPERSCRIPT, tokenize
from .unit_parser import at_unit, parse_unit

# How strongly each operator binds to its left; the right side of ^ is parsed one lower, hence 2^3^2 = 2^9.
_BINDING = {"in": 5, "to": 5, "+": 10, "-": 10, "*": 20, "/": 20, "//": 20, "%": 20, "mod": 20, "^": 40, "!": 50}
_SIGN_BINDING = 30  # below ^, so that -2^2 is -(2^2)
_ROOT_BINDING = 45  # above ^, so that √2^2 is (√2)^2
_WORD_OPERATORS = ("in", "to", "mod")
_ROOTS = {"√": "sqrt", "∛": "cbrt"}
_OPERAND = "a number, a name, “(” or “[”"


def parse(expression, variable_names=()):
    """Expression text in, syntax tree out. Variables win over units where both could be meant."""
    parser = _Parser(TokenStream(tokenize(expression)), variable_names)
    tree = parser.expression(0)
    if parser.stream.current.kind != END:
        parser.stream.fail("an operator or the end of the expression")
    return tree


class _Parser:
    def __init__(self, stream, variable_names):
        self.stream = stream
        self._variables = variable_names

    def expression(self, binding):
        self.stream.enter()
        left = self._operand()
        while True:
            token = self.stream.current
            strength = _BINDING["!"] if token.kind == SUPERSCRIPT else self._strength(token)
            if strength <= binding:
                break
            self.stream.advance()
            left = self._continue(left, token, strength)
        self.stream.leave()
        return left

    def _strength(self, token):
        if token.kind == OPERATOR or (token.kind == NAME and token.text in _WORD_OPERATORS):
            return _BINDING.get(token.text, -1)
        return -1

    def _continue(self, left, token, strength):
        if token.kind == SUPERSCRIPT:
            return Binary("^", left, Literal(token.value, token.position), token.position)
        if token.text == "!":
            return Factorial(left, token.position)
        if token.text in ("in", "to"):
            return Convert(left, parse_unit(self.stream), token.position)
        right = self.expression(strength - 1 if token.text == "^" else strength)
        return Binary("%" if token.text == "mod" else token.text, left, right, token.position)

    def _operand(self):
        token = self.stream.current
        if token.kind == NUMBER:
            self.stream.advance()
            return self._measured(self._imaginary(token))
        if token.kind == NAME and (token.text not in _WORD_OPERATORS or self._calls_mod(token)):
            self.stream.advance()
            if self.stream.at("("):
                return self._measured(Call(token.text, self._items("(", ")"), token.position))
            return self._measured(Name(token.text, token.position))
        if self.stream.at("+", "-"):
            self.stream.advance()
            return Sign(token.text, self.expression(_SIGN_BINDING), token.position)
        if token.kind == OPERATOR and token.text in _ROOTS:
            self.stream.advance()
            return Call(_ROOTS[token.text], [self.expression(_ROOT_BINDING)], token.position)
        if self.stream.accept("("):
            inner = self.expression(0)
            self.stream.expect(")", "“)” or an operator")
            return self._measured(inner)
        if self.stream.at("["):
            return ListOf(self._items("[", "]"), token.position)
        return self.stream.fail(_OPERAND)

    def _calls_mod(self, token):
        return token.text == "mod" and self.stream.following.text == "("

    def _imaginary(self, token):
        following = self.stream.current
        if following.kind == NAME and following.text in ("i", "j"):
            self.stream.advance()
            return Binary("*", Literal(token.value, token.position), Literal(1j, following.position), token.position)
        return Literal(token.value, token.position)

    def _measured(self, operand):
        """A unit name right after an operand belongs to it, and so do the units joined to it: 100 km/h."""
        position = self.stream.current.position
        if not at_unit(self.stream):
            return operand
        return Measure(operand, parse_unit(self.stream, self._variables, suffix=True), position)

    def _items(self, opening, closing):
        self.stream.expect(opening, f"“{opening}”")
        items = []
        if self.stream.accept(closing):
            return items
        while True:
            items.append(self.expression(0))
            if self.stream.accept(closing):
                return items
            self.stream.expect(",", f"“,”, “{closing}” or an operator")
