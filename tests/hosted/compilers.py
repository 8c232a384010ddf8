"""The compilers at hand."""

import os
import re
from pathlib import Path

NAME = re.compile(r"(gcc|clang|g\+\+|clang\+\+)(-\d+)?")


def at_hand():
    """Returns each of them once, for C and for C++. A name without a version is usually a link to one with a version."""
    named = sorted((p for d in os.get_exec_path() if Path(d).is_dir() for p in Path(d).iterdir()
                    if NAME.fullmatch(p.name)), key=lambda p: (len(p.name), p.name))  # fmt: skip
    found = {}
    for path in named:
        found.setdefault((path.resolve(), NAME.fullmatch(path.name)[1]), path.name)
    return sorted(set(found.values()))


ALL = at_hand()
C = [name for name in ALL if "+" not in name]
