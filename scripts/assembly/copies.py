"""The number of copies of a snippet in a window, the iterations of the loop around them, and the check of both."""
import dataclasses
import math
import re

from assembly import assembler, snippet

COPIES = 100            # without --unroll, if the cost of a copy is not known
# The copies must take much longer than the window itself, a step of the TSC, and the first thousand cycles, in which the
# core's clock and issue rate follow a change of its current (docs/own-code.md).
LOOP_CYCLES = 20000
LOOP_BYTES = 1024       # of an iteration; a core keeps twice as many decoded (Skylake: 1536 micro-operations)
# Copies that must not be in a loop:
STRAIGHT_CYCLES = 2000
STRAIGHT_BYTES = 4096
# The maximum of bytes through which such copies may advance: twice as many copies then stay in half of a 32 KiB cache.
WALKED_BYTES = 8192
WALK_BYTES = 8          # by an instruction that does not state by how much
LABEL_BYTES = 64        # that a copy takes in an object in addition to its code
APART = 0.02            # figures differ if they are farther apart than this share of them, and than their intervals
CHECK_TIMES = 4         # the cycles of a check, as a multiple of those of a window
CHECK = "asm_check"     # the suite of checks
ROWS_MOST = 128         # of an object: bench/objects/objects.h

# Instructions that can move a register that points into an area: in a loop it would leave the caches, and then the area.
_STACK_OR_STRING = (r"^(?:\w+ )*?(?:(?:push|pop|ret|enter|leave)\w*\b|call\b"
                    r"|(?:lods|stos|movs|cmps|scas|ins|outs)[bwdq]\b)")
_WALKS = re.compile(_STACK_OR_STRING + r"|\b(?:r14[dwbl]?|(?:[re]?(?:sp|bp|si|di)|[sd]il|[sb]pl))\b")
_ACCESSES = re.compile(_STACK_OR_STRING + r"|\[")
_MOVED = re.compile(r"^(?:add|sub)\b[^,]*,\s*(?:byte |word |dword )?\+?(0x[0-9a-f]+|\d+)$")
_ADDRESS = re.compile(r"\[[^]]*\]")
_COUNTER = re.compile(r"\br15[dwbl]?\b")


def may_loop(code):
    """Tests whether machine code can be in a loop that R15 counts, and does the same in every iteration."""
    lines = assembler.disassembled(code)
    return not any(_COUNTER.search(line) or _WALKS.search(_ADDRESS.sub("", line)) for line in lines)


def walked(code):
    """Returns the maximum of bytes by which one copy advances through memory; 0 if it accesses none."""
    lines = assembler.disassembled(code)
    if not any(map(_ACCESSES.search, lines)):
        return 0
    frames = [assembler.frame(line) for line in lines]
    moved = [_MOVED.search(line) for line, frame in zip(lines, frames) if not frame and _WALKS.search(_ADDRESS.sub("", line))]
    return sum(frames) + sum(int(match[1], 0) if match else WALK_BYTES for match in moved)


def plan(s, cycles, snippets, times=1):
    """Returns (copies, iterations) for a snippet whose copy takes `cycles` cycles, so that the copies take `times`
    LOOP_CYCLES. Iterations are 0 without a loop. snippets: their number in the object."""
    cycles = max(cycles, 0.01)
    room = snippet.OBJECT_MOST // 2 // snippets // (3 * (s.size + LABEL_BYTES))
    if not may_loop(s.code):
        room = min(room, STRAIGHT_BYTES // s.size, WALKED_BYTES // max(1, walked(s.code)))
        return max(COPIES, min(int(times * STRAIGHT_CYCLES / cycles), room)), 0
    # An iteration is a whole number of rounds, so that all iterations are equal.
    rounds = max(1, len(s.copies))
    copies = min(max(COPIES, int(LOOP_CYCLES / cycles)), LOOP_BYTES // s.size, room)
    copies = max(1, copies // rounds) * rounds
    iterations = math.ceil(times * LOOP_CYCLES / (copies * cycles))
    iterations = min(iterations, snippet.OPS_MOST // copies)
    return copies, iterations if iterations > 1 else 0


def check_of(s, cycles, snippets):
    """Returns another row of the same snippet, as a check: with a loop, half as many copies per iteration and more
    iterations; without a loop, half as many copies."""
    check = dataclasses.replace(s, suite=CHECK, notes=[])
    copies, iterations = plan(s, cycles, snippets)
    rounds = max(1, len(s.copies))
    check.unroll = max(1, copies // 2 // rounds) * rounds
    if iterations:
        check.loop = min(math.ceil(CHECK_TIMES * LOOP_CYCLES / (check.unroll * max(cycles, 0.01))),
                         snippet.OPS_MOST // check.unroll)
    return check


def said(s):
    """Returns the number of copies in words."""
    return f"{s.unroll} copies" + (f" in each of {s.loop} iterations of a loop" if s.loop else "")


def _sides(row):
    per_op = row.get("per_op", {})
    value = per_op.get("cycles")
    if value is None:
        return None
    return value, per_op.get("cycles_lo", value), per_op.get("cycles_hi", value)


def differ(row, check):
    """Returns whether the two rows' figures differ. None: a figure is missing, or the core was shared."""
    one, other = _sides(row), _sides(check)
    if one is None or other is None or False in (row.get("exclusive"), check.get("exclusive")):
        return None
    apart = abs(one[0] - other[0])
    overlap = one[1] <= other[2] and other[1] <= one[2]
    return not overlap and apart > APART * max(abs(one[0]), abs(other[0]))
