"""The nodes of the syntax tree. Each knows the position of the text that it stands for."""


class Node:
    __slots__ = ("position",)


class Literal(Node):
    __slots__ = ("value",)

    def __init__(self, value, position):
        self.value, self.position = value, position


class Name(Node):
    __slots__ = ("name",)

    def __init__(self, name, position):
        self.name, self.position = name, position


class Sign(Node):
    """A leading minus or plus."""

    __slots__ = ("operator", "operand")

    def __init__(self, operator, operand, position):
        self.operator, self.operand, self.position = operator, operand, position


class Binary(Node):
    __slots__ = ("operator", "left", "right")

    def __init__(self, operator, left, right, position):
        self.operator, self.left, self.right, self.position = operator, left, right, position


class Factorial(Node):
    __slots__ = ("left",)

    def __init__(self, left, position):
        self.left, self.position = left, position


class Measure(Node):
    """A value directly followed by a unit: 5 km."""

    __slots__ = ("operand", "unit")

    def __init__(self, operand, unit, position):
        self.operand, self.unit, self.position = operand, unit, position


class Convert(Node):
    """value in unit, value to unit."""

    __slots__ = ("left", "unit")

    def __init__(self, left, unit, position):
        self.left, self.unit, self.position = left, unit, position


class Call(Node):
    __slots__ = ("name", "arguments")

    def __init__(self, name, arguments, position):
        self.name, self.arguments, self.position = name, arguments, position


class ListOf(Node):
    __slots__ = ("items",)

    def __init__(self, items, position):
        self.items, self.position = items, position
