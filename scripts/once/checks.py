"""The checks that `once` makes before it changes anything. Each check raises Failed, which names what is missing."""
import os
import re
import subprocess

from once import signatures
from once import system as linux
from once.variables import Failed
from tools import pe, places

MIB = 1 << 20
REPORT_MOST = 16 * MIB  # the longest report that the program keeps (kernel/machine/consoles.c)
SPARE = MIB
# Linux, Documentation/ABI/testing/sysfs-firmware-efi; for efi=runtime: Documentation/admin-guide/kernel-parameters.txt.
FIRMWARE_BITS = "/sys/firmware/efi/fw_platform_size"
OWN_KEYS = ("once", "takeover", "finish")  # `once` sets them itself
LONE = ("help", "list")  # words that measure nothing


def check_words(words):
    for word in words:
        key = word.partition("=")[0]
        if key in OWN_KEYS:
            raise Failed(f"{word}: `once` sets {key}= itself")
        if key == "upload" and "://" in word:  # it may have a password
            raise Failed("upload= with a URL needs a program that was started from a network; the report is written to the EFI "
                         "system partition")
        if key in LONE:
            raise Failed(f"{word}: measures nothing; `baretick list` and "
                         f"`{places.shown(places.built('hosted/baretick'))} help` work in Linux")
        if word.split() != [word] or '"' in word or "#" in word:
            raise Failed(f"{word!r}: a word has no blanks, quotes or #")


def check_spelling(words, program):
    """Has the Linux program, which knows the same words, read them. If it is not built, the bootable program reports a
    wrong word, after the restart."""
    if not os.path.exists(program):
        return
    ran = subprocess.run([program, "help", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise Failed(re.sub(r"^baretick: (command line, word \d+: )?", "", ran.stderr.partition("\n")[0]))


def check_firmware(system, changes=True):
    """UEFI, its variables, and the rights. changes: whether variables are changed."""
    if system.is_container():
        raise Failed("this is a container: the machine's boot entries belong to its host; run it there")
    if not system.is_uefi():
        raise Failed("this Linux was not started by UEFI (no /sys/firmware/efi): a BIOS has no boot entries; "
                     "use a USB stick")
    if system.text(FIRMWARE_BITS) == "32":
        raise Failed(f"the firmware has 32 bits ({FIRMWARE_BITS}): the program needs a UEFI of 64 bits")
    mount = next((m for m in system.mounts() if m.where == linux.EFIVARS), None)
    if not mount or mount.kind != "efivarfs":
        raise Failed(f"efivarfs is not mounted at {linux.EFIVARS}: mount -t efivarfs efivarfs {linux.EFIVARS}; if that is "
                     "not supported, UEFI's runtime services are switched off, as in real-time kernels: add efi=runtime to the kernel's "
                     "command line")
    if changes and not mount.writable:
        raise Failed(f"efivarfs is mounted read-only at {linux.EFIVARS}: mount -o remount,rw {linux.EFIVARS}")
    if not system.is_root():
        raise Failed("boot entries, the EFI system partition and the reports on it need root rights: use sudo")


def read_image(system, path):
    """Returns (the bytes of the program that is to be started, whether only shim accepts its signature)."""
    try:
        image = pe.read_program(path)
    except FileNotFoundError:
        raise Failed(f"no program {path}: {places.get('`make` builds it')}") from None
    except (pe.Wrong, OSError) as e:
        raise Failed(f"{path}: {e}") from None
    by_shim = signatures.enforced(system) and signatures.accepted_by(system, image, path) == signatures.SHIM
    return bytes(image.raw), by_shim


def check_space(system, mount, image_bytes):
    """image_bytes: what the image adds to the volume; 0 if the volume already has it."""
    if not mount.writable:
        raise Failed(f"{mount.where} is mounted read-only: the image and the report are written to it")
    need, free = image_bytes + REPORT_MOST + SPARE, system.free(mount)
    if free < need:
        raise Failed(f"{mount.where} has {free // MIB} MiB free: {-(-need // MIB)} MiB are needed, for the image "
                     f"({-(-image_bytes // MIB)} MiB), a report (at most {REPORT_MOST // MIB} MiB) and "
                     f"{SPARE // MIB} MiB more")


def name_for_people(path):
    """Returns a path as short as possible."""
    return min(os.path.relpath(path), os.path.abspath(path), key=len)
