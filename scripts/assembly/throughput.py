"""Copies that do not wait for each other: each has other registers and other addresses, and instructions between them
break the remaining chains."""
from assembly import operands, waits
from assembly.snippet import as_bytes, instructions

_POOL = {
    "general": ["rax", "rcx", "rdx", "rbx"] + [f"r{i}" for i in range(8, 14)],
    "vector": [f"zmm{i}" for i in range(16)],
    "mask": [f"k{i}" for i in range(8)],
    "MMX": [f"mm{i}" for i in range(8)],
    "tile": [f"tmm{i}" for i in range(8)],
}
_ADDRESSES = 16  # of copies that differ in nothing else
_APART = 8       # bytes, or the operand's size where that is more


def part(given):
    """Makes copies that do not wait for each other, and notes how. Raises Wrong if this is not possible."""
    wish = waits.Wish(given, "--throughput")
    if any(operands.kind_of(whole) == "x87" for whole in wish.carried()):
        raise wish.wrong("st0 is read and written by each copy, and no other register can take its place")
    if wish.address_is_written():
        raise wish.wrong(f"its address is made of {wish.address_is_written()}, which it writes")
    ends = _Ends(wish)
    rounds = _rounds(wish, ends)
    changes, notes = _changes(wish, rounds)
    made = operands.rewrite(wish.one, changes) if changes != [{}] else [(wish.one.code, wish.one.text)]
    if None in made:
        written = [o.register for o in wish.written()]
        raise wish.wrong(f"no other register can take the place of {waits.and_list(written)}" if written else
                         "this encoding cannot have another address")
    chains = _chains(wish, ends, len(made))
    if chains and given.loop and given.unroll < len(made):
        raise wish.wrong(f"with --loop, --unroll has to be {len(made)} at least, the number of registers")
    note = "; ".join(filter(None, [*notes, chains, ends.note()])) + wish.set_first()
    if changes == [{}] and not ends.lines:
        note += ": copies stay as they are"
    else:
        given.copies = ["; ".join([*ends.lines, as_bytes(code)]) for code, _ in made]
    # After --late-init, because the values that it sets are kept.
    given.late_init = "; ".join([*instructions(given.late_init), *ends.before])
    given.notes.append(f"throughput: {note}")


class _Ends:
    """Instructions before each copy that break the chains through fixed registers and flags. They set each fixed
    register from another one, which keeps its first value, and write the flags."""

    def __init__(self, wish):
        fixed = {o.whole: o for o in wish.registers if not o.visible and o.whole in wish.carried()
                 and (o.writes or o.may_write) and operands.kind_of(o.whole) == "general"}
        self.stack = fixed.pop("rsp", None)
        anew = [*fixed.values(), *filter(None, [wish.used_up()])]
        self.fixed = [o.whole for o in anew]
        self.names = [wish.name(whole) for whole in self.fixed] + wish.carried_flags()
        self.taken, self.lines, self.before = [], [], []
        self.wish = wish
        if wish.carried_flags():
            scratch = operands.named_like(self._take("general", "the flags"), "eax")
            self.lines.append(f"xor {scratch}, {scratch}")
        for o in anew:
            keeper = self._take(operands.kind_of(o.whole), o.register)
            self.before.append(self._move(keeper, o.whole, o))
            self.lines.append(self._move(o.whole, keeper, o))

    def _take(self, kind, what):
        """Returns the last register of this kind that is free."""
        free = [r for r in _POOL[kind] if r not in self.wish.used() and r not in self.taken and r != "k0"]
        if not free:
            raise self.wish.wrong(f"each copy waits for {what}, and no register is free to break that chain")
        self.taken.append(free[-1])
        return free[-1]

    def _move(self, to, source, o):
        kind = operands.kind_of(o.whole)
        if kind == "vector":
            return f"vmovdqa {operands.named_like(to, o.register)}, {operands.named_like(source, o.register)}"
        if kind == "mask":
            return f"kmov{'w' if self.wish.elements() <= 16 else 'q'} {to}, {source}"
        return f"mov {to}, {source}"

    def note(self):
        said = [f"`{'; '.join(self.lines)}` before each copy keeps it from waiting for {waits.and_list(self.names)}, "
                "and is in the figure"] if self.lines else []
        if self.stack:
            said.append("rsp is read and written by each copy")
        return "; ".join(said)


# --- other registers, other addresses ----------------------------------------------------------------

def _rounds(wish, ends):
    """Returns [{register of the text: register of the copy}]: the registers that the copies of a round write."""
    named = [w for w in dict.fromkeys(o.whole for o in wish.written()) if w not in ends.fixed]
    rounds = []
    for kind in dict.fromkeys(operands.kind_of(w) for w in named):
        these = [w for w in named if operands.kind_of(w) == kind]
        if kind not in _POOL:
            raise wish.wrong(f"no other register can take the place of {wish.name(these[0])}")
        groups = _groups(wish, these, _pool(wish, kind, these, ends))
        rounds = [{**a, **b} for a, b in zip(rounds, groups)] if rounds else groups
    return rounds


def _pool(wish, kind, these, ends):
    """Returns the registers that can replace these, these first."""
    others = wish.used() - set(these) | {o.whole for o in wish.registers if not o.visible} | set(ends.taken)
    if any(o.mask and o.whole in these for o in wish.registers):
        others.add("k0")  # which would be no mask
    pool = [r for r in _POOL[kind] if r not in others and all(
        operands.named_like(r, o.register) for o in wish.registers if o.visible and o.whole in these)]
    return [w for w in these if w in pool] + [r for r in pool if r not in these]


def _groups(wish, these, pool):
    size = len(these)
    groups = [dict(zip(these, pool[i:i + size])) for i in range(0, len(pool) - size + 1, size)]
    if not groups:
        raise wish.wrong(f"no register is left to take the place of {waits.and_list([wish.name(w) for w in these])}")
    return groups


def _changes(wish, rounds):
    """Returns (the changes of each copy of a round, a note about them)."""
    m = wish.memory()
    moves = m and not m.vectors and operands.whole_of(m.base) in waits.AREAS
    if wish.carried_memory() and not moves:
        raise wish.wrong("its memory is read and written by each copy: an address made of an area's register, as R14, "
                         "could be another one in each")
    count = len(rounds) or (_ADDRESSES if moves else 1)
    apart = max(_APART, m.bits // 8) if moves else 0
    changes = [wish.renamed(names) for names in rounds or [{}] * count]
    notes = [f"{wish.name(old)} is in turn {', '.join(wish.name(names[old], old) for names in rounds)}"
             for old in (rounds[0] if rounds else [])] or [_writes_no_register(wish)]
    if moves:
        notes.append(f"addresses are {count} in turn, {apart} bytes apart")
        for i, change in enumerate(changes):
            change[f"{m.number}.disp"] = m.disp + (i - count // 2) * apart
    return changes, notes


def _writes_no_register(wish):
    one = wish.one
    fixed = [o for o in wish.registers if o.writes]
    if fixed:
        kept = next((f"; {wish.keeps(o)}" for o in fixed if wish.keeps(o) and o.whole not in wish.carried()), "")
        return f"{one.mnemonic} writes no register that can be chosen{kept}"
    return f"{one.mnemonic} writes {'no register' if wish.memory() or not one.writes_flags else 'flags only'}"


def _chains(wish, ends, count):
    """Returns a note on how copies wait for earlier ones of their round; "" if none does."""
    written = [o for o in wish.written() if o.whole not in ends.fixed]
    if wish.is_idiom():
        return f"at most {count} chains side by side, none where the CPU knows that the result is known"
    if any(o.whole in wish.carried() and wish.visibly_reads(o.whole) for o in written):
        return f"{count} chains side by side"
    if wish.carried_memory():
        return f"{count} chains side by side, through memory"
    keeps = next((wish.keeps(o) for o in written if wish.keeps(o)), "")
    if keeps:
        return f"at most {count} chains side by side: {keeps}"
    return "no copy reads what another writes" if written else ""
