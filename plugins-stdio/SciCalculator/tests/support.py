"""What the tests share: evaluate an expression the way an invocation does."""

import unittest

from sci_calculator.answer import answer
from sci_calculator.frames import Invocation
from sci_calculator.limits import allow_long_integers

allow_long_integers()


def payload(expression, variables=None, precision=None):
    arguments = {"expression": expression}
    if variables is not None:
        arguments["variables"] = variables
    if precision is not None:
        arguments["precision"] = precision
    return answer(Invocation("Evaluate", arguments, {}))


class CalculatorTest(unittest.TestCase):
    def data(self, expression, variables=None, precision=None):
        result = payload(expression, variables, precision)
        self.assertEqual("success", result["status"], (expression, result.get("error")))
        return result["data"]

    def assert_text(self, expected, expression, **arguments):
        self.assertEqual(expected, self.data(expression, **arguments)["text"], expression)

    def assert_texts(self, table):
        for expression, expected in table.items():
            with self.subTest(expression):
                self.assert_text(expected, expression)

    def error(self, expression, variables=None):
        result = payload(expression, variables)
        self.assertEqual("error", result["status"], (expression, result["data"] and result["data"]["text"][:80]))
        return result["error"]

    def assert_error(self, code, expression, variables=None):
        error = self.error(expression, variables)
        self.assertEqual(code, error["code"], (expression, error))
        return error

    def assert_errors(self, code, expressions):
        for expression in expressions:
            with self.subTest(expression):
                self.assert_error(code, expression)
