"""Starts the program for `baretick`: booted in QEMU, or as a process; also reads its list of rows."""
import argparse
import os
import subprocess
import sys

from launch import launches
from tools import places

HOSTED = launches.PROGRAM


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
        if args.out:
            raise Failed("--out: not with --hosted, whose report is its standard output: > FILE keeps it")
        return STATUS.get(hosted([*objects_word(args), *args.words]).returncode, 1)
    words = [*machine_words(args), *(["--out", args.out] if args.out else [])]
    return subprocess.run([sys.executable, os.path.join(places.ROOT, "scripts/run"), *words, "--", *args.words],
                          check=False).returncode


def command_list(args):
    ran = hosted(["list", *objects_word(args)], capture_output=True, text=True)
    for line in ran.stdout.splitlines():
        if not line.startswith('{"baretick":'):
            print(line.rstrip("\r"))
    sys.stderr.write(ran.stderr)
    return STATUS.get(ran.returncode, 1)


# --- the words -------------------------------------------------------------------------------------

def number(text):
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r}: a number from 0 on is allowed")
    return value


def add_machine(p):
    group = p.add_argument_group("the machine in QEMU")
    group.add_argument("--accel", choices=["auto", "kvm", "tcg"], help="auto: KVM where it works")
    group.add_argument("--icount", choices=["auto", "0", "1"],
                       help="count instructions instead of time; auto: under TCG")
    group.add_argument("--smp", type=number, help="CPUs (1)")
    group.add_argument("--cpu", help="QEMU's CPU model (max; host under KVM)")
    group.add_argument("--mem", help="memory in MiB (512)")
    group.add_argument("--timeout", type=float, metavar="S", help="maximum time without output, in seconds")


def add_run(commands):
    p = commands.add_parser("run", help="boot it in QEMU, or run it as a process, and show the report",
                            description="Boots baretick in QEMU, or runs it as a process, and shows the report.")
    p.add_argument("words", nargs="*", metavar="WORD", help="baretick's options, like suite=calls")
    p.add_argument("--hosted", action="store_true", help="as a process, on this CPU")
    p.add_argument("--objects", default="", metavar="PATH", help="a folder or a file with user rows")
    p.add_argument("--out", default="",
                   help=f"where report.jsonl and serial.log go ({places.shown(places.out('run'))}); not with --hosted")
    add_machine(p)
    p.set_defaults(command=command_run)


def add_list(commands):
    p = commands.add_parser("list", help="the rows, and the timers that work here",
                            description="Lists the rows, and which timers work on this machine.")
    p.add_argument("--objects", default="", metavar="PATH", help="a folder or a file with user rows")
    p.set_defaults(command=command_list)
