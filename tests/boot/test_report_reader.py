"""scripts/read/report.py, which decides what a record is."""
import json
import random
import time
import zlib

import pytest

import machine  # noqa: F401  (puts scripts/ on the path)
from read import report


def record(seq, type_="event", **members):
    body = json.dumps({"baretick": 1, "seq": seq, "type": type_, **members},
                      separators=(",", ":"), ensure_ascii=False)[:-1].encode()
    return body + b',"crc":"%08x"}' % zlib.crc32(body)


def events(*chunks):
    reader = report.Reader()
    out = [e for chunk in chunks for e in reader.feed(chunk)]
    return out + list(reader.finish())


LEFT = b"baretick: left firmware\r\n"


def test_a_whole_record_is_read():
    line = record(3, "row", name="plt", crc_is="\u00e4 \",\"crc\":\"00000000\"}")
    assert report.parse(line)["name"] == "plt"
    assert events(line + b"\r\n") == [("record", report.parse(line), line)]


def with_crc(body):
    return body + b',"crc":"%08x"}' % zlib.crc32(body)


def changed(at):
    line = bytearray(record(0, "run", n=12345))
    line[at] ^= 0x01
    return bytes(line)


DAMAGED = {
    **{f"byte {at} is changed": changed(at) for at in range(0, len(record(0, "run", n=12345)), 3)},
    # Numbers that JSON lacks.
    **{f"{n}": record(0, n=float(n)) for n in ("nan", "inf")},
    "no crc": b'{"baretick":1,"seq":0,"type":"run"}',
    "another version": b'{"baretick":2,"seq":0,"type":"run","crc":"00000000"}',
    "no seq": with_crc(b'{"baretick":1,"type":"run"'),
    "no type": with_crc(b'{"baretick":1,"seq":0'),
    "seq is a truth value": with_crc(b'{"baretick":1,"seq":true,"type":"run"'),
    "nested too deep": with_crc(b'{"baretick":1,"seq":0,"type":"run","x":' + b"[" * 100_000 + b"]" * 100_000),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_what_is_not_a_whole_record_is_damaged(how):
    with pytest.raises(report.Damaged, match="nested" if how.startswith("nested") else ""):
        report.parse(DAMAGED[how])


@pytest.mark.parametrize("length", range(12, len(record(0, "run", n=12345))))
def test_a_line_that_is_cut_short_is_damage(length):
    line = record(0, "run", n=12345)[:length]
    assert events(line)[0][0] == "damaged"
    assert events(line + b"\r\n")[0][0] == "damaged"


def test_text_next_to_a_record_on_its_line_is_damage():
    line = record(0)
    assert [e[0] for e in events(b"\x1b[2J\x1b[01;01H\x1b[=3h" + line + b"\r\n")] == ["record"]
    assert [e[0] for e in events(b"text" + line + b"\r\n")] == ["damaged"]
    assert [e[0] for e in events(line + b" \r\n")] == ["damaged"]
    assert [e[0] for e in events(line + b"\n")] == ["damaged"]


def test_a_stream_cut_into_any_chunks_gives_the_same_events():
    stream = (b"\x1b[2J\x1b[37mfirmware\r\n" + LEFT + record(0, "run") + b"\r\nrow a   1\r\n"
              + b"\r%-79s" % b"3 of 9 rows" + b"\r\n" + record(1, "row") + b"\r\n"
              + b"\r%-79s" % b"4 of 9 rows" + b"\r%79s\r" % b"" + b"row b   2\r\n"
              + record(2, "end") + b"\r\n")

    def shown(cuts):
        cuts = [0, *sorted(cuts), len(stream)]
        return [e for e in events(*(stream[a:b] for a, b in zip(cuts, cuts[1:])))
                if e[0] != "progress"]

    whole = shown([])
    assert [e[1] for e in whole if e[0] == "text"] == [
        "firmware", "baretick: left firmware", "row a   1", "row b   2"]
    assert [e[1]["seq"] for e in whole if e[0] == "record"] == [0, 1, 2]
    seeded = random.Random(1)
    for _ in range(200):
        assert shown(seeded.choices(range(len(stream)), k=9)) == whole
    assert shown(range(1, len(stream))) == whole


def test_progress_is_shown_until_it_is_overwritten():
    reader = report.Reader()
    list(reader.feed(LEFT))
    assert list(reader.feed(b"\r1 of 9   ")) == [("progress", "1 of 9")]
    assert list(reader.feed(b"")) == []
    assert list(reader.feed(b"\r2 of 9   ")) == [("progress", "2 of 9")]
    # Blanks overwrite it; the text after them is shown when it is complete.
    assert list(reader.feed(b"\r         \rrow")) == []
    assert list(reader.feed(b" a\r\n")) == [("text", "row a")]


def test_a_line_of_progress_is_not_text_of_the_report():
    assert events(LEFT + b"progress  a/b: row 1 of 9\r\nrow a\r\n")[1:] == [("progress", "a/b: row 1 of 9"), ("text", "row a")]


def test_progress_that_a_record_ends_is_not_a_line():
    """A row that the table does not separate has no blank line. One that the table separates is overwritten first, and
    the blank line after it belongs to the table."""
    row = record(0, "row")
    assert events(LEFT, b"\r%-79s" % b"3 of 9 rows", b"\r\n" + row + b"\r\n") == [
        ("text", "baretick: left firmware"), ("progress", "3 of 9 rows"), ("record", report.parse(row), row)]
    assert events(LEFT + b"\r3 of 9 rows" + b"\r%79s\r" % b"" + b"\r\nheading\r\n")[1:] == [
        ("text", ""), ("text", "heading")]
    assert events(LEFT + b"\r\n\r\n")[1:] == [("text", ""), ("text", "")]


def test_a_record_out_of_its_place_is_named():
    def wrong(*records):
        sequence = report.Sequence()
        return [sequence.check(report.parse(r)) for r in records]

    assert wrong(record(0), record(1), record(2, "end")) == [None] * 3
    assert "record 2 comes where record 1" in wrong(record(0), record(2))[1]
    assert "record 1 comes where record 0" in wrong(record(1))[0]
    assert "after the end" in wrong(record(0, "end"), record(1))[1]


def seconds_for(size):
    """Returns the smallest of three CPU times for reading one line of this number of bytes as it arrives: 64 KiB at a
    time."""
    least = float("inf")
    for _ in range(3):
        reader = report.Reader()
        list(reader.feed(LEFT))
        started = time.process_time()
        for _ in range(size // 65536):
            list(reader.feed(b"x" * 65536))
        list(reader.feed(b"\r\n"))
        least = min(least, time.process_time() - started)
    return least


def test_the_cost_of_a_long_line_is_proportional_to_its_length():
    """64 times the line takes 64 times the CPU time, not 4096 times. Other load on the CPU changes it far less."""
    assert seconds_for(64 << 20) < 512 * seconds_for(1 << 20)


def test_random_bytes_cause_no_exception():
    seeded = random.Random(2)
    for _ in range(300):
        noise = bytes(seeded.choices(b'\x00\x1b[\r\n{"baretick":1,\xff0a}', k=400))
        for kind, *_ in events(noise, noise):
            assert kind in ("text", "damaged", "progress")


@pytest.mark.parametrize("kind, was, now", [("row", "quiet", "exclusive"), ("row", "steps", "stepped"),
                                             ("event", "quiet", "exclusive"),
                                            ("event", "beside", "compared_with"),
                                            ("event", "beside_per_op", "other_per_op"),
                                            ("gaps", "turn_ticks", "iteration_ticks"),
                                            ("gaps", "stolen_ticks", "gap_ticks"),
                                            ("run", "quiet", "controls"),
                                            ("linearity", "quiet_groups", "exclusive_groups")])
def test_a_field_of_an_older_report_has_the_present_name(kind, was, now):
    assert report.parse(record(0, kind, **{was: 1}))[now] == 1
    assert was not in report.parse(record(0, kind, **{was: 1}))
    assert report.parse(record(0, kind, **{was: 1, now: 2}))[now] == 2
    assert was in report.parse(record(0, "end", **{was: 1}))


POINTS = [[1024, 2.5, 4, 3.75, 4.5, 1.2], [2048, 3, None, None, None, None]]
OLDER = [  # the kind of a record, its members of former versions, and those of today
    ("run", {"options": {"quiet_budget": 7, "seed": 1}}, {"options": {"retry_budget": 7, "seed": 1}}),
    ("run", {"options": []}, {"options": []}),
    ("row", {"interval": {"level": 0.99, "median_level": 0.98}}, {"interval": {"confidence": 0.99, "median_confidence": 0.98}}),
    ("row", {"per_op": {"ticks": 2, "lattice_ticks": 1}}, {"per_op": {"ticks": 2, "step_ticks": 1}}),
    # Points have the figure in its unit.
    ("curve", {"unit": "cycles", "points": POINTS}, {"unit": "cycles", "figures": [[1024, 4, 0.5, 1.2], [2048, None, None, None]]}),
    ("curve", {"unit": "ticks", "points": POINTS}, {"unit": "ticks", "figures": [[1024, 2.5, 2, 1.2], [2048, 3, None, None]]}),
    ("limit", {"unit": "cycles", "points": [[16, 2.5, 4, 3.5, 4.25]]}, {"unit": "cycles", "figures": [[16, 4, 0.5]]}),
    ("gaps", {"suite": "gaps"}, {"suite": "quiet"}),
    ("gaps", {"suite": "mine"}, {"suite": "mine"}),
    ("row", {"suite": "gaps"}, {"suite": "gaps"}),
    ("event", {"kind": "beside"}, {"kind": "compared"}),
]


@pytest.mark.parametrize("kind, was, now", OLDER)
def test_members_of_an_older_report_have_their_present_form(kind, was, now):
    found = report.parse(record(0, kind, **was))
    assert {key: value for key, value in found.items() if key not in ("baretick", "seq", "type", "crc")} == now
