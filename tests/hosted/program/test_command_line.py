"""The words of the Linux program's command line: refusals, help, lists, and what each format= prints."""
import json
import os
import re

from commands import run_command
from read import figure
import pytest
from conftest import ROOT, listed
from statuses import BAD_OPTIONS, CHECK_FAILED, SUCCESS, refused
from terminal import Terminal

QUICK = ["suite=planted", "bench=adds20", "samples=64", "retry_budget=0"]


@pytest.mark.parametrize(
    "words, parts",
    [
        (["samples=7"], ["command line, word 1", "samples=7", "16", "1000000"]),
        (["samples=1000001"], ["samples=1000001", "1000000"]),
        (["samples=many"], ["samples=many", "number"]),
        (["samples="], ["samples="]),
        (["finish=never", "samples=32"], ["finish=never", "poweroff"]),
        (["serial=com9", "samples=32"], ["serial=com9", "com1"]),
        (["suite=,", "samples=32"], ["suite=,"]),
        (["suite=truth", "fromat=table"], ["command line, word 2", "fromat=table",
                                        "no such word (did you mean format=?); `help` lists all words"]),
        (["suite=truth", "nonsense"], ["word 2", "nonsense", "no such word; `help` lists all words"]),
        ([""], ["command line, word 1"]),
        (["suite=nowhere"], ["nowhere", "truth", "calls"]),
        (["suite=truth", "bench=nothing"], ["nothing", "imul"]),
        (["takeover=exit", "finish=return"], ["takeover=exit", "finish=return", "borrow"]),
        (["recipe=rdtsc"], ["recipe=rdtsc", "plain", "serialize"]),
        (["suite=tr uth"], ["tr uth"]),
        (["suite=truth,pla*"], ["rows of planted run only", "in full: suite=planted"]),
        (["suite=" + "x" * 400], ["command line, word 1", "suite="]),
        ([b"suite=\xff"], ["command line, word 1", "UTF-8"]),
    ],
)
def test_wrong_words_are_refused_by_name(run, words, parts):
    refused(run(*words), *parts)


def test_the_later_word_wins(run):
    options = run(*QUICK, "format=jsonl", "samples=96").report().run["options"]
    assert options["samples"] == 96 and options["suite"] == "planted"


def test_help_names_the_options_and_passes(run):
    ended = run("help")
    assert ended.status == SUCCESS
    for key in ("suite=", "samples=", "layout=", "recipe="):
        assert f"  {key}" in ended.out
    last = ended.out.splitlines()[-1]
    assert '"type":"end"' in last and '"verdict":"pass"' in last


def test_dump_records_the_cpus_that_the_process_may_use_as_text_or_as_records(run):
    text = run("dump", "format=table")
    records = run("dump", "format=jsonl")
    assert text.status == records.status == SUCCESS
    lines = [line for r in map(json.loads, records.out.splitlines()) if r["type"] == "machine" for line in r["lines"]]
    assert text.out.splitlines() == lines
    assert f"# logical_cpus_recorded: {len(os.sched_getaffinity(0))}" in lines
    assert any(line.startswith("cpuid 0 00000000 00000000 ") for line in lines)


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_is_printed_whatever_the_other_words_are(program, word):
    p = run_command(program, "nonsense", word)
    assert (p.returncode, p.stderr) == (SUCCESS, "")
    assert p.stdout.startswith(f"usage: {program} ") and "  suite=" in p.stdout and '{"baretick"' not in p.stdout


def test_version_is_that_of_the_tree(program):
    p = run_command(program, "--version")
    version = (ROOT / "VERSION").read_text().strip()
    assert p.returncode == SUCCESS and re.fullmatch(rf"baretick {version} \(.+\), compiled by .+\n", p.stdout)


@pytest.mark.parametrize("words, said", [
    (["sutie=truth"], "did you mean suite=?"),
    (["--suite=truth"], "did you mean suite=?"),
    (["suite=truht"], "did you mean truth?"),
    (["--versoin"], "did you mean --version?"),
    (["version"], "did you mean --version?"),
    (["suite=truth", "bench=imull"], "did you mean imul?"),
    (["suite=truth", "format=tabel"], "did you mean table?"),
])  # fmt: skip
def test_a_word_one_edit_away_is_named(run, words, said):
    refused(run(*words), said)


@pytest.mark.parametrize("words, suite", [("suite=memor*", "memory"), ("suite=* bench=latency_4k", "memory"), ("suite=limit*", "limits"),
                                          ("suite=ins*", "insn"), ("suite=* bench=insn", "insn")])
def test_some_suites_run_only_by_their_name(run, shared_run, words, suite):
    ended = run(*words.split(), "format=table")
    assert ended.status == BAD_OPTIONS and f"suite={suite}" in ended.err, ended.err
    assert f"{suite}  (only when suite= names it)" in shared_run("list").out


def test_a_word_unlike_all_others_gets_no_suggestion(run):
    assert "did you mean" not in run("suite=nowhere").err


def test_a_long_list_of_rows_is_cut_and_names_the_command_for_all(run, shared_run):
    said = run("suite=calls", "bench=nothing_like_it").err
    named, more = re.search(r"there are: (.*) and (\d+) more, which list shows", said).groups()
    calls = re.split(r"^(?=\S)", shared_run("list").out.replace("\r", ""), flags=re.MULTILINE)
    rows = re.findall(r"^  \w", next(part for part in calls if part.startswith("calls\n")), re.MULTILINE)
    assert len(named.split()) + int(more) == len(rows)


def kinds_of(out):
    """Returns whether an output has records, and lines for people."""
    lines = [line for line in out.splitlines() if line.strip()]
    return any(x.startswith('{"baretick"') for x in lines), any(not x.startswith('{"baretick"') for x in lines)


FORMATS = [("both", (True, True)), ("table", (False, True)), ("jsonl", (True, False))]


@pytest.mark.native  # QEMU 7.2 has no seccomp filters, and the program warns about that
def test_each_format_prints_its_kinds_into_a_pipe(program):
    for words, kinds in ([], (True, False)), *(([f"format={name}"], kinds) for name, kinds in FORMATS):
        p = run_command(program, *QUICK, *words)
        assert p.returncode in (SUCCESS, CHECK_FAILED), p  # a self-test's verdict is not tested here
        assert (p.stderr, kinds_of(p.stdout)) == ("", kinds), words
        assert ("verdict: " in p.stdout) == kinds[1]


def test_a_terminal_gets_only_the_table(program):
    shown = Terminal(program, *QUICK, "format=auto").shown.decode()
    assert kinds_of(shown) == (False, True) and "verdict: " in shown


def test_refusals_and_lists_have_no_records_where_a_table_is_asked_for(program):
    for words, named in (["format=table", "suite=nowhere"], "nowhere"), (["siute=x", "format=table"], "siute"):
        p = run_command(program, *words)
        assert (p.returncode, p.stdout) == (BAD_OPTIONS, "") and named in p.stderr
    for words, records in (["help"], False), (["help", "format=both"], True):
        p = run_command(program, *words)
        assert (p.returncode, kinds_of(p.stdout)) == (SUCCESS, (records, True))


def rows_in_sources():
    """Yields rows of the sources whose names are written out in full: not all, but those can be read."""
    for path in (ROOT / "bench" / "suites").rglob("*.c"):
        text = path.read_text()
        yield from re.findall(r"^BENCH\((\w+), (\w+),", text, re.MULTILINE)
        yield from (("planted", n) for n in re.findall(r"^PLANTED\((\w+),", text, re.MULTILINE))
        yield from (("truth", n) for n in re.findall(r"^(?:CHAIN|HISTORY)\((\w+),", text, re.MULTILINE))


def test_list_has_every_row_once_in_order_and_the_timers(shared_run):
    ended = shared_run("list")
    rows = list(listed(ended.out))
    assert ended.status == SUCCESS
    assert rows == sorted(set(rows), key=lambda row: [figure.order(word) for word in row])
    assert f"{len(rows)} rows" in ended.out
    records = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{")]
    timers = {r["name"]: r for r in records if r["type"] == "timer" and r["kind"] == "clock"}
    assert timers["tsc"]["initialises"]
    for name in ("hpet", "pmtimer", "pit"):
        assert not timers[name]["initialises"] and "ring 0" in timers[name]["why"]
        assert "hz" not in timers[name] and "read_ns" not in timers[name]
    assert timers["cputime"]["hz"] == 10**9 and timers["clock"]["hz"] == 10**6
    assert timers["thread"]["hz"] == 10**9 and timers["times"]["hz"] == os.sysconf("SC_CLK_TCK")
    assert f"times      initialises; {os.sysconf('SC_CLK_TCK')} Hz, resolution" in ended.out
    for name in ("tsc", "cputime", "clock", "thread", "times"):
        t = timers[name]
        assert t["resolution_ns"] >= 0.99e9 / t["hz"] and t["read_ns"] > 0, t
        assert f"{name} " in ended.out and f"resolution {t['resolution_ns']:.12g} ns" in ended.out, ended.out
    # Sources of core cycles: the core's clock, by the TSC; null counts nothing, and its record states that.
    cycles = {r["name"]: r for r in records if r["type"] == "timer" and r["kind"] == "cycle"}
    assert set(cycles) == {"pmc", "perf", "aperf", "ruler", "tsc", "rdtscp", "null"}, cycles
    for name in ("ruler", "tsc", *(name for name in ("pmc", "perf", "rdtscp") if cycles[name]["initialises"])):
        t = cycles[name]
        assert t["hz"] > 0 and t["resolution_ns"] > 0 and t["read_ns"] > 0, t
        assert re.search(rf"^  {name} +initialises; [\d.]+ MHz, resolution [\d.]+ ns, a reading takes [\d.]+ ns",
                         ended.out, re.MULTILINE), ended.out  # fmt: skip
    assert cycles["tsc"]["hz"] == timers["tsc"]["hz"]
    assert cycles["ruler"]["resolution_ns"] == cycles["tsc"]["resolution_ns"] and "resolution_counts" in cycles["tsc"]
    assert cycles["null"]["initialises"] and not {"hz", "resolution_ns", "read_ns"} & cycles["null"].keys(), cycles
    assert f"null       initialises; {cycles['null']['none']}" in ended.out, ended.out
    assert timers["clock"]["resolution_ns"] >= 1000  # clock(3) has a resolution of microseconds at best
    declared = set(rows_in_sources())
    assert len(declared) > 10 and declared <= set(rows)


def test_a_series_is_in_the_order_of_its_numbers(run, shared_run):
    """In `list`, in the table and in the records, and so in everything made from these: n2 before n16."""
    series = [f"random_{n}" for n in (1, 2, 4, 8, 16)]
    assert [name for _, name in listed(shared_run("list").out) if name in series] == series
    ended = run("suite=calls", "bench=random_*", "samples=16")
    rows = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick":')]
    assert [r["name"] for r in rows if r["type"] == "row"] == series
    assert re.findall(r"^(random_\d+) ", ended.out.replace("\r", "\n"), re.MULTILINE) == series, ended.out
