"""One boot of an emulated machine: starts it, collects its serial output, and always ends it."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "scripts"), str(Path(__file__).parents[1] / "objects")]

import build  # noqa: E402
import report_fields  # noqa: E402
from read import report  # noqa: E402
from tools import children  # noqa: E402
from tools.qemu import QEMU, find_firmware  # noqa: E402

DEBUG_EXIT = 0xF4
MIB = 1 << 20

# status: the program's value for isa-debug-exit, which makes QEMU exit with 2 * status + 1
SUCCESS, CHECK_FAILED, BAD_OPTIONS, FAULT, STOPPED, NO_REPORT = 1, 2, 3, 4, 5, 6


# Debian's OVMF of 2 MiB: the same release as the other with fewer drivers; it starts in four fifths of the CPU time.
# Tests of scripts/run use the one that users have.
SMALL_FIRMWARE = ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd")

TIMEOUT = 300  # s; only a hang takes as long, whatever the machine's load is
# s; QEMU writes each byte of a serial line separately. Reading them one by one takes as much CPU time as QEMU does.
GATHER = 0.005

# Where a session keeps saved machines whose firmware has started (conftest.py); None: each boot starts its own.
SAVED = "BARETICK_SAVED_MACHINES"
# What may follow "-device" in a saved machine, without its options: devices that QEMU can save, and that depend on
# nothing outside.
SAVED_DEVICES = {"VGA", "cirrus-vga", "virtio-gpu-pci"}
# Options for QEMU that are not part of its machine.
OUTSIDE = {"-plugin", "-pidfile"}
SAVED_BUSES = {"virtio", "ahci"}
# OVMF's driver gives up a command after seconds of the machine's clock. Under icount these pass as fast as QEMU runs,
# in a tenth of the time, so a slow host disk leads to "failed to load ...: Not Found".
TIMED_BUSES = {"nvme", "usb", "usb-4096", "cdrom"}


def drive(name, path):
    """Returns the value of -drive. A guest's flush does not wait for the host's disk: the tests read the file after
    QEMU has ended, and the guest's clock runs while a busy host's disk is late."""
    return f"if=none,id={name},format=raw,cache=unsafe,file={path}"


class Broken(AssertionError):
    """The serial output contains something that no report may have."""


def has(whole, part):
    """Tests whether the members of `part` are in `whole`, which may have others."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and has(whole[k], v) for k, v in part.items())
    return whole == part


def seen(line):
    """Returns the text that a terminal finally shows of a line: a carriage return lets the rest overwrite it."""
    return report.ESCAPE.sub(b"", line).rstrip(b"\r").split(b"\r")[-1].decode(errors="replace")


class Boot:
    """The results of a boot.

    serial   all bytes of the serial line          text     the lines that are not records, without escapes
    records  the records, every crc and seq right  exit     the emulator's exit code; None: it was killed
    status   SUCCESS .. FAULT, or None             seconds  how long it ran
    """

    def __init__(self, serial, exit_code, seconds, said="", runs=1):
        self.serial, self.exit, self.seconds, self.said = serial, exit_code, seconds, said
        self.status = (exit_code - 1) // 2 if exit_code is not None and exit_code % 2 == 1 else None
        self.records, lines = [], []
        pieces = serial.split(b"\n")
        for i, piece in enumerate(pieces):
            if piece.startswith(b'{"baretick"'):
                if i == len(pieces) - 1 or not piece.endswith(b"}\r"):
                    raise Broken(f"a record without its CR LF: {piece[:200]!r}")
                self.records.append(report.parse(piece[:-1]))
            elif b'{"baretick"' in piece:
                raise Broken(f"a record that begins in the middle of a line: {piece[:200]!r}")
            else:
                lines.append(seen(piece))
        self.text = "\n".join(lines)
        seqs = [r["seq"] for r in self.records]
        begun = [i for i, seq in enumerate(seqs) if seq == 0]
        parts = [seqs[a:b] for a, b in zip([0] + begun[1:], begun[1:] + [len(seqs)])]
        if len(parts) > runs or any(p != list(range(len(p))) for p in parts):
            raise Broken(f"seq has a gap: {seqs}")
        if mistakes := report_fields.mistakes(self.records):
            raise Broken("\n".join(mistakes))

    def of(self, kind):
        return [r for r in self.records if r["type"] == kind]

    def one(self, kind):
        found = self.of(kind)
        assert len(found) == 1, f"{len(found)} records {kind}\n{self}"
        return found[0]

    @property
    def run(self):
        return self.one("run")

    @property
    def rows(self):
        return self.of("row")

    @property
    def end(self):
        assert self.records and self.records[-1]["type"] == "end", f"no end record\n{self}"
        return self.records[-1]

    def row(self, suite, name):
        found = [r for r in self.rows if (r["suite"], r["name"]) == (suite, name)]
        assert len(found) == 1, f"{len(found)} rows {suite}/{name}\n{self}"
        return found[0]

    def events(self, kind=None):
        return [r for r in self.of("event") if kind in (None, r["kind"])]

    def must(self, status, rows=None):
        """Asserts that it ended with this status, and with a whole end record that agrees; returns self."""
        assert self.status == status, f"status {self.status}, exit {self.exit}, not {status}\n{self}"
        assert self.end["verdict"] == ("pass" if status == SUCCESS else "fail"), str(self)
        assert self.end["rows"] == len(self.rows), str(self)
        assert (self.end["failures"] == 0) == (status == SUCCESS), str(self)
        if rows is not None:
            assert len(self.rows) == rows, f"{len(self.rows)} rows, not {rows}\n{self}"
        return self

    def __str__(self):
        tail = self.text[-3000:]
        last = json.dumps(self.records[-1])[:500] if self.records else "none"
        return (
            f"--- exit {self.exit} after {self.seconds:.1f} s; emulator said: {self.said[-1000:]}\n"
            f"--- last record: {last}\n--- text, its end:\n{tail}"
        )


def monitor(path, *commands):
    """Sends commands to QEMU's monitor at this socket (-monitor unix:PATH,server=on,wait=off).

    Returns the answer to each command.
    """
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(TIMEOUT)
        line.connect(str(path))

        def prompt():  # a command has been executed when the next prompt arrives
            said = b""
            while not said.endswith(b"(qemu) "):
                piece = line.recv(4096)
                if not piece:
                    break  # QEMU has ended, as some commands cause it to
                said += piece
            return said.decode(errors="replace")

        prompt()
        answers = []
        for command in commands:
            line.sendall(command.encode() + b"\n")
            answers.append(prompt())
        return answers


def pairs_of(extra):
    return list(zip(extra[::2], extra[1::2]))


def can_be_saved(extra):
    """Tests whether these arguments describe a machine that depends on nothing else."""
    return len(extra) % 2 == 0 and all(
        name in ("-smp", "-global", *OUTSIDE)
        or (name == "-device" and value.split(",")[0] in SAVED_DEVICES)
        or (name == "-serial" and value.startswith("file:"))
        for name, value in pairs_of(extra)
    )


def plain(arguments):
    """Returns the arguments of the same machine without those that belong to one boot: the destination of a second
    serial line, whether writes to a disk are kept, and everything outside of the machine."""
    kept = []
    for name, value in pairs_of(arguments):
        if name == "-serial" and value.startswith("file:"):
            value = "null"
        if name == "-drive" and ",snapshot=on" not in value:
            value += ",snapshot=on"
        kept += [] if name in OUTSIDE else [name, str(value)]
    return kept


def saved(arguments, disk):
    """Returns the file of a saved machine with these arguments whose firmware has started; see ready.c. Another disk of
    the same size replaces its disk later."""
    folder = os.environ.get(SAVED)
    if not folder:
        return None
    arguments = plain(arguments)
    same = [a.replace(str(disk), str(os.path.getsize(disk))) if disk else a for a in arguments]
    own = Path(folder) / hashlib.sha256("\0".join(same).encode()).hexdigest()[:16]
    with open(f"{own}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = own / "state"
        if not state.exists():
            own.mkdir(exist_ok=True)
            save(own, state, arguments)
        return state


def save(folder, state, arguments):
    """Starts the firmware of such a machine, and saves its state."""

    def write():
        line = folder / "monitor"
        # In the background, because otherwise the monitor checks for completion only once per second.
        monitor(line, "migrate_set_parameter max-bandwidth 100G", f'migrate -d "exec:cat >{folder}/made"')
        end = time.monotonic() + TIMEOUT
        while re.search(r"status:\s+(setup|active|device)", said := monitor(line, "info migrate")[0], re.I):
            assert time.monotonic() < end, "the machine is still being saved"
            time.sleep(0.01)
        assert re.search(r"status:\s+completed", said, re.I), said
        monitor(line, "quit")

    b = start(folder, build.ready(), "wait", arguments, keys={b"\r\nready\r\n": write})
    assert b.exit == 0 and (folder / "made").stat().st_size > MIB, f"the machine was not saved\n{b}"
    (folder / "made").rename(state)


def follow(process, source, keys=None, timeout=TIMEOUT, done=None):
    """Reads until the process ends, its time is up or done(bytes) holds; then the process has ended.

    keys: {pattern: bytes to type, or a function to call, once the pattern has been seen}. Returns the bytes read.
    """
    data, keys, end = bytearray(), dict(keys or {}), time.monotonic() + timeout
    try:
        while time.monotonic() < end and not (done and done(data)):
            if not select.select([source], [], [], 0.1)[0]:
                if process.poll() is not None:
                    break
                continue
            time.sleep(GATHER)
            try:
                piece = os.read(source, 65536)
            except OSError:  # a terminal whose other end is closed
                break
            if not piece:
                break
            data += piece
            for pattern in [p for p in keys if p in data]:
                act = keys.pop(pattern)
                if callable(act):
                    act()
                    continue
                process.stdin.write(act)
                process.stdin.flush()
        if not (done and done(data)):
            process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()
        process.wait()
    return bytes(data)


def qemu(
    folder,
    program=None,
    words="",
    disk=None,
    bus="virtio",
    cpu="max",
    machine="q35",
    memory=512,
    icount=None,
    serial=True,
    bios=None,
    firmware=None,
    extra=(),
    keys=None,
    timeout=TIMEOUT,
    debug_exit=True,
    done=None,
    runs=1,
    snapshot=True,
    whole=False,
    debugger=(),
):
    """Runs one QEMU from power-on to its end, or from a saved machine like it whose firmware has started.

    program, words   an EFI program that the firmware loads by itself, and its load options
    disk, bus        an image to boot from, on "virtio", "ahci", "nvme", "usb" or, with sectors of 4096 bytes, "usb-4096", or
                     in a "cdrom" drive
    icount           counted instructions; None: yes, unless the disk's driver would time out
    bios             another firmware than OVMF
    firmware         another (code, variables) of OVMF
    keys, done       as for follow()
    runs             how many reports it may write, one after the other
    snapshot         False: what it writes to the disk is kept
    whole            True: always from power-on, for a machine that no other test has
    debugger         the options of debugger.Debugger for QEMU
    """
    command = arguments_of(disk, bus, cpu, machine, memory, icount, serial, debug_exit, snapshot)
    command += list(extra)
    state = None
    never = bios or firmware or whole or (disk and bus not in SAVED_BUSES)
    if serial and not never and can_be_saved(extra):
        state = saved(command, disk)
    if state:
        command += ["-incoming", f"exec:cat {state}"]
        if disk:
            program, words = build.ready(), "firmware"
    command += list(debugger)
    firmware = firmware or (usual_firmware() if state else started_firmware())
    return start(folder, program, words, command, bios, firmware, keys, timeout, done, runs)


def arguments_of(disk=None, bus="virtio", cpu="max", machine="q35", memory=512, icount=None, serial=True, debug_exit=True,
                 snapshot=True):
    """Returns QEMU's arguments for such a machine; the parameters are those of qemu()."""
    command = ["-machine", machine, "-cpu", cpu, "-m", str(memory)]
    if icount or (icount is None and (not disk or bus not in TIMED_BUSES)):
        command += ["-icount", "shift=7,sleep=off"]
    if debug_exit:
        command += ["-device", f"isa-debug-exit,iobase={DEBUG_EXIT:#x}"]
    if serial:
        command += ["-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line"]
    else:
        command += ["-serial", "none"]
    if disk:
        command += ["-drive", drive("disk", disk)]
        command[-1] += ",snapshot=on" if snapshot else ""
        command += {
            "virtio": ["-device", "virtio-blk-pci,drive=disk"],
            "ahci": ["-device", "ich9-ahci,id=ahci", "-device", "ide-hd,drive=disk,bus=ahci.0"],
            "cdrom": ["-device", "ich9-ahci,id=ahci", "-device", "ide-cd,drive=disk,bus=ahci.0"],
            "ide": ["-device", "ide-hd,drive=disk,bus=ide.0"],
            "nvme": ["-device", "nvme,drive=disk,serial=1"],
            "usb": ["-device", "qemu-xhci", "-device", "usb-storage,drive=disk"],
            # usb-storage of QEMU 7.2 has sectors of 512 bytes, whatever its options say.
            "usb-4096": ["-device", "qemu-xhci", "-device", "usb-bot,id=bot", "-device",
                         "scsi-hd,bus=bot.0,drive=disk,logical_block_size=4096,physical_block_size=4096"],
        }[bus]
    return command


def usual_firmware():
    """Returns paths of code and variables: the small firmware if it is installed, unless the environment names another."""
    small = "OVMF_CODE" not in os.environ and all(map(os.path.isfile, SMALL_FIRMWARE))
    return SMALL_FIRMWARE if small else find_firmware()


def started_firmware():
    """Returns the usual firmware, with variables as the default machine leaves them after its first start. A first
    start writes 15,000 bytes to the flash, and QEMU hands each to another thread."""
    code, variables = usual_firmware()
    state = saved(arguments_of(), None)
    return code, state.parent / "vars.fd" if state else variables


@contextlib.contextmanager
def on_one_cpu():
    """Pins the processes started here to this worker's CPU."""
    cpus = os.sched_getaffinity(0)
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    os.sched_setaffinity(0, {sorted(cpus)[worker % len(cpus)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cpus)


def start(folder, program, words, arguments, bios=None, firmware=None, keys=None, timeout=TIMEOUT, done=None, runs=1):
    """Runs one QEMU with these arguments to its end; the other parameters are those of qemu()."""
    command = [QEMU, "-nodefaults", "-display", "none", "-no-reboot"]
    if "-accel" not in arguments:  # QEMU uses the first of two
        command += ["-accel", "tcg"]
    command += ["-monitor", f"unix:{folder}/monitor,server=on,wait=off"]
    command += ["-rtc", "base=2024-01-01T00:00:00,clock=vm"]
    if bios:
        command += ["-bios", str(bios)]
    else:
        code, variables = firmware or usual_firmware()
        shutil.copy(variables, folder / "vars.fd")
        for unit, readonly, path in ((0, "on", code), (1, "off", folder / "vars.fd")):
            command += ["-drive"]
            command += [f"if=pflash,unit={unit},format=raw,readonly={readonly},file={path}"]
    if program:
        command += ["-kernel", str(program), "-append", words]
    began = time.monotonic()
    log = folder / "qemu.log"
    # If instructions are counted, one thread runs at a time; on one CPU they need not wake each other.
    place = on_one_cpu() if "-icount" in arguments else contextlib.nullcontext()
    with open(log, "w") as said:
        with place:
            process = children.start([*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        data = follow(process, process.stdout.fileno(), keys, timeout, done)
        process.stdin.close()
        process.stdout.close()
    seconds = time.monotonic() - began
    code = process.returncode
    return Boot(data, code if code >= 0 else None, seconds, log.read_text(), runs)
