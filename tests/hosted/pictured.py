"""Made-up records with everything that a picture or a page can show: for the tests of `plot` and `report`."""

import math

from made_insn import record
from made_reports import RANKS, STUDENT, head, row

POINTS = (0, 1, 2, 5, 10, 20, 50, 100, 1000)
SWEPT = {"code": 1, "stack": 64, "data": 8}


def hist(*peaks):
    """Returns [[ticks, windows]] of [(ticks, windows)] with a neighbour on both sides of each."""
    return sorted([t + d, n // 4 if d else n] for t, n in peaks for d in (-26, 0, 26))


def moded():
    """Returns a row of two modes whose longest windows are far beyond the others."""
    found = hist((3042, 800), (3848, 120)) + [[90000, 3], [2000000, 1]]
    placements = [3.0 + i / 1000 for i in range(14)] + [4.0, 4.01]
    return row("moded", 3.13, half=0.6, hist=found, ticks={"min": 3016, "median": 3042, "p99": 3874, "max": 2000000},
               interval={**RANKS, "rounds_cycles": [3.12, 3.13, 3.14, None], "placements_cycles": placements},
               modes=[{"cycles": 3.003, "share": 0.875, "sd": 0.01, "blocks": 112, "kind": "layout"},
                      {"cycles": 4.002, "share": 0.125, "sd": 0.01, "blocks": 16, "kind": "time"}])


def plain():
    """Returns a row of one mode."""
    return row("plain", 2, hist=hist((2080, 500)), interval={**STUDENT, "placements_cycles": [1.99, 2, 2.01],
                                                             "rounds_cycles": [1.995, 2.005]},
               modes=[{"cycles": 2, "share": 1, "sd": 0.01, "blocks": 3, "kind": "only"}])


def swept():
    def part(step, high):
        cycles = [3.0] * 60 + [high, None, 3.0, 2.9]
        return {"min": 2.9, "median": 3, "max": high, "best": 63 * step, "worst": 60 * step, "step_bytes": step,
                "cycles": cycles}

    return row("swept", 3, sweep={name: part(step, 4.5 if name == "code" else 3.1) for name, step in SWEPT.items()})


def linearity(recipe, bend, key="error_cycles"):
    return {"type": "linearity", "recipe": recipe, "n": 64, "bend_cycles": bend, "straight": bend < 1,
            "points": [{"adds": n, "ticks": 30 + n, key: -bend * min(1, n / 50)} for n in POINTS]}


def several_cores(cores=4):
    pairs = [[a, b, 90, 100 + 20 * abs(a - b), 500] for a in range(cores) for b in range(a + 1, cores)]
    skew = [[a, b, -50, 10 * (b - a), 60] for a, b, *_ in pairs]
    contention = [{"cores": c, "ticks": 10.0 * c, "least_ticks": 9.0 * c, "greatest_ticks": 12.0 * c} for c in (1, 2, 4)]

    def cored(name, **more):
        return {"type": "row", "suite": "cores", "name": name, "core": 0, "form": "cores", "ops": 1, "status": "ok",
                "judged": True, "per_op": {"ticks": 120}, **more}

    def matrix(name, found):
        return {"type": "matrix", "suite": "cores", "name": name, "unit": "ticks", "judged": True,
                "pairs_all": len(pairs), "sampled": False, "backwards": 0, "pairs": found}

    return [cored("pingpong"), matrix("pingpong", pairs), cored("tsc_skew"), matrix("tsc_skew", skew),
            cored("wake"), matrix("wake", [[0, b, 900, 1000 + b, 1500] for b in range(1, cores)]),
            cored("atomic_add", by_cores=contention)]


def gaps():
    first = [[1000000 * (i + 1), 5000 * (1 + i % 5)] for i in range(32)]
    return {"type": "gaps", "suite": "quiet", "name": "gaps", "core": 0, "watched_ticks": 200000000, "elapsed_ticks": 201000000,
            "iteration_ticks": 26, "threshold_ticks": 2026, "gaps": 100, "gap_ticks": 1500000, "longest_ticks": 400000,
            "longest_at_ticks": 77000000, "seconds": 0.1, "wait_ticks": 30000, "wait_ns": 15000, "longest_ns": 200000, "gap_ns": 750000,
            "gaps_per_second": 1000, "lengths": [[2500, 60, 300000], [10000, 30, 600000], [12500, 7, 200000], [160000, 3, 400000]],
            "first": first, "periods": [{"least_ns": 1000, "ticks": 1000000, "jitter_ticks": 20, "gaps": 100, "of": 100}]}


def quiet(cores=8, result="pass", **changes):
    """Returns the records of suite `quiet` of a bare machine: an SMI of 14 us each second, on all cores."""
    found = []
    for core in range(cores):
        first = [[2000000000 * (i + 1), 28000 + 50 * core] for i in range(32)]
        found.append({**gaps(), "core": core, "watched_ticks": 119800000000, "elapsed_ticks": 120000000000, "gaps": 60,
                      "gap_ticks": 1680000 + 3000 * core, "longest_ticks": 28000 + 50 * core, "seconds": 59.9, "wait_ticks": 8000,
                      "wait_ns": 4000, "longest_ns": 14000 + 25 * core, "gaps_per_second": 1.002, "first": first,
                      "lengths": [[12500, 60, 1680000 + 3000 * core]],
                      "periods": [{"least_ns": 10000, "ticks": 2000000000, "jitter_ticks": 300, "gaps": 60, "of": 60}],
                      "smis_before": 100, "smis_after": 160, "smis": 60, "nmis": 0})
    worst = {"longest_core": cores - 1, "longest_ns": 14000 + 25 * (cores - 1), "wait_core": 0, "wait_ns": 4000}
    limit = {"gaps_max_us": 20 if result == "pass" else 10, "result": result,
             "exceeded": list(range(cores)) if result == "fail" else []}
    return [*found, {"type": "quiet", "suite": "quiet", "name": "gaps", "status": "ok", "cores": list(range(cores)), "complete": True,
                     "asked_s": 60, "least_watched": 0.998333, **worst, "causes": "SMIs and a hypervisor; interrupts are masked",
                     **(limit if result else {}), **changes}]


def silicon(**changes):
    return head(clock_tsc_hz=2000000000, ticks_per_cycle=0.76, tsc={"hz": 2000000000, "step_ticks": 26}, **changes)


def calls():
    """Returns ways of calling in each form: net, with an asymmetric interval, and gross if there is a loop."""
    found = []
    for way, cycles in (("inline", 0.001), ("direct", 3), ("plt", 5)):
        for ending in ("", "_inc", "_straight", "_c"):
            made = row(way + ending, cycles, half=0.25, suite="calls", interval=RANKS)
            made["per_op"]["cycles_hi"] = cycles + 1
            if ending != "_straight":
                made["per_op"].update(gross_cycles=cycles + 1.25, loop_cycles=1.25)
            found.append(made)
    found[5].update(status="wrong", why="the counter is 3")
    found[6].update(exclusive=False)
    found[-1]["per_op"]["cycles_hi"] = 90  # far beyond the others
    return found


def growing(name="linear", curve="n", coefficient=2.0, arguments=(4, 16, 64, 256), **changes):
    """Returns a row with arguments, each figure a tenth above or below the curve in turn, and its event `growth`."""
    at = {"n": lambda n: n, "log n": math.log2, "constant": lambda _: 1, "n log n": lambda n: n * math.log2(n), "n^2": lambda n: n * n}
    rows = [row(f"{name}/{n}", coefficient * at[curve](n) * (1.1 if i % 2 else 0.9), half=0.4 * n, suite="args", arg=n, object="o.o",
                interval=RANKS)
            for i, n in enumerate(arguments)]
    said = f"args/{name}, {len(rows)} arguments: {curve}, {coefficient:.3f} cycles x {curve} with an error of 10.0% of the mean"
    return [*rows, {"type": "event", "kind": "growth", "message": said, "suite": "args", "name": name, "unit": "cycles",
                    "points": len(rows), "fits": True, "curve": curve, "coefficient": coefficient, "error": 0.1,
                    "exclusive": True, **changes}]


KIB = 1024
CACHES = [{"level": 1, "type": "instruction", "size_bytes": 64 * KIB}, {"level": 1, "type": "data", "size_bytes": 32 * KIB},
          {"level": 2, "type": "unified", "size_bytes": KIB * KIB}]


def curve(name, points, **more):
    """A record `curve`: [(bytes, cycles)], each with an interval of a fifth and half as many ns."""
    return {"type": "curve", "suite": "memory", "name": name, "core": 0, "status": "ok", "by": "size", "page": 4096,
            "wanted": points[-1][0], "elements": 1000, "rounds": 4,
            "unit": "cycles", "figures": [[at, c, round(0.2 * c, 3), c / 2] for at, c in points],
            "visits": [4] * len(points), "judged": True, "levels": [], "nmis": 0, **more}


def latency(name="latency_4k", times=1, **more):
    """Three levels: the first two end where CPUID has a cache, and the last is memory."""
    cycles = ((4, 4), (8, 4), (16, 4), (32, 4), (64, 14), (256, 14), (1024, 14), (2048, 200), (4096, 220), (8192, 220))
    levels = [{"value": 4.0, "from": 4 * KIB, "to": 32 * KIB, "beyond": 64 * KIB, "cache_level": 1, "cache_bytes": 32 * KIB},
              {"value": 14.0, "from": 64 * KIB, "to": KIB * KIB, "beyond": 2048 * KIB, "cache_level": 2,
               "cache_bytes": KIB * KIB},
              {"value": 220.0, "from": 2048 * KIB, "to": 8192 * KIB}]
    return curve(name, [(k * KIB, times * c) for k, c in cycles], **{"levels": levels, **more})


def curves():
    """Each kind of curve, one that was spoiled, and one that is not there."""
    bandwidth = [(4 * KIB, 1), (64 * KIB, 2), (8192 * KIB, 20)]
    offsets = [(-8, 1), (-4, 18), (0, 0.8), (4, 6), (8, 1)]
    return [latency(), latency("stride_64", 0.5, levels=[], judged=False, spoiled="most sizes were measured on a shared core"),
            curve("read_16", bandwidth, op_bytes=64, shared=[64 * KIB]), curve("read_32", [(b, c / 2) for b, c in bandwidth], op_bytes=64),
            curve("alias_4k", offsets, by="offset"),
            curve("flush_clwb", [(0, 2), (1, 6)], by="state", labels=["absent", "dirty L1"]),
            {"type": "curve", "suite": "memory", "name": "latency_2m", "core": 0, "status": "unsupported",
             "why": "the kernel gave no pages of 2 MiB", "nmis": 0}]


def limit(name, at, **more):
    """A record `limit`: a step from 600 to 1100 cycles at a count."""
    points = [[n, c, 40] for n in range(16, 400, 16) for c in [600 if n <= at else 1100]]
    step = {"at": at, "from": at - 2, "to": at + 4, "before": 620, "after": 1080}
    return {"type": "limit", "suite": "limits", "name": name, "core": 0, "status": "ok", "of": "fillers", "rule": "steps",
            "operations": 1000, "rounds": 4, "visits": 16, "unit": "cycles", "figures": points,
            "judged": True, "steps": [step], "nmis": 0, **more}


def forwarding():
    """The records of a map with stores and loads of 4 and 8 bytes: those of the same address are quick."""
    found = []
    for store in (4, 8):
        loads = []
        for load in (4, 8):
            how = "".join("-" if at + load <= 0 or at >= store else "f" if 0 <= at <= store - load else "p"
                          for at in range(-load, store + 1))
            loads.append({"load": load, "from": -load, "how": how, "values": [{"-": 0.7, "f": 4.5, "p": 18}[h] for h in how],
                          "spread": [0.1] * len(how)})
        found.append({"type": "forward", "suite": "memory", "name": "forward", "core": 0, "status": "ok", "store": store,
                      "unit": "cycles", "visits": 3, "checked": 1000, "shared": store == 8, "loads": loads, "nmis": 0})
    return found


def instructions(core=0, slower=1):
    """Returns the records of suite insn: forms with everything that a form can have."""
    add = f"{slower:g}.00(2)"
    made = record({"form": "add r64, r64", "cycles": {"tp": f"{0.25 * slower:g}(1)", "0>0": add, "1>0": add, "1>f": "1.1(2)?"}, "slots": 1},
                  {"form": "mov r64, m64", "cycles": {"tp": "0.50(1)", "1b>0": "4.0(1)", "1>0": "<7.5(?)"}, "line": "0.333(2)"},
                  {"form": "imul r64, r64", "cycles": {"tp": "1.00(2)", "0>0": f"{3 * slower:g}.00(1)", "1>0": f"{3 * slower:g}.00(1)"}},
                  {"form": "add r16, imm16", "cycles": {"tp": "0.25(1)"}, "straight": "3.0(1)", "lcp": True},
                  {"form": "ud2", "cycles": {}, "fault": "SIGILL"}, core=core)
    return [made,
            {"type": "insn_left", "core": core, "why": "privileged", "forms": [["hlt", ""], ["lgdt", "m80"]]},
            {"type": "insn_end", "core": core, "reached": 5, "not_reached": 2, "faulted": 1, "figures": 12, "settled": 11,
             "passes": 3, "seconds": 2.5, "out_of_time": True, "blocks": 100, "shared_blocks": 3}]


def everything():
    """Returns the records of a report with an example of each kind, `run` first and without `end`."""
    return [silicon(caches=CACHES), *curves(), *forwarding(), *instructions(), linearity("lfence", 0.05), linearity("plain", 98),
            linearity("rdtscp", 36), moded(), plain(), swept(), *several_cores(), gaps(), *calls(), *growing()]


def passing():
    """Returns the same without what failed."""
    return [record for record in everything() if record.get("status") != "wrong"]
