"""How soon points of the complex plane run away under z → z² + c."""

import math

# Beyond this radius a smooth count differs from row to row by no visible shade.
_ESCAPE_SQUARED = 256.0


def escape_rows(view, constant, iterations):
    """Yields one list of smooth iteration counts for each row, from the top; None for points that stayed.

    `constant` is None for the Mandelbrot set, and c for the Julia set of c. `view` tells where each point lies.
    """
    for y in view.row_positions():
        if constant is None:
            yield [_mandelbrot(x, y, iterations) for x in view.column_positions()]
        else:
            yield [_escape(x, y, constant.real, constant.imag, iterations) for x in view.column_positions()]


def _mandelbrot(x, y, iterations):
    # The two largest parts of the set are known, and are where most of the time would go.
    y_squared = y * y
    q = (x - 0.25) ** 2 + y_squared
    if q * (q + x - 0.25) <= 0.25 * y_squared or (x + 1) ** 2 + y_squared <= 0.0625:
        return None
    return _escape(0.0, 0.0, x, y, iterations)


def _escape(x, y, c_x, c_y, iterations):
    for count in range(iterations):
        x_squared = x * x
        y_squared = y * y
        if x_squared + y_squared > _ESCAPE_SQUARED:
            return count + 1 - math.log2(math.log(x_squared + y_squared) / math.log(_ESCAPE_SQUARED))
        y = 2 * x * y + c_y
        x = x_squared - y_squared + c_x
    return None


class View:
    """A window on the plane: `span` is its width there, and a point is as wide as it is high."""

    def __init__(self, center, span, width, height):
        self._center = center
        self._step = span / width
        self._width = width
        self._height = height

    def column_positions(self):
        left = self._center.real - self._step * (self._width - 1) / 2
        return [left + self._step * column for column in range(self._width)]

    def row_positions(self):
        top = self._center.imag + self._step * (self._height - 1) / 2
        return [top - self._step * row for row in range(self._height)]
