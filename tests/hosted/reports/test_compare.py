"""`baretick compare`: verdicts, refusals, and how often verdicts are right where the truth is known."""
import json
import re
import signal
import subprocess

import pytest
from made_reports import CPU, OPTIONS, RANKS, ROOT, SECONDS, STUDENT, baretick, counted, counting, head, row, whole

ROUNDS, PLACEMENTS = 4, 16


@pytest.fixture
def kept(tmp_path):
    """kept(report): a file that contains it."""
    count = iter(range(1000))

    def keep(data):
        path = tmp_path / f"{next(count)}.jsonl"
        path.write_bytes(data)
        return path

    return keep


def lines(*words, status=0):
    ran = baretick("compare", *words, "--format", "json")
    assert ran.returncode == status, ran.stderr
    return {r["name"]: r for r in json.loads(ran.stdout)}


# --- the table -------------------------------------------------------------------------------------

def test_the_table_has_a_verdict_for_every_row(kept):
    old = kept(whole(row("quicker", 10), row("alike", 3), row("gone", 1), row("broken", 1)))
    new = kept(whole(row("quicker", 9), row("alike", 3.001), row("broken", 1, status="wrong", why="x is 3"),
                     row("slower", 2)))
    ran = baretick("compare", old, new)
    assert (ran.returncode, ran.stderr) == (0, "")
    sides, table, rest = ran.stdout.split("\n\n")
    for side, (name, path) in zip(sides.splitlines(), (("old", old), ("new", new))):
        assert side.startswith(f"{name}: {path} ") and "0123456789ab" in side and "gcc 12.2.0" in side, side
    assert "fail" in sides.splitlines()[1]
    heading, *rows = [re.split(" {2,}", line) for line in table.splitlines()]
    assert heading == ["row", "unit", "old", "+-", "new", "+-", "change", "from", "to", "verdict", "note"]
    quicker, alike, gone, broken, slower = rows
    assert quicker == ["made/quicker", "cycles", "10.000", "0.010", "9.000", "0.010", "-10.00%", "-10.10%", "-9.90%", "faster"]
    assert alike == ["made/alike", "cycles", "3.000", "0.010", "3.001", "0.010", "+0.03%", "-0.30%", "+0.37%", "same"]
    assert gone[:-1] == ["made/gone", *"-" * 8, "not comparable"] and "old" in gone[-1]
    assert broken[:-1] == ["made/broken", "cycles", "1.000", "0.010", *"-" * 5, "FAILED"] and "x is 3" in broken[-1]
    assert slower[:-1] == ["made/slower", *"-" * 8, "not comparable"] and "new" in slower[-1]
    assert all(count in rest for count in ("5 rows", "1 FAILED", "1 faster", "1 same", "2 not comparable")), rest
    assert "99%" in rest and "2 rows" in rest, rest


def test_intervals_have_their_level(kept):
    """Each side's level is over its column; an interval that is not only by ranks, or too wide for a latency, is noted.
    compare computes the interval of several launches, and its level is 99%."""
    one = kept(whole(row("a", 3, interval=RANKS), row("b", 3, interval=RANKS)))
    few = kept(whole(row("a", 3, interval=STUDENT), row("b", 3, interval=RANKS, truth_vague=True)))
    heading, a, b = baretick("compare", one, few).stdout.splitlines()[3:6]
    assert [t for t in re.split(" {2,}", heading) if t.startswith("+-")] == ["+-98%", "+-98 or 99%"]
    assert "new: " in a and "Student's t of 99%" in a and "16 placements" in a, a
    assert "new: " in b and "too wide" in b, b
    other = kept(whole(row("a", 3, interval=STUDENT), row("b", 3, interval=RANKS)))
    both = baretick("compare", few, other).stdout.splitlines()[4]
    assert both.count("Student's t") == 1 and "old: " not in both and "new: " not in both
    heading, a, _ = baretick("compare", "--old", one, few, "--new", other).stdout.splitlines()[3:6]
    assert [t for t in re.split(" {2,}", heading) if t.startswith("+-")] == ["+-99%", "+-98 or 99%"]
    found = lines("--old", one, few, "--new", other)
    assert [(found[n]["old_percent"], found[n]["new_percent"]) for n in "ab"] == [(99, 99), (99, 98)]


def test_counted_instructions_are_exact(kept):
    old = kept(whole(counted("a", 2), counted("b", 2), counted("c", 3), counted("d", 0), run=counting()))
    new = kept(whole(counted("a", 2), counted("b", 2.001), counted("c", 2), counted("d", 1), run=counting()))
    found = lines(old, new)
    assert {name: r["verdict"] for name, r in found.items()} == {"a": "same", "b": "more", "c": "fewer", "d": "more"}
    assert found["b"]["ratio"] == found["b"]["ratio_lo"] == found["b"]["ratio_hi"] == pytest.approx(1.0005)
    assert "ratio" not in found["d"]
    ran = baretick("compare", old, new, "--fail-if-slower", "0.1%")
    assert ran.returncode == 1
    assert re.search(r"made/d on core 0 .*0\.000 -> 1\.000", ran.stderr) and "made/b" not in ran.stderr


@pytest.mark.parametrize("cycles, limit, status", [(1.05, "2%", 1), (1.05, "10%", 0), (1.019, "2", 0), (0.5, "0%", 0),
                                                   (1.022, "2%", 0)])
def test_fail_if_slower_beyond_doubt(kept, cycles, limit, status):
    old, new = kept(whole(row("x", 1))), kept(whole(row("x", cycles)))
    ran = baretick("compare", old, new, "--fail-if-slower", limit)
    assert ran.returncode == status
    assert bool(re.search(r"made/x on core 0 .*\b5\.0%.* 2%", ran.stderr)) == bool(status)


BROKEN = {"status": "wrong", "why": "x is 3"}


@pytest.mark.parametrize("old, new, status", [({}, BROKEN, 1), (BROKEN, BROKEN, 0), (BROKEN, {}, 0), (None, BROKEN, 1)])
@pytest.mark.parametrize("others", [[row("y", 1)], []])
def test_fail_if_slower_names_a_row_that_fails_now(kept, old, new, status, others):
    """Also if it is the only row; if it failed before, nothing can be compared."""
    sides = [kept(whole(*others, *([] if how is None else [row("x", 1, **how)]))) for how in (old, new)]
    ran = baretick("compare", *sides, "--fail-if-slower", "10%")
    assert ran.returncode == (status if others or status else 2), ran
    assert bool(re.search("made/x on core 0 fails.*: wrong: x is 3", ran.stderr)) == bool(status), ran


@pytest.mark.parametrize("before, after, status", [(0.001, 1, 1), (-0.001, 1, 1), (-0.5, -0.5, 0), (0.001, 0.002, 0)])
def test_a_row_that_cost_nothing_and_now_does_is_slower(kept, before, after, status):
    ran = baretick("compare", kept(whole(row("x", before))), kept(whole(row("x", after))), "--fail-if-slower", "10%")
    assert ran.returncode == status
    assert (f"({before:.3f} -> {after:.3f})" in ran.stderr and "10%" in ran.stderr) == bool(status)


def test_a_pipe_that_is_closed_hides_no_verdict(kept):
    """`compare ... | head -1` in a shell with pipefail: output that was not completely written is not a success."""
    path = kept(whole(*(row(f"r{i}", 1) for i in range(2000))))
    for words in (["compare", path, path], ["show", path]):
        p = subprocess.Popen([ROOT / "scripts/baretick", *map(str, words)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        p.stdout.readline()
        p.stdout.close()
        assert (p.stderr.read(), p.wait(SECONDS)) == (b"", 128 + signal.SIGPIPE)
        p.stderr.close()


def test_csv_and_markdown_have_the_same_figures(kept):
    old, new = kept(whole(row("x", 1))), kept(whole(row("x", 2)))
    as_csv = baretick("compare", old, new, "--format", "csv").stdout.splitlines()
    assert as_csv[0].startswith("row,core,unit,old,old_half,new,new_half,shift,shift_lo,shift_hi,ratio,ratio_lo,ratio_hi,by,")
    assert as_csv[1].startswith("made/x,0,cycles,1,0.01,2,0.01,1,") and as_csv[1].endswith(",slower,")
    assert "| made/x | cycles | 1.000 | 0.010 | 2.000 | 0.010 | +100.00% |" in baretick(
        "compare", old, new, "--format", "markdown").stdout


# --- what is not comparable ------------------------------------------------------------------------

@pytest.mark.parametrize("changes, said", [
    ({"cpu": {**CPU, "model": 106, "brand": "Another CPU"}},
     "another CPU: Made CPU family 6 model 143 stepping 8 against Another CPU family 6 model 106 stepping 8"),
    ({"cpu": {**CPU, "microcode": 8}}, "another microcode: 7 against 8 (--across microcode compares them"),
    ({"smbios": {"bios_version": "1.3"}}, "another BIOS: 1.2 against 1.3"),
    ({"firmware": {"vendor": "Made", "revision": 2}}, "another firmware: Made 1 against Made 2"),
    ({"virtualised": True, "hypervisor": "KVMKVMKVM"}, "another hypervisor: none against KVMKVMKVM"),
    ({"execution": "emulated"}, "another execution: silicon against emulated"),
    ({"options": {**OPTIONS, "turbo": "off"}}, "another option turbo= keep against off"),
    ({"options": {**OPTIONS, "method": "kbest"}}, "another option method= doubled against kbest"),
])
def test_unlike_machines_are_refused(kept, changes, said):
    one, other = kept(whole(row("x", 1))), kept(whole(row("x", 1), run=head(**changes)))
    ran = baretick("compare", one, other)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "old and new are not comparable: " in ran.stderr and said in ran.stderr
    pool = baretick("compare", "--old", one, other, "--new", one)
    assert (pool.returncode, pool.stdout) == (2, "")
    assert f"{other} is not pooled with {one}: " in pool.stderr


def test_options_that_only_say_how_often_do_not_matter(kept):
    options = {**OPTIONS, "samples": 64, "seed": 2, "suite": "made", "k": 5}
    assert lines(kept(whole(row("x", 1))), kept(whole(row("x", 1), run=head(options=options))))["x"]["verdict"] == "same"


def test_a_change_on_purpose_can_be_allowed(kept):
    old = kept(whole(row("x", 1)))
    new = kept(whole(row("x", 2), run=head(smbios={"bios_version": "1.3"}, cpu={**CPU, "microcode": 8})))
    assert baretick("compare", old, new, "--across", "firmware").returncode == 2
    ran = baretick("compare", old, new, "--across", "firmware,microcode")
    assert ran.returncode == 0
    assert "microcode: 7 against 8" in ran.stdout
    assert baretick("compare", old, new, "--across", "cpu").returncode == 2


@pytest.mark.parametrize("old, new, why", [
    ({}, {"exclusive": False}, "new: a shared core"),
    ({"status": "unsupported", "why": "it needs AVX"}, {}, "old: unsupported: it needs AVX"),
    ({}, {"recipe": "cpuid"}, "another recipe: lfence against cpuid"),
    ({}, {"cycle_source": "pmc"}, "another source of core cycles: ruler against pmc"),
    ({}, {"cold": True}, "another state of caches: False against True"),
    ({}, {"per_op": {"ticks": 1}}, "another unit: cycles against ticks"),
    ({"per_op": {"ticks": 1}}, {"per_op": {"ticks": 1}}, "no interval: give several launches of each side"),
    ({"per_op": {}}, {}, "old: it has no figure of an operation"),
    ({"throttled": True}, {}, "old: the core was throttled"),
    ({}, {"doubt": "the difference is negative"}, "new: the difference is negative"),
])
def test_a_row_that_is_not_comparable_has_the_reason(kept, old, new, why):
    found = lines(kept(whole(row("x", 1, **old), row("y", 1))), kept(whole(row("x", 1, **new), row("y", 1))))
    assert (found["x"]["verdict"], found["x"]["why"]) == ("not comparable", why)
    assert found["y"]["verdict"] == "same"


def placed(name, value, **changes):
    """Returns a row with the figures of its placements, half of them a little lower and half higher."""
    cycles = [value + (i - 7.5) / 1000 for i in range(PLACEMENTS)]
    interval = {"estimator": "median", "by": "ranks", "placements_cycles": cycles}
    return row(name, value, interval=interval, **changes)


def test_rows_with_placements_are_judged_by_them(kept):
    """Their intervals of +-5 cycles alone would show nothing."""
    old, new = (kept(whole(*(placed(n, v * f, half=5) for n, v in (("x", 9), ("free", 0.02)))))
                for f in (1, 1.05))
    found = lines(old, new)
    assert (found["x"]["verdict"], found["x"]["by"]) == ("slower", "placements")
    assert found["x"]["ratio"] == pytest.approx(1.05, abs=1e-3)
    assert found["x"]["shift_lo"] < 0.45 < found["x"]["shift_hi"]
    assert found["free"]["verdict"] == "same" and "ratio" not in found["free"]
    said = baretick("compare", old, new).stdout
    assert "Rows judged by their placements' figures: 2." in said and "by their figures and intervals" not in said


def test_near_zero_the_change_is_in_cycles(kept):
    ran = baretick("compare", kept(whole(placed("x", 0.02))), kept(whole(placed("x", 1))))
    words = next(text for text in ran.stdout.splitlines() if text.startswith("made/x")).split()
    assert words[6:8] == ["+0.980", "cycles"] and words[-1] == "slower" and "%" not in " ".join(words)


def test_near_zero_is_judged_by_the_loop_that_was_subtracted(kept):
    """0.3 cycles of a pass over many elements have a percentage; 0.6 that a loop of 2 cycles may hide have no percentage."""
    def of(free, small):
        rows = [placed("free", free), placed("small", small)]
        for found, loop in zip(rows, (0.01, 2)):
            found["per_op"]["loop_cycles"] = loop
        return kept(whole(*rows))

    found = lines(of(0.3, 0.6), of(0.33, 0.66))
    assert found["free"]["ratio"] == pytest.approx(1.1, abs=0.01)
    assert "ratio" not in found["small"] and found["small"]["shift"] == pytest.approx(0.06, abs=0.01)


def test_another_estimator_is_refused_unless_allowed(kept):
    mean = kept(whole(row("x", 3, interval={"kappa": 0.002, "placements_cycles": [3 + i / 100 for i in range(16)]})))
    median = kept(whole(placed("x", 3.05)))
    ran = baretick("compare", mean, median)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "mean against median" in ran.stderr and "--across estimator" in ran.stderr
    assert lines(mean, median, "--across", "estimator")["x"]["by"] == "placements"
    pool = baretick("compare", "--old", mean, median, "--new", median)
    assert pool.returncode == 2 and "is not pooled with" in pool.stderr


def steps(name, cycles, instructions, **changes):
    """Returns a row of core cycles whose instructions were counted by single-stepping."""
    found = placed(name, cycles, steps={"ops": 2, "body": 9 + 2 * instructions, "body2": 11 + 4 * instructions,
                                        "empty": 9, "empty2": 11, "traps": 32, "us": 100}, **changes)  # fmt: skip
    found["per_op"].update(instructions=instructions, ipc=round(instructions / cycles, 6))
    return found


def test_instructions_are_next_to_the_time(kept):
    old = kept(whole(steps("x", 3, 7), steps("y", 2, 4), placed("z", 1)))
    new = kept(whole(steps("x", 3, 8), steps("y", 2, 4), steps("z", 1, 2)))
    found = lines(old, new)
    assert [(r["unit"], r["verdict"], r.get("count_verdict")) for r in found.values()] == [
        ("cycles", "same", "more"), ("cycles", "same", "same"), ("cycles", "same", None)]
    assert (found["x"]["old_instructions"], found["x"]["new_instructions"]) == (7, 8)
    assert found["x"]["new_ipc"] == pytest.approx(8 / 3, rel=1e-5)
    said = baretick("compare", old, new).stdout
    assert "7 -> 8 more  2.33 -> 2.67" in said and "; instructions an operation: more in 1" in said
    assert baretick("compare", old, new, "--fail-if-slower", "1%").returncode == 0  # counts are not time


def test_launches_that_count_differently_have_no_count(kept):
    a, b = (kept(whole(steps("x", 3, n))) for n in (7, 8))
    c = kept(whole(steps("x", 3, 7)))
    found = lines("--old", a, b, "--new", c)["x"]
    assert "old_instructions" not in found and "count_verdict" not in found and found["new_instructions"] == 7


def test_a_row_with_several_modes_is_marked(kept):
    modes = [{"cycles": 1, "share": 0.5}, {"cycles": 3, "share": 0.5}]
    old = kept(whole(row("x", 2, modes=modes), row("y", 2, modes=modes[:1])))
    found = lines(old, kept(whole(row("x", 2), row("y", 2))))
    assert [(r["verdict"], r["why"]) for r in found.values()] == [
        ("same", "several modes"), ("same", "")]


def test_the_status_is_an_error_if_no_row_is_comparable(kept):
    ran = baretick("compare", kept(whole(row("x", 1, exclusive=False))), kept(whole(row("x", 1))), "--fail-if-slower", "2%")
    assert ran.returncode == 2
    assert "no row" in ran.stderr


def test_damaged_reports_are_refused(kept):
    good = whole(row("x", 1))
    for bad in (good.replace(b'"x"', b'"y"'), b"".join(good.splitlines(keepends=True)[:-1]), b"", good + good):
        for pair in ((kept(good), kept(bad)), (kept(bad), kept(good))):
            ran = baretick("compare", *pair, "--fail-if-slower", "2%")
            assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.parametrize("words", [(), ("a",), ("a", "b", "c"), ("--old", "a"), ("a", "b", "--old", "c", "--new", "d"),
                                   ("a", "b", "--fail-if-slower", "soon")])
def test_compare_refuses_wrong_words(words):
    assert baretick("compare", *words).returncode == 2


def test_cores_are_compared_with_themselves(kept):
    old = kept(whole(row("x", 1), row("x", 2, core=1)))
    new = kept(whole(row("x", 1), row("x", 3, core=1)))
    ran = baretick("compare", old, new)
    assert [x.split()[-1] for x in ran.stdout.splitlines() if x.startswith("made/x")] == ["same", "slower"]


# --- a process against a bare machine --------------------------------------------------------------

def test_a_process_against_a_bare_machine_is_named_as_such(kept):
    process = {"voluntary_switches": 0, "involuntary_switches": 3, "page_faults": 2, "migrations": 0, "steal_ms": 12}
    hosted = {**head(platform="hosted"), "system": {"name": "Linux"}}
    del hosted["firmware"]  # of these a process sees only what SMBIOS says
    witness = {"type": "witness", "core": 0, "blocks": 1000, "shared_blocks": 125, "shared": 0.125}
    gaps = {"type": "gaps", "suite": "quiet", "name": "gaps", "core": 0, "watched_ticks": 4000000, "gaps": 9,
            "gap_ticks": 50000, "longest_ticks": 20000, "first": [[1000, 20000]]}
    old = kept(whole(row("x", 1.1, half=0.1, n=2048, disturbed=7, shared=0.04, process=process,
                         ticks={"min": 312, "median": 364, "p99": 910, "max": 99000}),
                     run=hosted, others=(witness, gaps)))
    new = kept(whole(row("x", 1, n=2048, disturbed=0)))
    ran = baretick("compare", old, new)
    assert (ran.returncode, ran.stderr) == (0, "")
    shown = ran.stdout.splitlines()
    assert shown[0].startswith(f"hosted: {old} (") and shown[0].endswith("hosted: under an operating system)")
    assert shown[1].startswith(f"bare: {new} (") and shown[1].endswith("bare machine)")
    assert shown[3].split() == ["row", "unit", "hosted", "+-", "bare", "+-", "change", "from", "to", "verdict"]
    at = next(i for i, text in enumerate(shown) if "hosted median" in text)
    assert shown[at].split() == ["row", *(w for what in ("median", "p99", "max", "shared")
                                          for w in ("hosted", what, "bare", what))]
    assert shown[at + 1].split() == ["made/x", "364", "338", "910", "364", "99000", "12324", "4.0%", "0.0%"]
    (lost,) = [text for text in shown if text.startswith("hosted: ") and "windows disturbed" in text]
    assert all(words in lost for words in ("core 0 was shared 12.5%", "9 gaps", "1.250%", "20000 ticks", "3 times",
                                           "2 page faults", "0 moves", "12 ms", "7 of 2048 windows")), lost
    assert "bare: 0 of 2048 windows disturbed" in shown
    other = kept(whole(row("x", 1), run=head(smbios={"bios_version": "1.3"})))
    assert "another BIOS: 1.2 against 1.3" in baretick("compare", old, other).stderr
    mixed = baretick("compare", "--old", old, new, "--new", new)
    assert mixed.returncode == 2 and "another platform: hosted against uefi" in mixed.stderr
