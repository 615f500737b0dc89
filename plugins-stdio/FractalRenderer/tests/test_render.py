"""The pieces of a picture: which points belong to the set, and a file that decoders can read."""

import io
import os
import struct
import sys
import tempfile
import threading
import unittest
import zlib

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [_FOLDER, os.path.join(_FOLDER, "..", "..", "plugin-kit", "python")]

from vcp_plugin import PluginError  # noqa: E402

from fractal_renderer.escape_time import View, escape_rows  # noqa: E402
from fractal_renderer.palettes import NAMES, palette_bytes, shade_row  # noqa: E402
from fractal_renderer.png import PngWriter  # noqa: E402
from fractal_renderer.render import check, render  # noqa: E402

ARGUMENTS = {
    "kind": "mandelbrot",
    "constant": [-0.8, 0.156],
    "center": [-0.5, 0],
    "span": 3.2,
    "width": 32,
    "height": 24,
    "iterations": 60,
    "frames": 1,
    "zoomPerFrame": 2,
    "frameMs": 80,
    "palette": "ocean",
}


class Job:
    def __init__(self, folder):
        self.resource_dir = folder
        self.cancelled = threading.Event()
        self.reports = []

    def progress(self, stage=None, progress=None, message=None):
        self.reports.append(progress)


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (check_sum,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert check_sum == zlib.crc32(kind + body)
        yield kind, body
        at += 12 + length


class EscapeTime(unittest.TestCase):
    def count_at(self, center, constant=None, iterations=500):
        (row,) = escape_rows(View(center, 1e-9, 1, 1), constant, iterations)
        return row[0]

    def test_points_of_the_set_never_run_away(self):
        for point in (0, -1, -0.1 + 0.1j, 0.25, -2, 1j, -1.7548776662):
            self.assertIsNone(self.count_at(complex(point)), point)

    def test_points_outside_run_away_the_sooner_the_farther_they_are(self):
        counts = [self.count_at(complex(x)) for x in (0.26, 0.3, 0.5, 1, 2)]
        self.assertEqual(sorted(counts, reverse=True), counts)
        self.assertNotIn(None, counts)

    def test_smooth_counts_have_no_steps(self):
        row = next(escape_rows(View(1 + 0.5j, 0.2, 400, 1), None, 100))
        self.assertLess(max(abs(a - b) for a, b in zip(row, row[1:])), 0.2)

    def test_the_julia_set_of_zero_is_the_unit_disc(self):
        self.assertIsNone(self.count_at(0.9 + 0j, constant=0j))
        self.assertIsNotNone(self.count_at(1.1 + 0j, constant=0j))

    def test_the_set_is_symmetric_about_the_real_axis(self):
        rows = list(escape_rows(View(-0.5 + 0j, 3, 30, 21), None, 50))
        self.assertEqual(rows[0], rows[-1])


class Png(unittest.TestCase):
    def test_rows_come_back(self):
        file = io.BytesIO()
        picture = PngWriter(file, 3, 2, palette_bytes("grey"), 1, 80)
        picture.write_frame([b"\x00\x01\x02", b"\xff\x00\x07"])
        picture.end()
        found = dict(chunks(file.getvalue()))
        self.assertEqual(b"\x00\x00\x01\x02\x00\xff\x00\x07", zlib.decompress(found[b"IDAT"]))
        self.assertEqual(768, len(found[b"PLTE"]))

    def test_frames_are_numbered_without_a_gap(self):
        file = io.BytesIO()
        picture = PngWriter(file, 1, 1, palette_bytes("fire"), 3, 80)
        for shade in (b"\x01", b"\x02", b"\x03"):
            picture.write_frame([shade])
        picture.end()
        found = list(chunks(file.getvalue()))
        numbers = [struct.unpack(">I", body[:4])[0] for kind, body in found if kind in (b"fcTL", b"fdAT")]
        self.assertEqual([0, 1, 2, 3, 4], numbers)
        self.assertEqual((3, 0), struct.unpack(">II", dict(found)[b"acTL"]))

    def test_every_palette_has_256_colours_and_black_inside(self):
        for name in NAMES:
            self.assertEqual(768, len(palette_bytes(name)))
        self.assertEqual(b"\x00\x00\x00", palette_bytes("rainbow")[:3])
        self.assertEqual(0, shade_row([None])[0])
        self.assertTrue(all(shade_row([0.0, 1.5, 1e6, -0.4])))


class Render(unittest.TestCase):
    def test_a_picture_with_its_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(folder)
            result = render({**ARGUMENTS, "frames": 2}, job)
            with open(os.path.join(folder, result["resources"][0]["localPath"]), "rb") as file:
                kinds = [kind for kind, _ in chunks(file.read())]
        self.assertEqual([b"IHDR", b"acTL", b"PLTE", b"fcTL", b"IDAT", b"fcTL", b"fdAT", b"IEND"], kinds)
        self.assertEqual(48, len(job.reports))
        self.assertEqual(1, job.reports[-1])
        self.assertEqual(sorted(job.reports), job.reports)
        self.assertEqual(1.6, result["data"]["lastSpan"])
        self.assertGreater(result["data"]["pointsInside"], 100)

    def test_a_cancelled_job_stops_at_the_next_row(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(folder)
            job.cancelled.set()
            with self.assertRaises(PluginError):
                render(ARGUMENTS, job)

    def test_too_many_points_are_refused_before_the_work_begins(self):
        with self.assertRaises(PluginError) as caught:
            check({**ARGUMENTS, "width": 2048, "height": 2048})
        self.assertEqual("FRACTAL.TOO_LARGE", caught.exception.code)
        check({**ARGUMENTS, "width": 2000, "height": 2000})


if __name__ == "__main__":
    unittest.main()
