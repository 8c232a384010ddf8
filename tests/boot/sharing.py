"""Shared boots: tests in any process that ask for the same boot read the results of one."""

import fcntl
import hashlib
import os
import pickle
from pathlib import Path

import machine

# Parameters of machine.qemu that a shared boot may have. The others have effects, or are for a test that watches the
# boot.
MAY_BE_TOLD = {"words", "disk", "bus", "cpu", "machine", "memory", "icount", "extra", "whole"}

# What several files boot.
CALLS = "suite=baseline,calls samples=32 hist=off instructions=off"

# Machines that several files boot, each with other words, ...
QEMU64 = {"cpu": "qemu64", "extra": ["-smp", "2"]}  # no RDTSCP
INTEL = {"cpu": "max,vendor=GenuineIntel,family=6,model=85,stepping=7"}
# ... or all with the same words, by shared().
EPYC = {"cpu": "EPYC", "extra": ["-smp", "4,sockets=2,cores=2,threads=1"], "whole": True}
SKYLAKE = {"cpu": "Skylake-Server", "extra": ["-smp", "4,sockets=1,cores=2,threads=2"], "whole": True}
LA57 = {"cpu": "max,la57=on", "extra": ["-smp", "2"], "whole": True}
BLT_ONLY = {"extra": ["-device", "virtio-gpu-pci"], "whole": True}


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def same(program, how):
    """Returns a key that is equal for boots that can be shared."""
    unknown = set(how) - MAY_BE_TOLD
    assert not unknown, f"a boot with {unknown} cannot be shared"
    disk = how.get("disk")
    told = {**how, "disk": digest(disk)} if disk else how
    return hashlib.sha256(repr((digest(program), sorted(told.items()))).encode()).hexdigest()[:16]


def boot(folder, program, **how):
    """Calls machine.qemu(folder, program, ...), once per session for all who ask for the same."""
    own = Path(os.environ[machine.SAVED]) / f"boot-{same(program, how)}"
    with open(f"{own}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not own.exists():
            b = machine.qemu(folder, None if how.get("disk") else program, **how)
            # Renamed when it is complete, because the process may be ended at any time.
            whole = own.with_suffix(".made")
            whole.write_bytes(pickle.dumps((b.serial, b.exit, b.seconds, b.said)))
            whole.rename(own)
    return machine.Boot(*pickle.loads(own.read_bytes()))
