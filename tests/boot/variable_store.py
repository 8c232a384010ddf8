"""The variables in OVMF's flash file, as EDK II stores them: reads all, and writes some.

Source: EDK II, MdeModulePkg/Include/Guid/VariableFormat.h: after the header of the firmware volume follow the header of the
store, and variables with a header of 60 bytes each, at multiples of 4.
"""

import struct
import uuid

AUTHENTICATED = uuid.UUID("aaf32c78-947b-439a-a180-2e144ec37792").bytes_le
STORE_HEADER, HEADER = 28, 60
START = 0x55AA
ADDED, IN_DELETION = 0x3F, 0x3E  # states of a variable that is there; while it is replaced there are both
DELETED = 0xFC  # clears two bits of a state


def _bounds(raw):
    """Returns where the variables begin, and where the store ends."""
    assert raw[40:44] == b"_FVH", "no firmware volume"
    at = struct.unpack_from("<H", raw, 48)[0]
    assert raw[at:at + 16] == AUTHENTICATED, "no store of variables"
    return at + STORE_HEADER, at + struct.unpack_from("<I", raw, at + 16)[0]


def _walk(raw):
    """Yields (where the next header is, state, name, guid, attributes, value) of each variable, deleted ones too."""
    at, end = _bounds(raw)
    while at + HEADER <= end and struct.unpack_from("<H", raw, at)[0] == START:
        state, attributes = raw[at + 2], struct.unpack_from("<I", raw, at + 4)[0]
        name_size, size, guid = struct.unpack_from("<II16s", raw, at + 36)
        name, value = at + HEADER, at + HEADER + name_size
        then = (value + size + 3) // 4 * 4
        yield (then, state, raw[name:value - 2].decode("utf-16-le"), str(uuid.UUID(bytes_le=guid)), attributes,
               bytes(raw[value:value + size]))
        at = then


def read(path):
    """Returns {"NAME-GUID": (attributes, value)}."""
    found = {}
    for wanted in (IN_DELETION, ADDED):
        for _, state, name, guid, attributes, value in _walk(path.read_bytes()):
            if state == wanted:
                found[f"{name}-{guid}"] = (attributes, value)
    return found


def put(path, name, guid, attributes, value):
    """Writes a variable; a former one of this name is marked as deleted."""
    raw = bytearray(path.read_bytes())
    at, end = _bounds(raw)
    for then, _, *own in list(_walk(raw)):
        if own[:2] == [name, guid]:
            raw[at + 2] &= DELETED
        at = then
    wide = (name + "\0").encode("utf-16-le")
    head = struct.pack("<HBBI8x16x4xII16s", START, ADDED, 0, attributes, len(wide), len(value), uuid.UUID(guid).bytes_le)
    whole = head + wide + value
    assert at + len(whole) <= end and not raw[at:at + len(whole)].strip(b"\xff"), "no space for it"
    raw[at:at + len(whole)] = whole
    path.write_bytes(raw)
