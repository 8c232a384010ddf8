"""Registers and memory that an instruction uses by its definition.

If they conflict with the named operands, copies would fault or do other work than the first copy: such an instruction
is refused. Otherwise they are set to values that suit all copies.
"""
from assembly import snippet

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
