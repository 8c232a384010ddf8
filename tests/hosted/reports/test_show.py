"""`baretick show`: the table of a saved report, and all of its damage."""

import functools
import json
import random
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


LINES = made_reports.report([head(), row("a", 1), row("b", 2),
                {"type": "end", "rows": 2, "failures": 0, "verdict": "pass"}]).splitlines(keepends=True)
NOISE = b"\x1b[2J\x1b[01;01HBdsDxe: loading Boot0001\r\n\r\nbaretick: leaving firmware\r\n"
LATER = whole(row("later", 3))
PLACED = [3.0, 3.1, 2.9, None, 3.0, 3.1, 2.9, 3.0]
INTERVALS = {
    "+-98%": [RANKS, RANKS], "by rounds": [RANKS, {**RANKS, "by": "rounds", "confidence": 0.99}],
    "+-99%": [STUDENT, {**STUDENT, "placements_cycles": PLACED}],
    "+-98 or 99%": [RANKS, {**STUDENT, "placements_cycles": PLACED}],
    "one placement": [{**STUDENT, "by": "blocks"}] * 2, "none": [{"estimator": "method", "by": "method"}] * 2,
}


def per_op(name, cycles, less=(), figures=(), **changes):
    """Returns a row whose figures lack those that begin with `less`, and have others."""
    found = row(name, cycles, **changes)
    found["per_op"] = {key: v for key, v in found["per_op"].items() if not less or not key.startswith(less)}
    found["per_op"].update(figures)
    return found


def hiding(name, cycles, **more):
    return per_op(name, cycles, figures={"gross_cycles": cycles + 1, "loop_cycles": 1, **more})


def unsure(how, **more):
    """Returns cases of a row next to one like it with an interval: it is marked, here and by `compare`."""
    report = whole(per_op("a", 3, "cycles_", **more), row("b", 3, **more))
    return {f"no interval: {how}": ({"r": report}, "show r", "compare r r")}


CASES = {
    "the table is that of the program": (
        {"r": whole(*ROWS_SHOWN, others=({"type": "event", "kind": "warning", "message": "one thing"},))},
        "show r", "show r --format csv", "show r --format json"),
    "operations per second are next to ns, by any method": (
        {"r": whole(row("a", 4, operations_per_second=1234567890), row("b", 4))}, "show r", "show r --format csv"),
    "instructions and IPC are next to the time": (
        {"r": whole(per_op("x", 3, figures={"instructions": 7, "ipc": 2.3333}))}, "show r"),
    "a cost that the loop hides is shown with the gross cost": (
        {"r": whole(hiding("near_zero", 0.02), hiding("all", -0.01, hidden="all"), hiding("part", 0.9, hidden="part"),
                    hiding("plain", 3.0))}, "show r"),
    # Older programs recorded it; newer ones leave it out.
    "a gross cost below zero is not shown": (
        {"r": whole(*(per_op(name, -1.5, figures={"loop_cycles": 1, "hidden": "maybe", **old})
                      for name, old in (("old", {"gross_cycles": -0.5}), ("new", {}))))}, "show r", "show r --format json"),
    "an interval on one side is shown by its longer one": (
        {"r": whole(per_op("x", 3, figures={"cycles_lo": 2.99, "cycles_hi": 4.0}))}, "show r"),
    # Over them if all have it; below the level of ranks each row says how its own was made.
    **{f"intervals have their level: {name}": (
        {"r": whole(*(row(n, 3, interval=interval) for n, interval in zip("ab", made)))}, "show r", "show r --format json")
       for name, made in INTERVALS.items()},
    "a figure that was not judged has a note": (
        {"r": whole(row("wide", 3, truth_vague=True), row("above", 4.2, truth_cycles=4, truth_above=True), row("b", 3))},
        "show r"),
    **unsure("blocks", interval={**STUDENT, "by": "blocks"}),
    **unsure("method", interval={"estimator": "method", "by": "method"}, method="kbest"),
    # Its stepped instructions are not a figure in place of time.
    "a row without a figure is marked": (
        {"r": whole({**row("a", 3), "per_op": {"instructions": 2}}, row("b", 3)),
         "kbest": whole({**row("a", 3), "per_op": {"instructions": 2}, "method": "kbest"})}, "show r", "show kbest"),
    "markdown has a table and a list of the rest": (
        {"r": whole(counted("x", 2), run=counting())}, "show r --format markdown"),
    "a name chooses all its arguments": (
        {"r": whole(row("e/8", 1), row("e/64", 2), row("f", 3))},
        "show r --bench e --format csv", "show r --bench e/64 --format csv", "show r --bench 8"),
    "no row chosen is an error": ({"r": whole(*ROWS_SHOWN)}, "show r --suite nothing"),
    "several files make one table": (
        {"one": whole(row("a", 1)), "two": whole(row("a", 2))}, "show one two", "show one two --format json"),
    **{f"damage is named and the rest is shown: {how}": ({"r": b"".join(lines)}, "show r") for how, lines in {
        "a byte": [*LINES[:2], LINES[2].replace(b'"b"', b'"x"'), LINES[3]], "a gap": [LINES[0], *LINES[2:]],
        "cut": LINES[:3], "after the end": [*LINES, LINES[2]], "end of line": [*LINES[:3], LINES[3].rstrip()],
        "empty line": [*LINES[:2], b"\r\n", *LINES[2:]], "noise": [LINES[0], b"Noise of a firmware\r\n", *LINES[1:]],
        "no beginning": LINES[1:]}.items()},
    "a run that failed is named": ({"r": whole(row("a", 1, status="wrong", why="x is 3, not 4"))}, "show r"),
    "a file without records is refused": (
        {"empty": b"", "line": b"\r\n", "text": b"nothing of ours\n" * 9, "bytes": bytes(range(256)) * 40},
        "show empty", "show line", "show text", "show bytes"),
    "files that can be read are shown next to one that cannot": (
        {"r": whole(row("a", 1))}, "show none.jsonl", "show none.jsonl r"),
    "a serial log with text between the records is read": (
        {"serial.log": NOISE + LINES[0] + b"row   cycles/op\r\n" + b"".join(LINES[1:]) + b"verdict: PASS\r\n",
         "cut.log": NOISE + b"".join(LINES[:3])}, "show serial.log", "show cut.log"),
    "a log of a machine that was reset has two reports": (
        {"reset.log": NOISE + b"".join(LINES[:2]) + NOISE + LATER, "both.log": NOISE + b"".join(LINES) + NOISE + LATER},
        "show reset.log", "show both.log"),
    "each point of a curve has a line and its levels are below": (
        {"r": whole(row("a", 1), others=[*pictured.curves(), *pictured.forwarding()])}, "show r --suite memory"),
    "curves are chosen and sorted as rows are": (
        {"r": whole(row("a", 1), others=pictured.curves())},
        "show r --bench latency_4k --format json --sort cycles --reverse", "show r --suite none", "show r"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_is_as_stored(said, name):
    said(CASES, name)


def test_instructions_are_the_unit_only_where_they_are_counted():
    assert figure.unit({**row("a", 3), "per_op": {"instructions": 2}}) is None
    assert figure.unit(counted("c", 2)) == "instructions"


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


def test_the_verdict_counts_what_was_measured(tmp_path):
    """Also in reports of versions whose record `end` has the rows only."""
    end = {"type": "end", "rows": 0, "curves": 2, "forms": 3, "failures": 0, "verdict": "pass"}
    older = [{"type": "curve", "suite": "memory", "name": name, "core": 0, "status": "ok"} for name in ("a", "b")]
    older.append({"type": "insn_end", "core": 0, "reached": 3})
    path = tmp_path / "report.jsonl"
    for records in ([end], [*older, {key: end[key] for key in end if key not in ("curves", "forms")}]):
        path.write_bytes(made_reports.report([head(), *records]))
        assert show.ending(saved.read(path)) == "verdict: PASS (2 curves, 3 forms of instructions, 0 failures)"
    path.write_bytes(made_reports.report([head(), row("a", 1), {**end, "rows": 1, "curves": 1, "forms": 1}]))
    assert show.ending(saved.read(path)) == "verdict: PASS (1 row, 1 curve, 1 form of instructions, 0 failures)"


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
