"""`baretick receive`: copies whole reports from the folder into which a server writes uploads to the folder of reports.

A TFTP server writes an upload under its final name, so it can be incomplete. The upload stays for a while: the machine
reads it back, and its next try writes into the same file. So the copy is checked, and then renamed. It has the upload's
time, by which the next start recognises it.
"""
import os
import sys
import time

from read import saved
from tools import places

UPLOADS = ".jsonl"
KEPT_S = 3600  # machines try again for less than half of this


def _state(path):
    """Returns (time of the last change, size) of a file, or None if there is no such file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size


def _missing(name, data):
    """Returns what an upload lacks of a whole report, in words; None: nothing."""
    report = saved.take(name, data)
    if report.damage:
        return report.damage[0]
    if report.form != saved.RECORDS or report.reports != 1:
        return f"it has {report.reports} reports or other text; one report is allowed"
    return None


def _take(path, reports, now):
    """Copies an upload if it is a whole report, unless that is done, and deletes it if it is old."""
    name, state = os.path.basename(path), _state(path)
    missing = None
    if state is None:
        return  # deleted since the folder was read
    if _state(os.path.join(reports, name)) != state:
        with open(path, "rb") as f:
            data = f.read()
        if _state(path) != state:
            return  # it is being written
        missing = _missing(name, data)
        if missing is None:
            part = os.path.join(reports, f".{name}.part")  # readers of the folder pass over it
            places.replace(os.path.join(reports, name), part, data, lambda f: os.utime(f.fileno(), ns=(state[0], state[0])))
            print(f"received: {name}")
    if now - state[0] / 1e9 <= KEPT_S:
        return
    os.unlink(path)
    if missing is not None:
        print(f"deleted: {path}: no whole report arrived: {missing}")


def command(args):
    """Returns 0 if every whole report is in the folder, else 2, after all uploads were tried."""
    now, status = time.time(), 0
    with os.scandir(args.reports):
        pass  # it must be there: an error names it
    with os.scandir(args.incoming) as entries:
        uploads = sorted((e for e in entries if e.name.endswith(UPLOADS) and not e.name.startswith(".")), key=lambda e: e.name)
    for upload in uploads:
        if not upload.is_file(follow_symlinks=False):
            continue
        try:
            _take(upload.path, args.reports, now)
        except OSError as e:
            print(f"baretick: {upload.path}: cannot be received: {e.strerror or e}", file=sys.stderr)
            status = 2
    return status


def add(commands):
    p = commands.add_parser("receive", help="whole reports out of a TFTP server's folder",
                            description="Copies each whole report from INCOMING to REPORTS, where it then is whole or not "
                                        f"there. Deletes uploads that did not change for {KEPT_S // 60} minutes, and names "
                                        "the incomplete ones. Start it once a minute. Exit status 0: every whole report is "
                                        "in REPORTS; 2: the error is named.")
    p.add_argument("incoming", metavar="INCOMING", help="the folder into which the server writes")
    p.add_argument("reports", metavar="REPORTS", help="the folder of reports; it must exist")
    p.set_defaults(command=command)
