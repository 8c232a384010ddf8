"""Maps of store forwarding in a saved report: the records `forward`, one for each size of the store."""
import collections
import itertools

from read import table

# A load after a store: bytes of both, the load's offset, the figure, the spread over the visits, a letter for how the
# load gets its bytes. What is not known is None.
Cell = collections.namedtuple("Cell", "store load at value spread how")
HOW = {"-": "apart", "p": "partial", "f": "forwarded", "n": "not forwarded", "c": "not judged"}


class Map:
    """The records of one map on one core. pairs: {(bytes of the store, bytes of the load): its cells}, ascending; reason: why
    the map is missing, empty: it is not."""

    def __init__(self, records):
        self.record = first = records[0]
        self.suite, self.name, self.core = first["suite"], first["name"], first["core"]
        self.full_name, self.unit = f"{self.suite}/{self.name}", first.get("unit", "cycles")
        self.cells = [cell for record in records for cell in _cells(record)]
        self.reason = "" if self.cells else f"{first['status']}: {first.get('why', 'no reason given')}"
        is_shared = any(record.get("shared") for record in records)
        self.remarks = ["not judged: most of it was measured on a shared core"] if is_shared else []
        self.pairs = dict(sorted(table.grouped(self.cells, lambda cell: (cell.store, cell.load)).items()))

    @property
    def found(self):
        """Returns [text] of each pair of sizes: how its loads get their bytes, by offset, with their figures."""
        for (store, load), cells in self.pairs.items():
            ranges = [(how, list(some)) for how, some in itertools.groupby(cells, lambda cell: cell.how)]
            said = ", ".join(f"{HOW.get(how, how)} from {some[0].at} to {some[-1].at} {_reach(some)}" for how, some in ranges)
            yield f"store {store}, load {load} bytes: {said} {self.unit}"


def _cells(record):
    for of in record.get("loads", ()) if "store" in record else ():
        spreads = of.get("spread", ())
        for i, (value, how) in enumerate(zip(of["values"], of["how"])):
            yield Cell(record["store"], of["load"], of["from"] + i, value, spreads[i] if i < len(spreads) else None, how)


def _reach(cells):
    """Returns the range of the cells' figures: `(0.8)`, `(6.5 to 6.6)`."""
    values = [cell.value for cell in cells if cell.value is not None]
    if not values:
        return "(not known)"
    least, most = f"{min(values):.3g}", f"{max(values):.3g}"
    return f"({least})" if least == most else f"({least} to {most})"


def maps(report):
    """Returns every Map, in the order of the report."""
    found = table.grouped(report.of("forward"), lambda record: (record["suite"], record["name"], record["core"]))
    return [Map(records) for records in found.values()]
