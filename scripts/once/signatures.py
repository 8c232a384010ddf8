"""Secure Boot: who would accept the signature of the program, the firmware or shim.

The signature itself is verified by them at the start. Here the certificate that they know is looked for in it.
Sources: UEFI 2.10, section 32.4.1 (EFI_SIGNATURE_LIST, db); shim, MokVars.txt (MokListRT); RFC 5280, section 4.1
(Certificate).
"""
import os
import struct
import uuid

from once import esp as disk
from once.variables import Failed
from tools import pe

X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072").bytes_le  # EFI_CERT_X509_GUID
DB_GUID = "d719b2cb-3d3a-4596-a3bc-dad00e67656f"  # EFI_IMAGE_SECURITY_DATABASE_GUID
SHIM_GUID = "605dab50-e046-4300-abb6-3dd810dd8b23"
LIST_HEAD, OWNER = 28, 16  # bytes
FIRMWARE, SHIM = "the firmware", "shim"
DISTRIBUTIONS = "\\EFI"


def enforced(system):
    return system.variables.get("SecureBoot") == b"\1"


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
