"""The operands that a copy waits for: the facts from which latency.py and throughput.py choose.

Zydis reports which operands an instruction reads and writes. This module has the rules that depend on values instead:
results that are known beforehand, masks that an instruction clears, destinations that are kept in part.
"""
import re

from assembly import assembler, operands, snippet
from assembly.snippet import Wrong

# Registers that point into areas of memory.
AREAS = snippet.AREAS
ITERATIONS = "r15"
_NAMED_HERE = ("general", "vector", "mask", "MMX", "x87", "tile")
# With two equal sources the result is zeros or ones, and processors know that (Intel's optimization manual, "zero idioms"
# and "ones idioms"; AMD's, "zeroing idioms"): they wait for neither source. Zydis does not report idioms.
_IDIOM = re.compile(r"sub|xor|sbb|andn|v?(pxor[dq]?|xorp[sd]|psub\w+|pcmp(eq|gt)[bwdq]|pandn[dq]?|andnp[sd])|kxn?or[bwdq]")
# Instructions that move the top of the x87 stack: st0 is another register in the next copy (SDM vol. 1, 8.1.2). Zydis
# reports only that they write the status word, as every x87 instruction does.
_MOVES_TOP = re.compile(r"fi?ld(?!cw|env).*|fbld|f\w*p|fcompp|fucompp|f(dec|inc)stp|fxtract|fsincos|fptan|fpatan|fyl2x(p1)?|f?n?init")
_KEEPS_TOP = {"fnop", "fxsave", "fscale"}
# Instructions that wait for their destination, although Zydis reports that they only write it.
_KEEPS = {
    **dict.fromkeys(("popcnt", "lzcnt", "tzcnt"), "some Intel CPUs wait for its destination"),
    **dict.fromkeys(("bsf", "bsr"), "it keeps its destination if the source is 0"),
}
_MASKS = re.compile(r"vp?maskmov(p[sd]|[dq])|v?maskmov(q|dqu)")
_YOURSELF = "write several copies, with registers that make them wait or not, and leave out"


class Wish:
    """The one instruction of a snippet, for --latency or --throughput (`wish`)."""

    def __init__(self, given, wish):
        self.given, self.wish = given, wish
        if (given.text or not given.raw) and len(snippet.instructions(given.text)) != 1:
            raise Wrong(f"{given.where}: {wish} takes one instruction; for several, write the registers of each and leave out {wish}")
        self.text = snippet.what(given)
        code = given.raw or assembler.machine_code(given.text, given.where)
        self.one = operands.describe(code, given.where)
        given.extension = self.one.extension
        self.registers = [o for o in self.one.operands if o.kind == "register" and operands.kind_of(o.whole) in _NAMED_HERE
                          and not o.no_mask]
        self._refuse()

    def wrong(self, why):
        return Wrong(f'{self.given.where}: {self.wish}: "{self.text}": {why}; {_YOURSELF} {self.wish}')

    def _refuse(self):
        one = self.one
        if one.jumps or any(o.register in ("rip", "cs") and o.writes for o in one.operands):
            raise self.wrong("it leaves the copies, and the next instruction waits for no operand")
        if one.repeats and self.hidden("rcx"):
            raise self.wrong("it counts rcx down to 0, so that the copies after the first do nothing")
        if self.moves_top():
            raise self.wrong("it moves the top of the x87 stack: st0 is another register in the next copy")
        if self.given.loop and any(o.whole == ITERATIONS and o.writes for o in self.registers):
            raise self.wrong("R15 counts the loop's iterations")
        refuse(self)

    # --- operands ----------------------------------------------------------------------------------

    def hidden(self, whole):
        return any(o.whole == whole and not o.visible for o in self.registers)

    def memory(self):
        """Returns the operand in memory that the text names, or None."""
        return next((o for o in self.one.operands if o.kind == "memory" and o.visible), None)

    def written(self):
        """Returns the registers that the text names and the instruction writes."""
        return [o for o in self.registers if o.visible and (o.writes or o.may_write)]

    def reads(self, whole):
        """Tests whether the instruction waits for this register, also as a part of an address."""
        if self.one.mnemonic == "xlat" and whole == "rax":  # AL is added to the address (SDM vol. 2)
            return True
        return any(o.whole == whole and (o.reads or o.may_write) for o in self.registers) or any(
            whole in o.address() for o in self.one.operands)

    def visibly_reads(self, whole):
        return any(o.whole == whole and o.visible and (o.reads or o.may_write) for o in self.registers) or any(
            whole in o.address() for o in self.one.operands if o.kind == "address")

    def carried(self):
        """Returns the registers that a copy reads and the previous copy wrote."""
        wrote = dict.fromkeys(o.whole for o in self.registers if o.writes or o.may_write)
        return [whole for whole in wrote if self.reads(whole)]

    def carried_flags(self):
        """Returns the flags that a copy reads and the previous copy wrote. A shift by CL keeps them if CL is 0."""
        kept = any(o.register == "rflags" and o.may_write for o in self.one.operands)
        return [f for f in self.one.reads_flags if f in self.one.writes_flags] or (["the flags"] if kept else [])

    def carried_memory(self):
        m = self.memory()
        return m if m and m.reads and (m.writes or m.may_write) else None

    def name(self, whole, of=None):
        """Returns a register by the name that the instruction uses: eax for rax. `of`: the register that it
        replaces."""
        like = next((o.register for o in self.registers if o.whole == (of or whole)), None)
        return operands.named_like(whole, like) if like else whole

    def renamed(self, names):
        """Returns the changes that replace registers, except in addresses of memory; None: at the width of one there is no
        such register. names: {a register of the text: the one in its place}."""
        change = {}
        for o in self.one.operands:
            if o.kind == "register" and o.visible and o.whole in names and not o.no_mask:
                change[str(o.number)] = operands.named_like(names[o.whole], o.register)
            elif o.kind == "address":
                parts = {part: getattr(o, part) for part in ("base", "index")}
                change.update({f"{o.number}.{part}": operands.named_like(names[operands.whole_of(name)], name)
                               for part, name in parts.items() if operands.whole_of(name) in names})
        return None if None in change.values() else change

    def used(self):
        """Returns all registers that the instruction names or uses."""
        return {o.whole for o in self.registers} | {r for o in self.one.operands for r in o.address()}

    # --- what operands do not say ------------------------------------------------------------------

    def is_idiom(self):
        sources = [o for o in self.one.operands if o.visible and o.reads and not o.mask]
        return (bool(_IDIOM.fullmatch(self.one.mnemonic)) and len(sources) == 2
                and all(s.kind == "register" for s in sources) and sources[0].register == sources[1].register)

    def moves_top(self):
        name = self.one.mnemonic
        return self.one.category.startswith("X87") and name not in _KEEPS_TOP and bool(_MOVES_TOP.fullmatch(name))

    def used_up(self):
        """Returns the mask that a gather or scatter clears, or None."""
        if "GATHER" not in self.one.category and "SCATTER" not in self.one.category:
            return None
        if self.one.encoding == "evex":
            return next((o for o in self.registers if o.mask), None)
        return self.registers[-1]

    def vector_mask(self):
        """Returns the mask of VMASKMOV, VPMASKMOV and MASKMOV, which is the second operand (SDM vol. 2), or None."""
        if not _MASKS.fullmatch(self.one.mnemonic):
            return None
        return next(o for o in self.registers if o.visible and o.number == 1)

    def mask(self):
        """Returns the AVX-512 mask, or None."""
        return next((o for o in self.registers if o.mask), None)

    def address_is_written(self):
        """Returns the name of a register that the instruction writes and that the address of its memory operand
        contains, or None. Registers that the text does not name count only for --latency. RSP does not count: it moves
        within its area."""
        m, named = self.memory(), self.written()
        if self.wish == "--latency":
            named = [*named, *(o for o in self.registers if not o.visible and o.whole != "rsp" and (o.writes or o.may_write))]
        return next((o.register for o in named if m and o.whole in m.address()), None)

    def keeps(self, o):
        """Returns why copies may wait for a register that is written and not read; "" if they do not."""
        if o.reads or o.may_write:
            return ""
        if self.one.mnemonic in _KEEPS:
            return _KEEPS[self.one.mnemonic]
        # SDM vol. 1, 3.4.1.1: results of 8 and 16 bits keep the rest; vol. 2, 2.3.10.1: so do those of SSE without VEX.
        if operands.kind_of(o.whole) == "general" and o.bits <= 16:
            return f"it keeps the rest of {o.whole}"
        if operands.kind_of(o.whole) == "vector" and self.one.encoding == "legacy" and o.bits < 128:
            return "it keeps the rest of its destination"
        return ""

    def elements(self):
        """Returns the number of elements of the widest operand, which is the number of mask bits that count."""
        return max((o.elements for o in self.one.operands if operands.kind_of(o.whole) != "mask"), default=0)

    # --- what is set before the first copy -----------------------------------------------------------

    def set_first(self, now=None):
        """Sets what the copies need, unless --init or --late-init is given: a mask to ones, fixed addresses, x87
        registers. Returns a note about it, or "". `now`: the register that replaces the mask."""
        if self.given.init or self.given.late_init:
            return ""
        if self.vector_mask():
            return self._set_vector_mask(now)
        mask = self.used_up() or self.mask()
        if mask is not None:
            name = now or mask.register
            self.given.init = ones(name, self.elements())
            return f"; {name} is set to ones first"
        return set_first(self) or self._set_addresses() or self._set_x87()

    def _set_vector_mask(self, now):
        """Sets the mask to ones, and the memory too if that is the mask of the next copy."""
        mask = self.vector_mask().register
        if now:
            mask = operands.named_like(now, mask)
        # With SSE2 or AVX only, as the instruction itself. 15: true for all operands.
        set_ = f"pcmpeqd {mask}, {mask}" if self.one.encoding == "legacy" else f"vcmpps {mask}, {mask}, {mask}, 15"
        lines, names = [set_], [mask]
        if now:
            lines.append(f"vmovups {self.memory().in_memory()}, {mask}")
            names.append(f"the memory at {self.memory().in_memory()}")
        self.given.init = "; ".join(lines)
        return f"; {and_list(names)} {'is' if len(names) == 1 else 'are'} set to ones first"

    def _set_addresses(self):
        """Sets the address of an instruction that uses a fixed register for it."""
        at = {"xlat": "rbx", "clzero": "rax"}.get(self.one.mnemonic)
        if self.one.mnemonic == "movdir64b":  # its first operand is an address (SDM vol. 2)
            at = next(o.whole for o in self.registers if o.visible and o.whole not in self.memory().address())
        if not at or at in AREAS:
            return ""
        area = next(a for a in AREAS if a not in self.used())
        self.given.init = f"mov {at}, {area}"
        return f"; {at} is set to {area} first, an address"

    def _set_x87(self):
        """Pushes values, because an instruction on an empty x87 stack is a stack fault (SDM vol. 1, 8.5.1.1)."""
        used = [int(o.register[2:]) for o in self.registers if operands.kind_of(o.whole) == "x87"]
        if not used:
            return ""
        self.given.init = "; ".join(["fld1"] * (max(used) + 1))
        self.given.after = "; ".join(["fstp st0"] * (max(used) + 1))  # otherwise the row would be reported to change the stack
        return f"; {and_list([f'st{i}' for i in range(max(used) + 1)])} {'is' if max(used) == 0 else 'are'} set to 1 first"


def ones(mask, elements):
    """Returns the instruction that sets this number of elements of a mask to ones."""
    if operands.kind_of(mask) == "mask":
        width = "w" if elements <= 16 else "d" if elements <= 32 else "q"  # w: AVX512F; d and q: AVX512BW
        return f"kxnor{width} {mask}, {mask}, {mask}"
    return f"vpcmpeqd {mask}, {mask}, {mask}"


def and_list(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


# --- operands that copies cannot share ------------------------------------------------------------

# Registers and memory that an instruction uses by its definition.
#
# If they conflict with the named operands, copies would fault or do other work than the first copy: such an instruction
# is refused. Otherwise they are set to values that suit all copies.

# The upper half of the dividend, by the divisor's bits (SDM vol. 2, DIV).
_UPPER = {8: "ah", 16: "dx", 32: "edx", 64: "rdx"}
_DIVISORS = 16  # in memory, 8 bytes apart; throughput.py has as many addresses
_POPPED = 2048  # quadwords: as many as popf reads without a loop (copies.WALKED_BYTES, twice)


def refuse(wish):
    """Raises Wrong if no value of the operands suits all copies, or if this is not known."""
    name = wish.one.mnemonic
    if name in ("div", "idiv"):
        _refuse_division(wish, next(o for o in wish.one.operands if o.visible))
    elif name == "cmpxchg16b" and _in_area(wish.memory()) and wish.memory().disp % 16:
        raise wish.wrong(f"its operand at {wish.memory().in_memory()} must be at a multiple of 16 bytes, where the areas begin")
    elif name == "cpuid" and wish.wish == "--latency":
        raise wish.wrong("eax and ecx select its leaf, and have a result of the previous copy, so each copy would read another "
                         "leaf. It waits for all earlier instructions anyway: --throughput sets both registers again")


def _in_area(memory):
    return memory.base in snippet.AREAS and not memory.index


def _refuse_division(wish, divisor):
    if divisor.kind == "memory":
        if not (_in_area(divisor) or wish.given.init or wish.given.late_init):
            raise wish.wrong(f"the divisor at {divisor.in_memory()} is not set: use an address of an area register such as "
                             "R14 and a number, or set it with --init")
        return
    name = divisor.register
    if divisor.whole == "rsp":
        raise wish.wrong(f"{name} is the divisor and the stack pointer, so it cannot be 1: use another register")
    if name == _UPPER[divisor.bits]:
        if wish.one.mnemonic == "div":
            raise wish.wrong(f"{name} is the divisor and the upper half of the dividend: no quotient fits, for any value")
        if wish.wish == "--latency":
            raise wish.wrong(f"{name} is the divisor, the upper half of the dividend, and the remainder, which becomes 0 after some copies")


def set_first(wish):
    """Sets what the copies need, unless --init is given. Returns a note about it, or ""."""
    name = wish.one.mnemonic
    if name in ("div", "idiv"):
        return _set_division(wish, next(o for o in wish.one.operands if o.visible))
    if name == "leave":
        wish.given.init = "mov [rbp], rbp"
        return "; the memory at [rbp] holds rbp, which each copy loads"
    if name == "pop" and wish.wish == "--latency" and [o.register for o in wish.written()] == ["rsp"]:
        wish.given.init = "mov [rsp], rsp"
        return "; the memory at [rsp] holds rsp, which each copy loads"
    if name.startswith("popf"):
        # An earlier snippet of the same object may have stored there: TF would trap.
        wish.given.init = f"mov r8, rdi; mov rdi, rsp; mov ecx, {_POPPED}; rep stosq; mov rdi, r8; xor r8d, r8d"
        return "; the memory at [rsp] is set to 0 first: no flag is set"
    return ""


def _set_division(wish, divisor):
    """Sets 100 divided by 1: quotient and remainder are the dividend of the next copy, and the quotient fits."""
    if divisor.kind == "register" and divisor.register == _UPPER[divisor.bits]:  # of idiv: -100 divided by -1
        wish.given.init = "mov eax, 0xff9c" if divisor.bits == 8 else "mov rax, -100; mov rdx, -1"
        return f"; {'ax' if divisor.bits == 8 else 'rax'} is set to -100 and {divisor.register} to -1 first"
    lines, names = ["mov eax, 100"], ["rax is set to 100"]
    if divisor.kind == "memory" and _in_area(divisor):
        # --throughput has copies with several addresses.
        lines += [f"mov qword [{divisor.base}{divisor.disp + at:+d}], 1" for at in range(-_DIVISORS // 2 * 8, _DIVISORS // 2 * 8, 8)]
        names.append(f"the memory around {divisor.in_memory()} to 1")
    elif divisor.kind == "register" and divisor.whole != "rax":
        lines.append(f"mov {divisor.register}, 1")
        names.append(f"{divisor.register} to 1")
    wish.given.init = "; ".join(lines)
    return f"; {' and '.join(names)} first"
