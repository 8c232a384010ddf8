"""A folder of runs: reports whose names are numbers, the oldest first. `gate --history` adds to it, `compare
--history` reads it.
"""
import os

from read import figure, saved

ENDINGS = (".jsonl", ".log")


def files(folder):
    """Returns the reports in it, in the order of the numbers in their names."""
    try:
        names = [n for n in os.listdir(folder) if n.endswith(ENDINGS) and not n.startswith(".")]
    except OSError as e:
        raise saved.Unreadable(f"{folder}: {e.strerror or e}") from None
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
    with open(f"{path}.new", "wb") as f:
        f.write(data)
    os.replace(f"{path}.new", path)
    return path
