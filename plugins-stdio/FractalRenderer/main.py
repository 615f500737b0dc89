"""FractalRenderer: accepts a job, and posts the picture when it is drawn."""

import os
import sys

# python3 -I leaves the script's own folder out of the import path.
_FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [_FOLDER, os.path.join(_FOLDER, "..", "..", "plugin-kit", "python")]

from vcp_plugin import serve  # noqa: E402

from fractal_renderer.render import check, render  # noqa: E402


def start(arguments, call):
    check(arguments)
    return call.in_background(lambda job: render(arguments, job))


if __name__ == "__main__":
    serve({"Render": start})
