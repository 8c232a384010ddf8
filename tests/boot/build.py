"""Builds what the tests need, once for all workers: the shim and the counting plugins."""

import fcntl
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from commands import output_of
from tools import qemu  # noqa: E402
from media import find

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BUILT = ROOT / "build" / "tests"

EFI_CFLAGS = (
    "-std=c11 -ffreestanding -O2 -fPIE -fvisibility=hidden -fshort-wchar -mno-red-zone -fno-stack-protector"
    " -fcf-protection=none -mgeneral-regs-only -maccumulate-outgoing-args -DGNU_EFI_USE_MS_ABI"
    " -Wall -Wextra -Werror -isystem /usr/include/efi -isystem /usr/include/efi/x86_64"
).split()
EFI_SECTIONS = ".text .rodata .data .dynamic .rela .reloc".split()
EFI_LIBRARY = [
    Path(base) for base in "/usr/lib /usr/lib64 /usr/lib/gnuefi /usr/lib64/gnuefi".split()
]


class Lock:
    """Workers share build/tests; this lock lets one at a time build there."""

    def __enter__(self):
        BUILT.mkdir(parents=True, exist_ok=True)
        self.file = open(BUILT / "lock", "w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


def up_to_date(target, *sources):
    newest = max(s.stat().st_mtime for s in (*sources, Path(__file__)))
    return target.exists() and target.stat().st_mtime > newest


def efi_program(name, *sources):
    """Builds build/tests/NAME.efi of these sources in this folder, linked like the program itself."""
    target, script = BUILT / f"{name}.efi", ROOT / "linker.ld"
    sources = [HERE / source for source in sources]
    with Lock():
        if up_to_date(target, *sources, script):
            return target
        crt0 = find("GNU-EFI's crt0", *(d / "crt0-efi-x86_64.o" for d in EFI_LIBRARY))
        library = find("libgnuefi", *(d / "libgnuefi.a" for d in EFI_LIBRARY))
        objects = [BUILT / f"{source.stem}.o" for source in sources]
        for source, made in zip(sources, objects):
            if source.suffix == ".asm":
                output_of("nasm", "-f", "elf64", source, "-o", made)
            else:
                output_of("gcc", *EFI_CFLAGS, "-c", source, "-o", made)
        output_of(
            "ld", "-pie", "--no-dynamic-linker", "-z", "text", "-Bsymbolic", "-nostdlib",
            "-T", script, crt0, *objects, "-o", BUILT / f"{name}.elf", library,
        )  # fmt: skip
        sections = [word for s in EFI_SECTIONS for word in ("-j", s)]
        output_of(
            "objcopy", *sections, "--target", "efi-app-x86_64", "--subsystem=10",
            BUILT / f"{name}.elf", target,
        )  # fmt: skip
    return target


def impersonator():
    """Returns the hypervisor that shows a recorded machine; the Makefile builds it."""
    with Lock():
        output_of("make", "-s", "-C", ROOT, "build/tests/impersonator.efi")
    return BUILT / "impersonator.efi"


def qemu_version():
    """Returns QEMU's version, for example (10, 0)."""
    version = re.search(r"version (\d+)\.(\d+)", output_of(qemu.QEMU, "--version"))
    return int(version[1]), int(version[2])


def shim():
    return efi_program("shim", "shim.c", "shim_acpi.c", "shim_gop.c", "shim_mp.c", "shim_reset.c", "shim_la57.asm")


def ready():
    return efi_program("ready", "ready.c")


def plugin_api():
    """Returns the plugin interface that this QEMU accepts: it names a range, which moved with 9.0 and 9.1."""
    number = qemu_version()
    return 1 if number < (9, 0) else 2 if number < (9, 1) else 3


def emulates_x2apic():
    """Tests whether this QEMU's emulated CPUs have x2APIC, which more than 255 of them need."""
    return qemu_version() >= (9, 0)


def debugs_saved_machines():
    """Tests whether this QEMU's gdb stub can start a saved machine. QEMU 7.2 can; from 10 on disks stay inactive until
    the monitor's `cont`, and the firmware's first write to its flash fails an assertion."""
    return qemu_version() < (8, 0)


def plugin(name="icount_plugin"):
    """Builds build/tests/NAME.so, for this QEMU."""
    api = plugin_api()
    target, source = BUILT / f"{name}-{api}.so", HERE / f"{name}.c"
    with Lock():
        if not up_to_date(target, source, HERE / "plugin.h"):
            output_of(
                "gcc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
                "-fvisibility=hidden", f"-DPLUGIN_API={api}", source, "-o", target,
            )  # fmt: skip
    return target


def conf():
    """Returns build/baretick.conf, as `make image` copies it to the stick."""
    with Lock():
        output_of("make", "-s", "-C", ROOT, "build/baretick.conf")
    return ROOT / "build" / "baretick.conf"
