"""`baretick capture`: receives a real machine's report from its serial line and checks it as it arrives.

A machine that is reset begins another report. The one before is kept as report-cut-1.jsonl (2, 3 and so on),
and report.jsonl is always the last.
"""
import errno
import os
import select
import stat
import termios
import time

from launch import live
from read import saved
from tools import distribution, places
from tools.parser import Output, seconds

SILENCE = 600  # s; a large server's firmware may print nothing for minutes
AFTER_END = 1  # s of silence, after which the table's last line has arrived
POLL = 0.2     # s


class Captured(live.Report):
    """A report that may begin again. What arrives after its end belongs to another boot and is only in serial.log."""

    def __init__(self, console, out):
        super().__init__(console, out)
        self.cuts = 0
        self._said_over = False

    def _record(self, record, line):
        if self.end:
            self._after_the_end()
            return
        if self.records and (record["type"] == "run" or record["seq"] < self._sequence.next):
            self._begin_again()
        elif self.wrong and not self.records and record["type"] == "run":
            self._console.error("a report begins: what was damaged before it was of another boot")
            self.wrong = []
        super()._record(record, line)

    def _bad(self, problem):
        if self.end:
            self._after_the_end()
        else:
            super()._bad(problem)

    def _after_the_end(self):
        if not self._said_over:
            self._console.error("more records come after the end: they are in serial.log alone")
        self._said_over = True

    def _begin_again(self):
        self.cuts += 1
        cut = os.path.join(self._out, f"report-cut-{self.cuts}.jsonl")
        kept = "" if self._out.is_standard else f" they are kept in {cut};"
        self._console.error(f"the machine was reset after {self.records} records:{kept} another report begins")
        self.restart(cut)


def listen(line, rep, silence):
    """Runs until the end record. Returns why it is missing, or None."""
    heard = time.monotonic()
    ended = None
    while True:
        data = line.read(POLL)
        now = time.monotonic()
        if data == b"":
            return None if rep.end else "the line is gone" if line.is_serial else "the file ends"
        if data:
            heard = now
            rep.take(data)
        if rep.end:
            ended = ended or now
            if now - heard > AFTER_END or now - ended > 10 * AFTER_END:
                return None
        elif now - heard > silence:
            said = "has said nothing" if rep.bytes else "has not said one byte"
            return f"the line {said} for {silence:g} s (--timeout)"


def _folder(args):
    """Refuses to overwrite a report: the machine may never print it again."""
    if args.out.is_standard:
        return args.out
    out = Output(args.out or os.path.join(places.out("capture"), time.strftime("%Y-%m-%d_%H-%M-%S")))
    for name in ("report.jsonl", "serial.log"):
        if os.path.exists(os.path.join(out, name)):
            raise saved.Unreadable(f"{out}: the folder already has a {name}; --out names another folder")
    os.makedirs(out, exist_ok=True)
    return out


def command(args):
    if args.baud not in SPEEDS:
        raise saved.Unreadable(f"--baud {args.baud}: one of {', '.join(map(str, sorted(SPEEDS)))}")
    line = distribution.find(lambda: Line(args.device, args.baud), "serial")
    try:
        return _capture(args, line, _folder(args))
    finally:
        line.close()


def _capture(args, line, out):
    console = live.Console("capture")
    rep = Captured(console, out)
    console.line(f"listening to {args.device}" + (f" at {args.baud} baud" if line.is_serial else "") +
                 "; Ctrl-C ends it and keeps what came")
    interrupted, stopped = False, None
    try:
        stopped = listen(line, rep, args.timeout)
    except KeyboardInterrupt:
        interrupted, stopped = True, "interrupted"
    finally:
        rep.close()
    console.line(rep.where())
    wrong = [*([stopped] if stopped else []), *rep.why_not_passed()]
    for problem in wrong:  # those of rep.wrong were printed as they arrived
        console.error(problem)
    return 130 if interrupted else 1 if wrong or rep.wrong else 0


def add(commands):
    p = commands.add_parser("capture", help="a real machine's report, from its serial line",
                            description="Reads a serial line until the report ends, checks each record as it "
                                        "arrives, and keeps every byte. If the machine is reset, another report "
                                        "begins; both are kept. Exit status 0: the last report is complete, and passed.")
    p.add_argument("device", metavar="DEVICE", help="like /dev/ttyUSB0; or a file with recorded output")
    p.add_argument("--baud", type=int, default=115200, metavar="N", help="the line's speed (115200)")
    p.add_argument("--out", type=Output, default="", metavar="DIR",
                   help="where report.jsonl and serial.log go; -: the records go to standard output "
                        f"({places.shown(places.out('capture'))}, a folder by date and time)")
    p.add_argument("--timeout", type=seconds, default=SILENCE, metavar="S",
                   help=f"maximum time without output, in seconds ({SILENCE})")
    p.set_defaults(command=command)


# --- the serial line ------------------------------------------------------------------------------

# 8 data bits, no parity, 1 stop bit, no flow control.
SPEEDS = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1000000, 1500000, 2000000,
          3000000, 4000000)
READ_BYTES = 65536


def library():
    """Imports pyserial. Raises distribution.Missing."""
    try:
        import serial
    except ImportError as e:
        raise distribution.missing("a serial line needs", "pyserial", "python3-serial (pacman: python-pyserial)",
                                   e) from None
    return serial


class Line:
    """Raises OSError if the path cannot be opened, distribution.Missing if pyserial is missing. Opens it exclusively,
    because two readers would each get a part of the bytes."""

    def __init__(self, path, baud):
        self.fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self._port = None
        self.is_serial = os.isatty(self.fd)
        try:
            if self.is_serial:
                self._open(path, baud)
            elif stat.S_ISDIR(os.fstat(self.fd).st_mode):
                raise IsADirectoryError(errno.EISDIR, "it is a folder, no serial line", path)
        except Exception:
            self.close()
            raise

    def _open(self, path, baud):
        self._port = library().Serial(path, baud, exclusive=True)
        os.close(self.fd)
        self.fd = self._port.fileno()
        # tcsetattr() succeeds if any part of the setting was applied (tcsetattr(3)).
        wanted = getattr(termios, f"B{baud}")
        if wanted not in termios.tcgetattr(self.fd)[4:6]:
            raise OSError(errno.EINVAL, f"it cannot do {baud} baud", path)

    def read(self, seconds):
        """Returns bytes; None if none arrived within `seconds`; b"" if the line is gone, or at the end of the file."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        try:
            return os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""  # EIO: the adapter was unplugged

    def close(self):
        if self._port:
            self._port.close()
        else:
            os.close(self.fd)
