"""`baretick gate`: any change of counted instructions of a baseline's row fails, and nothing else does."""

import json
import re
import shlex
import stat

import made_reports
import pytest
from made_reports import OPTIONS, baretick, counted, counting, head, row, whole

ROWS = (counted("a", 2), counted("b", 3.5), counted("c", 0), counted("a", 2, suite="other", core=1))


@pytest.fixture
def gate(tmp_path):
    """gate(rows, words..., run=): the gate over a report of these rows; its baseline is base.json."""

    def hold(rows, *words, run=None, data=None):
        path = tmp_path / "report.jsonl"
        path.write_bytes(data or whole(*rows, run=run or counting()))
        return baretick("gate", tmp_path / "base.json", path, *words)

    hold.baseline = tmp_path / "base.json"
    return hold


@pytest.fixture
def accepted(gate):
    """The gate with ROWS in its baseline."""
    ran = gate(ROWS, "--update")
    assert (ran.returncode, ran.stderr) == (0, "")
    return gate


def test_a_baseline_is_small_sorted_and_readable(accepted):
    text = accepted.baseline.read_text()
    assert text == """\
{
 "baretick_gate": 1,
 "compiler": "gcc 12.2.0",
 "words": {"caches": "keep", "layout": "shuffle", "method": "doubled", "recipe": "lfence", "turbo": "keep"},
 "rows": {
  "made/a@0": {"instructions": 2, "window": 2005},
  "made/b@0": {"instructions": 3.5, "window": 3505},
  "made/c@0": {"instructions": 0, "window": 5},
  "other/a@1": {"instructions": 2, "window": 2005}
 }
}
"""
    assert stat.S_IMODE(accepted.baseline.stat().st_mode) == 0o644
    assert [p.name for p in accepted.baseline.parent.iterdir() if p.name.startswith("tmp")] == []


def test_a_series_is_in_the_order_of_its_numbers(gate):
    assert gate([counted(f"n_{n}", 2) for n in (10, 1, 2)], "--update").returncode == 0
    rows = [line.split('"')[1] for line in gate.baseline.read_text().splitlines() if line.startswith("  ")]
    assert rows == ["made/n_1@0", "made/n_2@0", "made/n_10@0"]


def test_the_same_counts_pass_in_any_order(accepted):
    ran = accepted(ROWS[::-1])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("PASS") and "4 exact rows, 0 changes" in ran.stdout
    assert str(accepted.baseline) in ran.stdout and ran.stdout.count("\n") == 1


def named(ran):
    """Returns {row: (its verdict, the rest of its line)}."""
    found = re.findall(r"^([a-z ]+): (\S+@\d+): (.*)$", ran.stdout, re.MULTILINE)
    return {row: (what, rest) for what, row, rest in found}


def test_rows_that_moved_are_new_gone_failed_or_inexact_are_named(accepted):
    ticks = {"min": 128 * 2005, "median": 128 * 2005, "p99": 128 * 2006, "max": 128 * 2006}
    rows = (counted("b", 3.501, window=3506), counted("c", 1), counted("d", 1),
            counted("a", 2, suite="other", core=1, ticks=ticks), counted("e", 1, status="wrong", why="x is 3"))
    ran = accepted(rows)
    assert ran.returncode == 1
    found = named(ran)
    assert {row: what for row, (what, _) in found.items()} == {
        "made/a@0": "gone", "made/b@0": "moved", "made/c@0": "moved", "made/d@0": "new", "made/e@0": "failed",
        "other/a@1": "no longer exact"}
    assert "3.5 -> 3.501 (+0.001, +0.03%)" in found["made/b@0"][1] and "3505 -> 3506" in found["made/b@0"][1]
    assert "0 -> 1 (+1)" in found["made/c@0"][1] and "5 -> 1005 (+1000, +20000.00%)" in found["made/c@0"][1]
    assert "x is 3" in found["made/e@0"][1] and "2005 to 2006" in found["other/a@1"][1]
    assert ran.stdout.splitlines()[-1].startswith("FAIL: 3 exact rows, 5 changes")
    assert "other/a@1 is not exact" in ran.stderr
    assert str(accepted.baseline) not in re.findall("^note: .*--update.*$", ran.stdout, re.MULTILINE)[0], \
        "a command that accepted what failed, too"


def test_a_new_row_passes_and_the_command_that_adds_it_is_printed(accepted, tmp_path):
    rows = (*ROWS, counted("d", 1))
    ran = accepted(rows)
    assert ran.returncode == 0 and named(ran) == {"made/d@0": ("new", "the baseline does not have it")}
    (command,) = re.findall(r"^note: (.* --update) adds them$", ran.stdout, re.MULTILINE)
    assert baretick(*shlex.split(command)[1:]).returncode == 0
    assert json.loads(accepted.baseline.read_text())["rows"]["made/d@0"]["instructions"] == 1
    ran = accepted(rows)
    assert ran.returncode == 0 and "note:" not in ran.stdout


def test_a_gate_that_holds_no_row_does_not_pass(accepted):
    ran = accepted((counted("d", 1),), "--bench", "d")
    assert ran.returncode == 2 and not ran.stdout and "none of the chosen rows" in ran.stderr


def test_an_option_that_came_after_the_baseline_is_named_and_does_not_fail(accepted):
    run = counting(options={**OPTIONS, "bell": "off"})
    ran = accepted(ROWS, run=run)
    assert ran.returncode == 0 and "bell=" in ran.stdout
    assert accepted((counted("a", 1), *ROWS[1:]), run=run).returncode == 1
    assert accepted(ROWS, "--update", run=run).returncode == 0
    ran = accepted(ROWS, run=counting(options={**OPTIONS, "bell": "end"}))
    assert ran.returncode == 2 and "bell=off, now end" in ran.stderr


def test_one_instruction_less_fails_too(accepted):
    ran = accepted((counted("a", 1), *ROWS[1:]))
    assert ran.returncode == 1
    assert re.search(r"moved: made/a@0: .* operation: 2 -> 1 \(-1, -50\.00%\)", ran.stdout)


def test_a_window_that_costs_more_around_the_same_operations_fails(accepted):
    ran = accepted((counted("a", 2, window=2006), *ROWS[1:]))
    assert ran.returncode == 1
    assert re.search(r"moved: made/a@0: .* window: 2005 -> 2006 \(\+1, \+0\.05%\)\n", ran.stdout)


def test_a_row_that_this_cpu_lacks_is_gone_with_its_reason(accepted):
    lacking = {"type": "row", "suite": "made", "name": "a", "core": 0, "ops": 1000, "status": "unsupported",
               "why": "it needs AVX"}
    ran = accepted((lacking, *ROWS[1:]))
    assert ran.returncode == 1 and "gone: made/a@0: it needs AVX" in ran.stdout


def test_update_makes_the_changed_rows_the_baseline(accepted):
    changed = (counted("a", 4), *ROWS[1:3])
    ran = accepted(changed, "--update")
    assert ran.returncode == 0
    assert "moved: made/a@0: " in ran.stdout and "gone: other/a@1: " in ran.stdout
    assert accepted(changed).returncode == 0 and accepted(ROWS).returncode == 1
    assert "other/a@1" not in json.loads(accepted.baseline.read_text())["rows"]


def test_update_of_some_rows_leaves_the_others(accepted):
    ran = accepted((counted("b", 5),), "--bench", "b", "--update")
    assert ran.returncode == 0
    rows = json.loads(accepted.baseline.read_text())["rows"]
    assert rows["made/b@0"]["instructions"] == 5 and len(rows) == 4
    assert accepted((counted("b", 5),), "--bench", "b").returncode == 0
    assert accepted((counted("b", 5),)).returncode == 1


def test_nothing_that_failed_is_accepted(accepted):
    before = accepted.baseline.read_text()
    ran = accepted((*ROWS, counted("e", 1, status="wrong", why="x is 3")), "--update")
    assert ran.returncode == 1 and "nothing is written" in ran.stdout
    assert accepted.baseline.read_text() == before


def test_a_run_that_failed_outside_its_rows_fails(accepted):
    data = made_reports.report([counting(), *ROWS, {"type": "end", "rows": 4, "failures": 1, "verdict": "fail"}])
    ran = accepted((), data=data)
    assert ran.returncode == 1 and re.search("^failed: the run: 1 failure", ran.stdout, re.M)


@pytest.mark.parametrize("run, rows, said", [
    (head(), (row("a", 1),), "counts no instructions (execution silicon)"),
    (head(execution="emulated"), (row("a", 1),), "counts no instructions (execution emulated)"),
    (counting(recipe="cpuid"), ROWS, "was taken with other words: recipe=lfence, now cpuid"),
    (counting(options={**OPTIONS, "caches": "clear"}), ROWS, "was taken with other words: caches=keep, now clear"),
    (counting(options={**OPTIONS, "method": "adaptive"}), ROWS, "was taken with method=adaptive"),
    (counting(), (), "it has no exact row that is chosen"),
    (counting(), (ROWS[0], *ROWS), "has row made/a@0 2 times"),
    ({k: v for k, v in counting().items() if k != "ticks_per_instruction"}, ROWS, "has no `ticks_per_instruction`"),
])
def test_other_reports_are_refused(accepted, run, rows, said):
    ran = accepted(rows, run=run)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_a_report_of_another_compiler_is_refused_with_both_names(accepted):
    text, other = accepted.baseline.read_text(), counting(compiler="gcc 14.2.0")
    for words in ((), ("--bench", "b", "--update")):
        ran = accepted(ROWS, *words, run=other)
        assert (ran.returncode, ran.stdout) == (3, "")
        assert "counts of gcc 12.2.0" in ran.stderr and "those of gcc 14.2.0" in ran.stderr
        assert accepted.baseline.read_text() == text
    assert accepted(ROWS, "--update", run=other).returncode == 0
    assert accepted.baseline.read_text() == text.replace("gcc 12.2.0", "gcc 14.2.0")
    accepted.baseline.write_text(text.replace(' "compiler": "gcc 12.2.0",\n', ""))
    assert accepted(ROWS).returncode == 0, "a baseline of an earlier version names no compiler"


def test_rows_of_objects_do_not_depend_on_the_programs_compiler(gate):
    rows = [{**row, "object": "mine.o"} for row in ROWS]
    assert gate(rows, "--update").returncode == 0
    assert "compiler" not in gate.baseline.read_text()
    assert gate(rows, run=counting(compiler="gcc 14.2.0")).returncode == 0


def test_damaged_reports_are_refused_and_never_accepted(accepted):
    before, good = accepted.baseline.read_text(), whole(*ROWS, run=counting())
    for bad in (good.replace(b'"b"', b'"x"'), b"".join(good.splitlines(keepends=True)[:-1]),
                b"".join(good.splitlines(keepends=True)[1:])):
        for words in ((), ("--update",)):
            ran = accepted((), *words, data=bad)
            assert (ran.returncode, ran.stdout) == (2, "")
            assert "is damaged: " in ran.stderr
    assert accepted.baseline.read_text() == before


def stepped(name, instructions, **changes):
    """Returns a row of a CPU's report, whose instructions were counted by single-stepping; None: they could not be
    counted."""
    found = row(name, 3, steps={"why": "SYSCALL clears the trap flag"} if instructions is None else {"ops": 2}, **changes)
    if instructions is not None:
        found["per_op"].update(instructions=instructions, ipc=round(instructions / 3, 6))
    return found


ON_SILICON = (stepped("a", 2), stepped("b", 3.5), stepped("c", 0), stepped("a", 2, suite="other", core=1))


def test_a_report_of_a_cpu_makes_a_baseline(gate):
    ran = gate(ON_SILICON, "--update", run=head())
    assert (ran.returncode, ran.stderr) == (0, "")
    found = json.loads(gate.baseline.read_text())
    assert found["words"] == {} and found["rows"]["made/b@0"] == {"instructions": 3.5}
    assert gate(ON_SILICON, run=head()).returncode == 0
    ran = gate((stepped("a", 3), *ON_SILICON[1:]), run=head())
    assert ran.returncode == 1 and re.search(r"moved: made/a@0: .* operation: 2 -> 3 \(", ran.stdout), ran.stdout
    assert gate(ROWS).returncode == 0, "an emulator counts the same"
    assert gate(ON_SILICON, run=head(recipe="cpuid")).returncode == 0, "no recipe changes an operation"


def test_a_cpu_is_held_to_an_emulators_baseline(accepted):
    ran = accepted(ON_SILICON, run=head())
    assert ran.returncode == 0 and ran.stdout.startswith("PASS: 4 exact rows, 0 changes "), ran.stdout
    assert str(accepted.baseline) in ran.stdout and ran.stdout.count("\n") == 1
    ran = accepted((*ON_SILICON[:1], stepped("b", 4), *ON_SILICON[2:]), run=head())
    assert ran.returncode == 1 and re.search(r"moved: made/b@0: .* operation: 3\.5 -> 4 \(", ran.stdout), ran.stdout


def test_a_stepped_count_is_compared_with_an_emulators_windows(gate):
    """Windows include each iteration of a string instruction, and the call of a body that is not doubled."""
    counts = {"ops": 2, "body": 19, "body2": 25, "empty": 10, "empty2": 12, "iterations": 8, "traps": 80, "us": 1}
    assert gate((counted("rep", 9.125, steps=counts),), "--update").returncode == 0
    assert '"made/rep@0": {"instructions": 2, ' in gate.baseline.read_text()  # not 2.0
    on_cpu = stepped("rep", 2)
    on_cpu["stepped"] = counts
    assert gate((on_cpu,), run=head()).returncode == 0
    once = {"ops": 10, "body": 35, "empty": 10, "traps": 50, "us": 1}  # not doubled
    ran = gate((counted("rep", 2.5, steps=once),), "--instructions")
    assert ran.returncode == 1 and "instructions an operation: 2 -> 2.5" in ran.stdout


def test_a_row_that_a_cpu_cannot_count_is_named(accepted):
    rows = (stepped("a", None), *ON_SILICON[1:])
    ran = accepted(rows, run=head())
    assert ran.returncode == 0
    assert re.search("made/a@0 .*not gated.*: SYSCALL clears the trap flag", ran.stderr), ran.stderr
    assert ran.stdout.startswith("PASS") and "3 exact rows" in ran.stdout and " 1 not gated " in ran.stdout
    text = accepted.baseline.read_text()
    accepted.baseline.write_text(text.replace('made/b@0": {"instructions": 3.5, ', 'made/b@0": {'))
    ran = accepted((*rows[:1], stepped("b", None), *rows[2:]), run=head())
    assert ran.returncode == 0 and " 2 not gated " in ran.stdout, "a window alone says nothing of a CPU"
    accepted.baseline.write_text(text)
    ran = accepted((counted("a", 2, ticks={"min": 128 * 2005, "median": 0, "p99": 0, "max": 128 * 2006}), *ROWS[1:]),
                   "--instructions")  # fmt: skip
    assert ran.returncode == 1 and "no longer exact: made/a@0" in ran.stdout, "an emulator can"
    assert accepted(ON_SILICON, "--update", run=head()).returncode == 0
    ran = accepted(rows, run=head())
    assert ran.returncode == 1 and "no longer exact: made/a@0: SYSCALL clears the trap flag" in ran.stdout


def test_instructions_alone_can_be_asked_for(gate):
    assert gate(ROWS, "--instructions", "--update").returncode == 0
    assert "window" not in gate.baseline.read_text() and json.loads(gate.baseline.read_text())["words"] == {}
    moved = (counted("a", 2, window=2006), *ROWS[1:])
    assert gate(moved, "--instructions").returncode == 0 and gate(ON_SILICON, run=head()).returncode == 0
    ticks = {"min": 128 * 2005, "median": 128 * 2005, "p99": 128 * 2006, "max": 128 * 2006}
    ran = gate((counted("a", 2, ticks=ticks), *ROWS[1:]), "--instructions")
    assert ran.returncode == 1 and re.search("no longer exact: made/a@0: .*2005 to 2006", ran.stdout)


def test_some_rows_of_a_cpu_leave_an_emulators_windows_of_the_others(accepted):
    assert accepted((stepped("b", 5),), "--bench", "b", "--update", run=head()).returncode == 0
    found = json.loads(accepted.baseline.read_text())
    assert found["rows"]["made/b@0"] == {"instructions": 5} and found["rows"]["made/a@0"]["window"] == 2005
    assert found["words"]["recipe"] == "lfence"
    assert accepted((ROWS[0], counted("b", 5), *ROWS[2:])).returncode == 0


BASELINE = '{"baretick_gate": 1, "words": {}, "rows": {"made/a@0": {%s}}}'


def test_a_row_that_a_merge_left_twice_is_named(accepted):
    text = accepted.baseline.read_text()
    line = '  "made/a@0": {"instructions": 2, "window": 2005},\n'
    accepted.baseline.write_text(text.replace(line, line.replace("2005", "2004") + line))
    ran = accepted(ROWS)
    assert ran.returncode == 2 and "is not a baseline: made/a@0 is listed twice" in ran.stderr


def test_a_baseline_that_cannot_be_written_is_refused(gate, tmp_path):
    report = tmp_path / "report.jsonl"
    report.write_bytes(whole(*ROWS, run=counting()))
    for path, said in ((tmp_path / "nowhere/base.json", "cannot be written: No such file or directory"),
                       (tmp_path, "Is a directory"), ("/proc/self/base.json", "cannot be written: "),
                       ("/dev/null", "is not a baseline")):
        ran = baretick("gate", path, report, "--update")
        assert ran.returncode == 2 and f"{path}" in ran.stderr and said in ran.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["report.jsonl"]


def test_an_output_that_is_a_link_stays_a_link_and_a_file_keeps_its_permissions(accepted, tmp_path):
    (tmp_path / "kept").mkdir()
    kept = accepted.baseline.rename(tmp_path / "kept/base.json")
    accepted.baseline.symlink_to(kept)
    kept.chmod(0o664)
    assert accepted(ROWS[1:], "--update").returncode == 0
    assert accepted.baseline.is_symlink() and "made/a@0" not in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o664


def test_gate_refuses_a_missing_or_invalid_baseline(gate):
    ran = gate(ROWS)
    assert ran.returncode == 2 and "there is no such baseline: --update makes it" in ran.stderr
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
