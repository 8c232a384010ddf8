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

    __slots__ = ("_packed", "_count")

    def __init__(self, bins):
        self._packed, self._count = zlib.compress(marshal.dumps(bins), 1), len(bins)

    def _bins(self):
        return marshal.loads(zlib.decompress(self._packed))

    def __len__(self):
        return self._count

    def __iter__(self):
        return iter(self._bins())

    def __getitem__(self, at):
        return self._bins()[at]

    def __eq__(self, other):
        return self._bins() == list(other)


class Records(collections.abc.Sequence):
    """A list of dicts, packed. Changing a dict from it changes a copy."""

    def __init__(self, records=()):
        self._names, self._values = [], []  # names of fields; records have few different sets of names
        self._sets, self._bins = {}, {}
        for record in records:
            self.append(record)

    def append(self, record):
        self._names.append(None)
        self._values.append(None)
        self[len(self) - 1] = record

    def __setitem__(self, at, record):
        if "hist" in record:
            record = dict(record)
            bins = record.pop("hist")
            self._bins[at] = bins if isinstance(bins, Bins) else Bins(bins)
        names = tuple(record)
        self._names[at] = self._sets.setdefault(names, names)
        self._values[at] = marshal.dumps(tuple(record.values()))

    def extend(self, at, **more):
        """Adds fields to a record, after those that it has."""
        names = (*self._names[at], *more)
        self._names[at] = self._sets.setdefault(names, names)
        self._values[at] = marshal.dumps(marshal.loads(self._values[at]) + tuple(more.values()))

    def __len__(self):
        return len(self._values)

    def __getitem__(self, at):
        if isinstance(at, slice):
            return self.picked(range(len(self))[at])
        found = dict(zip(self._names[at], marshal.loads(self._values[at])))
        if self._bins and (bins := self._bins.get(at % len(self))) is not None:
            found["hist"] = bins
        return found

    def picked(self, places):
        """Returns the records at these positions, in this order."""
        found = Records()
        found._sets = self._sets
        for to, at in enumerate(places):
            found._names.append(self._names[at])
            found._values.append(self._values[at])
            if at in self._bins:
                found._bins[to] = self._bins[at]
        return found
