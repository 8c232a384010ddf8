"""Conditions under which two figures can be compared: for reports, and for rows."""
from read import figure

# Options that only select rows, set how often they are measured, or set where the report goes. Every other option
# changes what is measured and must be equal, including options that this program does not know.
NOT_MEASURED = frozenset("""suite bench objects samples rounds retry_budget warmup clock seed cores quiet_time gaps_max
    time deadline format table hist console serial finish instructions
    once upload""".split())
# The run and its rows have the effect of these options, and that is compared.
REPORTED = frozenset(("recipe", "cycle", "takeover"))
# Options that only one method uses.
KNOBS = {"kbest": ("k", "epsilon", "most", "compensate"), "ensembles": ("ensembles", "size"),
         "adaptive": ("target",)}
# Kinds of difference that --across may allow: the same CPU with changed settings, or another version of baretick.
MAY_CROSS = ("firmware", "microcode", "hypervisor", "option", "estimator")


def _words(*values):
    return " ".join(str(v) for v in values if v is not None)


def measured(options):
    """Returns the names of the options that change what is measured, in their order."""
    unused = {name for method, names in KNOBS.items() if method != options.get("method") for name in names}
    return [name for name in options if name not in NOT_MEASURED | REPORTED | unused]


def machine(run):
    """Returns {(kind, what): value} of everything that must be equal; None for unknown values."""
    cpu, firmware, smbios = (run.get(key, {}) for key in ("cpu", "firmware", "smbios"))
    options = run.get("options", {})
    found = {
        ("execution", "execution"): run.get("execution"),
        ("cpu", "CPU"): _words(cpu.get("brand", cpu.get("vendor")), "family", cpu.get("family"), "model",
                               cpu.get("model"), "stepping", cpu.get("stepping")),
        ("microcode", "microcode"): cpu.get("microcode"),
        ("hypervisor", "hypervisor"): run.get("hypervisor", "one without a name") if run.get("virtualised")
        else "none",
        # A process knows of the firmware only what SMBIOS says.
        ("firmware", "firmware"): _words(firmware.get("vendor"), firmware.get("revision")) or None,
        ("firmware", "BIOS"): _words(smbios.get("bios_version"), smbios.get("bios_date")) or None,
        ("option", "takeover"): run.get("takeover"),
    }
    found.update({("option", f"option {name}="): options[name] for name in measured(options)})
    return found


def unlike(a, b):
    """Returns [(kind, in words what differs)] for two records `run`."""
    a, b = machine(a), machine(b)
    return [(key[0], f"another {key[1]}: {a[key]} against {b[key]}" if key[0] != "option"
             else f"another {key[1]} {a[key]} against {b[key]}")
            for key in a if key in b and None not in (a[key], b[key]) and a[key] != b[key]]


def estimator(row):
    """Returns how a row's figure is computed from its placements, in a word, or None if it has no interval. Reports
    older than the field `interval.estimator` have means."""
    interval = row.get("interval")
    return interval.get("estimator", "mean") if interval and "cycles" in row.get("per_op", {}) else None


def unlike_estimators(a, b):
    """Returns [(kind, in words)] if the figures of two reports are of different kinds. a, b: the estimators of their
    rows."""
    if not a or not b or a == b:
        return []
    return [("estimator", f"another estimator of the figures: {' and '.join(sorted(a))} against {' and '.join(sorted(b))}")]


def unfit(row):
    """Returns why a row's figure must not be compared with any other, or None."""
    if row["status"] != "ok":
        return f"{row['status']}: {row['why']}" if row.get("why") else row["status"]
    if figure.unit(row) is None:
        return "it has no figure of an operation"
    if row.get("exclusive") is False:
        return "a shared core"
    if row.get("throttled"):
        return "the core was throttled"
    if row.get("doubt"):
        return row["doubt"]
    if row.get("judged") is False:
        return "cores of an emulator take turns"
    return None


def unlike_rows(a, b):
    """Returns why two comparable rows cannot be compared with each other, or None."""
    if figure.unit(a) != figure.unit(b):
        return f"another unit: {figure.unit(a)} against {figure.unit(b)}"
    for key, name in (("recipe", "recipe"), ("cycle_source", "source of core cycles"), ("cold", "state of caches"),
                      ("share", "way to share cores"), ("together", "number of cores at it"), ("form", "form")):
        if a.get(key) != b.get(key):
            return f"another {name}: {a.get(key)} against {b.get(key)}"
    return None
