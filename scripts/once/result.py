"""The result of the run that `once` prepared: the report, or the reason why it is missing."""
import os

from once import entry, prepare
from once import esp as disk
from once.variables import Failed
from read import report, saved

PASSED, NOT_PASSED = 0, 1


def witness(system, token):
    """Returns what the program left in its variable for this run, as {key: text}; {} without one."""
    raw = system.variables.get(prepare.WITNESS, prepare.WITNESS_GUID) or b""
    found = dict(line.split("=", 1) for line in raw.decode("utf-8", "replace").splitlines() if "=" in line)
    return found if found.get("once") == str(token) else {}


def _is_of(path, token):
    """Tests whether the first record in a file is of the run with this token."""
    try:
        with open(path, "rb") as f:
            first = report.parse(f.readline().rstrip(b"\r\n"))
    except (OSError, report.Damaged):
        return False
    if first["type"] == "machine":  # of `dump` (boot/dump.c)
        return f"# once: {token}" in first["lines"]
    return first["type"] == "run" and str(first.get("options", {}).get("once")) == str(token)


def find_report(system, esps, token, named=None):
    """Returns the path of the records: the file that the variable names, else the one that has the token. None: no
    such file."""
    for esp in esps:
        folder = disk.file_of(system, esp, prepare.REPORTS)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        paths = [os.path.join(folder, name) for name in names if name.lower().endswith(prepare.PARTS[0])]
        if named:
            paths.insert(0, disk.file_of(system, esp, named))
        for path in paths:
            if _is_of(path, token):
                return path
    return None


def _store(system, path, token):
    """Moves both files of a report to prepare.STORE; each copy is compared before the file on the ESP is deleted. The
    records are last: as long as they are on the ESP, a move that a power cut interrupted is continued."""
    base = path[:-len(prepare.PARTS[0])]
    stored = prepare.stored_name(token)
    for part in reversed(prepare.PARTS):
        source = disk.same_name(os.path.dirname(base), os.path.basename(base) + part)
        if os.path.exists(source):
            disk.write(system.path(stored + part), disk.read_back(source))
            os.unlink(source)
    return stored + prepare.PARTS[0]


def collect(system, esps, state):
    """Stores the report of this run if it is still on the ESP. Returns where it is stored; None: no report."""
    if "stored" in state:
        return state["stored"]
    found = find_report(system, esps, state["token"], witness(system, state["token"]).get("file"))
    if found:
        stored = _store(system, found, state["token"])
    else:
        stored = prepare.stored_name(state["token"]) + prepare.PARTS[0]
        if not os.path.exists(system.path(stored)):  # else it was moved, and the power was cut before that was noted
            return None
    state["stored"] = stored
    prepare.save_state(system, state)
    return stored


def _started_by(system):
    found = disk.current_entry(system)
    if not found:
        return "the firmware does not say by which entry Linux was started"
    number, own = found
    return f"BootCurrent is {entry.name_of(number)}" + (f" ({own.description})" if own else "")


def why_none(system, state):
    """Returns why there is no report, in a sentence."""
    left = witness(system, state["token"])
    if left.get("status"):
        file = left.get("file")
        lost = f"its report {file} is on no mounted EFI system partition" if file else \
            f"its report was not written: {left.get('error', '')}"
        return f"the program finished (verdict {left.get('verdict')}, exit status {left['status']}), and {lost}"
    if left.get("error"):
        return f"the program was started and measured nothing: {left['error']}"
    if left:
        return "the program was started and did not finish: a power cut, a reset, or it hung"
    variables, name = system.variables, entry.name_of(state["entry"])
    if not prepare.is_own(variables.get(name) or b""):
        return (f"{name} is deleted, which the program does first, and there is neither a report nor the variable "
                f"{prepare.WITNESS}; {_started_by(system)}")
    waits = entry.order(variables.get("BootNext") or b"") == [state["entry"]]
    how = f"did not use BootNext, which still is {name}" if waits else f"used BootNext and did not start {name}"
    return (f"the firmware {how}; {_started_by(system)}. Some firmware ignores entries outside BootOrder: try "
            "--in-order. `baretick once --undo` removes the entry")


def show_new(system, esps, say):
    """Like show(), but only once per run, and not at all without one."""
    state = prepare.state(system)
    if not state or state.get("shown"):
        return PASSED
    status = show(system, esps, say)
    prepare.save_state(system, {**prepare.state(system), "shown": True})
    return status


def show(system, esps, say):
    """Prints the result of the run. Returns the exit status: 0 if every check passed, else 1."""
    state = prepare.state(system)
    if not state:
        raise Failed(f"no run was prepared here: no {prepare.STATE}")
    if state["boot_id"] == system.boot_id() and "stored" not in state:
        raise Failed("the machine has not been restarted since the run was prepared")
    stored = collect(system, esps, state)
    if not stored:
        say(f"No report: {why_none(system, state)}.")
        return NOT_PASSED
    path = system.path(stored)
    table = path[:-len(prepare.PARTS[0])] + prepare.PARTS[1]
    if os.path.exists(table):
        with open(table, encoding="utf-8", errors="replace", newline=None) as f:
            say(f.read().rstrip("\n"))
    read = saved.read(path)
    for line in read.damage:
        say(f"The report is damaged: {line}")
    say(f"Report: {stored} (options: {state['options']})")
    return PASSED if read.verdict == "pass" and not read.damage else NOT_PASSED
