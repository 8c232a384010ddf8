"""`baretick gate`: any change of counted instructions of a baseline's row fails, and nothing else does."""

import stat

import made_reports
import pytest
from made_reports import OPTIONS, baretick, counted, counting, head, row, whole

ROWS = (counted("a", 2), counted("b", 3.5), counted("c", 0), counted("a", 2, suite="other", core=1))
INEXACT = {"min": 128 * 2005, "median": 128 * 2005, "p99": 128 * 2006, "max": 128 * 2006}
GOOD = whole(*ROWS, run=counting())
LINES = GOOD.splitlines(keepends=True)
BELL = {"options": {**OPTIONS, "bell": "off"}}
BROKEN = counted("e", 1, status="wrong", why="x is 3")


def stepped(name, instructions, **changes):
    """Returns a row of a CPU's report, whose instructions were counted by single-stepping; None: they could not be
    counted."""
    found = row(name, 3, steps={"why": "SYSCALL clears the trap flag"} if instructions is None else {"ops": 2}, **changes)
    if instructions is not None:
        found["per_op"].update(instructions=instructions, ipc=round(instructions / 3, 6))
    return found


ON_SILICON = (stepped("a", 2), stepped("b", 3.5), stepped("c", 0), stepped("a", 2, suite="other", core=1))
UNCOUNTED = (stepped("a", None), *ON_SILICON[1:])
# Windows include each iteration of a string instruction, and the call of a body that is not doubled.
REP = {"ops": 2, "body": 19, "body2": 25, "empty": 10, "empty2": 12, "iterations": 8, "traps": 80, "us": 1}


def of(*rows, **changes):
    return whole(*rows, run=counting(**changes))


def cpus(*rows, **changes):
    return whole(*rows, run=head(**changes))


def gated(*commands, **files):
    """Returns a case whose baseline, base.json, has ROWS."""
    return {"r": GOOD, **files}, "gate base.json r --update", *commands


OTHERS = {
    "silicon": whole(row("a", 1)), "emulated": whole(row("a", 1), run=head(execution="emulated")),
    "recipe": of(*ROWS, recipe="cpuid"), "caches": of(*ROWS, options={**OPTIONS, "caches": "clear"}),
    "method": of(*ROWS, options={**OPTIONS, "method": "adaptive"}), "no_row": of(), "twice": of(ROWS[0], *ROWS),
    "no_ticks": whole(*ROWS, run={k: v for k, v in counting().items() if k != "ticks_per_instruction"}),
    "changed": GOOD.replace(b'"b"', b'"x"'), "cut": b"".join(LINES[:-1]), "no_run": b"".join(LINES[1:]),
}

CASES = {
    "a baseline is small, sorted and readable": gated("cat base.json"),
    "a series is in the order of its numbers": (
        {"r": of(*(counted(f"n_{n}", 2) for n in (10, 1, 2))), "moved": of(*(counted(f"n_{n}", 3) for n in (10, 1, 2)))},
        "gate base.json r --update", "cat base.json", "gate base.json moved"),
    "the same counts pass in any order": gated("gate base.json other", other=of(*ROWS[::-1])),
    "rows that moved, are new, gone, failed or inexact are named": gated("gate base.json other", other=of(
        counted("b", 3.501, window=3506), counted("c", 1), counted("d", 1),
        counted("a", 2, suite="other", core=1, ticks=INEXACT), BROKEN)),
    "a new row passes and the command that adds it is printed": gated(
        "gate base.json other", "gate base.json other --update", "cat base.json", "gate base.json other",
        other=of(*ROWS, counted("d", 1))),
    "a gate that holds no row does not pass": gated("gate base.json other --bench d", other=of(counted("d", 1))),
    "an option that came after the baseline is named and does not fail": gated(
        "gate base.json bell", "gate base.json moved", "gate base.json bell --update", "gate base.json end",
        bell=of(*ROWS, **BELL), moved=of(counted("a", 1), *ROWS[1:], **BELL),
        end=of(*ROWS, options={**OPTIONS, "bell": "end"})),
    "one instruction less fails too": gated("gate base.json other", other=of(counted("a", 1), *ROWS[1:])),
    "a window that costs more around the same operations fails": gated(
        "gate base.json other", "gate new.json r --instructions --update", "cat new.json", "gate new.json other --instructions",
        "gate new.json cpu", "gate new.json inexact --instructions", other=of(counted("a", 2, window=2006), *ROWS[1:]),
        cpu=cpus(*ON_SILICON), inexact=of(counted("a", 2, ticks=INEXACT), *ROWS[1:])),
    "a row that this CPU lacks is gone with its reason": gated("gate base.json other", other=of(
        {"type": "row", "suite": "made", "name": "a", "core": 0, "ops": 1000, "status": "unsupported", "why": "it needs AVX"},
        *ROWS[1:])),
    "update makes the changed rows the baseline": gated(
        "gate base.json other --update", "cat base.json", "gate base.json other", "gate base.json r",
        other=of(counted("a", 4), *ROWS[1:3])),
    "update of some rows leaves the others": gated(
        "gate base.json b --bench b --update", "cat base.json", "gate base.json b --bench b", "gate base.json b",
        "gate base.json cpu --bench b --update", "cat base.json", "gate base.json all", b=of(counted("b", 5)),
        cpu=cpus(stepped("b", 6)), all=of(ROWS[0], counted("b", 6), *ROWS[2:])),
    "nothing that failed is accepted": gated("gate base.json other --update", "cat base.json", other=of(*ROWS, BROKEN)),
    "a run that failed outside its rows fails": gated("gate base.json other", other=made_reports.report(
        [counting(), *ROWS, {"type": "event", "kind": "fault", "message": "core 1"},
         {"type": "end", "rows": 4, "failures": 1, "verdict": "fail"}])),
    **{f"another report is refused: {how}": gated(f"gate base.json {how}", f"gate base.json {how} --update", "cat base.json",
                                                  **{how: data}) for how, data in OTHERS.items()},
    "a report of another compiler is refused with both names": gated(
        "gate base.json other", "gate base.json other --bench b --update", "cat base.json", "gate base.json other --update",
        "cat base.json", "gate older.json r", other=of(*ROWS, compiler="gcc 14.2.0"),
        **{"older.json": b'{"baretick_gate": 1, "words": {}, "rows": {"made/a@0": {"instructions": 2}}}'}),
    "rows of objects do not depend on the program's compiler": (
        {name: of(*({**row, "object": "mine.o"} for row in ROWS), compiler=name) for name in ("gcc12", "gcc14")},
        "gate base.json gcc12 --update", "cat base.json", "gate base.json gcc14"),
    # An emulator counts the same, and no recipe changes an operation.
    "a report of a CPU makes a baseline": (
        {"cpu": cpus(*ON_SILICON), "moved": cpus(stepped("a", 3), *ON_SILICON[1:]), "r": GOOD,
         "cpuid": cpus(*ON_SILICON, recipe="cpuid")}, "gate base.json cpu --update", "cat base.json", "gate base.json cpu",
        "gate base.json moved", "gate base.json r", "gate base.json cpuid"),
    "a CPU is held to an emulator's baseline": gated(
        "gate base.json cpu", "gate base.json moved", cpu=cpus(*ON_SILICON),
        moved=cpus(*ON_SILICON[:1], stepped("b", 4), *ON_SILICON[2:])),
    "a stepped count is compared with an emulator's windows": (
        {"r": of(counted("rep", 9.125, steps=REP)), "cpu": cpus({**stepped("rep", 2), "stepped": REP}), "once": of(counted(
            "rep", 2.5, steps={"ops": 10, "body": 35, "empty": 10, "traps": 50, "us": 1}))},
        "gate base.json r --update", "cat base.json", "gate base.json cpu", "gate base.json once --instructions"),
    # windows.json: a window alone says nothing of a CPU. An emulator can count the row, so there it is no longer exact.
    "a row that a CPU cannot count is named": gated(
        "gate base.json cpu", "gate windows.json both", "gate windows.json broken", "gate base.json inexact --instructions",
        "gate base.json counted --update", "gate base.json cpu", cpu=cpus(*UNCOUNTED), counted=cpus(*ON_SILICON),
        both=cpus(UNCOUNTED[0], stepped("b", None), *UNCOUNTED[2:]), inexact=of(counted("a", 2, ticks=INEXACT), *ROWS[1:]),
        broken=cpus(ON_SILICON[0], counted("b", 1, status="wrong", why="x is 3"), *ON_SILICON[2:]),
        **{"windows.json": b'{"baretick_gate": 1, "words": {}, "rows": {"made/a@0": {"instructions": 2, "window": 2005}, '
                           b'"made/b@0": {"window": 3505}, "made/c@0": {"instructions": 0}, "other/a@1": {"instructions": 2}}}'}),
    # The third is within 1%: windows of another length.
    "instructions in the state that timed windows left are gated": (
        {"none": cpus(stepped("a", 187)), **{f"{left}": cpus({**stepped("a", 187), "steps": {"ops": 2, "left_instructions": left}})
                                             for left in (2, 2.01, 3)}},
        "gate base.json none --update", "gate base.json 2", "gate base.json 2 --update", "cat base.json", "gate base.json 2.01",
        "gate base.json 3", "gate base.json none"),
    "a row that a merge left twice is named": ({"r": GOOD, "base.json": b"""{"baretick_gate": 1, "words": {}, "rows": {
        "made/a@0": {"instructions": 2}, "made/a@0": {"instructions": 3}}}"""}, "gate base.json r"),
    "a missing baseline is named": ({"r": GOOD}, "gate base.json r"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_the_gate_says_is_as_stored(said, name):
    said(CASES, name)


@pytest.fixture
def gate(tmp_path):
    """gate(rows, words...): the gate over a report of these rows; its baseline is gate.baseline."""

    def hold(rows, *words):
        path = tmp_path / "report.jsonl"
        path.write_bytes(of(*rows))
        return baretick("gate", tmp_path / "base.json", path, *words)

    hold.baseline = tmp_path / "base.json"
    return hold


def test_a_baseline_is_a_file_that_all_can_read(gate):
    assert gate(ROWS, "--update").returncode == 0
    assert stat.S_IMODE(gate.baseline.stat().st_mode) == 0o644
    assert [p.name for p in gate.baseline.parent.iterdir() if p.name.startswith("tmp")] == []


BASELINE = '{"baretick_gate": 1, "words": {}, "rows": {"made/a@0": {%s}}}'


def test_a_baseline_that_cannot_be_written_is_refused(gate, tmp_path):
    report = tmp_path / "report.jsonl"
    report.write_bytes(whole(*ROWS, run=counting()))
    for path, said in ((tmp_path / "nowhere/base.json", "cannot be written: No such file or directory"),
                       (tmp_path, "Is a directory"), ("/proc/self/base.json", "cannot be written: "),
                       ("/dev/null", "is not a baseline")):
        ran = baretick("gate", path, report, "--update")
        assert ran.returncode == 2 and f"{path}" in ran.stderr and said in ran.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["report.jsonl"]


def test_an_output_that_is_a_link_stays_a_link_and_a_file_keeps_its_permissions(gate, tmp_path):
    assert gate(ROWS, "--update").returncode == 0
    (tmp_path / "kept").mkdir()
    kept = gate.baseline.rename(tmp_path / "kept/base.json")
    gate.baseline.symlink_to(kept)
    kept.chmod(0o664)
    assert gate(ROWS[1:], "--update").returncode == 0
    assert gate.baseline.is_symlink() and "made/a@0" not in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o664


def test_gate_refuses_an_invalid_baseline(gate):
    for text in ("", "{", "[]", "{}", '{"baretick_gate": 2}', '{"baretick_gate": 1, "words": {}, "rows": {"a": 1}}',
                 '{"baretick_gate": 1, "words": {}, "rows": {"a": {}}}', '{"baretick_gate": 1, "compiler": 12, "words": {}, "rows": {}}',
                 '{"baretick_gate": 1, "words": {}, "rows": []}',
                 *(BASELINE % counts for counts in ("", '"window": "5"', '"window": NaN', '"window": 1e999',
                                                    '"window": 5, "other": 1', '"window": 5, "window": 6'))):
        gate.baseline.write_text(text)
        for words in ((), ("--update",)):
            ran = gate(ROWS, *words)
            assert ran.returncode == 2 and "is not a baseline" in ran.stderr, text
        assert gate.baseline.read_text() == text
