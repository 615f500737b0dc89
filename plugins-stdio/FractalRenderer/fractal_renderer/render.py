"""One job: from arguments to a picture in a file, with a word of progress for every row."""

import os

from vcp_plugin import PluginError

from .escape_time import View, escape_rows
from .limits import MAX_POINTS
from .palettes import palette_bytes, shade_row
from .png import PngWriter

_FILE = "fractal.png"


def check(arguments):
    """What the schema cannot say: raises before any work is accepted."""
    frames = arguments["frames"]
    points = arguments["width"] * arguments["height"] * frames
    if points > MAX_POINTS:
        raise PluginError(
            "FRACTAL.TOO_LARGE",
            f"width × height × frames is {points}; at most {MAX_POINTS} points can be drawn in one job",
            target="frames" if frames > 1 else "width",
            details={"points": points, "maxPoints": MAX_POINTS},
        )


def render(arguments, job):
    """Draws all frames and returns the result of the task."""
    width, height, frames = arguments["width"], arguments["height"], arguments["frames"]
    constant = complex(*arguments["constant"]) if arguments["kind"] == "julia" else None
    center = complex(*arguments["center"])
    inside = 0
    with open(os.path.join(job.resource_dir, _FILE), "wb") as file:
        picture = PngWriter(file, width, height, palette_bytes(arguments["palette"]), frames, arguments["frameMs"])
        for frame in range(frames):
            span = arguments["span"] / arguments["zoomPerFrame"] ** frame
            rows = escape_rows(View(center, span, width, height), constant, arguments["iterations"])
            shaded = []
            for number, counts in enumerate(rows, start=1):
                if job.cancelled.is_set():
                    raise PluginError("TOOL_CANCELLED", "the job was cancelled")
                inside += counts.count(None)
                shaded.append(shade_row(counts))
                job.progress(
                    stage="rendering",
                    progress=(frame + number / height) / frames,
                    message=f"frame {frame + 1} of {frames}, row {number} of {height}",
                )
            picture.write_frame(shaded)
        picture.end()
    return {
        "data": {
            "image": {"$resource": "fractal"},
            "kind": arguments["kind"],
            "width": width,
            "height": height,
            "frames": frames,
            "iterations": arguments["iterations"],
            "pointsInside": inside,
            "lastSpan": arguments["span"] / arguments["zoomPerFrame"] ** (frames - 1),
        },
        "resources": [
            {
                "id": "fractal",
                "kind": "image",
                "role": "output",
                "mimeType": "image/png" if frames == 1 else "image/apng",
                "fileName": f"{arguments['kind']}.png",
                "localPath": _FILE,
            }
        ],
        "presentation": {"preferredView": "image-result", "primaryResourceId": "fractal"},
    }
