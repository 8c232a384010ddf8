"""docs/report.md against the output of the program, booted and under Linux: it has each field, and no other."""

import sys

import build
import pytest
import report_fields

sys.path.insert(0, str(build.ROOT / "tests" / "hosted"))

import priority  # noqa: E402
import report_runs  # noqa: E402
from conftest import QUICK as BASELINE  # noqa: E402
from test_memory import SEVERAL_CORES  # noqa: E402
from test_methods import COMPENSATED, METHODS, WORDS  # noqa: E402
from test_nodes import BY_NODE  # noqa: E402

QUICK = "suite=calls,sum bench=direct,inline,warm samples=64"
TWO = {"extra": ["-smp", "2"]}

# Words, and the machine. Boots of other tests are used where they show the field. Suite insn and layout=sweep, whose
# fields are the same everywhere, are only among the launches under Linux (report_runs.py).
RUNS = [
    ("suite=baseline,truth,planted,quiet,planted_quiet gaps_max=1 samples=32", {}),
    SEVERAL_CORES,
    BY_NODE,
    ("suite=limits", {}),
    (f"{QUICK} cores=all share=together", TWO),
    ("suite=cores cores=all samples=64", TWO),
    (f"{QUICK} takeover=borrow", {}),
    *((f"{WORDS} method={m}", {}) for m in METHODS),
    (COMPENSATED, {}),
    (f"{QUICK} hist=full", {}),
    (f"{QUICK} caches=clear turbo=off prefetch=off freq=base dma=off", {}),
    (BASELINE, {"extra": ["-device", "VGA"]}),
    ("suite=provoke bench=wrong,errors samples=64", {}),
    ("suite=provoke bench=setup samples=64", {}),
    ("suite=calls samples=64", {"keys": {b'"type":"row"': b"q"}}),
    ("suite=nowhere", {}),
    ("help", {}),
    ("list", {}),
    ("dump", {}),
]


@pytest.mark.long
def test_the_document_and_the_reports_have_the_same_fields(boot, shared):
    priority.no_real_time()
    document = report_fields.Document((build.ROOT / "docs" / "report.md").read_text())
    fields, amiss = report_fields.Fields(), set()

    def take(records, older=False):
        for record in records:
            fields.add(record)
            amiss.update(report_fields.amiss(record, document, older))

    take(report_runs.stored(), older=True)
    take(report_runs.records())
    for words, how in RUNS:
        b = (boot if "keys" in how else shared)(words, **how)
        assert b.end, str(b)
        take(b.records)
    wrong = [*sorted(amiss), *report_fields.undeclared(fields, document), *report_fields.unseen(fields, document)]
    assert not wrong, "\n".join([*wrong, "A field that needs a CPU: tests/hosted/report_runs.py"])
