"""The figure's record and remark: figure, interval and method agree with the placements' figures of the record."""

import math
import statistics

from launch import launches
import pytest

CLOSE = 2e-6  # records have six digits


def level(n, k):
    """At least this share of another boot's medians: negative hypergeometric (docs/figure.md)."""
    j = (n + 1) // 2
    below = sum(math.comb(i + j - 1, i) * math.comb(2 * n - i - j, n - i) for i in range(k))
    return 1 - 2 * below / math.comb(2 * n, n)


def check(record):
    interval, per_op = record["interval"], record["per_op"]
    assert interval["estimator"] == "median"
    x = sorted(v for v in interval["placements_cycles"] if v is not None)
    n = len(x)
    assert per_op["cycles"] == pytest.approx(statistics.median(x), abs=CLOSE)
    assert per_op["cycles_mean"] == pytest.approx(statistics.fmean(x), abs=CLOSE)
    assert per_op["cycles_lo"] <= per_op["cycles"] <= per_op["cycles_hi"]
    assert (interval["by"] in ("ranks", "rounds")) == (n >= 11)
    if n < 11:
        return
    k, within = interval["rank"], interval["within"]
    assert level(n, k) >= 0.98 > level(n, k + 1)
    lo, hi = x[k - 1] - within, x[n - k] + within
    assert per_op["cycles_lo"] <= lo + CLOSE and per_op["cycles_hi"] >= hi - CLOSE
    if interval["by"] == "ranks":
        assert interval["confidence"] == pytest.approx(level(n, k), abs=CLOSE)
        below = sum(math.comb(n, i) for i in range(k)) / 2**n
        assert interval["median_confidence"] == pytest.approx(1 - 2 * below, abs=CLOSE)
    if interval["by"] == "ranks" and record.get("exclusive", True):
        assert (per_op["cycles_lo"], per_op["cycles_hi"]) == pytest.approx((lo, hi), abs=CLOSE)


def rows_of(run, *words):
    """Returns records and output; no records if nothing gives core cycles (an emulator)."""
    ended = run("suite=truth,calls", "bench=add,imul,plt,got", "table=rows", *words)
    lines = [line for line in ended.out.splitlines(keepends=True) if line.startswith("{")]
    rows = launches.Launch("".join(lines).encode(), ended.status, 0).rows
    return [r for r in rows.values() if "interval" in r], ended.out


def test_figure_and_interval_are_those_of_the_placements(run):
    records, _ = rows_of(run)
    for record in records:
        check(record)


def test_the_fallback_for_few_placements_is_reported(run):
    records, out = rows_of(run, "samples=512")
    for record in records:
        assert record["placements"] == 8 and record["interval"]["by"] in ("placements", "blocks")
        assert record["interval"]["confidence"] == 0.99 and "rank" not in record["interval"]
        check(record)
    assert out.count("Student's t of 99%") == len(records)
    assert ("+-99%" in out) == bool(records) and "+-98%" not in out


def test_one_placement_falls_back_to_its_blocks(run):
    records, out = rows_of(run, "layout=fixed")
    for record in records:
        assert record["interval"]["by"] == "blocks" and "placements_cycles" not in record["interval"]
        assert record["per_op"]["cycles_mean"] == record["per_op"]["cycles"]
    assert out.count("of one placement, by Student's t of 99%") == len(records)
    assert ("+-99%" in out) == bool(records) and "+-98%" not in out


def test_another_method_has_its_own_figure(run):
    records, _ = rows_of(run, "method=kbest")
    for record in records:
        assert record["interval"]["estimator"] == record["interval"]["by"] == "method"
        assert "confidence" not in record["interval"]
