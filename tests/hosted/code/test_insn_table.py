"""The table of forms of instructions (lib/insn), and the copies that are made from it: binutils' disassembler, which
shares no code with Zydis, must read the same from every copy of every form.
"""

import re
import shutil
from pathlib import Path

from commands import output_of
import pytest
from conftest import ROOT

TABLE = ROOT / "lib/insn/table.def"
GENERATOR = ROOT / "build/hosted/insn_table"
COPIES = ROOT / "build/hosted/insn_copies"
COPIES_OF_EACH = 4

# Mnemonics of the table, and binutils' names for them.
CONDITIONS = {"nb": "ae", "z": "e", "nz": "ne", "nbe": "a", "nl": "ge", "nle": "g"}
SYNONYMS = {
    **{before + ours: before + theirs for before in ("j", "set", "cmov") for ours, theirs in CONDITIONS.items()},
    **{f"{name}{size}": name for name in ("ins", "outs", "movs", "cmps", "stos", "lods", "scas") for size in "bwdq"},
    "pushfq": "pushf", "pushf": "pushfw", "popfq": "popf", "popf": "popfw", "iret": "iretw", "iretd": "iret",
    "sysret": "sysretd", "sysexit": "sysexitd", "xstore": "xstore-rng", "xbegin": "xbeginw", "fldenv": "fldenvw",
    "fnstenv": "fnstenvw", "frstor": "frstorw", "fnsave": "fnsavew", "push": "pushw", "mov": "movabs",
    "feni8087_nop": "fneni", "fdisi8087_nop": "fndisi", "fsetpm287_nop": "fnsetpm",
    **{f"xcrypt_{mode}": f"xcrypt-{mode}" for mode in ("ecb", "cbc", "ctr", "cfb", "ofb")},
}  # fmt: skip
PREFIXES = {"rep": "rep", "repe": "repz", "repne": "repnz", "lock": "lock"}
# For these binutils prints fewer operands, or none, or more, which others leave implicit.
FIXED_LEFT_OUT = {"vmrun", "vmload", "vmsave", "clzero", "skinit", "invlpgb", "invlpga", "rmpupdate", "pvalidate",
                  "rmpadjust", "psmash"}  # fmt: skip
FIRST_LEFT_OUT = {"fucomp"}  # a fixed st(0)
SECOND_LEFT_OUT = {"nop"}  # binutils gives 0F 19 to 0F 1E one operand
IMPLICIT_XMM0 = {"sha256rnds2", "blendvps", "blendvpd", "pblendvb"}
# Only the width of a general register differs: 16 bits of it are used, or 6.
OTHER_WIDTH = {"movsxd r16, r16", "lsl r64, r32", "senduipi r32", "mov seg, r16", "lldt r16", "ltr r16", "verr r16", "verw r16"}
RESERVED = {"prefetchrst2"}  # NOPs that later binutils name
NOT_KNOWN = {"fstpnce"}


def general(name):
    """Returns the number of a general register of any width."""
    found = re.fullmatch(r"r(\d+)[bwd]?", name)
    low = ["a", "c", "d", "b", "sp", "bp", "si", "di"]
    stem = re.sub(r"^[re]", "", name).removesuffix("l").removesuffix("x")
    return int(found[1]) if found else low.index(stem) if stem in low else name


def operands_of(text):
    """Returns the operands as binutils prints them, each without its size, a mask last, as in the table."""
    masks = [f"{{{mask}}}" for mask in re.findall(r"\{(k\d)\}", text)]
    found = []
    for operand in re.split(r",(?![^\[]*\])", re.sub(r"\{[^}]*\}", "", text)):
        operand = re.sub(r"^.*(?:PTR|BCST) ", "", operand.strip())
        operand = re.sub(r"^[c-gs]s:", "", operand).replace("*1", "").replace("+riz", "")
        operand = re.sub(r"^st$", "st0", operand.replace("st(", "st").replace(")", ""))
        if re.fullmatch(r"0x[0-9a-f]{16}", operand):
            operand = f"[{operand}]"
        if operand:
            found.append("0x1" if operand == "1" else operand)
    return found + masks


def said_of(text):
    """Returns the mnemonic with its prefixes, and the operands."""
    text = re.sub(r"\((?:8087|287) only\)", "", text.split("#")[0]).strip()
    text = re.sub(r"^(?:(?:\{evex\}|\{vex\}|rex\.[WRXB]+) )+", "", text)
    words = re.match(r"((?:(?:lock|rep|repz|repnz) )*)(\S+)\s*(.*)", text)
    return words[1] + words[2], operands_of(words[3])


def disassembled(copies):
    """Returns binutils' text at each copy's address, and the length of the copy in bytes."""
    path = Path("copies.bin")
    path.write_bytes(b"".join(bytes.fromhex(copy[0]) for copy in copies))
    said = output_of("objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=15", path)
    lines = [line.split("\t") for line in said.splitlines() if line.count("\t") >= 2]
    return {int(line[0].strip(" :"), 16): (line[1].replace(" ", ""), line[2]) for line in lines}


def mnemonic_fits(ours, theirs):
    *prefixes, name = ours.split()
    prefix = "".join(f"{PREFIXES[word]} " for word in prefixes)
    return theirs in (prefix + name, prefix + SYNONYMS.get(name, name), *(
        [f"{'repz' if prefixes == ['rep'] else prefix.strip()} {SYNONYMS.get(name, name)}"] if prefixes else []))


def operands_fit(name, mnemonic, ours, theirs, end):
    ours = sorted(ours, key=lambda operand: operand.startswith("{"))  # a gather's mask is its second operand
    base = mnemonic.split()[-1]
    if ours == ["next"]:
        return theirs == [hex(end)]
    if base in FIXED_LEFT_OUT:
        return theirs == []
    if base in FIRST_LEFT_OUT:
        ours = ours[-1:]
    if base in IMPLICIT_XMM0:
        ours = [*ours, "xmm0"]
    if re.fullmatch(r"(ins|outs|movs|cmps|stos|lods|scas)[bwdq]|xlat", base) and not ours:
        return all(re.fullmatch(r"\[r(di|si|bx)\]|dx|[re]?ax|al", operand) for operand in theirs)
    if base in SECOND_LEFT_OUT and len(theirs) == 1:
        ours = ours[:1]
    if name in OTHER_WIDTH and len(ours) == len(theirs):
        return all(a == b or general(a) == general(b) for a, b in zip(ours, theirs))
    return ours == theirs


@pytest.fixture(scope="module")
def copies():
    lines = output_of(COPIES, str(COPIES_OF_EACH))
    return [(line.split("\t") + [""])[:4] for line in lines.splitlines()]


@pytest.mark.skipif(not shutil.which("objdump"), reason="binutils is not installed")
def test_binutils_reads_every_copy_as_the_table_says(copies, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = [copy for copy in copies if copy[0] != "-"]
    said, at, wrong = disassembled(made), 0, []
    for code, name, mnemonic, operands in made:
        length = len(code) // 2
        taken, text = said.get(at, ("", "nothing"))
        theirs, their_operands = said_of(text) if taken == code else ("", [])
        fits = taken == code and mnemonic_fits(mnemonic, theirs) and operands_fit(
            name, mnemonic, operands.split("|") if operands else [], their_operands, at + length)
        if not fits and mnemonic not in NOT_KNOWN and not (mnemonic == "nop" and RESERVED & set(text.split())):
            wrong.append(f"{code} {name}: {mnemonic} {operands}, and binutils says: {text}")
        at += length
    assert not wrong, f"{len(wrong)} of {len(made)}:\n" + "\n".join(wrong[:40])


def test_every_form_has_a_copy(copies):
    """No register that insn_copies chooses is refused, and the table has at least the required number of forms."""
    assert [copy for copy in copies if copy[0] == "-"] == []
    assert len({copy[1] for copy in copies}) == len(copies) // COPIES_OF_EACH > 15000


def test_the_stored_table_of_forms_is_the_generators_output():
    if not GENERATOR.exists():
        pytest.skip("Zydis is not installed")
    table = TABLE.read_text(encoding="utf-8")
    version = re.search(r"define ZYDIS_VERSION .*0x(\w{4})(\w{4})", Path("/usr/include/Zydis/Zydis.h").read_text(encoding="utf-8"))
    here = f"Zydis {int(version[1], 16)}.{int(version[2], 16)};"
    if here not in table.splitlines()[0]:  # it may know forms for which the generator has no feature of CPUID
        pytest.skip(f"{here} the table is of another: {table.splitlines()[0]}")
    printed = output_of(GENERATOR)
    assert printed == table, "run `make insn-table`"
