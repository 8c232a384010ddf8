"""A folder of runs: reports whose names are numbers, the oldest first. `gate --history` adds to it, `compare
--history` reads it.
"""
import os
import re

from read import figure, saved
from tools import places

ENDINGS = (".jsonl", ".log")


def files(folder):
    """Returns the reports in it, in the order of the numbers in their names."""
    names = [n for n in os.listdir(folder) if n.endswith(ENDINGS) and not n.startswith(".")]
    return [os.path.join(folder, n) for n in sorted(names, key=lambda n: (figure.order(n), n))]


def _bytes(path):
    with open(path, "rb") as f:
        return f.read()


def keep(folder, report):
    """Copies a report into the folder as its newest run, unless it already is that. Creates the folder if it is
    missing. Returns the name of the copy."""
    os.makedirs(folder, exist_ok=True)
    there, data = files(folder), _bytes(report.path)
    if there and _bytes(there[-1]) == data:
        return there[-1]
    numbers = [int(stem) for n in there if (stem := os.path.splitext(os.path.basename(n))[0]).isdecimal()]
    path = os.path.join(folder, f"{max([0, *numbers]) + 1:04}{ENDINGS[report.form == saved.LOG]}")
    places.replace(path, f"{path}.new", data)
    return path


# --- a folder of many machines --------------------------------------------------------------------

# docs/fleet.md, section "The folder", says which report belongs to which machine. A name without `_` is a machine, unless it is a
# number or a time; then it belongs to the only machine of the folder.

NUMBERED = re.compile(r"[0-9]+(T[0-9]+Z?)?")  # a number, or a time as `baretick once --result` writes it


def machine_of(name, folder):
    """Returns the machine that a report belongs to. name: the report's path below `folder`."""
    inner, file = os.path.split(name)
    if inner:
        return inner
    stem = os.path.splitext(file)[0]
    first, _, last = stem.rpartition("_")
    if first:
        return first
    return os.path.basename(os.path.abspath(folder)) if NUMBERED.fullmatch(last) else stem


def reports(folder):
    """Returns {machine: [path of a report below the folder, oldest first]}, by the names of the machines. Raises
    saved.Unreadable if there is no report."""
    found = {}
    for place, inner, names in os.walk(folder, onerror=_unreadable):
        inner[:] = sorted(n for n in inner if not n.startswith("."))
        for name in names:
            if name.endswith(ENDINGS) and not name.startswith("."):
                path = os.path.relpath(os.path.join(place, name), folder)
                found.setdefault(machine_of(path, folder), []).append(path)
    if not found:
        raise saved.Unreadable(f"{folder}: no report is in it: no file ends in {' or '.join(ENDINGS)}")
    for paths in found.values():
        paths.sort(key=lambda path: (figure.order(path), path))
    return dict(sorted(found.items(), key=lambda item: (figure.order(item[0]), item[0])))


def _unreadable(error):
    raise saved.Unreadable(f"{error.filename}: {error.strerror or error}")
