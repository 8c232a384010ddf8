"""`baretick receive`: copies whole reports from the folder into which a server writes uploads to the folder of reports.

A TFTP server writes an upload under its final name, so it can be incomplete. The upload stays for a while: the machine
reads it back, and its next try writes into the same file. So the copy is checked, and then renamed.
"""
import contextlib
import os
import sys
import time

from read import saved

UPLOADS = ".jsonl"
KEPT_S = 3600  # machines try again for less than half of this


def _bytes(path):
    """Returns the content of a file, or None if it is written at the same time or is not there any more."""
    try:
        with open(path, "rb") as f:
            before, data, after = os.fstat(f.fileno()), f.read(), os.fstat(f.fileno())
    except FileNotFoundError:
        return None
    same = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    return data if same and len(data) == after.st_size else None


def _missing(name, data):
    """Returns what an upload lacks of a whole report, in words; None: nothing."""
    report = saved.take(name, data)
    if report.damage:
        return report.damage[0]
    if report.form != saved.RECORDS or report.reports != 1:
        return f"it has {report.reports} reports or other text; one report is allowed"
    return None


def _put(folder, name, data):
    """Writes a file that is whole or not there, after a power failure too. Replaces a file of this name."""
    part = os.path.join(folder, f".{name}.part")  # readers of the folder pass over it
    try:
        with open(part, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.rename(part, os.path.join(folder, name))
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _take(upload, reports, now):
    """Copies an upload if it is a whole report, and deletes it if it is old."""
    old = now - upload.stat(follow_symlinks=False).st_mtime > KEPT_S
    data = _bytes(upload.path)
    if data is None:
        return
    missing = _missing(upload.name, data)
    if missing is None and _bytes(os.path.join(reports, upload.name)) != data:
        _put(reports, upload.name, data)
        print(f"received: {upload.name}")
    if old:
        os.unlink(upload.path)
    if old and missing is not None:
        print(f"deleted: {upload.path}: no whole report arrived: {missing}")


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
            _take(upload, args.reports, now)
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
