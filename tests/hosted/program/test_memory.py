"""Suite memory in a process: what a curve over sizes consists of, and what it says where it cannot be measured. The
figures themselves are the machine's; tests/unit has a simulated one."""

import re
import resource
import signal
import subprocess

import pytest
from conftest import SECONDS, run_on
from curve_runs import check_of_rows, record_of
from launch import launches

KIB = 1 << 10
LINE = 64


CHASES = ("latency_4k", "stride_64", "stride_1k", "tlb_4k", "tlb_code_4k")
NAMES = (*CHASES, "read_16", "copy_16", "write_rep")


@pytest.fixture(scope="module")
def ended(shared_run):
    return shared_run("suite=memory", f"bench={','.join(NAMES)}", "format=both")


@pytest.fixture(scope="module", params=NAMES)
def curve(ended, request):
    return record_of(request.param, ended.report_in_table().curves, NAMES)


def test_the_run_passes_without_rows(ended):
    check_of_rows(ended, NAMES)


def test_the_table_has_a_line_per_size(ended, curve):
    text = re.search(rf"^{curve['name']} .*?^  (levels|no level).*?$", ended.out.replace("\r", ""), re.M | re.S)[0]
    sizes = [line.split()[:2] for line in text.splitlines() if re.match(r" +[0-9.]+ [KMG]iB ", line)]
    of = {"KiB": KIB, "MiB": KIB << 10, "GiB": KIB << 20}
    assert [float(number) * of[unit] for number, unit in sizes] == [p[0] for p in curve["figures"]], text
    checked = "every element was visited" if curve["name"] in CHASES else "every word was checked"
    assert checked in text
    whole = re.search(rf"^{curve['name']} .*?^$", ended.out.replace("\r", ""), re.M | re.S)[0]
    if curve["judged"] and curve["levels"]:
        assert len(re.findall(r"(more|less) than the level before", whole)) == len(curve["levels"]) - 1, whole
    assert ("GB/s" in text) == (curve.get("op_bytes") == LINE) == (curve["name"] not in CHASES)


def test_points_by_offset_ascend(run):
    """Stores and loads by offset: a store that a load finds whole, a line's and a page's end."""
    ended = run("suite=memory", "bench=split_*,forward,alias_4k", "format=both")
    curves = ended.report_in_table().curves
    assert [c["name"] for c in curves] == ["alias_4k", "split_load", "split_store"]
    for curve in curves:
        offsets = [p[0] for p in curve["figures"]]
        assert curve["status"] == "ok" and curve["by"] == "offset" and curve["levels"] == [], curve
        assert offsets == sorted(set(offsets)) and all(p[1] is not None for p in curve["figures"]), curve
    assert ended.out.count("every value was checked") == 4 and not re.search(r"^  levels", ended.out, re.M)


def test_flushes_have_a_point_per_state_of_a_line(run):
    """One point per state of a line that this CPU's caches allow; or an instruction that the CPU lacks."""
    for curve in run("suite=memory", "bench=flush_*", "format=jsonl", "cores=bsp").report().curves:
        if curve["status"] == "ok":
            assert curve["by"] == "state" and curve["levels"] == [], curve
            assert curve["labels"][:2] == ["absent", "clean L1"] and "dirty L1" in curve["labels"], curve
            assert len(curve["labels"]) == len(curve["figures"]), curve
            assert all(p[1] is not None for p in curve["figures"]), curve
        else:
            why = "cores=all" if curve["name"].endswith("held") else "CPUID"
            assert curve["status"] == "unsupported" and why in curve["why"], curve


def test_prefetchers_need_ring_0(run):
    for curve in run("suite=memory", "bench=*_off", "format=jsonl").report().curves:
        assert curve["status"] == "unsupported" and "ring 0" in curve["why"], curve


def test_rows_of_large_pages_have_them_or_say_why_not(run):
    pages = {"2m": (2 << 20, "2 MiB"), "1g": (1 << 30, "1 GiB")}
    curves = run("suite=memory", "bench=*_2m,*_1g", "format=jsonl").report().curves
    assert [c["name"] for c in curves] == ["latency_1g", "latency_2m", "tlb_1g", "tlb_2m", "tlb_code_2m"]
    for curve in curves:
        page, words = pages[curve["name"].split("_")[-1]]
        if curve["status"] == "ok":
            assert curve["page"] == page, curve
        else:
            assert curve["status"] == "unsupported" and words in curve["why"], curve
            assert "figures" not in curve and "levels" not in curve


def test_each_core_has_a_curve(run):
    report = run("suite=memory", "bench=tlb_4k", "format=jsonl", "cores=all").report()
    assert [c["core"] for c in report.curves] == list(range(max(1, len(report.cores))))


def test_rows_of_several_cores_have_points_by_cores_rate_or_state(run):
    """Bandwidth by cores, latency under load, lines that another core holds; or the reason why not."""
    rows = "cores_read,cores_nt,flush_clflush_held,loaded_write"
    report = run("suite=memory", f"bench={rows}", "format=jsonl", "cores=all").report()
    curves = {c["name"]: c for c in report.curves}
    assert sorted(curves) == sorted(rows.split(","))
    cores = max(1, len(report.cores))
    for name, curve in curves.items():
        if curve["status"] != "ok":
            assert curve["status"] == "unsupported", curve
            assert cores == 1 or "CPU in time" in curve["why"] or "memory" in curve["why"], curve
            continue
        points = curve["figures"]
        assert curve["unit"] == "ticks" and len(curve["sets"]) == len(points) and min(curve["sets"]) > 0, curve
        assert all(p[1] is not None and p[2] >= 0 for p in points), curve
        if name.startswith("cores"):
            assert curve["by"] == "cores" and curve["op_bytes"] == LINE, curve
            assert [points[0][0], points[-1][0]] == [1, cores], curve
        elif name.startswith("loaded"):
            assert curve["by"] == "rate" and len(points) == 7 and points[0][0] == 0, curve
        else:
            assert curve["by"] == "state" and curve["labels"] == ["held clean", "held dirty"], curve


def test_less_memory_is_stated(program):
    """The process may map little more than it needs without the area: sizes are left out, or there is no area."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (96 << 20, resource.RLIM_INFINITY))

    p = subprocess.run([program, "format=jsonl", "suite=memory", "bench=latency_4k"], preexec_fn=limit,
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)  # fmt: skip
    if p.returncode not in (0, 2):
        pytest.skip(f"the program itself does not fit 96 MiB here: {p.stderr.decode()}")
    report = launches.Launch(p.stdout, p.returncode, 0)
    (curve,) = report.curves
    if curve["status"] == "ok":
        assert curve.get("less_memory") or curve["wanted"] <= 96 << 20, curve
    else:
        assert "memory" in curve["why"] and report.status == 2, curve


def test_a_stopped_run_ends_in_time(running):
    process, end = running("suite=memory", "bench=latency_4k")
    run_on(process, ticks=10)
    process.send_signal(signal.SIGINT)
    report = end().report()
    assert (report.status == 5) == (not report.curves), report.status  # it may have ended before the signal
