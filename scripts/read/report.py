"""Reads the program's output on a serial line: records, text for people, and other output of the firmware.

A record is one line of JSON; a damaged one is worthless:
    {"baretick":1,"seq":0,"type":"run",...,"crc":"1a2b3c4d"}
The crc is the CRC-32 (IEEE) of the line's bytes before the last `,"crc"`; seq counts from 0 without a gap.
"""
import json
import re
import zlib

from read import former, table

RECORD_START = b'{"baretick":'
RECORD = re.compile(rb'(\{"baretick":1,.*),"crc":"([0-9a-f]{8})"\}', re.DOTALL)
# ECMA-48: CSI with its parameters, or a two-byte escape.
ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")
# An escape sequence that the next bytes may complete.
ESCAPE_BEGUN = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*)?$")
# A longer line is not ours: a full histogram of a million samples has about half of that.
LINE_MAX = 64 << 20
SEQ_LIMIT = 1 << 53  # JSON's integers are exact below it
# Progress lines have 79 columns; each overwrites the one before on the same line.
PROGRESS_TAIL = 1024


class Damaged(Exception):
    """A line that begins like a record and is not a valid one."""


def _no_constant(name):
    raise Damaged(f"{name} is not a JSON value")


DECODER = json.JSONDecoder(parse_constant=_no_constant)  # shared: creating one takes as long as decoding a line


BLANKS = str.maketrans("\t\n\v\f\r", "     ")


def _legible(value):
    """Returns a value of a record with its text in one line, as table.printable() makes it. Raises Damaged for half a character."""
    if type(value) is str:
        text = table.printable(value.translate(BLANKS))
        if not value.isprintable() and any("\ud800" <= c <= "\udfff" for c in value):
            raise Damaged("has half of a surrogate pair in its text, which is not a character")
        return text
    if type(value) is dict:
        return {_legible(key): _legible(member) for key, member in value.items()}
    return [_legible(element) for element in value] if type(value) is list else value


def parse(line):
    """Returns the record in a line of bytes without its end of line; no text in it has a control character. Raises Damaged
    with the reason."""
    match = RECORD.fullmatch(line)
    if not match:
        raise Damaged("does not end in a crc")
    crc = zlib.crc32(match[1])
    if crc != int(match[2], 16):
        raise Damaged(f"crc is {match[2].decode()}, the bytes give {crc:08x}")
    try:
        text = line.decode("utf-8")
        record = DECODER.decode(text)
        if "\\" in text or not text.isprintable():  # else nothing in it needs a look
            record = _legible(record)
    except ValueError as e:
        raise Damaged(f"is not JSON: {e}") from e
    except RecursionError:
        raise Damaged("is nested deeper than any record of ours") from None
    if type(record.get("seq")) is not int or not 0 <= record["seq"] < SEQ_LIMIT or type(record.get("type")) is not str:
        raise Damaged("has no seq or no type")
    return former.renamed(record)


class Sequence:
    """Checks the order of a report's records. check() returns what is wrong, or None."""

    def __init__(self):
        self.next = 0
        self.ended = False

    def check(self, record):
        seq, expected = record["seq"], self.next
        ended, self.ended = self.ended, record["type"] == "end"
        self.next = seq + 1
        if ended:
            return f"record {seq} ({record['type']}) comes after the end record"
        if seq != expected:
            return f"record {seq} comes where record {expected} should be"
        return None


PROGRESS = "progress  "  # begins a line of progress


class Reader:
    """Takes bytes as they arrive; feed() yields tuples:

    ("record", record, line)   a whole record
    ("damaged", line, reason)  a line that should have been one
    ("text", string)           a line for people, escape codes removed
    ("progress", string)       a line of progress, which is not part of the report; of older versions, which rewrote it, an
                               unfinished one
    """

    # Only from here on "\r" without "\n" means progress, because firmwares use it in other ways.
    LEFT_FIRMWARE = "left firmware"

    def __init__(self):
        self._pending = bytearray()  # of the line that has not ended
        self._left_firmware = False
        self._shown = None  # the progress line that was yielded last

    def feed(self, data):
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._pending += line
            yield from self._line()
            self._shown = None
        self._pending += rest
        if len(self._pending) > LINE_MAX:
            yield ("damaged", bytes(self._pending[:80]), f"a line of more than {LINE_MAX} bytes")
            self._pending.clear()
        yield from self._progress()

    def finish(self):
        """Yields what is left after the line went silent for good."""
        if self._pending:
            yield from self._line(whole=False)

    def _line(self, whole=True):
        clean = ESCAPE.sub(b"", bytes(self._pending))
        self._pending.clear()
        start = clean.find(RECORD_START)
        if start < 0:
            text = self._text(clean)
            if text is not None:
                self._left_firmware |= self.LEFT_FIRMWARE in text
                yield ("progress", text[len(PROGRESS):]) if text.startswith(PROGRESS) else ("text", text)
            return
        line = clean[start:]
        if line.endswith(b"\r"):
            line = line[:-1]
        elif whole:
            yield ("damaged", line, "does not end in CR LF")
            return
        before = clean[:start].decode("utf-8", "replace").strip()
        if before:
            yield ("damaged", line, f"does not begin on a fresh line but after {before[-40:]!r}")
            return
        try:
            record = parse(line)
        except Damaged as e:
            yield ("damaged", line, str(e))
            return
        yield ("record", record, line)

    def _text(self, clean):
        """Returns the final text of a line: progress is overwritten by blanks, then by text. None: it was only
        progress, which a record ended."""
        parts = [p.decode("utf-8", "replace") for p in clean.split(b"\r")]
        if not self._left_firmware:
            return "".join(parts).rstrip()
        text, progress = parts[0], False
        for before, part in zip(parts, parts[1:]):
            if before and not before.strip():
                text, progress = part, False
            else:
                progress |= bool(part.strip())
        return None if progress and not text.strip() else text.rstrip()

    def _progress(self):
        # Look only at the end: searching the whole of a long line each time takes quadratic time.
        rest = bytes(self._pending[-PROGRESS_TAIL:])
        if not self._left_firmware or ESCAPE_BEGUN.search(rest):
            return
        parts = ESCAPE.sub(b"", rest).split(b"\r")
        if len(parts) < 2 or (parts[-2] and not parts[-2].strip()):
            return  # final text, of which more will follow
        line = parts[-1].decode("utf-8", "replace").rstrip()
        if line and line != self._shown:
            self._shown = line
            yield ("progress", line)

