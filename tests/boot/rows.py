"""Reads the rows that bench/suites/ declares, as the compiler's preprocessor sees them."""

import re

from commands import output_of
import build

DECLARED = re.compile(r"static const struct (?:bench bench|baretick_row baretick)_\w+ = \{(.*?)\};", re.DOTALL)
# Fields whose names differ between the public header and struct bench.
PUBLIC = {".body = ": ".form = FORM_FUNCTION, .function = ", ".unit = ": ".base_unit = ",
          ".units = ": ".base_per_op = "}


def declared():
    """Returns suite/name of every row, and the text of its fields (struct bench)."""
    rows = {}
    for source in sorted((build.ROOT / "bench" / "suites").rglob("*.c")):
        text = output_of("gcc", "-E", "-P", "-fcf-protection=branch", "-fPIC", "-I", build.ROOT, source)
        for fields in DECLARED.findall(text):
            suite, name = re.search(r'\.suite = "(\w+)"\s*, \.name = "(\w+)"', fields).groups()
            assert f"{suite}/{name}" not in rows, f"two rows are called {suite}/{name}"
            if ".version = " in fields:
                for public, ours in PUBLIC.items():
                    fields = fields.replace(public, ours)
            rows[f"{suite}/{name}"] = fields
    return rows


def on_request(fields):
    """Tests whether the row runs only when suite= names its suite."""
    return re.search(r"\.on_request = (1|true)", fields) is not None
