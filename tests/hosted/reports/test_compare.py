"""`baretick compare`: verdicts and refusals."""

import json
import signal
import subprocess

import pytest
from made_reports import CPU, OPTIONS, RANKS, ROOT, SECONDS, STUDENT, baretick, counted, counting, head, row, whole

PLACEMENTS = 16
BROKEN = {"status": "wrong", "why": "x is 3"}
MODES = [{"cycles": 1, "share": 0.5}, {"cycles": 3, "share": 0.5}]


def placed(name, value, **changes):
    """Returns a row with the figures of its placements, half of them a little lower and half higher."""
    cycles = [value + (i - 7.5) / 1000 for i in range(PLACEMENTS)]
    interval = {"estimator": "median", "by": "ranks", "placements_cycles": cycles}
    return row(name, value, interval=interval, **changes)


def steps(name, cycles, instructions, more=(), **changes):
    """Returns a row of core cycles whose instructions were counted by single-stepping. more: of its counts."""
    found = placed(name, cycles, steps={"ops": 2, "body": 9 + 2 * instructions, "body2": 11 + 4 * instructions,
                                        "empty": 9, "empty2": 11, "traps": 32, "us": 100, **dict(more)}, **changes)  # fmt: skip
    found["per_op"].update(instructions=instructions, ipc=round(instructions / cycles, 6))
    return found


def loops(free, small):
    """0.3 cycles of a pass over many elements have a percentage; 0.6 that a loop of 2 cycles may hide have no percentage."""
    rows = [placed("free", free), placed("small", small)]
    for found, loop in zip(rows, (0.01, 2)):
        found["per_op"]["loop_cycles"] = loop
    return whole(*rows)


def pair(old, new, *words):
    """Returns a case of two reports; old, new: the rows of each, or its bytes."""
    files = {name: side if isinstance(side, bytes) else whole(*side) for name, side in (("a", old), ("b", new))}
    return files, " ".join(["compare a b", *words])


def slower(before, after, *limits):
    files, command = pair([row("x", before)], [row("x", after)])
    return files, *(f"{command} --fail-if-slower {limit}" for limit in limits)


UNLIKE = {
    "cpu": {"cpu": {**CPU, "model": 106, "brand": "Another CPU"}}, "microcode": {"cpu": {**CPU, "microcode": 8}},
    "bios": {"smbios": {"bios_version": "1.3"}}, "firmware": {"firmware": {"vendor": "Made", "revision": 2}},
    "hypervisor": {"virtualised": True, "hypervisor": "KVMKVMKVM"}, "execution": {"execution": "emulated"},
    "option": {"options": {**OPTIONS, "turbo": "off"}}, "method": {"options": {**OPTIONS, "method": "kbest"}},
}
NOT_COMPARABLE = [
    ({}, {"exclusive": False}), ({"status": "unsupported", "why": "it needs AVX"}, {}), ({}, {"recipe": "cpuid"}),
    ({}, {"cycle_source": "pmc"}), ({}, {"cold": True}), ({}, {"per_op": {"ticks": 1}}),
    ({"per_op": {"ticks": 1}}, {"per_op": {"ticks": 1}}), ({"per_op": {}}, {}), ({"throttled": True}, {}),
    ({}, {"doubt": "the difference is negative"}),
]
GOOD = whole(row("x", 1))
DAMAGED = {"changed": GOOD.replace(b'"x"', b'"y"'), "cut": b"".join(GOOD.splitlines(keepends=True)[:-1]), "empty": b"",
           "twice": GOOD + GOOD}
BY_RANKS = whole(row("a", 3, interval=RANKS), row("b", 3, interval=RANKS))
FEW = whole(row("a", 3, interval=STUDENT), row("b", 3, interval=RANKS, truth_vague=True))
OTHER = whole(row("a", 3, interval=STUDENT), row("b", 3, interval=RANKS))
MEAN = whole(row("x", 3, interval={"kappa": 0.002, "placements_cycles": [3 + i / 100 for i in range(16)]}))
MEDIAN = whole(placed("x", 3.05))
ON_PURPOSE = whole(row("x", 2), run=head(smbios={"bios_version": "1.3"}, cpu={**CPU, "microcode": 8}))


def process_report():
    """Returns the report of a process that shared its core; of the firmware it sees only what SMBIOS says."""
    process = {"voluntary_switches": 0, "involuntary_switches": 3, "page_faults": 2, "migrations": 0, "steal_ms": 12}
    hosted = {**head(platform="hosted"), "system": {"name": "Linux"}}
    del hosted["firmware"]
    witness = {"type": "witness", "core": 0, "blocks": 1000, "shared_blocks": 125, "shared": 0.125}
    gaps = {"type": "gaps", "suite": "quiet", "name": "gaps", "core": 0, "watched_ticks": 4000000, "gaps": 9,
            "gap_ticks": 50000, "longest_ticks": 20000, "first": [[1000, 20000]]}
    return whole(row("x", 1.1, half=0.1, n=2048, disturbed=7, shared=0.04, process=process,
                     ticks={"min": 312, "median": 364, "p99": 910, "max": 99000}), run=hosted, others=(witness, gaps))


CASES = {
    "the table has a verdict for every row": pair(
        [row("quicker", 10), row("alike", 3), row("gone", 1), row("broken", 1)],
        [row("quicker", 9), row("alike", 3.001), row("broken", 1, **BROKEN), row("slower", 2)]),
    # Over its column; an interval that is not only by ranks, or too wide for a latency, is noted. That of several launches
    # is of 99%.
    "each side's intervals have their level": (
        {"one": BY_RANKS, "few": FEW, "other": OTHER}, "compare one few", "compare few other",
        "compare --old one few --new other", "compare --old one few --new other --format json"),
    "counted instructions are exact": pair(
        *(whole(*(counted(name, value) for name, value in zip("abcd", values)), run=counting())
          for values in ((2, 2, 3, 0), (2, 2.001, 2, 1))), "--fail-if-slower 0.1%"),
    "--fail-if-slower is beyond doubt: 5%": slower(1, 1.05, "2%", "10%"),
    "--fail-if-slower is beyond doubt: 1.9%": slower(1, 1.019, "2"),
    "--fail-if-slower is beyond doubt: 2.2%": slower(1, 1.022, "2%"),
    "--fail-if-slower is beyond doubt: faster": slower(1, 0.5, "0%"),
    # Also if it is the only row; if it failed before, nothing can be compared.
    **{f"--fail-if-slower names a row that fails now: {how}, {len(others)} others": pair(
        [*others, *([] if old is None else [row("x", 1, **old)])], [*others, row("x", 1, **new)], "--fail-if-slower 10%")
       for how, old, new in (("only now", {}, BROKEN), ("still", BROKEN, BROKEN), ("before", BROKEN, {}), ("new", None, BROKEN))
       for others in ([row("y", 1)], [])},
    **{f"a row that cost {before} costs {after}": slower(before, after, "10%")
       for before, after in ((0.001, 1), (-0.001, 1), (-0.5, -0.5), (0.001, 0.002))},
    "CSV and Markdown have the same figures": (
        {"a": whole(row("x", 1)), "b": whole(row("x", 2))}, "compare a b --format csv", "compare a b --format markdown"),
    **{f"unlike machines are refused: {what}": (
        {"one": GOOD, "other": whole(row("x", 1), run=head(**changes))}, "compare one other", "compare --old one other --new one")
       for what, changes in UNLIKE.items()},
    "options that only say how often do not matter": pair([row("x", 1)], whole(row("x", 1), run=head(
        options={**OPTIONS, "samples": 64, "seed": 2, "suite": "made", "k": 5}))),
    "a change on purpose can be allowed": (
        {"a": GOOD, "b": ON_PURPOSE}, "compare a b --across firmware", "compare a b --across firmware,microcode",
        "compare a b --across cpu"),
    **{f"a row that is not comparable has the reason: {old} {new}": pair(
        [row("x", 1, **old), row("y", 1)], [row("x", 1, **new), row("y", 1)]) for old, new in NOT_COMPARABLE},
    # Their intervals of +-5 cycles alone would show nothing.
    "rows with placements are judged by them": pair(
        *([placed(n, v * f, half=5) for n, v in (("x", 9), ("free", 0.02))] for f in (1, 1.05))),
    "near zero the change is in cycles": pair([placed("x", 0.02)], [placed("x", 1)]),
    "near zero is judged by the loop that was subtracted": pair(loops(0.3, 0.6), loops(0.33, 0.66), "--format json"),
    "another estimator is refused unless allowed": (
        {"mean": MEAN, "median": MEDIAN}, "compare mean median", "compare mean median --across estimator",
        "compare --old mean median --new median"),
    # Counts are not time.
    "instructions are next to the time": pair(
        [steps("x", 3, 7), steps("y", 2, 4), placed("z", 1)], [steps("x", 3, 8), steps("y", 2, 4), steps("z", 1, 2)],
        "--fail-if-slower 1%"),
    "instructions are in the list": pair([steps("x", 3, 7)], [steps("x", 3, 8)], "--format json"),
    "launches that count differently have no count": (
        {name: whole(steps("x", 3, n)) for name, n in (("a", 7), ("b", 8), ("c", 7))}, "compare --old a b --new c --format json"),
    # Those of shared launches too; of launches that differ only if no count of one side is one of the other.
    "instructions are compared over all launches that counted": (
        {"a": whole(steps("x", 3, 7), steps("y", 3, 7)), "b": whole(placed("x", 3), steps("y", 3, 9)),
         "c": whole(steps("x", 3, 8, exclusive=False), steps("y", 3, 8)), "d": whole(steps("x", 3, 8), steps("y", 3, 10))},
        "compare --old a b --new c d", "compare --old a b --new d", "compare a c", "compare a c --fail-if-slower 2%",
        "compare --old a b --new c d --format json"),
    # Work that the timed windows used up; a row without the number has as many as with fresh data. c is within 1% of b, and of
    # d it is not known.
    "instructions in the state that the timed windows left are compared": (
        {name: whole(steps("x", 3, 187, more=more)) for name, more in (
            ("a", {}), ("b", {"left_instructions": 2}), ("c", {"left_instructions": 2.01}), ("d", {"left_why": "too many steps"}))},
        "compare a b", "compare b a", "compare b c", "compare b d", "compare a d", "compare b b --format json"),
    "iterations of string instructions are compared": pair(
        [steps("x", 3, 7, more={"iterations": 8})], [steps("x", 3, 7, more={"iterations": 16})]),
    "a row with several modes is marked": pair(
        [row("x", 2, modes=MODES), row("y", 2, modes=MODES[:1])], [row("x", 2), row("y", 2)]),
    "the status is an error if no row is comparable": pair([row("x", 1, exclusive=False)], [row("x", 1)], "--fail-if-slower 2%"),
    "damaged reports are refused": (
        {"good": GOOD, **DAMAGED}, *(f"compare {words} --fail-if-slower 2%" for name in DAMAGED
                                     for words in (f"good {name}", f"{name} good"))),
    "cores are compared with themselves": pair([row("x", 1), row("x", 2, core=1)], [row("x", 1), row("x", 3, core=1)]),
    "a process against a bare machine is named as such": (
        {"process": process_report(), "bare": whole(row("x", 1, n=2048, disturbed=0)),
         "other": whole(row("x", 1), run=head(smbios={"bios_version": "1.3"}))},
        "compare process bare", "compare process other", "compare --old process bare --new bare"),
}


@pytest.mark.parametrize("why", [
    {"exclusive": False}, {"throttled": True}, {"doubt": "the difference is negative"}, {"recipe": "cpuid"}, {"cold": True},
    {"cycle_source": "pmc"}, {"form": "loop"}, BROKEN, {"judged": False}])  # fmt: skip
@pytest.mark.parametrize("side", range(3))
def test_exact_counts_are_compared_whatever_is_said_of_the_time(tmp_path, why, side):
    """side: the row is not comparable because of the old report, of the new one, or of both, alike."""
    for name, count in (("old", 146), ("new", 174)):
        is_why = side == 2 or (name == "new") == side
        (tmp_path / name).write_bytes(whole(steps("x", 47, count, **(why if is_why else {})), steps("y", 47, 9)))
    ran = baretick("compare", tmp_path / "old", tmp_path / "new", "--format", "json")
    found = {one["name"]: one for one in json.loads(ran.stdout)}
    assert [found["x"][key] for key in ("old_instructions", "new_instructions", "count_verdict")] == [146, 174, "more"]
    assert found["y"]["count_verdict"] == "same" and ran.returncode == 0
    ran = baretick("compare", tmp_path / "old", tmp_path / "new")
    assert "146 -> 174 more" in ran.stdout and "instructions an operation: more in 1" in ran.stdout


@pytest.mark.parametrize("name", CASES)
def test_what_compare_says_is_as_stored(said, name):
    said(CASES, name)


def test_a_pipe_that_is_closed_hides_no_verdict(tmp_path):
    """`compare ... | head -1` in a shell with pipefail: output that was not completely written is not a success."""
    path = tmp_path / "r.jsonl"
    path.write_bytes(whole(*(row(f"r{i}", 1) for i in range(2000))))
    for words in (["compare", path, path], ["show", path]):
        p = subprocess.Popen([ROOT / "scripts/baretick", *map(str, words)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        p.stdout.readline()
        p.stdout.close()
        assert (p.stderr.read(), p.wait(SECONDS)) == (b"", 128 + signal.SIGPIPE)
        p.stderr.close()


@pytest.mark.parametrize("words", [(), ("a",), ("a", "b", "c"), ("--old", "a"), ("a", "b", "--old", "c", "--new", "d"),
                                   ("a", "b", "--fail-if-slower", "soon")])
def test_compare_refuses_wrong_words(words):
    assert baretick("compare", *words).returncode == 2
