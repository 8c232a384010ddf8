"""The screen, from QEMU's picture of it: its text is read back, glyph by glyph."""

import re
import time

import pytest
from machine import SUCCESS, monitor
from picture import dump, layout, read
from sharing import BLT_ONLY

# Long enough to scroll on most screens.
TALK = "suite=baseline samples=32"
VERDICT = b"\nverdict: "
STOPS = "q or Esc stops"  # the end of a line of progress
HINT = "lines above: PgUp"  # in a line that is only on the screen


def ends(text):
    return any(line.startswith("verdict: ") for line in text)


def lines_of(b):
    """Returns the table's lines on the serial line, without the loader's and the firmware's, and without those of progress,
    which a screen shows in one place."""
    text = b.text.split("baretick: left firmware", 1)[1].splitlines()
    return ["baretick: left firmware", *(line.rstrip() for line in text[1:] if not line.startswith("progress "))]


def wrapped(lines, columns):
    """Returns the lines as a screen of this number of columns shows them."""
    pieces = [line[i : i + columns] for line in lines for i in range(0, max(len(line), 1), columns)]
    return [piece.rstrip() for piece in pieces]


class Watch:
    """`done` for a boot: looks at the screen until it shows the wanted text, and keeps that."""

    def __init__(self, folder, wanted=ends, crop=None, after=b""):
        """after: text of the serial line's last complete line before which the screen is not read."""
        self.folder, self.wanted, self.crop, self.after = folder, wanted, crop, after
        self.text = self.next = self.before = None

    def __call__(self, data):
        if self.text is not None:
            return True
        if time.monotonic() < (self.next or 0):
            return False
        if self.after and not (self.after in data and data.endswith(b"\n")):
            return False
        self.next = time.monotonic() + 0.2
        try:
            width, height, pixels = dump(self.folder)
            if self.crop:
                stride, (width, height) = 3 * width, self.crop
                lines = (pixels[y * stride : y * stride + 3 * width] for y in range(height))
                pixels = b"".join(lines)
            text = read(width, height, pixels)
        except (AssertionError, OSError):  # not started yet; firmware's letters; half painted
            return False
        if self.wanted(text) and text == self.before:  # not in the middle of painting
            self.text, self.size = text, (width, height)
        self.before = text
        return self.text is not None


@pytest.fixture
def shown(boot, tmp_path):
    """shown(*device, ...): a run that stops with its verdict on the screen. Returns the serial output and the screen."""

    def start(*device, words=TALK, crop=None, **how):
        watch = Watch(tmp_path, crop=crop, after=VERDICT)
        b = boot(f"{words} finish=halt", extra=device, done=watch, **how)
        assert watch.text, f"no verdict on the screen\n{b}"
        return b, watch

    return start


def same(b, watch):
    """The screen shows the end of the serial output, and nothing else."""
    _, columns, rows = layout(*watch.size)
    sent, seen = lines_of(b), list(watch.text)
    while seen and not seen[-1]:
        seen.pop()
    while sent and not sent[-1]:
        sent.pop()
    seen = [line for line in seen if HINT not in line]
    assert seen == wrapped(sent, columns)[-len(seen) :]
    assert len(seen) >= min(rows, len(sent)) - 1
    assert seen[-1] == "verdict: PASS (10 rows, 0 failures)"
    assert not any('"baretick"' in line for line in seen)
    assert all(row["ticks"]["min"] == row["ticks"]["max"] for row in b.rows if row["status"] == "ok"), b.rows


CARDS = {
    "1280x800": "VGA",
    "1920x1080": "VGA,xres=1920,yres=1080",
    "ramfb": "ramfb",
}


@pytest.mark.parametrize("card", CARDS)
def test_the_screen_shows_the_text_of_the_serial_line(shown, card):
    b, watch = shown("-device", CARDS[card], whole="," in CARDS[card])
    same(b, watch)
    screen = b.run["screen"]
    assert (screen["width"], screen["height"]) == watch.size
    assert (screen["columns"], screen["rows"]) == layout(*watch.size)[1:]
    assert screen["columns"] >= 80
    assert screen["pixel_bytes"] == 4
    if "x" in card:
        assert card == "%dx%d" % watch.size, b.run["screen"]


def test_a_screen_of_4k_shows_the_report(shown, shim):
    b, watch = shown("-device", "VGA,vgamem_mb=64", disk=shim("gop-4k", f"{TALK} finish=halt"), whole=True)
    assert watch.size == (3840, 2160) and layout(*watch.size) == (3, 160, 45)
    same(b, watch)


def test_a_screen_of_24_bits_per_pixel_shows_the_report(shown, shim):
    b, watch = shown("-device", "cirrus-vga", disk=shim("gop-xga", f"{TALK} finish=halt"), whole=True)
    assert watch.size == (1024, 768) and b.run["screen"]["pixel_bytes"] == 3
    same(b, watch)


def test_a_pitch_larger_than_the_width_shows_the_report(shown, shim):
    b, watch = shown(
        "-device", "VGA", disk=shim("gop-narrow", f"{TALK} finish=halt"), crop=(640, 480)
    )
    assert b.run["screen"]["pixels_per_line"] == 1280
    same(b, watch)


@pytest.mark.parametrize("mode", ["gop-short", "gop-decoy"])
def test_a_size_that_is_too_small_and_a_card_without_the_console_do_not_matter(shown, shim, mode):
    same(*shown("-device", "VGA", disk=shim(mode, f"{TALK} finish=halt")))


@pytest.mark.parametrize(
    "mode, words",
    [
        ("gop-in-ram", "a framebuffer of 4095999 bytes"),
        ("gop-far", "a framebuffer at 0x140000000000 cannot be mapped; allowed: below 0x10000000000,"),
        ("gop-tiny", "too small for text"),
    ],
)
def test_an_invalid_framebuffer_is_not_used(boot, shim, mode, words):
    b = boot("", disk=shim(mode, TALK), extra=("-device", "VGA")).must(SUCCESS)
    assert words in b.run["screen"]["why_not"], b.run
    warned = [e["message"] for e in b.events("warning") if words in e["message"]]
    assert warned or mode == "gop-tiny", str(b)


def test_without_a_framebuffer_the_report_has_the_reason(shared):
    b = shared(TALK, **BLT_ONLY).must(SUCCESS)
    assert "BltOnly" in b.run["screen"]["why_not"], b.run


def test_without_a_serial_line_the_screen_has_the_whole_report(boot, tmp_path):
    watch = Watch(tmp_path)
    boot(f"{TALK} finish=halt", extra=("-device", "VGA,xres=1920,yres=1080"), serial=False, done=watch)
    text = [line for line in watch.text if line]
    assert text[-1].startswith("verdict: PASS") and "lines above: PgUp" in text[-2], text
    for words in ("self-test interrupts", "self-test linearity", "do_nothing ", "empty_xfence "):
        assert any(line.startswith(words) for line in text), f"no {words}: {text}"
    assert not any("row 10 of 10" in line for line in text), "a progress line was not wiped"


class Keys(Watch):
    """Presses each key when the previous one has shown its words in the last line; keeps the screens."""

    def __init__(self, folder, steps):
        super().__init__(folder, self.shows)
        self.steps, self.seen = steps, []

    def shows(self, text):
        return any(line.startswith(self.steps[len(self.seen)][0]) for line in text[-3:])

    def __call__(self, data):
        if len(self.seen) < len(self.steps) and super().__call__(data):
            self.seen.append(self.text)
            self.text = None
            if len(self.seen) < len(self.steps):
                monitor(self.folder / "monitor", f"sendkey {self.steps[len(self.seen)][1]}")
        return len(self.seen) == len(self.steps)


def test_keys_scroll_through_the_report(boot, tmp_path):
    steps = [("verdict", None), ("-- lines 1 to 29 ", "home"), ("-- lines 29 to 57 ", "pgdn")]
    keys = Keys(tmp_path, [*steps, ("verdict", "end")])
    card = ("-device", "VGA,xres=640,yres=480")
    b = boot(f"{TALK} finish=halt", extra=card, done=keys, whole=True)
    assert len(keys.seen) == 4, str(b)
    keys.text = keys.seen[0]
    same(b, keys)
    end, home, page, again = keys.seen
    sent = wrapped(lines_of(b), 80)
    assert home[:29] == sent[:29] and page[:29] == sent[28:57]
    assert again == end and any(HINT in line for line in end)


def test_a_fault_is_on_the_screen(boot, tmp_path):
    """Registers and backtrace, painted from the exception handler."""
    watch = Watch(tmp_path)
    b = boot("suite=provoke bench=setup samples=16 finish=halt", extra=("-device", "VGA"), done=watch)
    sent = lines_of(b)
    seen = [line for line in watch.text if line and HINT not in line and not line.endswith(STOPS)]
    assert any(line.startswith("FAULT: #UD") for line in seen), seen
    assert seen == [line for line in sent if line.strip()][-len(seen) :]
    assert seen[-1].startswith("verdict: FAIL")
    assert not any(line.startswith("machine ") for line in seen), "the fault's own screen has no summary"


def test_progress_is_painted_below_the_rows(boot, tmp_path):
    watch = Watch(tmp_path, lambda text: any(": row 2 of 2" in line for line in text))
    b = boot("suite=calls bench=direct,got samples=20000 layout=fixed", extra=("-device", "VGA"), done=watch)
    assert watch.text, str(b)
    assert any(line.startswith("direct  ") for line in watch.text), watch.text
    assert not any(line.startswith("got  ") for line in watch.text), watch.text


def test_with_format_jsonl_the_screen_shows_the_records(boot, tmp_path):
    watch = Watch(tmp_path, lambda text: any('"verdict":"pass"' in line for line in text))
    b = boot(f"{TALK} format=jsonl finish=halt", extra=("-device", "VGA"), done=watch)
    assert watch.text, str(b)
    sent = b.serial[b.serial.index(b'{"baretick"') :].decode().split("\r\n")
    seen = [line for line in watch.text if line and HINT not in line]
    assert seen == [line for line in wrapped(sent, 160) if line][-len(seen) :] and len(seen) > 40


def test_console_screen_leaves_the_line_alone(boot, tmp_path):
    watch = Watch(tmp_path)
    b = boot(f"{TALK} console=screen finish=halt", extra=("-device", "VGA"), done=watch)
    assert watch.text and not b.records and "left firmware" not in b.text, str(b)


def test_console_serial_leaves_the_screen_alone(boot):
    b = boot(f"{TALK} console=serial", extra=("-device", "VGA")).must(SUCCESS)
    assert b.run["screen"]["why_not"] == "console=serial" and not b.events("warning")


def test_the_other_console_replaces_a_missing_one(boot):
    b = boot(f"{TALK} console=screen").must(SUCCESS)
    assert "no framebuffer" in b.run["screen"]["why_not"], b.run["screen"]
    (warning,) = b.events("warning")
    assert "screen" in warning["message"], warning


def test_a_missing_serial_port_is_reported_on_the_screen(boot, tmp_path):
    watch = Watch(tmp_path)
    words = f"{TALK} console=serial finish=halt"
    boot(words, extra=("-device", "VGA,xres=1920,yres=1080"), serial=False, done=watch)
    assert any("the serial port that was asked for" in line for line in watch.text), watch.text


def test_the_bytes_of_the_serial_line_are_reported(shared):
    """The end of the report has the bytes; and a row stays within its budget even if its histogram had all the bins."""
    b = shared("suite=calls bench=direct layout=sweep samples=64").must(SUCCESS, rows=1)
    told = re.search(
        r"^serial    (\d+) KB so far: ([\d.]+) s at 115200 baud; at most (\d+) KB a row",
        b.text,
        re.MULTILINE,
    )
    ours = b.serial[b.serial.index(b"baretick: left firmware") : b.serial.rindex(b"\nserial  ") + 1]
    assert int(told[1]) == -(-len(ours) // 1000)
    assert abs(float(told[2]) - len(ours) / 11520) < 0.06
    assert not re.search(rb"\r(?!\n)", ours), "a line is written over, which spoils a log"
    row = len(ours) - ours.index(b"\n", ours.index(b"progress  ")) - 1
    bins, longest = b.rows[0]["hist"], len("[1234567890,1000000],")
    assert len(bins) == 1 and row > 1900
    assert row + 256 * longest <= int(told[3]) * 1000
