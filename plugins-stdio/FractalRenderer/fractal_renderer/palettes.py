"""Colours for iteration counts: 255 shades that run in a circle, and black for points that stayed."""

import math

# Each palette: for red, green and blue the middle, the swing, and where in the circle it stands.
_WAVES = {
    "fire": ((0.55, 0.45, 0.0), (0.35, 0.35, 0.12), (0.2, 0.2, 0.25)),
    "ocean": ((0.2, 0.2, 0.3), (0.4, 0.35, 0.15), (0.6, 0.4, 0.0)),
    "rainbow": ((0.5, 0.5, 0.0), (0.5, 0.5, 0.333), (0.5, 0.5, 0.667)),
    "grey": ((0.5, 0.5, 0.0), (0.5, 0.5, 0.0), (0.5, 0.5, 0.0)),
}

NAMES = tuple(_WAVES)

_SHADES = 255
_INSIDE = 0

# Counts after which the colours come round again.
_CYCLE = 48.0


def palette_bytes(name):
    """The 256 colours as PNG keeps them; the first is that of points that stayed."""
    colours = bytearray(3)
    for shade in range(_SHADES):
        for middle, swing, start in _WAVES[name]:
            value = middle - swing * math.cos(2 * math.pi * (shade / _SHADES - start))
            colours.append(max(0, min(255, round(255 * value))))
    return bytes(colours)


def shade_row(counts):
    """The palette index of each point of a row."""
    return bytes(_INSIDE if count is None else 1 + int(count / _CYCLE * _SHADES) % _SHADES for count in counts)
