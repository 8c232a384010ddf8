"""Rows on cores other than the boot core: in turn, at once, with each other."""

import pytest
from machine import FAULT, SUCCESS
from test_cores import all_up


@pytest.fixture
def four(boot):
    return lambda words, **how: boot(words, extra=["-smp", "4"], **how)


def by_core(b, suite, name):
    return {r["core"]: r for r in b.rows if (r["suite"], r["name"]) == (suite, name)}


def test_every_core_gives_the_same_figures(four, boot):
    words = "suite=truth,calls bench=add,load,plt,got samples=64"
    alone = {(r["suite"], r["name"]): r["ticks"] for r in boot(words).must(SUCCESS).rows}
    b = four(words + " cores=all").must(SUCCESS, rows=4 * len(alone))
    for (suite, name), ticks in alone.items():
        rows = by_core(b, suite, name)
        assert sorted(rows) == [0, 1, 2, 3]
        assert all(r["ticks"] == ticks and r["disturbed"] == 0 for r in rows.values()), (name, rows)
    assert not b.events("cores_differ")
    assert "cores compared, instructions an operation" in b.text


def test_every_core_has_a_record_that_says_whether_it_measures(four):
    b = four("suite=truth bench=add samples=64 cores=1-2").must(SUCCESS, rows=2)
    cores = b.of("core")
    assert [c["core"] for c in cores] == [0, 1, 2, 3]
    assert [c["apic_id"] for c in cores] == [0, 1, 2, 3]
    assert [c["measures"] for c in cores] == [False, True, True, False]
    assert all(c["usable"] and c["parked"] == "hlt" for c in cores)
    for c in cores:  # one clock drives all virtual CPUs
        assert abs(c["tsc_offset_ticks"]) <= c["tsc_offset_error_ticks"]
    assert [c.get("execution") for c in cores] == [None, "instructions", "instructions", None]


def test_cores_that_measure_together_report_what_it_costs_them(four):
    """Time slices of other virtual CPUs fall into some windows; the figure leaves those out."""
    b = four("suite=truth bench=add,imul samples=256 cores=all share=together").must(SUCCESS, rows=8)
    for name in ("add", "imul"):
        rows = by_core(b, "truth", name)
        assert sorted(rows) == [0, 1, 2, 3]
        for row in rows.values():
            assert row["share"] == "together" and row["together"] == 4
            assert row["alone"]["instructions"] == 1
            assert row["slowdown"]["instructions"] == pytest.approx(1, abs=0.01), row
    assert b.text.count("slowdown by 4 cores at once") == 8


@pytest.mark.parametrize("share", ["alone", "together"])
def test_core_that_faults_names_itself(four, share):
    words = f"suite=provoke,truth bench=setup,add cores=1-2 share={share} samples=64"
    b = four(words)
    assert b.status == FAULT and b.end["verdict"] == "fail", str(b)
    rows = by_core(b, "provoke", "setup")
    assert sorted(rows) == [1, 2]
    for core, row in rows.items():
        assert row["status"] == "wrong" and "#UD" in row["why"]
        assert f"core {core} was lost during" in b.text
    assert not by_core(b, "truth", "add")


def test_rows_between_cores_have_every_pair_and_every_team(four):
    b = four("suite=cores cores=all").must(SUCCESS)
    rows = {r["name"]: r for r in b.rows}
    for name in ("atomic_add", "lock", "false_sharing", "padded"):
        assert [s["cores"] for s in rows[name]["by_cores"]] == [1, 2, 4]
    matrices = {m["name"]: m["pairs"] for m in b.of("matrix")}
    pairs = [[a, b] for a in range(4) for b in range(a + 1, 4)]
    assert [p[:2] for p in matrices["pingpong"]] == [p[:2] for p in matrices["tsc_skew"]] == pairs
    assert [p[:2] for p in matrices["wake"]] == [p[:2] for p in matrices["ipi"]] == pairs[:3]
    for name in ("pingpong", "wake", "ipi"):
        assert all(0 < p[2] <= p[3] <= p[4] for p in matrices[name]), matrices[name]
    assert all(r["judged"] is False for r in b.rows) and "not judged" in b.text


def test_many_cores_are_sampled(boot):
    b = boot("suite=cores bench=pingpong cores=all samples=16", extra=["-smp", "34"], whole=True)
    (m,) = b.must(SUCCESS, rows=1).of("matrix")
    assert m["sampled"] and m["pairs_all"] == 34 * 33 // 2 > 496 >= len(m["pairs"])
    assert {c for p in m["pairs"] for c in p[:2]} == set(range(34))
    assert len({tuple(sorted(p[:2])) for p in m["pairs"]}) == len(m["pairs"])


@pytest.mark.parametrize("thread", ["single", "multi"])
def test_virtual_cpus_that_are_threads_all_start(boot, thread):
    """Long time slices, or in parallel on a host that has fewer CPUs: slow, but never stuck."""
    how = {"extra": ["-smp", "4", "-accel", f"tcg,thread={thread}"]}
    all_up(boot("suite=cores cores=all", icount=False, **how).must(SUCCESS), 4)
