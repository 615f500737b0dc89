"""PNG files with a palette, of one frame or of several (APNG), row by row (PNG specification, third edition)."""

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DEPTH, _PALETTE_COLOUR = 8, 3


class PngWriter:
    """Writes to `file`, which is open for writing bytes; rows of a frame come from the top."""

    def __init__(self, file, width, height, palette, frames, frame_ms):
        self._file = file
        self._size = (width, height)
        self._frames = frames
        self._frame_ms = frame_ms
        self._frame = 0
        self._sequence = 0
        file.write(_SIGNATURE)
        self._chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, _DEPTH, _PALETTE_COLOUR, 0, 0, 0))
        if frames > 1:
            self._chunk(b"acTL", struct.pack(">II", frames, 0))
        self._chunk(b"PLTE", palette)

    def write_frame(self, rows):
        """`rows` yields the palette indices of each row; nothing of a frame is held but its compressed bytes."""
        if self._frames > 1:
            width, height = self._size
            self._chunk(
                b"fcTL",
                struct.pack(">IIIIIHHBB", self._next(), width, height, 0, 0, self._frame_ms, 1000, 0, 0),
            )
        compressor = zlib.compressobj(9)
        parts = [compressor.compress(b"\x00" + row) for row in rows]
        data = b"".join(parts) + compressor.flush()
        if self._frame == 0:
            self._chunk(b"IDAT", data)
        else:
            self._chunk(b"fdAT", struct.pack(">I", self._next()) + data)
        self._frame += 1

    def end(self):
        self._chunk(b"IEND", b"")

    def _next(self):
        self._sequence += 1
        return self._sequence - 1

    def _chunk(self, kind, data):
        self._file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
