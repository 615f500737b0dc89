"""Expression text in, list of tokens out. Positions are 0-based code point indexes."""

import math
from fractions import Fraction

from .errors import INVALID_ARGUMENT, OVERFLOW, CalculationError

NUMBER, NAME, OPERATOR, SUPERSCRIPT, END = "number", "name", "operator", "superscript", "end"

_DIGITS = "0123456789"
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
_OPERATORS = ("**", "//", "+", "-", "*", "/", "%", "^", "!", "(", ")", "[", "]", ",", "√", "∛")
_LOOKALIKES = {
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-", "—": "-",
    "【": "[", "】": "]", "、": ",",
}  # fmt: skip
_NAMES = {"π": "pi", "τ": "tau", "φ": "phi", "ϕ": "phi", "ħ": "hbar", "ℏ": "hbar", "℃": "degC", "℉": "degF", "Å": "angstrom"}
_NAME_PARTS = {"µ": "u", "μ": "u", "Ω": "ohm", "Ω": "ohm"}  # micro sign and mu; Greek omega and ohm sign


class Token:
    __slots__ = ("kind", "text", "value", "position")

    def __init__(self, kind, text, position, value=None):
        self.kind = kind
        self.text = text
        self.value = value
        self.position = position


def tokenize(expression):
    text = "".join(map(_plain, expression))
    tokens, position = [], 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        token, position = _next_token(text, position)
        tokens.append(token)
    tokens.append(Token(END, "end of expression", len(text)))
    return tokens


def normalize_name(name):
    """The spelling under which a name is looked up: π is pi, µm is um, kΩ is kohm."""
    if name in _NAMES:
        return _NAMES[name]
    return "".join(_NAME_PARTS.get(character, character) for character in name)


def _plain(character):
    if 0xFF01 <= ord(character) <= 0xFF5E:  # full-width forms, as Chinese input methods type them
        character = chr(ord(character) - 0xFEE0)
    return _LOOKALIKES.get(character, character)


def _next_token(text, start):
    character = text[start]
    if character in _DIGITS or (character == "." and text[start + 1 : start + 2] in tuple(_DIGITS)):
        return _number(text, start)
    if character in _SUPERSCRIPTS:
        end = _span(text, start, _SUPERSCRIPTS)
        return _superscript(text[start:end], start), end
    if character == "°":
        scale = text[start + 1 : start + 2]
        end = start + 2 if scale in ("C", "F") else start + 1
        return Token(NAME, "deg" + text[start + 1 : end], start), end
    if _starts_name(character):
        end = start + 1
        while end < len(text) and (_starts_name(text[end]) or text[end] in _DIGITS):
            end += 1
        return Token(NAME, normalize_name(text[start:end]), start), end
    for operator in _OPERATORS:
        if text.startswith(operator, start):
            return Token(OPERATOR, "^" if operator == "**" else operator, start), start + len(operator)
    raise _unexpected(character, start, "a number, a name or an operator")


def _starts_name(character):
    return character.isalpha() or character in "_℃℉"


def _number(text, start):
    """Digits and a decimal point are exact; scientific notation is a float."""
    end = _span(text, start, _DIGITS)
    whole, decimals, exponent = text[start:end], "", False
    if text[end : end + 1] == ".":
        point = end
        end = _span(text, end + 1, _DIGITS)
        decimals = text[point + 1 : end]
    if text[end : end + 1] in ("e", "E"):
        digits = end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1
        if text[digits : digits + 1] in tuple(_DIGITS):
            exponent, end = True, _span(text, digits, _DIGITS)
    literal = text[start:end]
    if exponent:
        value = float(literal)
        if math.isinf(value):
            raise CalculationError(OVERFLOW, f"The number {literal[:40]} is too large for a float (about 1.8e308).", start)
    else:
        value = int(whole + decimals)
        if decimals:
            value = Fraction(value, 10 ** len(decimals))
            value = value.numerator if value.denominator == 1 else value
    return Token(NUMBER, literal, start, value), end


def _superscript(text, start):
    plain = "".join(_SUPERSCRIPTS[character] for character in text)
    if "-" in plain[1:] or plain == "-":
        raise _unexpected(text, start, "a whole superscript exponent such as ² or ⁻¹")
    return Token(SUPERSCRIPT, text, start, int(plain))


def _span(text, end, characters):
    while end < len(text) and text[end] in characters:
        end += 1
    return end


def _unexpected(found, position, expected):
    return CalculationError(
        INVALID_ARGUMENT,
        f"Unexpected “{found}” at position {position}: expected {expected}.",
        position,
        found=found,
        expected=expected,
    )
