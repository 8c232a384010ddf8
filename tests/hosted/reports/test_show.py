"""`baretick show`: the table of a saved report, and all of its damage."""

import csv
import functools
import io
import json
import random
import re
import resource

import made_reports
import pictured
import pytest
from read import figure, report, saved, show
from made_reports import RANKS, STUDENT, baretick, counted, counting, head, row, whole

DAMAGES = 10000
ROWS, SECONDS = 10000, 2

ROWS_SHOWN = (row("b", 2.5, core=1), row("a", 10.25, half=0.5), row("c", 1, suite="other", exclusive=False),
              {"type": "row", "suite": "other", "name": "d", "core": 0, "recipe": "lfence", "form": "loop",
               "ops": 1, "cold": False, "status": "unsupported", "why": "it needs AVX"})


@pytest.fixture
def kept(tmp_path):
    """kept(bytes, name): a file that contains them."""

    def keep(data, name="report.jsonl"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return keep


# --- the table -------------------------------------------------------------------------------------

def test_the_table_is_that_of_the_program(kept):
    path = kept(whole(*ROWS_SHOWN, others=({"type": "event", "kind": "warning", "message": "one thing"},)))
    ran = baretick("show", path)
    assert (ran.returncode, ran.stderr) == (0, "")
    about, table, rest = ran.stdout.split("\n\n")
    assert about.startswith(f"{path}: ")
    assert all(fact in about for fact in ("0.1.0", "0123456789ab", "silicon", "Made CPU", "lfence", "ticks")), about
    heading, *rows = [re.split(" {2,}", line) for line in table.splitlines()]
    assert heading == ["row", "core", "ops", "min", "median", "p99", "max", "cycles/op", "+-", "ns/op", "note"]
    windows = ["312", "338", "364", "12324"]
    assert rows[0] == ["made/b", "1", "500", *windows, "2.500", "0.010", "0.625"]
    assert rows[1] == ["made/a", "0", "500", *windows, "10.250", "0.500", "2.562"]
    assert rows[2][:-1] == ["other/c", "0", "500", *windows, "1.000", "0.010", "0.250"] and "shared" in rows[2][-1]
    assert rows[3][:-1] == ["other/d", "0", "1", *"-" * 7] and "AVX" in rows[3][-1]
    warning, verdict = rest.splitlines()
    assert warning.startswith("warning: ") and "one thing" in warning
    assert verdict.startswith("verdict: PASS") and "4 rows" in verdict


def test_operations_per_second_are_shown_next_to_ns(kept):
    """By any method, if the record has them."""
    path = kept(whole(row("a", 4, operations_per_second=1234567890), row("b", 4)))
    lines = baretick("show", path).stdout.splitlines()
    assert lines[2].split()[-2:] == ["ns/op", "ops/s"], lines
    assert [line.split()[-1] for line in lines[3:5]] == ["1.235e+09", "-"], lines
    as_csv = list(csv.DictReader(io.StringIO(baretick("show", path, "--format", "csv").stdout)))
    assert [r["operations_per_second"] for r in as_csv] == ["1234567890", ""], as_csv


def test_instructions_and_ipc_are_next_to_the_time(kept):
    found = row("x", 3)
    found["per_op"].update(instructions=7, ipc=2.3333)
    lines = baretick("show", kept(whole(found))).stdout.splitlines()
    assert lines[2].split()[-5:] == ["cycles/op", "+-", "instr/op", "IPC", "ns/op"]
    assert lines[3].split()[-5:] == ["3.000", "0.010", "7.000", "2.33", "0.750"]


def test_a_cost_that_the_loop_hides_is_shown_with_the_gross_cost(kept):
    rows = [row("near_zero", 0.02), row("all", -0.01), row("part", 0.9), row("plain", 3.0)]
    for found in rows:
        found["per_op"].update(gross_cycles=found["per_op"]["cycles"] + 1, loop_cycles=1)
    for found in rows[1:3]:
        found["per_op"]["hidden"] = found["name"]
    said = baretick("show", kept(whole(*rows))).stdout
    notes = {line.split()[0]: line for line in said.splitlines() if "gross" in line}
    assert notes.keys() == {"made/near_zero", "made/all", "made/part"}
    for name, net, gross, hidden in (("near_zero", "0.020", "1.020", None), ("all", "-0.010", "0.990", "all"),
                                     ("part", "0.900", "1.900", "part")):
        note = notes[f"made/{name}"]
        assert f"net {net}" in note and f"gross {gross}" in note and "empty loop 1.000" in note, note
        assert (f"hides {hidden} " in note) if hidden else "hides" not in note, note


def test_a_gross_cost_below_zero_is_not_shown(kept):
    """Older programs recorded it; newer ones leave it out."""
    old, new = row("old", -1.5), row("new", -1.5)
    for found in (old, new):
        found["per_op"].update(loop_cycles=1, hidden="maybe")
    old["per_op"]["gross_cycles"] = -0.5
    path = kept(whole(old, new))
    said = baretick("show", path).stdout
    assert said.count("net -1.500, gross not known") == 2 and "-0.5" not in said, said
    assert not any("gross_cycles" in r for r in json.loads(baretick("show", path, "--format", "json").stdout))


def test_an_interval_on_one_side_is_shown_by_its_longer_one(kept):
    found = row("x", 3)
    found["per_op"].update(cycles_lo=2.99, cycles_hi=4.0)
    assert json.loads(baretick("show", kept(whole(found)), "--format", "json").stdout)[0]["interval"] == 1.0


PLACED = [3.0, 3.1, 2.9, None, 3.0, 3.1, 2.9, 3.0]


@pytest.mark.parametrize("made, heading, note", [
    ([RANKS, RANKS], "+-98%", ""),
    ([RANKS, {**RANKS, "by": "rounds", "confidence": 0.99}], "+-98%", ("rounds", "ranks", "Student's t of 99%")),
    ([STUDENT, {**STUDENT, "placements_cycles": PLACED}], "+-99%", ("7 placements", "Student's t of 99%")),
    ([RANKS, {**STUDENT, "placements_cycles": PLACED}], "+-98 or 99%", ("7 placements", "Student's t of 99%")),
    ([{**STUDENT, "by": "blocks"}] * 2, "+-99%", ("one placement", "blocks", "Student's t of 99%")),
    ([RANKS, {"estimator": "method", "by": "method"}], "+-", ()),
])
def test_intervals_have_their_level(kept, made, heading, note):
    """Over them if all have it; below ranks' level each row says how its own was made."""
    path = kept(whole(*(row(name, 3, interval=interval) for name, interval in zip("ab", made))))
    lines = baretick("show", path).stdout.splitlines()
    assert re.split(" {2,}", lines[2])[7] == heading, lines[2]
    assert all(words in lines[4] for words in note) and ("interval" in lines[4]) == bool(note), lines[4]
    assert ("interval" in lines[3]) == (made[0]["by"] not in ("ranks", "rounds")), lines[3]
    percents = [r.get("percent") for r in json.loads(baretick("show", path, "--format", "json").stdout)]
    assert percents == [{"ranks": 98, "rounds": 98, "method": None}.get(interval["by"], 99) for interval in made]


def test_an_interval_too_wide_for_a_latency_is_noted(kept):
    lines = baretick("show", kept(whole(row("a", 3, truth_vague=True), row("b", 3)))).stdout.splitlines()
    assert "too wide" in lines[3] and "wide" not in lines[4]


def test_a_figure_above_the_documented_one_is_noted(kept):
    lines = baretick("show", kept(whole(row("a", 4.2, truth_cycles=4, truth_above=True), row("b", 3)))).stdout.splitlines()
    assert "documented 4 cycles; not judged" in lines[3] and "documented" not in lines[4]


@pytest.mark.parametrize("more, why", [
    ({"interval": {**STUDENT, "by": "blocks"}}, "only one block"),
    ({"interval": {"estimator": "method", "by": "method"}, "method": "kbest"}, "the recipe hides"),
])
def test_a_figure_without_an_interval_is_marked(kept, more, why):
    found = row("a", 3, **more)
    found["per_op"] = {key: value for key, value in found["per_op"].items() if not key.startswith("cycles_")}
    path = kept(whole(found, row("b", 3, **more)))
    for lines in (baretick("show", path).stdout.splitlines()[3:5], baretick("compare", path, path).stdout.splitlines()):
        told = [line for line in lines if "no interval: " in line]
        assert len(told) == 1 and "made/a" in told[0], lines
    assert why in baretick("show", path).stdout


def test_a_row_without_a_figure_is_marked(kept):
    """Its stepped instructions are not a figure in place of time."""
    found = row("a", 3)
    found["per_op"] = {"instructions": 2}
    lines = baretick("show", kept(whole(found, row("b", 3)))).stdout.splitlines()
    assert "  no figure: windows were disturbed" in lines[3] and "no figure" not in lines[4]
    assert "  no figure: " in baretick("show", kept(whole({**found, "method": "kbest"}))).stdout
    assert figure.unit(found) is None and figure.unit(counted("c", 2)) == "instructions"


def test_markdown_has_a_table_and_a_list_of_the_rest(kept):
    path = kept(whole(counted("x", 2), run=counting()))
    about, table, rest = baretick("show", path, "--format", "markdown").stdout.split("\n\n")
    assert about.startswith(f"- {path}: ") and "\n" not in about
    assert table.splitlines() == ["| row | ops | min | median | p99 | max | instr/op |",
                                  "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
                                  "| made/x | 1000 | 2005 | 2005 | 2005 | 2005 | 2.000 |"]
    assert rest.startswith("- verdict: PASS")


def test_csv_and_json_have_the_values_of_the_report(kept):
    path = kept(whole(*ROWS_SHOWN))
    as_csv = list(csv.DictReader(io.StringIO(baretick("show", path, "--format", "csv").stdout)))
    as_json = json.loads(baretick("show", path, "--format", "json").stdout)
    assert [{k: str(v) for k, v in r.items()} for r in as_json] == [
        {k: v for k, v in r.items() if v or k == "note"} for r in as_csv]
    assert as_json[0] == {
        "file": str(path), "row": "made/b", "core": 1, "ops": 500, "min": 312, "median": 338, "p99": 364,
        "max": 12324, "cycles": 2.5, "interval": 0.01, "ns": 0.625, "suite": "made", "name": "b", "status": "ok",
        "cycles_lo": 2.49, "cycles_hi": 2.51, "note": ""}


@pytest.mark.parametrize("words, expected", [
    (("--sort", "name"), "abcd"),
    (("--sort", "cycles"), "cbad"),
    (("--sort", "cycles", "--reverse"), "abcd"),
    (("--reverse",), "dcab"),
    (("--suite", "oth*"), "cd"),
    (("--bench", "a,[cd]"), "acd"),
    (("--core", "1"), "b"),
])
def test_rows_are_sorted_and_selected(kept, words, expected):
    ran = baretick("show", kept(whole(*ROWS_SHOWN)), "--format", "json", *words)
    assert "".join(r["name"] for r in json.loads(ran.stdout)) == expected


@pytest.mark.parametrize("word, expected", [("e", ["e/8", "e/64"]), ("e/64", ["e/64"]), ("8", [])])
def test_a_name_chooses_all_its_arguments(kept, word, expected):
    ran = baretick("show", kept(whole(row("e/8", 1), row("e/64", 2), row("f", 3))), "--format", "json", "--bench", word)
    assert [r["name"] for r in json.loads(ran.stdout or "[]")] == expected, ran.stderr


def test_no_row_chosen_is_an_error(kept):
    ran = baretick("show", kept(whole(*ROWS_SHOWN)), "--suite", "nothing")
    assert ran.returncode == 2
    assert all(word in ran.stderr for word in (" 4 rows", "--suite", "--bench", "--core")), ran.stderr


def test_several_files_make_one_table(kept):
    one, two = kept(whole(row("a", 1)), "one.jsonl"), kept(whole(row("a", 2)), "two.jsonl")
    rows = json.loads(baretick("show", one, two, "--format", "json").stdout)
    assert [(r["file"], r["cycles"]) for r in rows] == [(str(one), 1), (str(two), 2)]
    assert [x.split()[0] for x in baretick("show", one, two).stdout.splitlines() if "made/a" in x] == [
        str(one), str(two)]


def test_the_verdict_counts_what_was_measured(tmp_path):
    """Also in reports of versions whose record `end` has the rows only."""
    end = {"type": "end", "rows": 0, "curves": 2, "forms": 3, "failures": 0, "verdict": "pass"}
    older = [{"type": "curve", "suite": "memory", "name": name, "core": 0, "status": "ok"} for name in ("a", "b")]
    older.append({"type": "insn_end", "core": 0, "reached": 3})
    path = tmp_path / "report.jsonl"
    for records in ([end], [*older, {key: end[key] for key in end if key not in ("curves", "forms")}]):
        path.write_bytes(made_reports.report([head(), *records]))
        assert show.ending(saved.read(path)) == "verdict: PASS (2 curves, 3 forms of instructions, 0 failures)"
    path.write_bytes(made_reports.report([head(), {**end, "rows": 1, "curves": 1, "forms": 1}]))
    assert show.ending(saved.read(path)) == "verdict: PASS (1 row, 1 curve, 1 form of instructions, 0 failures)"


# --- what is wrong with it -------------------------------------------------------------------------

LINES = made_reports.report([head(), row("a", 1), row("b", 2),
                {"type": "end", "rows": 2, "failures": 0, "verdict": "pass"}]).splitlines(keepends=True)


@pytest.mark.parametrize("lines, said", [
    ([*LINES[:2], LINES[2].replace(b'"b"', b'"x"'), LINES[3]], "line 3: crc is "),
    ([LINES[0], *LINES[2:]], "line 2: record 2 comes where record 1 should be"),
    (LINES[:3], "no record `end`: the report is cut"),
    ([*LINES, LINES[2]], "line 5: record 2 (row) comes after the end record"),
    ([*LINES[:3], LINES[3].rstrip()], "line 4: does not end in CR LF as the others do"),
    ([*LINES[:2], b"\r\n", *LINES[2:]], "line 3: is not a record: b''"),
    ([LINES[0], b"Noise of a firmware\r\n", *LINES[1:]], "line 2: is not a record: b'Noise of a firmware'"),
    (LINES[1:], "line 1: record 1 comes where record 0 should be"),
])
def test_damage_is_named_and_what_is_left_is_shown(kept, lines, said):
    path = kept(b"".join(lines))
    ran = baretick("show", path)
    assert ran.returncode == 1
    assert f"{path}: {said}" in ran.stderr
    assert f"{path}: damaged in " in ran.stderr
    assert "made/a" in ran.stdout or "made/b" in ran.stdout


def test_a_run_that_failed_is_named(kept):
    ran = baretick("show", kept(whole(row("a", 1, status="wrong", why="x is 3, not 4"))))
    assert ran.returncode == 1
    assert "the run's verdict is fail" in ran.stderr
    assert "wrong: x is 3, not 4" in ran.stdout


@pytest.mark.parametrize("data", [b"", b"\r\n", b"nothing of ours\n" * 9, bytes(range(256)) * 40],
                         ids=["empty", "a line", "text", "bytes"])
def test_show_refuses_a_file_without_records(kept, data):
    ran = baretick("show", kept(data))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no record of a report in it" in ran.stderr


def test_a_missing_file_is_named(tmp_path):
    ran = baretick("show", tmp_path / "none.jsonl")
    assert (ran.returncode, ran.stderr) == (2, f"baretick: {tmp_path / 'none.jsonl'}: No such file or directory\n")


def test_files_that_can_be_read_are_shown_next_to_one_that_cannot(kept, tmp_path):
    ran = baretick("show", tmp_path / "none.jsonl", kept(whole(row("a", 1))))
    assert ran.returncode == 2
    assert "none.jsonl: No such file or directory" in ran.stderr and "made/a" in ran.stdout


NOISE = b"\x1b[2J\x1b[01;01HBdsDxe: loading Boot0001\r\n\r\nbaretick: leaving firmware\r\n"


def test_a_serial_log_with_text_between_the_records_is_read(kept):
    data = NOISE + LINES[0] + b"row   cycles/op\r\n" + b"".join(LINES[1:]) + b"verdict: PASS\r\n"
    ran = baretick("show", kept(data, "serial.log"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "made/b" in ran.stdout
    cut = baretick("show", kept(NOISE + b"".join(LINES[:3]), "serial.log"))
    assert cut.returncode == 1
    assert "no record `end`: the report is cut" in cut.stderr


def test_a_log_of_a_machine_that_was_reset_has_two_reports(kept):
    first, second = LINES[:2], whole(row("later", 3))
    ran = baretick("show", kept(NOISE + b"".join(first) + NOISE + second, "serial.log"))
    assert ran.returncode == 1
    assert "line 9: " in ran.stderr and "`end`" in ran.stderr and "2 reports" in ran.stderr and "last" in ran.stderr
    assert "made/later" in ran.stdout and "made/a" not in ran.stdout
    both = baretick("show", kept(NOISE + b"".join(LINES) + NOISE + second, "serial.log"))
    assert both.returncode == 0


def one_byte_wrong(data, dice):
    """Returns damaged bytes (one changed, removed or added), and a description."""
    at, new = dice.randrange(len(data)), dice.randrange(256)
    how = dice.choice(("change", "delete", "insert"))
    if how == "change":
        new = data[at] ^ dice.randrange(1, 256)
        return data[:at] + bytes([new]) + data[at + 1:], (how, at, new)
    if how == "delete":
        return data[:at] + data[at + 1:], (how, at)
    at = dice.randrange(len(data) + 1)
    return data[:at] + bytes([new]) + data[at:], (how, at, new)


def is_whole(data):
    found = saved.take("a report", data)
    return bool(found.records) and not found.damage


def test_every_damage_of_a_byte_is_found(run, monkeypatch):
    # Lines that are not damaged need to be read only once.
    monkeypatch.setattr(report, "parse", functools.lru_cache(256)(report.parse))
    data = run("suite=truth", "bench=add", "samples=64", "rounds=1", "hist=off", "format=jsonl").out.encode()
    assert is_whole(data), saved.take("a report", data).damage
    dice = random.Random(1)
    missed = []
    for _ in range(DAMAGES):
        wrong, done = one_byte_wrong(data, dice)
        if is_whole(wrong):
            missed.append(done)
    assert missed == []


def test_every_damage_around_the_ends_of_lines_is_found():
    data = b"".join(LINES)
    places = sorted({at + near for at in range(len(data)) if data[at] in b"\r\n" for near in (-1, 0, 1)} | {0, 1})
    for at in places:
        for cut, new in [(1, b""), *((cut, bytes([b])) for cut in (0, 1) for b in range(256))]:
            wrong = data[:at] + new + data[at + cut:]
            assert wrong == data or not is_whole(wrong), (at, cut, new)


def test_a_report_brings_no_escape_code_to_the_terminal(kept):
    evil = "\x1b[2J\x9b1m\r\nverdict: PASS\u202e"
    warning = {"type": "event", "kind": "warning", "message": evil}
    path = kept(whole(row(evil, 1, status="wrong", why=evil), run=head(version=evil), others=(warning,)))
    for words in ((), ("--format", "markdown")):
        ran = baretick("show", path, *words)
        assert set(c for c in ran.stdout if not c.isprintable()) == {"\n"} and "\nverdict: PASS" not in ran.stdout
        assert ran.stdout.count("[2J") == 4


# --- curves ----------------------------------------------------------------------------------------

def test_each_point_of_a_curve_has_a_line_and_its_levels_are_below(kept):
    path = kept(whole(row("a", 1), others=[*pictured.curves(), *pictured.forwarding()]))
    lines = baretick("show", path, "--suite", "memory").stdout.splitlines()
    assert re.split(" {2,}", lines[2]) == ["row", "at", "cycles/op", "+-99%", "ns/op", "GB/s", "note"]
    found = [re.split(" {2,}", line) for line in lines[3:]]
    assert ["memory/latency_4k", "4 KiB", "4.000", "0.800", "2.000", "-"] in found
    assert ["memory/read_16", "64 KiB", "2.000", "0.400", "1.000", "64.00", "the core was shared"] in found
    assert ["memory/alias_4k", "-8", "1.000", "0.200", "0.500", "-"] in found
    assert any("memory/latency_2m" in line[0] and "no pages of 2 MiB" in line[-1] for line in found)
    assert "memory/latency_4k, core 0: 4 cycles from 4 KiB to 32 KiB; ends at CPUID's L1 32 KiB" in lines
    assert any("memory/stride_64, core 0: not judged: most sizes" in line for line in lines)
    assert any(line[:2] == ["memory/flush_clwb", "dirty L1"] for line in found)
    assert ("memory/forward, core 0: store 8, load 4 bytes: apart from -4 to -4 (0.7), partial from -3 to -1 (18), "
            "forwarded from 0 to 4 (4.5), partial from 5 to 7 (18), apart from 8 to 8 (0.7) cycles") in lines


def test_curves_are_chosen_and_sorted_as_rows_are(kept):
    path = kept(whole(row("a", 1), others=pictured.curves()))
    points = json.loads(baretick("show", path, "--bench", "latency_4k", "--format", "json", "--sort", "cycles", "--reverse").stdout)
    assert [p["cycles"] for p in points][:3] == [220, 220, 200] and len(points) == 10
    assert points[-1]["by"] == "size" and {p["at"] for p in points} >= {4096, 8 << 20} and "place" not in points[0]
    ran = baretick("show", path, "--suite", "none")
    assert ran.returncode == 2 and "none of 1 rows and 7 curves is chosen" in ran.stderr
    mixed = baretick("show", path).stdout
    assert "made/a" in mixed and "memory/latency_4k" in mixed


# --- large reports ---------------------------------------------------------------------------------

def test_a_large_report_opens_soon(kept):
    """In CPU time, which a busy machine increases less."""
    full = row("x", 1.5, hist=[[300 + i, i] for i in range(60)], interval={"nominal": 0.99, "kappa": 0.002})
    path = kept(whole(*(dict(full, name=f"r{i}") for i in range(ROWS))))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = baretick("show", path, "--sort", "name")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ran.returncode == 0 and f"{ROWS} rows" in ran.stdout
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS
