"""Every pair of options' extreme values: each run ends, with a whole report. The speed of the machine does not matter."""
import itertools
import re

import pytest
from conftest import ROOT, SEVERAL
from statuses import FAULTED
from short_runs import SECONDS, ended, judge, output_of, recipes, words_of  # noqa: F401

pytestmark = pytest.mark.launches

# Values of options that the table does not list, and the greatest value for which a test can wait: a row of a million
# windows, thirty times over, tests nothing else.
EXAMPLES = {
    "suite": ["truth,calls"],
    "bench": ["add,direct,turn_2"],
    "clock": ["tsc", "pit,hpet,auto", "tsc,hpet,pmtimer,pit", "cputime", "clock,tsc", "thread"],
    "cycle": ["ruler", "null", "tsc", "rdtscp", "pmc,perf,aperf,auto"],
    "cores": ["bsp", "all", "types", "0"],
    "epsilon": ["0.05", "0", "1000"],
    "serial": ["auto", "off", "com4", "io:0x2e8,115200", "mmio:0x10000000:4:4"],
    "objects": ["off"],
    "upload": ["auto", "off", "http://10.0.2.2/"],
}
# Not among the pairs: a launch with one of them takes seconds for its first measurement alone, and it differs from the
# others only in the window's code, which every row runs in test_every_row.py.
SLOW_RECIPES = {"plain", "paoloni", "cpuid"}
GREATEST = {
    "samples": 1024, "warmup": 100, "most": 1024, "ensembles": 64, "size": 64, "target": 2000, "quiet_time": 2,
    "rounds": 16, "time": 5,
}  # fmt: skip
# The pairs that options_check_pairs() refuses.
IMPOSSIBLE = [
    {"takeover": "exit", "finish": "return"},
    {"dma": "off", "takeover": "borrow"},
    {"dma": "off", "finish": "return"},
    {"upload": "http://10.0.2.2/", "takeover": "exit"},
    {"upload": "http://10.0.2.2/", "dma": "off"},
]


def options():
    """Returns each key of the documentation's table with its extreme values: all words, the ends of a range of numbers."""
    table = (ROOT / "docs" / "options.md").read_text().split("<!-- options -->")[1].split("<!-- /options -->")[0]
    found = {}
    for key, values in re.findall(r"^\| `(\w+)=` \| `([^`]*)` \|", table, re.MULTILINE):
        found[key] = EXAMPLES.get(key) or extremes(key, values.replace("\\|", "|"))
    return found


def extremes(key, values):
    found = []
    for word in values.split("|"):
        if bounds := re.fullmatch(r"(\d+)\.\.(\d+)", word):
            low, high = map(int, bounds.groups())
            found += [str(low), str(min(high, GREATEST.get(key, high)))]
        else:
            assert re.fullmatch(r"[a-z_]+", word), (
                f'EXAMPLES needs values of {key}= ({values}), as a line like:\n    "{key}": ["VALUE", "VALUE"],')
            found.append(word)
    return found


def impossible(values):
    return any(all(values.get(k) == v for k, v in pair.items()) for pair in IMPOSSIBLE)


def covering(keys):
    """Yields runs, each a value of every key, so that every possible pair of values of two keys is in one of them."""
    todo = {
        frozenset((a, b))
        for one, two in itertools.combinations(keys, 2)
        for a in ((one, v) for v in keys[one])
        for b in ((two, v) for v in keys[two])
        if not impossible(dict((a, b)))
    }
    while todo:
        run = dict(min(todo, key=sorted))
        for key in sorted(keys, key=lambda k: -len(keys[k])):
            if key in run:
                continue
            fits = [v for v in keys[key] if not impossible({**run, key: v})]
            run[key] = max(fits, key=lambda v: sum(frozenset(((key, v), o)) in todo for o in run.items()))
        todo -= {frozenset(pair) for pair in itertools.combinations(run.items(), 2)}
        yield run


PARTS = 4  # so that no other test waits long for this one


def judge_pairs(recipes, part, wanted):
    """Runs those of this part's runs for which wanted(values) is true."""
    keys = options()
    assert len(keys) > 30
    cpus = len(SEVERAL)
    keys["recipe"] = [r for r in keys["recipe"] if r in {*recipes, "auto"} - SLOW_RECIPES]
    runs = [run for run in covering(keys) if wanted(run)][part::PARTS]
    assert runs
    for run in runs:
        words = words_of(run)
        if run["format"] == "table":  # has no records
            out, _ = output_of(words)
            assert re.search(rb"^verdict: \w+ \((\d+) rows", out, re.MULTILINE)[1] in (b"3", b"%d" % (3 * cpus)), words
            continue
        said = ended(words)
        assert said.end["rows"] in (3, 3 * cpus) and len(said.rows) == (0 if run["format"] == "lines" else 3), words
        for name, row in said.rows.items():
            if said.status != FAULTED:
                judge(name, row, words)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_of_extreme_values_is_accepted(recipes, part):
    judge_pairs(recipes, part, lambda run: run["cores"] != "all")


@pytest.mark.every_cpu
@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_of_extreme_values_is_accepted_on_all_cores(recipes, part):
    judge_pairs(recipes, part, lambda run: run["cores"] == "all")


@pytest.mark.parametrize("pair", IMPOSSIBLE)
def test_option_pairs_that_exclude_each_other_are_refused(pair):
    said = ended(words_of(pair), allowed=(3,))
    (message,) = [e["message"] for e in said.events]
    named = pair | ({"upload": ""} if "upload" in pair else {})  # no message shows an address, which can have a password
    assert all(f"{k}={v}" in message for k, v in named.items())


# Those marked `others` take 3 to 6 s; the method's other values, up to GREATEST, are among the pairs.
@pytest.mark.parametrize(
    "words",
    [
        "samples=1000000 layout=fixed warmup=0",
        "warmup=1000",
        *(pytest.param(words, marks=pytest.mark.others) for words in (
            "samples=1000000 method=plain",
            "method=kbest most=1000000 k=32 epsilon=0",
            "method=ensembles ensembles=100000 size=2",
            "method=ensembles ensembles=2 size=1000000",
        )),
    ],
)
def test_the_greatest_value_by_itself_is_accepted(words):
    said = ended(f"suite=baseline bench=do_nothing deadline={SECONDS} instructions=off {words}")  # the shortest windows
    judge("baseline/do_nothing", said.rows["baseline/do_nothing"], words)
