"""What a snippet waits for: copies that wait for each other (latency), or do not (throughput).

Tables say which operands an instruction reads and writes (SDM vol. 2, operand encodings). What is not in
them is refused: a wrong dependency gives a figure that looks right.
"""
import re
from dataclasses import dataclass

from snippet import Wrong, instructions

# Registers by their number: names of 64, 32, 16 and 8 bits. AH to DH and vectors 16 to 31 are unknown.
_GPR = [["rax", "eax", "ax", "al"], ["rcx", "ecx", "cx", "cl"], ["rdx", "edx", "dx", "dl"],
        ["rbx", "ebx", "bx", "bl"]] + [[f"r{i}", f"r{i}d", f"r{i}w", f"r{i}b"] for i in range(8, 14)]
_AREA_GPR = [["r14", "r14d", "r14w", "r14b"], ["rdi", "edi", "di", "dil"],
             ["rsi", "esi", "si", "sil"], ["rbp", "ebp", "bp", "bpl"], ["rsp", "esp", "sp", "spl"]]
_TURNS = ["r15", "r15d", "r15w", "r15b"]
_VECTOR = [[f"{kind}{i}" for kind in ("xmm", "ymm", "zmm")] for i in range(16)]
_PLACE = {name: (kind, names, width)
          for kind, table in (("gpr", [*_GPR, *_AREA_GPR, _TURNS]), ("vector", _VECTOR))
          for names in table for width, name in enumerate(names)}
_WORD = re.compile(r"(?<![\w.$?])[A-Za-z_.$?][\w.$?]*")
_SIZES = {"byte", "word", "dword", "qword", "oword", "yword", "zword"}

# What is known of instructions, by SDM vol. 2 (each one's "Instruction Operand Encoding" says which
# operands are read and written). All others are refused. Each table: mnemonic, number of operands.


def _table(*counts):
    """{(mnemonic, number of operands)} of pairs of a number and a text: `p{a,b}` is pa and pb."""
    found = set()
    for count, text in counts:
        for word in text.split():
            match = re.fullmatch(r"(\w*)\{(.*)\}(\w*)", word)
            found |= {(match[1] + each + match[3] if match else word, count)
                      for each in (match[2].split(",") if match else [""])}
    return found


_CONDITIONS = "{a,ae,b,be,c,e,g,ge,l,le,na,nae,nb,nbe,nc,ne,ng,nge,nl,nle,no,np,ns,nz,o,p,pe,po,s,z}"
_FLOATS = "{ps,pd,ss,sd}"

# SSE: the first operand is read and written. With VEX it is written only, and stands before them.
_SSE_BOTH = _table(
    (2, " ".join(f"{op}{_FLOATS}" for op in ("add", "sub", "mul", "div", "min", "max"))),
    (2, "and{ps,pd} andn{ps,pd} or{ps,pd} xor{ps,pd} unpckl{ps,pd} unpckh{ps,pd} hadd{ps,pd} hsub{ps,pd} "
        "addsub{ps,pd} movhlps movlhps aesenc{,last} aesdec{,last}"),
    (2, "padd{b,w,d,q,sb,sw,usb,usw} psub{b,w,d,q,sb,sw,usb,usw} pmul{lw,hw,huw,udq,dq,ld,hrsw} pmaddwd "
        "pmaddubsw pand pandn por pxor pavg{b,w} psadbw pcmpeq{b,w,d,q} pcmpgt{b,w,d,q} "
        "pmin{sb,sw,sd,ub,uw,ud} pmax{sb,sw,sd,ub,uw,ud} punpckl{bw,wd,dq,qdq} punpckh{bw,wd,dq,qdq} "
        "packss{wb,dw} packus{wb,dw} psll{w,d,q,dq} psrl{w,d,q,dq} psra{w,d} pshufb psign{b,w,d} "
        "phadd{w,d,sw} phsub{w,d,sw}"),
    (3, "shuf{ps,pd} palignr pblendw blend{ps,pd} cmp{ps,pd,ss,sd} dp{ps,pd} mpsadbw pclmulqdq insertps "
        "pinsr{b,w,d,q}"))
# SSE: the first operand is written only; with VEX the same.
_SSE_WRITES = _table(
    (2, "sqrt{ps,pd} rcpps rsqrtps pabs{b,w,d} pmovmskb movmsk{ps,pd} lddqu phminposuw aesimc "
        "mova{ps,pd} movu{ps,pd} movdq{a,u} movd movq movnt{ps,pd,dq,dqa} movs{hdup,ldup} movddup "
        "cvtdq2{ps,pd} cvt{ps2dq,tps2dq,pd2dq,tpd2dq,pd2ps,ps2pd} cvt{sd2si,tsd2si,ss2si,tss2si} "
        "pmovsx{bw,bd,bq,wd,wq,dq} pmovzx{bw,bd,bq,wd,wq,dq}"),
    (3, "pshuf{d,lw,hw} round{ps,pd} pextr{b,w,d,q} extractps aeskeygenassist"))
# SSE: the first operand is written in part and the rest of it kept; with VEX one more is read for that.
_SSE_KEEPS = _table((2, "sqrt{ss,sd} rcpss rsqrtss cvt{sd2ss,ss2sd,si2sd,si2ss} mov{ss,sd}"),
                    (3, "round{ss,sd}"))
_FMA = _table(*((3, f"v{op}{order}{_FLOATS}") for op in ("fmadd", "fmsub", "fnmadd", "fnmsub")
                for order in (132, 213, 231)),
              *((3, f"v{op}{order}{{ps,pd}}") for op in ("fmaddsub", "fmsubadd") for order in (132, 213, 231)))

_CARRY = {"adc": "CF", "sbb": "CF", "rcl": "CF", "rcr": "CF", "adcx": "CF", "adox": "OF"}
_SHIFTS = {"shl", "sal", "shr", "sar", "rol", "ror", "shld", "shrd"}
_BOTH = _SSE_BOTH | _FMA | _table(
    (1, "inc dec neg not bswap"), (2, "add sub and or xor imul crc32 bts btr btc cmov" + _CONDITIONS),
    (2, " ".join([*_CARRY, *_SHIFTS - {"shld", "shrd"}])), (3, "shld shrd"))
_KEEPS = {
    **dict.fromkeys(_SSE_KEEPS, "it keeps the rest of its destination"),
    **dict.fromkeys(_table((2, "popcnt lzcnt tzcnt")), "some Intel CPUs wait for its destination"),
    **dict.fromkeys(_table((2, "bsf bsr")), "it keeps its destination where the source is 0"),
}
_WRITES = _SSE_WRITES | set(_KEEPS) | {("v" + name, count) for name, count in _SSE_WRITES} | {
    ("v" + name, count + 1) for name, count in _SSE_BOTH | _SSE_KEEPS} | _table(
        (1, "rdrand rdseed set" + _CONDITIONS),
        (2, "mov movzx movsx movsxd movbe movnti lea bls{i,r,msk} vmov{ss,sd} vbroadcast{ss,sd} "
            "vpbroadcast{b,w,d,q}"),
        (3, "imul andn bextr bzhi pdep pext rorx sarx shlx shrx vpermd vpermps vpermq vpermpd vpsllv{d,q} "
            "vpsrlv{d,q} vpsravd vpermil{ps,pd} vextract{i128,f128}"),
        (4, "vperm2{i128,f128} vinsert{i128,f128} vpblendd"))
# With VEX the second operand gives only the part that is kept: the way through the last is meant.
_VEX_KEEPS = {("v" + name, count + 1) for name, count in _SSE_KEEPS}
_FLAGS_ONLY = _table((2, "cmp test bt comiss comisd ucomiss ucomisd ptest vcomiss vcomisd vucomiss vucomisd"))
_WRITES_NOTHING = _table((0, "nop pause lfence mfence sfence"), (1, "nop"))
_ACCUMULATOR = {"mul", "imul", "div", "idiv"}   # with one operand
# Of two equal sources they make zeros or ones, and processors know that (Intel's optimization manual,
# "zero idioms" and "ones idioms"; AMD's, "zeroing idioms"): nothing is waited for.
_IDIOM = re.compile(r"sub|xor|sbb|andn|v?(pxor|xorp[sd]|psub\w+|pcmp(eq|gt)[bwdq]|pandn|andnp[sd])")
_COPY = re.compile(r"mov(zx|sx|sxd)?|v?mov(q|[au]p[sd]|dq[au]|s[sd])")
_REFUSED = {
    "mulx": "its first two operands are both written, and RDX is read",
    "xchg": "both operands are read and written", "xadd": "both operands are read and written",
    "cmpxchg": "RAX is read and written besides the operands",
    "push": "each copy waits for RSP", "pop": "each copy waits for RSP, which it writes too",
    "lock": "each copy waits for the memory that the one before wrote",
}
_YOURSELF = "say yourself what waits: write several copies with their registers, without"


@dataclass
class _Instruction:
    text: str
    wish: str
    mnemonic: str
    operands: list

    @property
    def form(self):
        return self.mnemonic, len(self.operands)

    def wrong(self, why):
        return Wrong(f'{self.wish}: "{self.text}": {why}; {_YOURSELF} {self.wish}')

    def place(self, i):
        """(kind, names, width) of an operand that is a register."""
        return _PLACE.get(self.operands[i].lower())

    def memory(self):
        return next((o for o in self.operands if "[" in o), "")

    def rewritten(self, operands):
        return f"{self.mnemonic} {', '.join(operands)}"

    def is_idiom(self):
        sources = [o.lower() for o in self.operands[-2:]]
        return bool(_IDIOM.fullmatch(self.mnemonic)) and len(sources) == 2 and sources[0] == sources[1]


def _instruction(snippet, wish):
    """The one instruction of a snippet, where all that stands in it is known."""
    given = instructions(snippet.text)
    if snippet.raw or len(given) != 1:
        raise Wrong(f"{wish} takes one instruction: write the registers of several yourself")
    mnemonic, rest = (given[0].split(None, 1) + [""])[:2]
    operands = [part.strip() for part in rest.split(",")] if rest.strip() else []
    one = _Instruction(given[0], wish, mnemonic.lower(), operands)
    if one.mnemonic in _REFUSED:
        raise one.wrong(_REFUSED[one.mnemonic])
    known = _BOTH | _WRITES | _FLAGS_ONLY | _WRITES_NOTHING | {(m, 1) for m in _ACCUMULATOR}
    if one.form not in known:
        raise one.wrong(f"what {one.mnemonic} with {len(operands)} operands reads and writes is not known here")
    if "{" in rest:
        raise one.wrong("what a mask or a rounding waits for is not known here")
    unknown = [w for w in _WORD.findall(rest) if w.lower() not in _PLACE and w.lower() not in _SIZES]
    if unknown:
        raise one.wrong(f"{unknown[0]} is not known here")
    if operands and one.place(0) and one.place(0)[1] is _TURNS and one.form not in _FLAGS_ONLY and snippet.loop:
        raise one.wrong("R15 counts the loop's turns")
    return one


def _registers(text):
    """The registers that stand in a text, each as the list of its names."""
    return [_PLACE[w.lower()][1] for w in _WORD.findall(text) if w.lower() in _PLACE]


def _replace(text, names, to):
    """text with every name of a register, at any width, as the same width of another."""
    def one(match):
        place = _PLACE.get(match[0].lower())
        return to[place[2]] if place and place[1] is names else match[0]
    return _WORD.sub(one, text)


def _in_part(place):
    """Whether a write of it keeps the rest of the register: 8 and 16 bits do (SDM vol. 1, 3.4.1.1)."""
    return place[0] == "gpr" and place[2] >= 2


def latency(snippet):
    """Makes each copy wait for the one before it, and notes how. Raises Wrong where that is not known."""
    one = _instruction(snippet, "--latency")
    snippet.text, why = _chained(snippet, one)
    snippet.notes.append(f"latency: {why}: {snippet.text}")


def _chained(snippet, one):
    """(text, why each copy of it waits)."""
    if one.form in _FLAGS_ONLY:
        raise one.wrong(f"{one.mnemonic} writes flags only")
    if one.mnemonic in _ACCUMULATOR and len(one.operands) == 1:
        return one.text, _accumulator(one)
    if not one.operands or not one.place(0):
        raise one.wrong("it writes no register that it names")
    if one.is_idiom():
        raise one.wrong("of two equal operands the result is known, and processors wait for neither")
    first, names = one.operands[0], one.place(0)[1]
    if one.mnemonic == "mov" and one.memory():
        return _chained_load(snippet, one)
    if one.mnemonic != "lea" and names in _registers(one.memory()):
        raise one.wrong(f"its address is made of {first}, which it writes")
    load = "; the load is not waited for" if one.memory() and one.mnemonic != "lea" else ""
    if one.form in _BOTH:
        flag = f" and {_CARRY[one.mnemonic]} are" if one.mnemonic in _CARRY else " is"
        return one.text, f"{first}{flag} read and written by each copy{load}"
    if len(one.operands) == 1:
        raise one.wrong(f"{one.mnemonic} writes {first} and reads no register")
    if _in_part(one.place(0)):
        raise one.wrong(f"it writes a part of {names[0]}; whether it waits for the rest depends on the CPU")
    return _chained_by_source(one, load)


def _accumulator(one):
    """What multiplications and divisions of one operand read and write (SDM vol. 2)."""
    place = one.place(0)
    if "byte" in one.text.lower() or place and place[2] == 3:
        return "AX is read and written by each copy"
    if one.mnemonic in ("div", "idiv"):
        return "RAX and RDX are read and written by each copy"
    return "RAX is read and written by each copy, RDX is written"


def _chained_by_source(one, load):
    kind, names, _ = one.place(0)
    sources = one.operands[1:]
    meant = sources[1:] if one.form in _VEX_KEEPS else sources
    read = [r for o in meant if "[" not in o or one.mnemonic == "lea" for r in _registers(o)]
    if names in read:
        new, why = one.text, f"{one.operands[0]} is read by the next copy{load}"
    else:
        same = [r for r in read if _PLACE[r[0]][0] == kind]
        if not same:
            if one.memory() and one.mnemonic != "lea":
                raise one.wrong("what it loads is no address: a load's latency takes a mov of 64 bits, as "
                                "mov rax, [r14]")
            if read:
                raise one.wrong("it reads no register of the kind that it writes: a way back takes another "
                                "instruction; write both, and subtract what the other takes")
            raise one.wrong("it reads no register")
        old = same[0]
        new = one.rewritten([one.operands[0]] + [
            o if "[" in o and one.mnemonic != "lea" else _replace(o, old, names) for o in sources])
        why = f"{old[0]} is now {names[0]}, which the copy before writes{load}"
        if old in _registers(one.memory()) and one.mnemonic != "lea":
            raise one.wrong(f"{old[0]} is a source and in the address")
    if _COPY.fullmatch(one.mnemonic):
        why += "; a copy onto itself may take another time than one between two registers"
    return new, why


def _chained_load(snippet, one):
    """A load of 64 bits as a chain of addresses: the address stands in the memory at itself."""
    if one.place(0)[0] != "gpr" or one.place(0)[2]:
        raise one.wrong("the address of the next load would be cut short: a load of 64 bits is needed")
    address = re.fullmatch(r"(?:qword\s*)?\[\s*(\w+)\s*([+-]\s*(0x[0-9a-f]+|\d+)\s*)?\]", one.operands[1],
                           re.IGNORECASE)
    place = address and _PLACE.get(address[1].lower())
    if not place or place[0] != "gpr" or place[2]:
        raise one.wrong("an address of one register of 64 bits and a number is needed")
    old, base = place[1], place[1] if place[1] in _AREA_GPR else _AREA_GPR[0]
    if snippet.late_init:
        raise one.wrong("what --late-init does to the address is not known here")
    if base is not old and snippet.init:
        raise one.wrong(f"what --init does to {old[0]} is not known here: take an area's register, as R14")
    at = _replace(one.operands[1], old, base)
    snippet.init = "; ".join([*instructions(snippet.init), f"mov {at}, {base[0]}"])
    name = base[0].upper()
    where = " ".join(at[at.index("["):].upper().split())
    moved = f"; {old[0]} points nowhere" if base is not old else ""
    return f"mov {base[0]}, {at}", f"{name} is the address and the result, and stands at {where}{moved}"


def throughput(snippet):
    """Makes copies that do not wait for each other, by other registers in each, and notes which. Raises
    Wrong where that is not known."""
    one = _instruction(snippet, "--throughput")
    stays = _stays(one)
    if stays:
        snippet.notes.append(f"throughput: {stays}: copies stay as they are")
        return
    kind, names, _ = one.place(0)
    first = one.operands[0]
    if one.mnemonic in _CARRY:
        raise one.wrong(f"each copy reads {_CARRY[one.mnemonic]}, which the copy before writes")
    if one.mnemonic in _SHIFTS and one.operands[-1].lower() == "cl":
        raise one.wrong("where CL is 0 the flags are kept: each copy waits for the flags of the one before")
    if names in _AREA_GPR:
        raise one.wrong(f"{names[0]} points to an area: another register is needed")
    if names is _TURNS:
        raise one.wrong("r15 is the loop's: another register is needed")
    if one.mnemonic != "lea" and names in _registers(one.memory()):
        raise one.wrong(f"its address is made of {first}, which it writes")
    others = [r for o in one.operands[1:] for r in _registers(o) if r is not names]
    pool = [r for r in (_GPR if kind == "gpr" else _VECTOR) if r not in others]
    why = _waits(one, len(pool))
    if not why:
        why = "no copy reads what another writes"
    elif snippet.loop and snippet.unroll < len(pool):
        raise one.wrong(f"with --loop, --unroll has to be {len(pool)} at least: so many registers are used")
    snippet.copies = [_replace(one.text, names, to) for to in pool]
    snippet.notes.append(f"throughput: {names[0]} is in turn {', '.join(r[0] for r in pool)}: {why}")


def _stays(one):
    """Why no other registers are needed; "" where they are."""
    if one.form in _WRITES_NOTHING:
        return f"{one.mnemonic} writes no register"
    if one.form in _FLAGS_ONLY:
        return f"{one.mnemonic} writes flags only, and reads none"
    if one.mnemonic in _ACCUMULATOR and len(one.operands) == 1:
        raise one.wrong(f"each copy waits for the one before: {_accumulator(one)}")
    if one.place(0):
        return ""
    if one.form in _BOTH or "[" not in one.operands[0]:
        raise one.wrong("each copy waits for the memory that the one before wrote")
    return "it writes no register, and all copies store to the same address"


def _waits(one, count):
    """How copies wait for earlier ones of their register; "" where none does."""
    names = one.place(0)[1]
    if one.is_idiom():
        return f"at most {count} chains side by side, none where the CPU knows that the result is known"
    if one.form in _BOTH or any(names in _registers(o) for o in one.operands[1:]):
        return f"{count} chains side by side"
    if one.form in _KEEPS:
        return f"at most {count} chains side by side: {_KEEPS[one.form]}"
    if _in_part(one.place(0)):
        return f"at most {count} chains side by side: it keeps the rest of {names[0]}"
    return ""
