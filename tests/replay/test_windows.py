"""`replay windows`: blocks that were recorded next to a busy sibling, judged by the program's witness."""

import json
import lzma
import random
import subprocess
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / "build/hosted/replay"
RECORDED = sorted((ROOT / "tests/replay/windows").glob("*.xz"))
TRUTH = {"add": 1, "imul": 3, "load": 5}
# Known costs on the recorded cores: a call takes 2.01 on a Golden Cove, and nothing in addition to the loop on a
# Redwood Cove.
CORES = {"sapphire": {"direct": 2.01, "got": 3.0}, "granite": {"direct": 0.0, "got": 3.0}}
A_NOP = {"sapphire": 1 / 6, "granite": 0.156}  # core cycles, on an exclusive core
OPS = {"direct": 1000, "got": 1000}


FIELDS = ["file", "launch", "body", "cycles", "lo", "hi", "shared", "judged"]


def run(*files):
    p = subprocess.run([PROGRAM, "windows", *files], capture_output=True, text=True, check=False)
    return p, [json.loads(line) for line in p.stdout.splitlines()]


def replay(*files):
    """Returns the output for files that have no error."""
    p, objects = run(*files)
    assert (p.returncode, p.stderr) == (0, ""), p.stderr
    return objects


@pytest.fixture(scope="module", params=RECORDED, ids=[p.name.split(".")[0] for p in RECORDED])
def recorded(request, tmp_path_factory):
    """Returns (text, objects, known costs of the core, the cost of a NOP there) of one recording."""
    text = lzma.open(request.param, "rt").read()
    path = tmp_path_factory.mktemp("windows") / "recorded.txt"
    path.write_text(text)
    core = request.param.name.split("_")[0]
    return text, replay(path), CORES[core], A_NOP[core]


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def judged(objects):
    by_body = {}
    for o in objects:
        if o["judged"]:
            by_body.setdefault(o["body"], []).append(o)
    return by_body


def is_as_sure(a, b):
    """The interval is too narrow for a launch that had an exclusive core for a smaller part of its time."""
    return b["shared"] <= max(0.5, a["shared"])


def coverage(objects):
    """Returns (ordered pairs of judged launches, those inside the interval)."""
    pairs = inside = 0
    for figures in judged(objects).values():
        for a in figures:
            for b in figures:
                if a is not b and is_as_sure(a, b):
                    pairs += 1
                    inside += a["lo"] <= b["cycles"] <= a["hi"]
    return pairs, inside


def check_figures(objects):
    pairs, inside = coverage(objects)
    assert pairs >= 20 and inside >= 0.95 * pairs, (pairs, inside)
    for body, figures in judged(objects).items():
        for o in figures:
            assert o["lo"] < o["cycles"] < o["hi"] and 0 <= o["shared"] < 1
            assert body not in TRUTH or abs(o["cycles"] / TRUTH[body] - 1) <= 0.01, o
    check_truth(judged(objects), TRUTH)


def check_truth(figures, known, share=1.0):
    """The interval is for another launch's figure. It contains the documented value, or misses it by no more than what
    passes with an undetected neighbour add to a load. If the neighbour had most of the passes, too many were
    touched. True for a share of the figures."""
    inside = []
    for body, wanted in known.items():
        margin = 0.003 * max(1, wanted)
        inside += [(o["lo"] <= wanted + margin and o["hi"] >= wanted - margin, o) for o in figures.get(body, [])
                   if o["shared"] <= 0.5]  # fmt: skip
    outside = [o for good, o in inside if not good]
    assert inside and len(outside) <= (1 - share) * len(inside), outside


def check_calls(figures, core):
    """A call takes other times at some placements, so a launch's figure may be wrong by as much as its interval."""
    check_truth(figures, core)
    for body, wanted in core.items():
        assert abs(median(o["cycles"] for o in figures[body]) - wanted) < 0.05, figures[body]


def exclusive_shares(text, nop):
    """A separate, crude count: (launch, body) -> share of the passes between two readings without a neighbour."""
    passes = {}
    begun = {}
    for line in text.splitlines():
        launch, _, body, placement, kind, *ticks = line.split()
        ticks = sorted(map(int, ticks))
        key = (launch, body, placement)
        if kind == "W" and key in begun and "R2" in begun[key]:
            p = begun.pop(key)
            adds = p["R2"] - p["R"]
            window = 2 * p["R"] - p["R2"]
            p["W2"] = sum(ticks) / 16
            level = max(p["W"], p["W2"]) - window
            passes.setdefault((int(launch), body), []).append(
                adds > 0 and 0.84 * nop < level / adds * 500 / 512 < 1.08 * nop)
        elif kind == "W":
            begun[key] = {"W": sum(ticks) / 16}
        else:
            begun[key][kind] = ticks[8]
    return {key: sum(undisturbed) / len(undisturbed) for key, undisturbed in passes.items()}


def test_recorded_launches_agree_and_are_true(recorded):
    text, objects, core, _ = recorded
    for o in objects:
        assert list(o) == FIELDS + ["why"] * (not o["judged"])
    launches = {line.split()[0] for line in text.splitlines()}
    assert len(objects) == len(launches) * 6
    check_figures(objects)
    check_calls(judged(objects), core)


def test_a_launch_with_more_than_an_eighth_of_exclusive_blocks_is_judged(recorded):
    text, objects, _, nop = recorded
    shares = exclusive_shares(text, nop)
    by_key = {(o["launch"], o["body"]): o for o in objects}
    enough = [key for key, share in shares.items() if share > 1 / 8]
    assert len(enough) >= 20
    for key in enough:
        assert by_key[key]["judged"], (key, shares[key])
    few = [key for key, share in shares.items() if share < 1 / 20]
    wrong = [key for key in few if by_key[key]["judged"]]
    assert len(wrong) <= 0.05 * len(few), wrong  # the count is less exact than the witness


def lines_of(text, *launches):
    return [line for line in text.splitlines() if int(line.split()[0]) in launches]


def test_the_witness_judges_a_launch_without_the_others(recorded, tmp_path):
    """A run is one launch: the best of the core is learnt from it, busy or not."""
    text, _, core, _ = recorded
    objects = []
    for launch in sorted({int(line.split()[0]) for line in text.splitlines()}):
        path = tmp_path / "one.txt"
        path.write_text("\n".join(lines_of(text, launch)) + "\n")
        objects += replay(path)
    check_figures(objects)
    check_calls(judged(objects), core)


def cut(text, launch, parts):
    """Returns the lines of a launch, cut by the placements of each body into this number of parts."""
    cuts = [[] for _ in range(parts)]
    for line in lines_of(text, launch):
        cuts[int(line.split(None, 4)[3]) * parts // 16].append(line)
    return cuts


@pytest.mark.parametrize("parts", [2, 4])
def test_a_part_of_a_launch_is_judged_as_carefully(recorded, tmp_path, parts):
    """Each alone: its interval contains the results of the others. Few placements may all be unusual."""
    text, objects, core, _ = recorded
    paths = []
    for launch in sorted({o["launch"] for o in objects}):
        for i, lines in enumerate(cut(text, launch, parts)):
            paths.append(write(tmp_path / f"{launch}_{i}", lines))
    cuts = judged(replay(*paths))
    pairs = [(a, b) for body, whole in judged(objects).items() for a in cuts.get(body, [])
             for b in whole if a["launch"] != b["launch"] and is_as_sure(a, b)]  # fmt: skip
    inside = [a["lo"] <= b["cycles"] <= a["hi"] for a, b in pairs]
    assert len(pairs) >= 100 * parts / 2 and sum(inside) >= 0.95 * len(inside), (sum(inside), len(pairs))
    known = {**TRUTH, **core}
    check_truth(cuts, known, 0.98)
    off = [abs(o["cycles"] / wanted - 1) for body, wanted in TRUTH.items() for o in cuts.get(body, [])]
    assert max(off) <= 0.03 and sum(x <= 0.01 for x in off) >= 0.95 * len(off), sorted(off)[-10:]


# --- made-up recordings ---------------------------------------------------------------------------


class Core:
    """A core with a sibling thread that comes and goes."""

    def __init__(self, seed, width, step, share, clock=0.9):
        self.random = random.Random(seed)
        self.width, self.step, self.share, self.clock = width, step, share, clock
        self.us, self.until, self.busy, self.slow = 0.0, 0.0, False, 1.0

    def sibling(self):
        while self.us >= self.until and self.share > 0:
            self.busy = self.random.random() < self.share
            self.until += self.random.expovariate(1 / 600)
            self.slow = self.random.uniform(1.4, 2.2)

    def block(self, cycles, is_shared):
        """Returns sixteen windows over this many core cycles, of which a neighbour slows the `shared` ones."""
        ticks = []
        for _ in range(16):
            self.sibling()
            extra = is_shared * ((self.slow + self.random.uniform(-.1, .1)) if self.busy else 1)
            total = (80 + cycles + extra + self.random.gauss(0, 1.5)) * self.clock
            total *= 1 + 0.05 * self.random.random() * 0.02
            from_ = self.random.random() * self.step
            ticks.append(int((from_ + total) // self.step) * self.step)
            self.us += total / 2000 + 0.2
        return ticks


def made_launch(core, launch, bodies):
    core.clock = core.random.uniform(0.85, 0.95)
    for body, cycles in bodies.items():
        loop, ops = body in OPS, OPS.get(body, 500)
        turns = {"E": 1000 * loop, "E2": 2000 * loop}  # an empty loop takes a cycle per iteration
        for placement in range(8):
            for there in range(8):
                order = ["W", "E"] + ["E2"] * loop + ["R", "R2", "B", "B2"]
                for kind in order if there % 2 == 0 else reversed(order):
                    if kind == "W":
                        ticks = core.block(0, 512 / core.width)
                    elif kind[0] == "R":
                        ticks = core.block(500 * len(kind), 0)
                    elif kind[0] == "E":
                        ticks = core.block(turns[kind], 0)
                    else:
                        copies = ops * len(kind) * cycles
                        alone = copies if not loop else 0.5 * copies
                        ticks = core.block(alone + turns["E"] * len(kind), copies - alone)
                    yield f"{launch} {int(core.us)} {body} {placement} {kind} " + " ".join(
                        map(str, ticks))


@pytest.mark.parametrize("width,step", [(4, 2), (6, 1), (8, 2), (5, 26), (6, 40), (8, 40), (3, 64)])
def test_made_recordings_are_judged_by_their_neighbour(tmp_path, width, step):
    path = tmp_path / "made.txt"
    shares = [0, 0.2, 0.5, 0.7, 1, 0.4, 1, 0.6]
    bodies = {"add": 1, "imul": 3, "load": 5, "direct": 2}
    core = Core(width * 100 + step, width, step, 0)
    lines = []
    for launch, share in enumerate(shares):
        core.share, core.busy, core.until = share, False, core.us
        lines += made_launch(core, launch, bodies)
    path.write_text("\n".join(lines) + "\n")
    objects = replay(path)
    assert len(objects) == len(shares) * len(bodies)
    check_figures(objects)
    for o in objects:
        share = shares[o["launch"]]
        if o["shared"] < 7 / 8:  # of eight placements an eighth can be one, which is not judged
            assert o["judged"], o
        if share == 1:
            assert not o["judged"] and o["shared"] > 0.9, o
        if share == 0:
            assert o["judged"] and o["shared"] < 0.05, o


# --- what cannot be judged ------------------------------------------------------------------------

T16 = " 100" * 16
BAD_LINES = {
    "x 1 add 0 W" + T16: "launch and microseconds must be decimal numbers",
    "0 1 add 0 W2" + T16: "the kind must be W, E",
    "0 1 add 0 W" + " 100" * 15: "sixteen decimal numbers",
    "0 1 add 0 W" + " 100" * 17: "more than sixteen",
    "0 1 add 0 W -1" + " 100" * 15: "sixteen decimal numbers",
    "0 1 add -3 W" + T16: "the placement",
    "0 1 " + "a" * 32 + " 0 W" + T16: "the body is not a name",
    "0 1 \x01 0 W" + T16: "the body's name",
}


def test_a_file_without_a_line_to_use_is_refused(tmp_path):
    wrong = {"": "line 0: the text ends without a block",
             "# only\n\n": "line 2: the text ends without a block"}  # fmt: skip
    wrong.update({line + "\n": f"line 1: {why}" for line, why in BAD_LINES.items()})
    good = write(tmp_path / "good", made_launch(Core(1, 6, 2, 0), 0, {"add": 1}))
    for i, (text, said) in enumerate(wrong.items()):
        path = tmp_path / str(i)
        path.write_text(text)
        p, objects = run(path, good)
        assert p.returncode == 2 and f"replay: {path}: {said}" in p.stderr, (text, p.stderr)
        assert list(objects[0]) == ["file", "error"] and objects[0]["error"].startswith(said)
        assert [o["file"] for o in objects] == [str(path), str(good)] and objects[1]["judged"]
    p, (o,) = run(tmp_path / "none")
    assert p.returncode == 2 and "No such file" in p.stderr and "No such file" in o["error"]


def test_a_wrong_line_is_named_and_the_others_are_judged(tmp_path):
    lines = list(made_launch(Core(1, 6, 2, 0), 0, {"imul": 3, "direct": 2}))
    whole = replay(write(tmp_path / "whole", lines))
    assert all(o["judged"] and o["shared"] == 0 for o in whole)
    bad = dict(enumerate(BAD_LINES, 1))  # one in each of this number of passes
    for n, line in bad.items():
        lines[n * 91] = line
    path = write(tmp_path / "some", lines)
    p, objects = run(path)
    assert p.returncode == 1
    *each, count = p.stderr.splitlines()
    assert len(each) == len(bad)
    for said, (n, line) in zip(each, bad.items()):
        assert said.startswith(f"replay: {path}: line {n * 91 + 1}: {BAD_LINES[line]}"), said
    assert f"{path}: {len(bad)} of {len(lines)} lines" in count
    for o, before in zip(objects, whole):
        assert o["judged"] and abs(o["cycles"] / before["cycles"] - 1) < 0.002
        assert o["shared"] > 0, "the passes that they stood in have a witness less"
    # Many of them are counted, and the first are named.
    p, _ = run(write(path, lines + ["?"] * 1000))
    assert p.returncode == 1 and len(p.stderr.splitlines()) == 20 + 1
    assert f"{1000 + len(bad)} of " in p.stderr


def without(lines, kind, launch=None):
    return [w for w in lines if (w.split()[4], launch or w.split()[0]) != (kind, w.split()[0])]


def test_a_loop_without_its_empty_loops_is_not_judged(tmp_path):
    core = Core(3, 6, 2, 0)
    lines = [w for launch in range(2) for w in made_launch(core, launch, {"got": 3, "load": 5})]
    for kind, launch, why in (("E2", None, "by its E it is a loop, and it has no E2"),
                              ("E2", "1", "by its E it is a loop, and it has no E2"),
                              ("E", None, "it has no E, so"),
                              ("B2", "0", "no pass from witness to witness has all of"),
                              ("R", None, "no pass from witness to witness has all of")):  # fmt: skip
        for o in replay(write(tmp_path / "w", without(lines, kind, launch))):
            lacking = launch in (None, str(o["launch"])) and (o["body"] == "got" or kind != "E2")
            assert o["judged"] != lacking, (kind, o)
            if lacking:
                assert o["why"].startswith(why) and not {"cycles", "lo", "hi"} & set(o), (kind, o)
    # If only one pass lacks it, that pass has no figure.
    path = write(tmp_path / "w", [w for i, w in enumerate(lines) if i > 30 or " E2 " not in w])
    assert all(o["judged"] and o["shared"] == 0 for o in replay(path))


def test_a_witness_alone_has_no_figure(tmp_path):
    path = tmp_path / "w"
    path.write_text("0 1 add 0 W" + T16 + "\r\n# end\n")
    assert not replay(path)
    path.write_text("0 1 add 0 R" + T16)
    (o,) = replay(path)
    assert not o["judged"] and "cycles" not in o


def levels(text, body):
    """Returns (windows of this body, {cycles per copy: their number}): each by its placement's rulers, to a tenth of a
    cycle."""
    placements = {}
    for line in text.splitlines():
        launch, _, name, placement, kind, *ticks = line.split()
        if name == body and kind in OPERATIONS:
            placements.setdefault((launch, placement), {}).setdefault(kind, []).extend(map(int, ticks))
    found = {}
    for kinds in placements.values():
        ruler, ruler2 = median(kinds["R"]), median(kinds["R2"])
        for kind in ("B", "B2"):
            for ticks in kinds[kind]:
                cycles = 500 * (ticks - (2 * ruler - ruler2)) / (ruler2 - ruler) / OPERATIONS[kind]
                found[round(cycles, 1)] = found.get(round(cycles, 1), 0) + 1
    return sum(found.values()), found


OPERATIONS = {"R": 500, "R2": 1000, "B": 500, "B2": 1000}


def test_cmov_has_the_two_levels_that_its_flags_writer_selects():
    """Whole windows at 1.0 or at 2.0, and nothing between: these were recorded without a stated history. Chains that
    read no flags have one level."""
    text = lzma.open(ROOT / "tests/replay/windows/granite_rapids_busy.txt.xz", "rt").read()
    windows, found = levels(text, "cmov")
    slow = found[2.0] + found.get(1.9, 0) + found.get(2.1, 0)
    fast = found[1.0] + found.get(0.9, 0) + found.get(1.1, 0)
    assert windows > 80000 and slow + fast > 0.995 * windows, found
    assert 0.005 < fast / windows < 0.02 and slow / windows > 0.97
    for body, cycles in TRUTH.items():
        windows, found = levels(text, body)
        assert sum(n for at, n in found.items() if abs(at - cycles) < 0.11) > 0.99 * windows, (body, found)
