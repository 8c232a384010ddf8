"""QEMU's screen as a picture, and its text, read glyph by glyph."""

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from tools import fonts  # noqa: E402
from machine import monitor  # noqa: E402

INK, PAPER = bytes([0xD0] * 3), bytes(3)


class Unread(AssertionError):
    """The picture contains something that is not a character of the font."""


def dump(folder):
    """Returns the screen: width, height, and three bytes per pixel (PPM, binary: type P6)."""
    path = folder / "screen.ppm"
    monitor(folder / "monitor", f"screendump {path}")
    data = path.read_bytes()
    kind, size, depth = data.split(b"\n", 3)[:3]
    assert (kind, depth) == (b"P6", b"255"), data[:40]
    width, height = map(int, size.split())
    pixels = data[-3 * width * height :]
    return width, height, pixels


def layout(width, height):
    """Returns scale, columns and rows, by the rule of docs/machine.md: 80 columns and 40 rows, or smaller letters."""
    scale = max(1, min(width // (80 * fonts.WIDTH), height // (40 * fonts.HEIGHT)))
    return scale, width // fonts.WIDTH // scale, height // fonts.HEIGHT // scale


def pixel_row(row, scale):
    """Returns one row of a glyph, in the picture's bytes."""
    bits = [row >> (fonts.WIDTH - 1 - x) & 1 for x in range(fonts.WIDTH)]
    return b"".join((INK if bit else PAPER) * scale for bit in bits)


@functools.cache
def cells(scale):
    """Returns each character's pixels at this scale: {bytes of all its rows: character}."""
    font = fonts.Font(fonts.find())
    found = {}
    for char in map(chr, range(fonts.FIRST, fonts.LAST + 1)):
        found[b"".join(pixel_row(row, scale) * scale for row in font.glyph(char))] = char
    assert len(found) == fonts.LAST - fonts.FIRST + 1
    return found


def read(width, height, pixels):
    """Returns the screen's rows as text. Every pixel of every cell must belong to a character; the margins must be
    black."""
    scale, columns, rows = layout(width, height)
    known, stride = cells(scale), 3 * width
    wide, tall = 3 * fonts.WIDTH * scale, fonts.HEIGHT * scale
    text = []
    for row in range(rows):
        lines = [pixels[y * stride : (y + 1) * stride] for y in range(row * tall, (row + 1) * tall)]
        assert not any(any(line[columns * wide :]) for line in lines), "the right margin is not black"
        line = ""
        for column in range(columns):
            cell = b"".join(line[column * wide : (column + 1) * wide] for line in lines)
            if cell not in known:
                raise Unread(f"row {row}, column {column} of {columns}x{rows} is not a character")
            line += known[cell]
        text.append(line.rstrip())
    assert not any(pixels[rows * tall * stride :]), "the lower margin is not black"
    return text


def where(width, height, pixels, lines):
    """Returns the row of pixels where these lines are, one below the other at the left edge, or None.

    For text that was scrolled by a distance other than its height. Anything to the right of the lines is ignored.
    """
    scale = layout(width, height)[0]
    known = {char: cell for cell, char in cells(scale).items()}
    wide, tall, stride = 3 * fonts.WIDTH * scale, fonts.HEIGHT * scale, 3 * width
    wanted = []
    for line in lines:
        for y in range(tall):
            wanted.append(b"".join(known[char][y * wide : (y + 1) * wide] for char in line))
    rows = [pixels[y * stride : (y + 1) * stride] for y in range(height)]
    return next((top for top in range(height - len(wanted) + 1)
                 if all(rows[top + y].startswith(line) for y, line in enumerate(wanted))), None)  # fmt: skip
