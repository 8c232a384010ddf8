"""Whether the launches of a row met the same core. A core's predictors can be in one state now and in another
a moment later, with no neighbour to be seen: then the same code at the same place takes 3 cycles in one launch and
5 in the next. Launches have the same seed, so the same placements: what one of them reads can be compared.

A row *wanders* when one and the same placement often reads differently in two launches, while other placements of
these launches agree. A wrong figure does not look like that: a launch whose scale, ruler or interval is wrong is off
at every placement, or at none. And the chains of suite `truth`, which nothing predicts, must stand still: if they
wander too, it is not the core's predictors, and nothing is excused."""
from bisect import bisect_left, bisect_right
from itertools import combinations

from silicon_quiet import percent, quiet

APART = 0.05   # of a figure: two readings of a placement this far apart are at two levels
LEAST = 0.05   # core cycles, likewise: the gap that docs/method.md "Modes" asks for
OFTEN = 0.05   # of all readings compared: a row wanders when so many are apart, ...
PARTLY = 0.125  # ... most of them in pairs of launches of which so many placements agree
ALIKE = 0.9     # two launches met the same when so many placements agree


def _tolerance(value):
    return max(LEAST, APART * abs(value))


def placements(launch, row):
    values = launch.rows[row].get("interval", {}).get("placements_cycles")
    return values if values and None not in values else None


def _apart(a, b):
    """At how many placements two launches read differently, and of how many."""
    return sum(abs(x - y) > _tolerance(max(x, y, key=abs)) for x, y in zip(a, b)), min(len(a), len(b))


def wanders(runs, row):
    lists = [p for p in (placements(r, row) for r in quiet(runs, row)) if p]
    differ = by_place = compared = 0
    for a, b in combinations(lists, 2):
        here, of = _apart(a, b)
        differ, compared = differ + here, compared + of
        by_place += here if of - here >= PARTLY * of else 0
    return len(lists) >= 3 and differ >= OFTEN * compared and by_place > differ / 2


def chains_stand_still(runs):
    chains = [row for row in runs[0].rows if row.startswith("truth/")]
    return bool(chains) and not any(wanders(runs, row) for row in chains)


def wandering(runs, rows):
    """Those of these rows that cannot be compared between launches."""
    found = [row for row in rows if wanders(runs, row)]
    return found if found and chains_stand_still(runs) else []


def levels(values, most=3, least=0.1):
    """[(level, share of the values)], the most frequent first."""
    left, found = sorted(values), []
    while left and len(found) < most:
        spans = [(bisect_left(left, v - _tolerance(v) / 2), bisect_right(left, v + _tolerance(v) / 2))
                 for v in left]
        low, high = max(spans, key=lambda span: span[1] - span[0])
        if high - low < least * len(values):
            break
        found.append((left[(low + high) // 2], (high - low) / len(values)))
        del left[low:high]
    return found


def top(values):
    """The most frequent level, and its share."""
    return levels(values, 1, least=0)[0]


def _same(a, b, rows):
    pairs = [_apart(placements(a, row) or (), placements(b, row) or ()) for row in rows]
    return all(of and differ <= (1 - ALIKE) * of for differ, of in pairs)


def alike(runs, rows):
    """Groups of launches in which these rows read the same as in one of the group at nearly all placements, the
    largest first."""
    friends = [{k for k, b in enumerate(runs) if b is a or _same(a, b, rows)} for a in runs]
    left, groups = set(range(len(runs))), []
    while left:
        groups.append(max((friends[i] & left for i in sorted(left)), key=len))
        left -= groups[-1]
    return [[runs[i] for i in sorted(group)] for group in groups]


def reads(runs, row):
    """The levels of a row in a group of launches that are alike."""
    values = [v for r in runs for v in placements(r, row) or ()]
    return f"{row.split('/')[1]} takes {' or '.join(f'{at:.2f}' for at, _ in levels(values))}"


STEADY = 0.9  # of the launches: a placement that reads a level in so many has it by where it stands
PLACES = 1.5  # placements: what one alone shows can come of its page or line, which a sweep does not move


def of_place(runs, row):
    """Its modes, as far as where a placement stands decides them: the levels that some placements have in nearly
    every launch, with their share of all placements."""
    lists = [p for p in (placements(r, row) for r in quiet(runs, row)) if p]
    tops = [top(reads) for reads in zip(*lists)]
    steady = [at for at, share in tops if share >= STEADY]
    found = [(at, share * len(steady)) for at, share in levels(steady, least=0)] if steady else []
    return [{"cycles": at, "share": count / len(tops)} for at, count in sorted(found) if count >= PLACES]


def described(runs, row):
    """What the placements that do not keep to one level read, now and then."""
    lists = [p for p in (placements(r, row) for r in runs) if p]
    restless = [v for reads in zip(*lists) if top(reads)[1] < STEADY for v in reads]
    said = [f"now {at:.2f} ({percent(share, 0)})" for at, share in levels(restless)]
    said = ", ".join(said) or f"anything from {min(restless):.2f} to {max(restless):.2f}" if restless else "several"
    return f"{row.split('/')[1]} takes {said} cycles at one and the same place"
