"""The fields of a report's records that a command declares and keeps, packed.

A record of 1.3 kB takes 10 kB as a dict. Packed it takes no more than its fields. Each access unpacks it into a new
dict. So a command can iterate over all rows of a large report, as often as it needs, with one row in memory at a time.
"""
import collections.abc
import marshal
import zlib


class Fields:
    """Selects fields of a record: "name", or "per_op.cycles" for one member of an object."""

    def __init__(self, names):
        members = {}
        for name in names.split():
            outer, _, inner = name.partition(".")
            members.setdefault(outer, []).extend([inner] if inner else [])
        self._whole = [name for name, inner in members.items() if not inner]
        self._parts = [(name, inner) for name, inner in members.items() if inner]

    def pick(self, record):
        found = {name: record[name] for name in self._whole if name in record}
        for name, members in self._parts:
            if name in record:
                value = record[name]
                if type(value) is dict:  # an object that has only other members is kept whole
                    value = {m: value[m] for m in members if m in value} or value
                found[name] = value
        return found


class Bins(collections.abc.Sequence):
    """A histogram, [[ticks, windows], ...], unpacked on each iteration: it can be most of a report, and few of them are
    drawn."""

    __slots__ = ("packed",)

    def __init__(self, packed):
        self.packed = packed

    @staticmethod
    def pack(bins):
        return bins.packed if isinstance(bins, Bins) else zlib.compress(marshal.dumps(bins), 1)

    def _bins(self):
        return marshal.loads(zlib.decompress(self.packed))

    def __len__(self):
        return len(self._bins())

    def __iter__(self):
        return iter(self._bins())

    def __getitem__(self, at):
        return self._bins()[at]

    def __eq__(self, other):
        return self._bins() == list(other)


class Records(collections.abc.Sequence):
    """A list of dicts, packed. Changing a dict from it changes a copy."""

    def __init__(self, records=()):
        self._packed, self._names = [], {}  # (names of fields, values); records have few different sets of names
        for record in records:
            self.append(record)

    def _pack(self, record):
        if "hist" in record:
            record = {**record, "hist": Bins.pack(record["hist"])}
        names = tuple(record)
        return self._names.setdefault(names, names), marshal.dumps(tuple(record.values()))

    def append(self, record):
        self._packed.append(self._pack(record))

    def take(self, other, at):
        """Appends a record of other Records."""
        self._packed.append(other._packed[at])

    def extend(self, at, **more):
        """Adds fields to a record, after those that it has."""
        self._packed[at] = self._pack({**self[at], **more})

    def __len__(self):
        return len(self._packed)

    def __getitem__(self, at):
        if isinstance(at, slice):
            return self.picked(range(len(self))[at])
        names, values = self._packed[at]
        found = dict(zip(names, marshal.loads(values)))
        if type(found.get("hist")) is bytes:
            found["hist"] = Bins(found["hist"])
        return found

    def picked(self, places):
        """Returns the records at these positions, in this order."""
        found = Records()
        found._packed = [self._packed[at] for at in places]
        return found
