"""Launches that show every field that the Linux program can write, on any machine. Fields that need a real CPU, with
core cycles and a counter of them, are in stored records (data/cpu_fields.jsonl); each of these shows a field that no
other there does. To regenerate them on a CPU, after the document or the program's fields changed:

make hosted && UPDATE=1 python3 -m pytest -m silicon tests/hosted/program/test_report_fields.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from launch import launches
from read import report
from tools import places

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "objects"))

import made  # noqa: E402
import report_fields  # noqa: E402

QUICK = "suite=calls,sum bench=direct,inline,warm samples=64 retry_budget=0"
METHODS = "samples=64 most=50 ensembles=8 size=16 target=1000 compensate=on retry_budget=0"

# Words, and the exit statuses that they may end with.
RUNS = [
    ("suite=calls,truth samples=64 retry_budget=0", (0, 2)),
    ("suite=calls bench=direct samples=64 cores=all share=together retry_budget=0", (0, 2)),
    ("suite=cores cores=all samples=64 retry_budget=0", (0, 2)),
    *(
        (f"suite=calls bench=direct,inline {METHODS} method={m}", (0, 2))
        for m in ("plain", "kbest", "ensembles", "adaptive")
    ),
    ("suite=calls bench=direct samples=64 layout=sweep hist=full retry_budget=0", (0, 2)),
    (f"{QUICK} hist=off caches=clear turbo=off prefetch=off freq=base dma=off", (0, 2)),
    ("suite=compiler bench=sum_formula_*,sum_cure_* samples=256 retry_budget=0", (0, 2)),
    ("suite=planted,quiet quiet_time=1 gaps_max=1 retry_budget=0", (0, 2)),
    ("suite=memory bench=forward,latency_4k", (0, 2)),
    ("suite=limits bench=width,registers_mask", (0, 2)),
    ("suite=insn bench=add_*,movd_r32_xmm,hlt time=1", (0, 2)),
    ("suite=provoke bench=wrong,errors,ud2 samples=64 retry_budget=0", (2,)),
    ("suite=provoke bench=setup samples=64 retry_budget=0", (4,)),
    ("suite=nowhere", (3,)),
]


# The program with a counter that every machine has: tests/hosted/tools/made_counter.c.
COUNTED = Path(places.built("hosted/counted"))
STORED = Path(__file__).parent / "data" / "cpu_fields.jsonl"
CPU_RUNS = [
    ("suite=truth,calls,cores bench=add,direct,inline,register,pingpong,atomic_add samples=64 hist=off cores=all share=together",
     (0, 2)),
    ("suite=calls bench=register samples=64 hist=off layout=sweep", (0, 2)),
    ("suite=calls,sum bench=register,cold hist=off", (0, 2)),
    ("suite=calls bench=register hist=off method=adaptive target=1000", (0, 2)),
    # Independent additions to memory cost less than a chain through it, and NOPs cost less in a loop than in a straight
    # line; v* does not end in a second.
    ("suite=insn bench=add_m64_r64,sbb_r64_r64,nop,mov_r64_imm64,add_r16_imm16 time=2", (0, 2)),
    ("suite=insn bench=v* time=1", (0, 2)),
    ("suite=limits bench=width,stores", (0, 2)),
]


def records():
    with tempfile.TemporaryDirectory(prefix="baretick-objects-") as folder:
        made.own("gcc", folder)
        made.own("grows", folder)
        yield from records_of([*RUNS, (f"suite=gcc,grows samples=64 retry_budget=0 objects={folder}", (0, 2))])


def stored():
    return [report.parse(line) for line in STORED.read_bytes().splitlines()]


def lines_of_a_cpu():
    """Returns the lines of the launches for the stored records that show a field which no earlier line shows."""
    seen, kept = set(), []
    for line in lines_of(CPU_RUNS, COUNTED):
        fields = set(report_fields.Fields([report.parse(line)]).types)
        if fields - seen:
            kept.append(line)
        seen |= fields
    return kept


def records_of(runs, program=launches.PROGRAM):
    return map(report.parse, lines_of(runs, program))


def lines_of(runs, program):
    for words, allowed in runs:
        p = subprocess.run([program, "format=jsonl", *words.split()], capture_output=True, stdin=subprocess.DEVNULL,
                           timeout=launches.SECONDS, check=False)  # fmt: skip
        assert p.returncode in allowed, f"{words}: exit status {p.returncode}: {p.stderr.decode()}"
        # `help` and `list` also print other things.
        yield from (line for line in p.stdout.splitlines() if line.startswith(report.RECORD_START))
