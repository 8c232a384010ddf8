"""The distribution's Terminus font, and the header with its glyphs that the image is built with.

Reads the 8x16 bitmaps of the font (TrueType or OpenType with tables EBLC and EBDT, or bloc and
bdat) for the printable characters of ASCII. Source of the layouts: OpenType specification 1.9, chapters
"EBLC", "EBDT", "cmap" (format 4), "name".
"""
import glob
import struct

WIDTH, HEIGHT = 8, 16
FIRST, LAST = 0x20, 0x7E

FONTS = [
    "/usr/share/fonts/truetype/terminus/TerminusTTF-4*.ttf",  # Debian, Ubuntu: fonts-terminus
    "/usr/share/fonts/terminus-fonts/ter-u16n.otb",  # Fedora: terminus-fonts
    "/usr/share/fonts/misc/ter-[ux]16n.otb",  # Arch: terminus-font; openSUSE
    "/usr/share/fonts/truetype/ter-u16n.otb",  # openSUSE: terminus-bitmap-fonts
]


class Bad(Exception):
    """No font was found, or it lacks something that is needed."""


def find():
    for path in (p for pattern in FONTS for p in sorted(glob.glob(pattern))):
        return path
    raise Bad("no Terminus font (looked for: " + " ".join(FONTS) + "); ./scripts/setup installs it, or "
              "name one with FONT=")


class Font:
    """A font file; glyphs are lists of HEIGHT bytes, the leftmost pixel in bit 7."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            self.data = f.read()
        try:
            self.tables = self._tables()
            self.notice = self._notice()
            self.index = self._cmap()
            self._strike()
        except (struct.error, KeyError, IndexError) as e:
            raise Bad(f"{path}: is not a font with bitmaps ({type(e).__name__}: {e})") from e

    def _at(self, layout, offset):
        return struct.unpack_from(">" + layout, self.data, offset)

    def _tables(self):
        (count,) = self._at("H", 4)
        found = {}
        for i in range(count):
            tag, _, offset, _ = self._at("4sIII", 12 + 16 * i)
            found[tag.decode("latin-1")] = offset
        for new, old in (("EBLC", "bloc"), ("EBDT", "bdat")):
            found.setdefault(new, found.get(old))
            if found[new] is None:
                raise Bad(f"{self.path}: has no table {new}: it holds no bitmaps")
        return found

    def _notice(self):
        """Returns the copyright (name 0) as ASCII."""
        base = self.tables["name"]
        _, count, strings = self._at("HHH", base)
        for i in range(count):
            platform, _, _, name, length, offset = self._at("6H", base + 6 + 12 * i)
            if name == 0 and platform in (0, 3):
                start = base + strings + offset
                text = self.data[start:start + length].decode("utf-16-be").replace("\xa9", "(C)")
                return text.encode("ascii", "replace").decode()
        raise Bad(f"{self.path}: names no copyright")

    def _cmap(self):
        """Returns the glyph index of each ASCII character."""
        base = self.tables["cmap"]
        _, count = self._at("HH", base)
        for i in range(count):
            platform, encoding, offset = self._at("HHI", base + 4 + 8 * i)
            at = base + offset
            if (platform, encoding) in ((3, 1), (0, 3), (0, 4)) and self._at("H", at)[0] == 4:
                return {c: self._glyph_index(at, c) for c in range(FIRST, LAST + 1)}
        raise Bad(f"{self.path}: has no character map of format 4")

    def _glyph_index(self, at, c):
        segments = self._at("H", at + 6)[0] // 2
        ends, starts = at + 14, at + 16 + 2 * segments
        for s in range(segments):
            end, start = self._at("H", ends + 2 * s)[0], self._at("H", starts + 2 * s)[0]
            if not start <= c <= end:
                continue
            delta = self._at("H", starts + 2 * (segments + s))[0]
            place = starts + 2 * (2 * segments + s)
            offset = self._at("H", place)[0]
            if offset == 0:
                return (c + delta) & 0xFFFF
            glyph = self._at("H", place + offset + 2 * (c - start))[0]
            return (glyph + delta) & 0xFFFF if glyph else 0
        raise Bad(f"{self.path}: has no character {c:#x}")

    def _strike(self):
        """Finds the strike of HEIGHT rows and WIDTH columns; sets its index subtables and its ascent."""
        base = self.tables["EBLC"]
        (count,) = self._at("I", base + 4)
        for i in range(count):
            at = base + 8 + 48 * i
            array, _, subtables, _ = self._at("4I", at)
            ascent, descent, width = self._at("bbB", at + 16)
            depth = self._at("B", at + 46)[0]
            if (ascent - descent, width, depth) == (HEIGHT, WIDTH, 1):
                self.array, self.subtables, self.ascent = base + array, subtables, ascent
                return
        raise Bad(f"{self.path}: has no bitmaps of {WIDTH}x{HEIGHT} pixels")

    def glyph(self, char):
        index = self.index[ord(char)]
        for i in range(self.subtables):
            first, last, offset = self._at("HHI", self.array + 8 * i)
            if first <= index <= last:
                return self._read(self.array + offset, index - first, char)
        raise Bad(f"{self.path}: has no bitmap of {char!r}")

    def _read(self, header, n, char):
        kind, image, base = self._at("HHI", header)
        base += self.tables["EBDT"]
        metrics = None
        if kind in (1, 3):  # one offset per glyph
            step = 4 if kind == 1 else 2
            (offset,) = self._at("I" if kind == 1 else "H", header + 8 + step * n)
        elif kind == 2:  # all glyphs have one size and the same metrics
            (size,) = self._at("I", header + 8)
            offset, metrics = size * n, self._at("BBbb", header + 12)
        else:
            raise Bad(f"{self.path}: index format {kind} of the bitmap of {char!r} is not known")
        at = base + offset
        if image in (1, 2):
            metrics, at = self._at("BBbb", at), at + 5
        elif image != 5 or metrics is None:
            raise Bad(f"{self.path}: image format {image} of the bitmap of {char!r} is not known")
        return self._place(at, image, metrics, char)

    def _place(self, at, image, metrics, char):
        """Returns the bits of one image, positioned in the cell by its bearings."""
        height, width, left, top = metrics
        rows, first = [0] * HEIGHT, self.ascent - top
        for y in range(height):
            for x in range(width):
                # In format 1 each row begins a new byte, in 2 and 5 not.
                bit = y * ((width + 7) // 8 * 8 if image == 1 else width) + x
                if self._at("B", at + bit // 8)[0] >> (7 - bit % 8) & 1:
                    if not (0 <= first + y < HEIGHT and 0 <= left + x < WIDTH):
                        raise Bad(f"{self.path}: {char!r} does not fit {WIDTH}x{HEIGHT} pixels")
                    rows[first + y] |= 0x80 >> (left + x)
        return rows


def header(font):
    chars = [chr(c) for c in range(FIRST, LAST + 1)]
    out = [
        "/* Made by scripts/build/font. */",
        f"#define FONT_FIRST 0x{FIRST:02x}",
        f"#define FONT_LAST  0x{LAST:02x}",
        f"#define FONT_HEIGHT {HEIGHT}",
        '#define FONT_NOTICE "' + font.notice.replace("\\", "\\\\").replace('"', '\\"') + '"',
        "#define FONT_ROWS \\",
    ]
    for i, char in enumerate(chars):
        rows = ", ".join(f"0x{b:02x}" for b in font.glyph(char))
        out.append(f"    {rows}" + (", \\" if i + 1 < len(chars) else ""))
    return "\n".join(out) + "\n"
