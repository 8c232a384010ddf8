"""Starts the program for `baretick`: booted in QEMU, or as a process; also reads its list of rows."""
import os
import subprocess
import sys

from launch import launches
from tools import places
from tools.parser import Output, number, seconds

HOSTED = launches.PROGRAM
# Of scripts/run, in seconds: the time without output after which it stops the guest, if deadline= is not longer; what
# the guest has, after deadline=, to report that it ended a row; and of the first, the whole run.
SILENCE, AFTER_DEADLINE, WHOLE_FACTOR = 60, 30, 20


class Failed(Exception):
    """The program cannot be started, or measures nothing; the message has the reason, and the exit status is 2."""


def fail_if_missing(path, make, package="baretick"):
    if not os.path.isfile(path):
        raise Failed(f"no program {os.path.relpath(path) if places.IN_TREE else path}: {places.get(f'`{make}` builds it', package)}")


# The messages of the process (lib/config/status.h) in the words of this program.
STATUS = {0: 0, 3: 2}


def hosted(words, **how):
    fail_if_missing(HOSTED, "make hosted")
    return subprocess.run([HOSTED, *words], check=False, **how)


def machine_words(args):
    """Returns the options of scripts/run that were given."""
    words = []
    for name in ("accel", "icount", "smp", "cpu", "mem", "timeout", "objects"):
        value = getattr(args, name, None)
        if value not in (None, ""):
            words += [f"--{name}", str(value)]
    return words


def objects_word(args):
    return [f"objects={args.objects}"] if args.objects else []


def refuse_machine(args):
    """Refuses options that configure the machine in QEMU, which --hosted does not start."""
    given = [f"--{name}" for name in ("accel", "icount", "smp", "cpu", "mem", "timeout")
             if getattr(args, name, None) is not None]
    if given:
        raise Failed(f"{', '.join(given)}: configures the machine in QEMU; not allowed with --hosted")


def command_run(args):
    if args.hosted:
        refuse_machine(args)
        if args.out and not args.out.is_standard:
            raise Failed("--out: not with --hosted, whose report is its standard output: > FILE keeps it")
        records = ["format=jsonl"] if args.out else []
        return STATUS.get(hosted([*objects_word(args), *records, *args.words]).returncode, 1)
    words = [*machine_words(args), *(["--out", args.out] if args.out else [])]
    return subprocess.run([sys.executable, os.path.join(places.ROOT, "scripts/run"), *words, "--", *args.words],
                          check=False).returncode


def command_list(args):
    ran = hosted(["list", *objects_word(args)], capture_output=True, encoding="utf-8", errors="backslashreplace")
    for line in ran.stdout.splitlines():
        if not line.startswith('{"baretick":'):
            print(line.rstrip("\r"))
    sys.stderr.write(ran.stderr)
    return STATUS.get(ran.returncode, 1)


def add_machine(p):
    group = p.add_argument_group("the machine in QEMU")
    group.add_argument("--accel", choices=["auto", "kvm", "tcg"], help="auto: KVM if it can run the firmware, else TCG")
    group.add_argument("--icount", choices=["auto", "0", "1"],
                       help="count instructions instead of time; auto: under TCG")
    group.add_argument("--smp", type=number(1), metavar="N", help="CPUs (1)")
    group.add_argument("--cpu", help="QEMU's CPU model (max; host under KVM)")
    group.add_argument("--mem", help="memory in MiB, or with a suffix like 2G (512)")
    group.add_argument("--timeout", type=seconds, metavar="S",
                       help=f"maximum time without output, in seconds (deadline= and {AFTER_DEADLINE} more, or {SILENCE} if that "
                            f"is more); the whole run may take {WHOLE_FACTOR} times as long")


def add_boot(p):
    """Adds the words, and the options of a start in QEMU."""
    p.add_argument("words", nargs="*", metavar="WORD", help="baretick's options, like suite=calls or samples=4096")
    p.add_argument("--objects", default="", metavar="PATH", help="a folder or a file with user rows")
    p.add_argument("--out", type=Output, default="", metavar="DIR",
                   help=f"where report.jsonl and serial.log go ({places.shown(places.out('run'))}); -: the records go to "
                        "standard output")
    add_machine(p)


def add_run(commands):
    p = commands.add_parser("run", help="boot it in QEMU, or run it as a process, and show the report",
                            description="Boots baretick in QEMU, or runs it as a process, and shows the report.")
    p.add_argument("--hosted", action="store_true", help="as a process, on this CPU, without --out DIR")
    add_boot(p)
    p.set_defaults(command=command_run)


def add_list(commands):
    p = commands.add_parser("list", help="the rows, and the timers that work here",
                            description="Lists the rows, and which timers work on this machine.")
    p.add_argument("--objects", default="", metavar="PATH", help="a folder or a file with user rows")
    p.set_defaults(command=command_list)
