"""Copies that wait for each other: a result of each becomes an operand of the next."""
import re

from assembly import operands, waits
from assembly.snippet import as_bytes

_COPY = re.compile(r"mov(zx|sx|sxd)?|v?mov(q|[au]p[sd]|dq[au](8|16|32|64)?|s[sd])")
# With three registers the second gives only the part that is kept: the way through the last is meant.
_VEX_KEEPS = re.compile(r"v(sqrt|rsqrt|rcp|round|rndscale|reduce|getexp|getmant|cvt\w+2|mov)\w*s[sdh]")


def chain(given):
    """Makes each copy wait for the one before it, and notes how. Raises Wrong if this is not possible."""
    wish = waits.Wish(given, "--latency")
    if wish.used_up():
        raise wish.wrong(f"it clears its mask {wish.used_up().register}, so copies after the first would load or store "
                         "nothing; and its index and its result must be different registers")
    if wish.is_idiom():
        raise wish.wrong("with two equal operands the result is known, and processors wait for neither")
    text, why = _chained(wish)
    given.notes.append(f"latency: {why}: {text}")


def _chained(wish):
    """Returns (text, why each copy of it waits)."""
    load = _chained_load(wish)
    if load:
        return load
    if wish.address_is_written():
        raise wish.wrong(f"its address is made of {wish.address_is_written()}, which it writes")
    why = _as_it_is(wish)
    if why:
        return wish.text, why + wish.set_first()
    found = _by_source(wish) or _by_index(wish)
    if not found:
        raise wish.wrong(_no_way(wish))
    return found


def _not_waited(wish):
    m = wish.memory()
    return "; the load is not waited for" if m and m.reads and not m.writes and not m.may_write else ""


def _as_it_is(wish):
    """Returns why copies wait without a change; "" if they do not."""
    registers = [wish.name(whole) for whole in wish.carried()]
    names = registers + wish.carried_flags()
    kept = "; a count of 0 keeps the flags" if "the flags" in names else ""
    if wish.carried_memory():
        names.append(f"the memory at {wish.carried_memory().in_memory()}")
    if not names:
        return ""
    return f"{waits.and_list(names)} {'is' if len(names) == 1 and names != ['the flags'] else 'are'} read and written by each copy{kept}" + (
        _not_waited(wish) if registers else "")


# --- a source becomes the register that is written ---------------------------------------------------

def _pairs(wish):
    """Yields each written register with each other register of its kind that is read; the first pair is preferred."""
    sources = [o for o in wish.registers if o.visible and o.reads]
    if _VEX_KEEPS.fullmatch(wish.one.mnemonic) and len(sources) > 1:
        sources = [*sources[1:], sources[0]]
    sources += [o for o in wish.registers if not o.visible and o.reads and o.whole != "rsp"]
    wholes = [o.whole for o in sources]
    wholes += [w for o in wish.one.operands if o.kind == "address" for w in o.address()]
    return [(to, whole) for to in wish.written() for whole in dict.fromkeys(wholes)
            if operands.kind_of(whole) == operands.kind_of(to.whole)]


def _is_copy(one):
    """Tests whether the result is the value of one register: a move, or LEA of an address that is only a base."""
    return bool(_COPY.fullmatch(one.mnemonic)) or one.mnemonic == "lea" and any(
        o.kind == "address" and not o.index and not o.disp for o in one.operands)


def _by_source(wish):
    pairs = _pairs(wish)
    ways = [(to, old, to.whole, wish.renamed({old: to.whole}),
             f"{wish.name(old)} is now {wish.name(to.whole, old)}, which the copy before writes") for to, old in pairs]
    # Where the source is fixed, as cl of a shift, the result goes there.
    ways += [(to, old, old, wish.renamed({to.whole: old}),
              f"{to.register} is now {wish.name(old, to.whole)}, which the next copy reads") for to, old in pairs]
    ways = [way for way in ways if way[3]]
    for (to, old, link, _, why), made in zip(ways, operands.rewrite(wish.one, [way[3] for way in ways])):
        if made is None:
            continue
        others = [wish.name(o) for o in dict.fromkeys(o for _, o in pairs) if o != old]
        why += _not_waited(wish)
        if others:
            why += f"; {waits.and_list(others)} {'is' if len(others) == 1 else 'are'} not waited for"
        if wish.keeps(to) and operands.kind_of(to.whole) == "general":
            why += f"; {wish.keeps(to)}"
        if _is_copy(wish.one):
            why += "; a copy onto itself may take another time than one between two registers"
        wish.given.copies = [as_bytes(made[0])]
        return made[1], why + wish.set_first(link if any(m and m.whole == old for m in (wish.mask(), wish.vector_mask())) else None)
    return None


# --- addresses ---------------------------------------------------------------------------------------

def _one_load(wish):
    """Returns (the written general register, the operand in memory) if the instruction loads that and does nothing
    else."""
    m, to = wish.memory(), wish.written()
    if not m or m.writes or m.may_write or m.vectors or m.segment in ("fs", "gs") or len(to) != 1 or (
            operands.kind_of(to[0].whole) != "general"):
        return None
    return to[0], m


def _chained_load(wish):
    """Makes a load of 64 bits a chain of addresses: the memory at the address holds the address."""
    found = _one_load(wish)
    if wish.one.mnemonic != "mov" or not found or found[0].bits != 64:
        return None
    to, m = found
    given = wish.given
    old = operands.whole_of(m.base)
    if not old or m.index or m.base != old:
        raise wish.wrong("the address must be a register of 64 bits and a number")
    base = old if old in waits.AREAS else waits.AREAS[0]
    if given.late_init:
        raise wish.wrong("--late-init may change the address: use --init")
    if base != old and given.init:
        raise wish.wrong(f"--init may change {old}: use an area register such as R14")
    made, = operands.rewrite(wish.one, [{str(to.number): base, f"{m.number}.base": base}])
    if made is None:
        raise wish.wrong(f"it cannot load {base} from {base}")
    at = f"[{base}{m.disp:+d}]" if m.disp else f"[{base}]"
    given.init = "; ".join([*([given.init] if given.init else []), f"mov {at}, {base}"])
    given.copies = [as_bytes(made[0])]
    moved = f"; {old} does not point to memory" if base != old else ""
    return made[1], f"{base} is the address and the result, and the memory at {at} holds it{moved}"


def _by_index(wish):
    """Makes a chain of another load into a general register: memory is set to 0, and the result is the index of the
    next copy."""
    found = _one_load(wish)
    if not found or found[1].index or operands.whole_of(found[1].base) not in waits.AREAS or (
            wish.given.init or wish.given.late_init):
        return None
    to, m = found
    made, = operands.rewrite(wish.one, [{f"{m.number}.index": to.whole}])
    if made is None:
        return None
    # An earlier snippet of the same object may have stored there.
    wish.given.init = "; ".join(f"mov qword [{m.base}{m.disp + at:+d}], 0" for at in range(0, max(m.bits // 8, 1), 8))
    wish.given.copies = [as_bytes(made[0])]
    return made[1], (f"{to.whole}, made of the 0 that the previous copy loads, is a part of the address; an index may take a "
                     "cycle more than an address without one")


# --- why not -----------------------------------------------------------------------------------------

def _no_way(wish):
    to = wish.written()
    hidden = [o for o in wish.registers if not o.visible and (o.writes or o.may_write)]
    read = [o for o in wish.registers if o.reads] + [o for o in wish.one.operands if o.kind == "address" and o.base]
    if not to and not hidden:
        if wish.one.writes_flags:
            return ("it writes flags only, and does not read them: a chain needs another instruction, such as SETcc or "
                    "CMOVcc; write both, and subtract the cost of the other one")
        m = wish.memory()
        stores = "; it only stores, and no copy reads what it stored" if m and (m.writes or m.may_write) else ""
        return f"it writes no register that the next copy could wait for{stores}"
    if wish.memory() and wish.memory().segment in ("fs", "gs"):
        return f"the base of {wish.memory().segment} is not known here"
    if _one_load(wish):
        return ("the chain must go through its address: use an area register such as R14 and a number as the address, "
                "without --init and --late-init")
    if to and wish.memory() and wish.memory().reads and not any(o.reads for o in wish.registers):
        return "the loaded value is not an address: the latency of a load needs a general register, as in mov rax, [r14]"
    if not read:
        if wish.one.reads_flags:
            return (f"it reads flags only, and writes {wish.name((to or hidden)[0].whole)}: a chain needs another "
                    "instruction, such as TEST; write both, and subtract the cost of the other one")
        return f"it writes {wish.name((to or hidden)[0].whole)} and reads no register"
    kinds = [{operands.kind_of(o.whole) for o in some if o.kind == "register"} for some in (to or hidden, read)]
    if kinds[0] & kinds[1]:
        return "no register that it reads can be one that it writes"
    return ("it reads no register of the kind that it writes: a chain needs another instruction; write both, and "
            "subtract the cost of the other one")
