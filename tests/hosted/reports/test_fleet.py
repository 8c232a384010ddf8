"""`baretick report FOLDER`: the page of a fleet, from made-up reports of many machines."""

import csv
import io
import os
import random
import re
import resource
import sys
from pathlib import Path

from commands import run_command
import pytest

import made_fleet
from read import run_folder
from judge import fleet_peers
from made_page import EVIL, Read, section
from made_reports import CPU, END, ROOT, baretick, counted, counting, report
from tools import browser

MACHINES, REPORTS = 12, 6
SLOW, CHANGED = 3, 7  # numbers of planted machines
NOISES = {"normal": lambda rng: rng.gauss(0, 1),
          "long tails": lambda rng: rng.gauss(0, 1) / (sum(rng.gauss(0, 1) ** 2 for _ in range(3)) / 3) ** 0.5,
          "a rare state": lambda rng: rng.gauss(0, 1) + (250 if rng.random() < 0.03 else 0),
          "two states": lambda rng: rng.gauss(0, 1) + (250 if rng.random() < 0.3 else 0)}


def planted(**more):
    return {SLOW: lambda rng: made_fleet.Machine(rng, {"r5": 1.3}), CHANGED: lambda rng: made_fleet.Machine(rng, {"r9": 0.9}, since=3), **more}


# --- which machine a report is of --------------------------------------------------------------------

@pytest.mark.parametrize("name, machine", [("rack/07/0001.jsonl", "rack/07"), ("52-54-00-12-34-56_0001.jsonl", "52-54-00-12-34-56"),
                                           ("a_b_20261126T072951Z.log", "a_b"), ("alone.jsonl", "alone"), ("0001.jsonl", "all"),
                                           ("20261126T072951Z.jsonl", "all")])
def test_a_report_belongs_to_its_folder_or_to_the_beginning_of_its_name(name, machine):
    assert run_folder.machine_of(name, "/reports/all") == machine


def test_reports_are_in_the_order_of_their_numbers(tmp_path):
    for name in ("2.jsonl", "10.jsonl", "1.log", ".hidden.jsonl", "note.txt"):
        (tmp_path / name).write_text("")
    assert run_folder.reports(tmp_path) == {tmp_path.name: ["1.log", "2.jsonl", "10.jsonl"]}


# --- the rules, by simulation ------------------------------------------------------------------------

def simulated(rng, machines, reports, noise, factor=1.0):
    """Returns a row's figures of machines; the first one's are multiplied by factor."""
    found = {}
    for at in range(machines):
        own, figures = (1 + rng.gauss(0, made_fleet.BETWEEN)) * (factor if at == 0 else 1), []
        for _ in range(reports):
            value = own * (1 + made_fleet.NOISE * NOISES[noise](rng))
            figures.append((value, value * (1 - made_fleet.HALF), value * (1 + made_fleet.HALF)))
        found[at] = figures
    return found


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("machines, reports", [(8, 6), (30, 4), (200, 3)])
def test_machines_in_working_order_are_not_outliers(noise, machines, reports):
    rng, rows = random.Random(26), 12
    for _ in range(5 if machines < 100 else 1):
        every = {row: simulated(rng, machines, reports, noise) for row in range(rows)}
        _, found = fleet_peers.judged(every, fleet_peers.RISK / (machines * rows))
        assert not [f for f in found if f.verdict == fleet_peers.OUTLIER], (noise, found)


@pytest.mark.parametrize("machines, reports, verdicts", [(7, 9, []), (8, 1, [fleet_peers.AGAIN]), (8, 5, [fleet_peers.OUTLIER]), (200, 2, [fleet_peers.OUTLIER])])
def test_a_slow_machine_is_an_outlier_after_some_reports(machines, reports, verdicts):
    rows = {row: simulated(random.Random(26), machines, reports, "normal", 1.5 if row == 0 else 1) for row in range(3)}
    _, found = fleet_peers.judged(rows, fleet_peers.RISK / (3 * machines))
    assert [(f.machine, f.row, f.verdict) for f in found] == [(0, 0, v) for v in verdicts]


def test_a_small_difference_is_not_an_outlier_however_exact_the_figures_are():
    rows = {"row": {at: [(1.0 if at else 1 + fleet_peers.LEAST / 2,) * 3] * 9 for at in range(20)}}
    assert fleet_peers.judged(rows, 1e-6)[1] == []
    rows["row"][0] = [(1 + 2 * fleet_peers.LEAST,) * 3] * 9
    assert [f.verdict for f in fleet_peers.judged(rows, 1e-6)[1]] == [fleet_peers.OUTLIER]


def test_a_row_that_moves_both_ways_on_other_machines_has_not_changed():
    def change(machine, old, new):
        return fleet_peers.Change(machine, ("s", "n", 0, "cycles"), 2, old, new, (), (), "")

    flips = fleet_peers.Moves({"own": [1, 1, 2, 2], "a": [1, 2, 1, 1], "b": [2, 2, 1, 2]})
    assert flips.both_ways(change("own", 1, 2)) and flips.both_ways(change("own", 2, 1))
    update = fleet_peers.Moves({name: [1, 1, 2, 2] for name in ("own", "a", "b")})
    assert not update.both_ways(change("own", 1, 2))
    assert not fleet_peers.Moves({"own": [1, 1, 2, 2], "a": [1, 1, 1, 1]}).both_ways(change("own", 1, 2))


@pytest.mark.parametrize("noise", NOISES)
def test_working_machines_have_no_changes(noise, tmp_path):
    rng = random.Random(26)
    for at in range(16):
        machine = made_fleet.Machine(rng, rows=4)
        machine.noise = lambda: made_fleet.NOISE * NOISES[noise](rng)
        (tmp_path / f"m{at}").mkdir()
        for number in range(6):
            (tmp_path / f"m{at}" / f"{number}.jsonl").write_bytes(machine.report(number))
    ran = baretick("report", tmp_path, "--to", "csv")
    assert ran.returncode == 0, ran.stderr
    found = list(csv.DictReader(io.StringIO(ran.stdout)))
    assert not [x for x in found if x["change"] or x["judged"] == fleet_peers.OUTLIER], noise


# --- the page ----------------------------------------------------------------------------------------

def with_planted():
    """A fleet with a slow machine, one that changed, a damaged report and one with nothing."""
    made_fleet.write(Path("fleet"), MACHINES, REPORTS, planted=planted())
    cut = Path("fleet", made_fleet.machine_name(1), "0001.jsonl").read_bytes()[:3000]
    return {f"fleet/{made_fleet.machine_name(1)}/0002.jsonl": cut, "fleet/empty.jsonl": b""}


def with_a_pipe_and_a_broken_link():
    Path("fleet").mkdir()
    os.mkfifo("fleet/a_2.jsonl")
    Path("fleet/a_3.jsonl").symlink_to("nothing")
    return {"fleet/a_1.jsonl": made_fleet.Machine(random.Random(1), rows=2).report(0)}


def of_two_kinds():
    slower = lambda rng: made_fleet.Machine(rng, {"r5": 1.3}, smbios={"system_product": "another"})  # noqa: E731
    made_fleet.write(Path("fleet"), 20, 4, planted=dict.fromkeys(range(10), slower))
    return {}


def with_gaps():
    rng = random.Random(1)
    return {f"fleet/{name}_1.jsonl": made_fleet.Machine(rng, rows=2).report(0, longest) for name, longest in (("a", 9), ("b", 44), ("c", 12))}


EXACT = {f"fleet/m{at}_{number}.jsonl": report([counting(), counted("exact", 6 if at == 2 else 5), {**END, "rows": 1}])
         for at in range(8) for number in range(5)}
PAGE = ("report fleet -o f.html", "page f.html")
CASES = {
    "planted machines are found, and damaged reports are listed": (with_planted, *PAGE, "report fleet --to csv --bench r5,r9"),
    "a pipe and a broken link are listed as damaged": (with_a_pipe_and_a_broken_link, *PAGE),
    "machines of another kind are not peers": (of_two_kinds, *PAGE),
    "counted instructions are exact": (EXACT, *PAGE),
    "a failed certificate is first": (with_gaps, *PAGE),
    "what a folder does not take is refused by name": (
        {"fleet/x_1.jsonl": made_fleet.Machine(random.Random(1), rows=1).report(0), "none/note": b""}, "report fleet fleet -o out",
        "report fleet --against fleet -o out", "report fleet/x_1.jsonl --to csv -o out", "report none"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_a_fleet_is_as_stored(said, name):
    said(CASES, name)


def test_names_from_reports_and_folders_become_no_markup(tmp_path):
    rng = random.Random(1)
    for at, evil in enumerate(EVIL[:5]):
        place = tmp_path / evil.replace("/", "-")
        place.mkdir()
        (place / "1.jsonl").write_bytes(made_fleet.Machine(rng, rows=2, cpu={**CPU, "brand": evil}).report(0))
        (place / f"2{at}.jsonl").write_bytes(b"<script>")
    baretick("report", tmp_path, "-o", tmp_path / "fleet.html")
    text = (tmp_path / "fleet.html").read_text()
    assert Read(text).wrong == [] and len(re.findall("<script", text)) == 1


# --- in a browser; many reports ----------------------------------------------------------------------

WIDE = "document.body.dataset.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;"


@pytest.mark.skipif(browser.find() is None, reason="no chromium here: scripts/setup --all installs it")
def test_the_page_is_as_wide_as_the_window_in_a_browser(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with_planted()
    assert baretick("report", "fleet", "-o", "page.html").returncode == 1
    text = Path("page.html").read_text()
    assert Read(text).wrong == []
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    (tmp_path / "fleet.html").write_text(text.replace("</body>", f"<script>{WIDE}</script></body>"))
    try:
        assert 'data-wide="true"' in browser.run("--window-size=500,900", "--dump-dom", f"file://{tmp_path}/fleet.html")
    except browser.Failed as e:
        pytest.skip(str(e))


@pytest.mark.others
def test_10000_reports_take_a_minute_and_a_gibibyte_on_two_cores(tmp_path):
    made_fleet.write(tmp_path / "fleet", 1000, 10, rows=100, planted=planted())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = run_command(sys.executable, ROOT / "scripts/baretick", "report", tmp_path / "fleet", "-o",
                      tmp_path / "fleet.html")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert ran.returncode == 1, ran.stderr
    (table, *_) = section((tmp_path / "fleet.html").read_text(), "outliers").tables
    assert {line[table[0].index("machine")] for line in table[1:]} == {made_fleet.machine_name(SLOW), made_fleet.machine_name(CHANGED)}
    assert seconds < 2 * 60, "CPU time on two cores"
    assert 3 * after.ru_maxrss < 1 << 20, "KiB of the largest of three processes"
