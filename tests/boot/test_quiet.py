"""Suite `quiet`: gaps that are planted, and what gaps_max= does. tests/unit/bench/kinds/test_quiet.c has gaps of several cores on
a simulated TSC, tests/hosted/program/test_quiet.py a core that is stopped."""

import re

from machine import CHECK_FAILED, STOPPED, SUCCESS

TWO = {"icount": False, "extra": ["-smp", "2"]}
# Instructions of 8 ns: a planted gap ends some instructions after its time.
FINE = {"icount": False, "extra": ["-icount", "shift=3,sleep=off"]}


def test_there_is_no_gap_where_instructions_are_counted(boot):
    b = boot("suite=quiet gaps_max=1").must(SUCCESS, rows=0)
    g, q = b.one("gaps"), b.one("quiet")
    assert g["gaps"] == g["gap_ticks"] == g["longest_ticks"] == g["wait_ticks"] == 0 and g["lengths"] == [], g
    assert g["iteration_ticks"] % 128 == 0 and g["threshold_ticks"] == 8 * g["iteration_ticks"], g
    assert 0.00999 < g["seconds"] < 0.0101 and g["first"] == g["periods"] == [], g
    assert q["complete"] and q["cores"] == [0] and q["result"] == "pass" and q["exceeded"] == [], q
    assert re.search(r"^gaps_max=1 us: PASS$", b.text.replace("\r", ""), re.M), str(b)


def test_planted_gaps_are_measured_to_1_us(boot):
    """20 us each ms, 150 us each 7.3 ms: their lengths, numbers and periods are found."""
    b = boot("suite=planted_quiet gaps_max=151 quiet_time=1", **FINE).must(SUCCESS, rows=0)
    g = b.one("gaps")
    us = g["seconds"] * 1e6 / g["watched_ticks"]
    lengths = {20: [], 150: []}
    for at, ticks in g["first"]:
        long = min(lengths, key=lambda planted: abs(planted - ticks * us))
        lengths[long].append(ticks * us)
    assert lengths[20] and lengths[150] and all(0 <= t - long < 1 for long, some in lengths.items() for t in some), lengths
    assert 150 <= g["longest_ns"] / 1e3 < 151, g
    counted = {long: sum(n for ns, n, _ in g["lengths"] if 0.8 * long < ns / 1e3 <= long) for long in lengths}
    assert counted[150] == 137 and 980 <= counted[20] <= 1000 and g["gaps"] == sum(counted.values()), g["lengths"]
    assert sorted(round(p["ticks"] * us) for p in g["periods"]) == [1000, 7300], g["periods"]
    # 10 us are left out of 137 gaps of 150 us.
    assert 149 <= g["wait_ns"] / 1e3 < 151, g


def test_a_gap_that_is_too_long_fails_the_run(boot):
    b = boot("suite=planted_quiet gaps_max=100")
    assert b.status == CHECK_FAILED and b.end["failures"] == 1 and b.end["verdict"] == "fail", str(b)
    q = b.one("quiet")
    assert q["result"] == "fail" and q["exceeded"] == [0] and q["gaps_max_us"] == 100, q
    assert re.search(r"^gaps_max=100 us: FAIL: exceeded on core 0$", b.text.replace("\r", ""), re.M), str(b)
    assert re.search(r"^failed +planted_quiet/gaps", b.text, re.M), str(b)


def test_all_cores_watch_at_once(boot):
    """Two vCPUs take the host's CPUs from each other, so gaps occur; without gaps_max= they fail nothing."""
    b = boot("suite=quiet quiet_time=2", **TWO).must(SUCCESS, rows=0)
    gaps, q = b.of("gaps"), b.one("quiet")
    assert [g["core"] for g in gaps] == q["cores"] == [0, 1] and q["complete"] and "result" not in q, q
    assert all(g["watched_ticks"] <= g["elapsed_ticks"] and g["seconds"] >= 1.9 for g in gaps), gaps
    assert all(g["gaps"] == sum(n for _, n, _ in g["lengths"]) for g in gaps), gaps
    assert q["longest_ns"] == max(g["longest_ns"] for g in gaps) and q["wait_ns"] == max(g["wait_ns"] for g in gaps), q
    assert "emulator" in q["causes"], q


def test_all_cores_of_a_borrowed_machine_watch(boot):
    b = boot("suite=quiet quiet_time=1 takeover=borrow", **TWO).must(SUCCESS, rows=0)
    assert b.one("quiet")["cores"] == [0, 1] and b.one("quiet")["complete"], str(b)


def test_a_stopped_watch_is_reported(boot):
    b = boot("suite=quiet quiet_time=3600 gaps_max=60000000", icount=False, keys={b"about ": b"q"})
    assert b.status == STOPPED, str(b)
    g, q = b.one("gaps"), b.one("quiet")
    assert 0.9 < g["seconds"] < 3000 and not q["complete"] and q["status"] == "ok" and q["result"] == "not judged", (g, q)
    assert any("its gaps so far are in the report" in e["message"] for e in b.events("stopped")), str(b)
