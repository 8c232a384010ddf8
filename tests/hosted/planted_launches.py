"""Made-up launches for the tests of scripts/silicon's judgement."""

import copy
from types import SimpleNamespace

from launch import silicon_rows as checks
from launch import launches


STEPS = [(i - 7.5) / 7.5 for i in range(16)]  # of placements, evenly from -1 to 1


def row(cycles, half=0.01, **more):
    placed = [cycles + half * step for step in STEPS]
    record = {
        "status": "ok",
        "doubled": True,
        "placements": 16,
        "ops": 500,
        "windows": 1000,
        "sampling_ticks": 1_000_000,
        "per_op": {
            "cycles": cycles,
            "cycles_lo": cycles - half,
            "cycles_hi": cycles + half,
            "cycles_mean": cycles,
            "ns": cycles / 3,
        },
        "interval": {"estimator": "median", "by": "ranks", "sd": half, "se": half / 3, "placements_cycles": placed},
        "modes": [{"cycles": cycles, "share": 1, "sd": half, "blocks": 100, "kind": "only"}],
    }
    return {**record, **more}


def launch(rows, **more):
    fields = {"run": {"recipe": "lfence", "ticks_per_cycle": 0.7, "tsc": {"hz": 1e9}}}
    fields.update(rows=rows, linearity={})
    result = SimpleNamespace(**{**fields, **more})
    result.ms = lambda name: launches.Launch.ms(result, name)
    return result


def many(rows, n=30, **run):
    runs = [launch(copy.deepcopy(rows)) for _ in range(n)]
    for one in runs:
        one.run.update(run)
    return runs


def shared_row(cycles):
    return row(cycles, exclusive=False, shared=0.9)


def truth_launches(**changed):
    known = {name: row(1.0, truth_cycles=1) for name in checks.TRUTH}
    known["imul"] = row(3.0, truth_cycles=3)
    known.update({name: {"truth_cycles": known[name]["truth_cycles"], **record} for name, record in changed.items()})
    return many({f"truth/{name}": record for name, record in known.items()})


def call_launches(**changed):
    known = {"direct": 4, "plt": 5, "got": 4, "register": 4, "virtual": 6}
    known.update(changed)
    rows = {f"calls/{n}": row(c) for n, c in known.items()}
    rows.update({f"calls/{n}_inc": row(c) for n, c in known.items()})
    return many(rows)


def witnessed(shared_blocks, blocks=10_000, hypervisor="KVM"):
    w = {"blocks": blocks, "shared_blocks": shared_blocks, "shared": shared_blocks / blocks}
    run = {"hypervisor": hypervisor} if hypervisor else {}
    return launch({}, run=run, witnesses=[w])
