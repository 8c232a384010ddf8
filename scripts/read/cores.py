"""The cores of a report by their type: figures of a hybrid CPU have a column per type."""


def types(report):
    """Returns {core: its type}; empty if the CPU does not report types."""
    return {c["core"]: c["core_type"] for c in report.of("core") if "core_type" in c}


def one_of_each_type(report, cores):
    """Returns the first core of each type among these cores, in their order."""
    of, found = types(report), {}
    for core in sorted(cores):
        found.setdefault(of.get(core), core)
    return sorted(found.values())


def title(report, core):
    """Returns `efficiency core 4`, or `core 0` if the CPU has one type."""
    kind = types(report).get(core)
    return f"{kind} core {core}" if kind else f"core {core}"
