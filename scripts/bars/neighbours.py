"""Neighbours: which launches had an exclusive core, whether the witness is right, and the recorded windows that replace
launches on a shared core."""
import json
import os
import subprocess
from dataclasses import dataclass

from launch import launches


@dataclass
class Bar:
    what: str
    figure: str
    limit: str = ""  # empty: shown, not judged
    holds: bool | None = True  # None: the core was shared for too much of the time to judge


def percent(x, digits=2):
    return f"{100 * x:.{digits}f}%"


TOO_SHARED = "too shared to judge"


AWAY_MOST = 0.1  # of a row's time without the CPU: with more, other programs used the core too


def had_cpu(launch, *rows):
    """Tests whether the launch had the CPU nearly all the time of these rows."""
    away = away_ms(launch, *rows)
    return not away or away <= AWAY_MOST * sum(launch.ms(row) for row in rows)


def is_undisturbed(launch, row):
    record = launch.rows.get(row, {})
    return record.get("exclusive", True) and "cycles" in record.get("per_op", {}) and had_cpu(launch, row)


def undisturbed(runs, *rows):
    """Returns the launches in which each of these rows was measured on an exclusive core that was not taken away."""
    return [r for r in runs if all(is_undisturbed(r, row) for row in rows)]


def enough(runs, of):
    """Tests whether this number of launches can represent all that were made."""
    return len(runs) >= max(3, len(of) / 8)


def too_shared(what, runs, of, limit):
    return Bar(what, f"{TOO_SHARED}: {len(runs)} of {len(of)} launches had the core to themselves",
               limit, None)


def away_ms(launch, *rows):
    """Returns the time without the CPU while these rows were sampled."""
    return sum(launch.rows[row].get("process", {}).get("away_ms", 0) for row in rows)


def net_ms(launch, *rows):
    """Returns the CPU time of sampling these rows, without what the system gave to other programs."""
    return max(0, sum(launch.ms(row) for row in rows) - away_ms(launch, *rows))


def witnesses(runs):
    return [w for r in runs for w in r.witnesses if "blocks" in w]


def shared_share(runs):
    """Returns the share of all blocks during which a neighbour used the core; None: no witness ran."""
    found = witnesses(runs)
    blocks = sum(w["blocks"] for w in found)
    return sum(w["shared_blocks"] for w in found) / blocks if blocks else None


def neighbours(runs):
    """Shows how much of the time the core was shared."""
    shares = [s for s in (shared_share([r]) for r in runs) if s is not None]
    if not shares:
        why = next((w["why"] for r in runs for w in r.witnesses if "why" in w), "no reason given")
        yield Bar("the core was shared", f"not known: {why}")
        return
    yield Bar("the core was shared",
              f"{percent(shared_share(runs), 1)} of the time; {percent(min(shares), 1)} to"
              f" {percent(max(shares), 1)} of a launch; {len(shares)} launches")


# --- recorded windows, where this machine's are too shared ---------------------------------------

REPLAY = os.path.join(launches.ROOT, "build/hosted/replay")
RECORDED = os.path.join(launches.ROOT, "tests/replay/windows")
DOCUMENTED = {"add": 1, "imul": 3, "load": 5}  # on the CPU of the recordings


def replayed(*files):
    """Returns the results of the program's own code for recorded windows, object by object."""
    p = subprocess.run([REPLAY, "windows", *files], text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in p.stdout.splitlines()]


def _covered(judged):
    """Returns pairs of launches, and those inside the interval. Leaves out launches with fewer exclusive blocks, whose
    uncertainty no interval of the other launch can know."""
    pairs = [(a, b) for a in judged for b in judged
             if a is not b and (a["file"], a["body"]) == (b["file"], b["body"]) and b["shared"] <= max(0.5, a["shared"])]
    return len(pairs), sum(a["lo"] <= b["cycles"] <= a["hi"] for a, b in pairs)


def recorded(objects):
    judged = [o for o in objects if o["judged"]]
    pairs, inside = _covered(judged)
    yield Bar(f"recorded launches that are judged, {len(judged)} of {len(objects)}; {pairs} pairs",
              percent(inside / pairs) if pairs else "none", "at least 98%",
              pairs > 0 and inside >= 0.98 * pairs)
    for body, wanted in DOCUMENTED.items():
        values = [o["cycles"] for o in judged if o["body"] == body]
        yield Bar(f"recorded {body}, documented {wanted}",
                  f"{min(values):.4f} to {max(values):.4f} cycles" if values else "none",
                  "within 1%", bool(values) and all(abs(v / wanted - 1) <= 0.01 for v in values))


SEEN = 0.95  # of a neighbour's blocks
FALSE_ALARMS = 0.001  # of the blocks without a neighbour
SLOWER = 1.3  # factor by which a sibling slows NOPs, at least: 1.3 to 2.1 in these recordings
EVERY = 3


def plant_neighbour(lines):
    """Returns recorded blocks in which each third pass (forward and backward) has a slow reading of the witness at both
    ends, and the share of the blocks that are shared by this."""
    made, ends = [], 0
    for line in lines:
        words = line.split()
        if words[4] == "W":
            if ends // 2 % EVERY == 0:
                words[5:] = [str(round(int(w) * SLOWER)) for w in words[5:]]
            ends += 1
        made.append(" ".join(words))
    passes = (ends + 1) // 2
    return made, -(-passes // EVERY) / passes


def sees_planted(planted, found):
    yield Bar(f"a slow-down planted in {percent(planted, 1)} of the blocks of an undisturbed recording",
              f"{percent(found, 1)} are seen as shared",
              f"95% of them, and at most {percent(FALSE_ALARMS, 1)} of all besides",
              SEEN * planted <= found <= planted + FALSE_ALARMS)


def sees_sibling(runs):
    """Checks launches on two threads of one core at once."""
    what, limit = "two busy sibling threads, each the other's neighbour", "at least 95%"
    shares = [w["shared"] for w in witnesses(runs)]
    if not shares:
        yield Bar(what, "not judged: no witness ran", limit, None)
        return
    said = f"{percent(min(shares), 1)} to {percent(max(shares), 1)} of a thread's blocks are seen as shared"
    holds = min(shares) >= SEEN
    if not holds and any(r.run.get("hypervisor") for r in runs):
        # A hypervisor may run what it calls two threads of a core anywhere, and one after the other.
        yield Bar(what, f"not judged: {said}, but a hypervisor says where these threads run, and when", limit, None)
        return
    yield Bar(what, said, limit, holds)
