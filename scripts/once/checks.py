"""The checks that `once` makes before it changes anything. Each check raises Failed, which names what is missing."""
import os
import re
import struct
import subprocess
import uuid

from once import esp as disk
from once import system as linux
from once.variables import Failed
from tools import pe, places

MIB = 1 << 20
REPORT_MOST = 16 * MIB  # the longest report that the program keeps (kernel/machine/consoles.c)
SPARE = MIB
# Linux, Documentation/ABI/testing/sysfs-firmware-efi; for efi=runtime: Documentation/admin-guide/kernel-parameters.txt.
FIRMWARE_BITS = "/sys/firmware/efi/fw_platform_size"
OWN_KEYS = ("once", "takeover", "finish")  # `once` sets them itself
LONE = ("help", "list")  # words that only print something


def add_options(p, undone, image):
    """Adds the options of `once` and `install`. undone: what --undo removes. Returns the group of --dry-run and --undo."""
    p.add_argument("words", nargs="*", metavar="WORD", help="baretick's options, like suite=calls")
    what = p.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="print every step, change nothing")
    what.add_argument("--undo", action="store_true", help=f"remove {undone}")
    p.add_argument("--esp", metavar="FOLDER", help="where the EFI system partition is mounted, if there are several")
    p.add_argument("--image", metavar="FILE", default=image, help=f"the program ({places.shown(image)})")
    return what


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
                         stderr=subprocess.PIPE, encoding="utf-8", errors="backslashreplace", check=False)
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
    by_shim = system.variables.get("SecureBoot") == b"\1" and accepted_by(system, image, path) == SHIM
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


# --- Secure Boot ----------------------------------------------------------------------------------

# Secure Boot: who would accept the signature of the program, the firmware or shim.
#
# The signature itself is verified by them at the start. Here the certificate that they know is looked for in it.
# Sources: UEFI 2.10, section 32.4.1 (EFI_SIGNATURE_LIST, db); shim, MokVars.txt (MokListRT); RFC 5280, section 4.1
# (Certificate).

X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072").bytes_le  # EFI_CERT_X509_GUID
DB_GUID = "d719b2cb-3d3a-4596-a3bc-dad00e67656f"  # EFI_IMAGE_SECURITY_DATABASE_GUID
SHIM_GUID = "605dab50-e046-4300-abb6-3dd810dd8b23"
LIST_HEAD, OWNER = 28, 16  # bytes
FIRMWARE, SHIM = "the firmware", "shim"
DISTRIBUTIONS = "\\EFI"


def certificates(raw):
    """Yields the certificates of the signature lists in a variable's bytes."""
    at = 0
    while at + LIST_HEAD <= len(raw):
        size, head, one = struct.unpack_from("<III", raw, at + 16)
        if size < LIST_HEAD or at + size > len(raw) or one <= OWNER:
            return
        if raw[at:at + 16] == X509:
            for entry in range(at + LIST_HEAD + head, at + size - one + 1, one):
                yield raw[entry + OWNER:entry + one]
        at += size


def _element(der, at):
    """Returns (where the content begins, where the element ends) of the DER element at this place."""
    length, begin = der[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length, begin = int.from_bytes(der[begin:begin + count], "big"), begin + count
    return begin, begin + length


def subject(certificate):
    """Returns the DER bytes of the name that a certificate is issued to; b"" for other bytes."""
    try:
        at, _ = _element(certificate, _element(certificate, 0)[0])
        if certificate[at] == 0xA0:  # the version
            at = _element(certificate, at)[1]
        for _ in range(4):  # serial number, algorithm, issuer, validity
            at = _element(certificate, at)[1]
        return certificate[at:_element(certificate, at)[1]]
    except IndexError:
        return b""


def _knows(lists, signature):
    return any(len(name := subject(c)) > 4 and name in signature for c in certificates(lists))


def _mok_lists(system):
    """Returns the list of machine owner's keys. shim continues one that is too long in MokListRT1, MokListRT2, ..."""
    whole, number = b"", 0
    while (part := system.variables.get(f"MokListRT{number or ''}", SHIM_GUID)) is not None:
        whole, number = whole + part, number + 1
    return whole


def accepted_by(system, image, path):
    """Returns who accepts the signature of a pe.Image, FIRMWARE or SHIM; raises Failed if nobody does."""
    place, size = image.directory(pe.CERTIFICATES)
    if not size:
        raise Failed(f"Secure Boot is on, and {path} is not signed: sign it with sbsign or `make signed`, with a key whose "
                     "certificate is in the firmware's db, or is a machine owner's key (mokutil --import); or switch "
                     "Secure Boot off")
    signature = bytes(image.raw[place:place + size])
    if _knows(system.variables.get("db", DB_GUID) or b"", signature):
        return FIRMWARE
    if _knows(_mok_lists(system), signature):
        return SHIM
    raise Failed(f"Secure Boot is on, and {path} is signed by a certificate that is neither in the firmware's db nor a "
                 "machine owner's key of shim: `mokutil --import CERTIFICATE.der` and a restart add it; Linux must be "
                 "started by shim")


def shim_on(system, esp):
    """Returns the name of shim on the ESP as firmware has it: the one that started Linux, else the first one. Raises
    Failed."""
    current = disk.current_entry(system)
    if current and current[1] and current[1].partition == esp.partition and \
            os.path.basename(current[1].file.lower().replace("\\", "/")).startswith("shim"):
        return current[1].file
    folder = disk.file_of(system, esp, DISTRIBUTIONS)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        file = f"{DISTRIBUTIONS}\\{name}\\shimx64.efi"
        if os.path.isfile(disk.file_of(system, esp, file)):
            return file
    raise Failed(f"Secure Boot is on, the program is signed with a machine owner's key, and there is no shim, "
                 f"{DISTRIBUTIONS}\\NAME\\shimx64.efi, on {esp} to start it")
