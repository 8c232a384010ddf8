"""Forms of suite insn as LLVM names them: the opcode and the operands of an MCInst, from llvm-mc, which assembles each
form once with registers of our choice."""
import collections
import re
import shutil
import subprocess

from tools.distribution import Missing

# An instruction in LLVM's words; code: its bytes as hexadecimal digits.
Instruction = collections.namedtuple("Instruction", "opcode operands code")

VERSIONS = range(30, 13, -1)
POINTERS = {8: "byte", 16: "word", 32: "dword", 64: "qword", 80: "tbyte", 128: "xmmword", 256: "ymmword", 512: "zmmword"}
# Registers that no form fixes; the base of memory is another one.
POOLS = {
    "r8": ("r8b", "r9b", "r10b"), "r16": ("r8w", "r9w", "r10w"), "r32": ("r8d", "r9d", "r10d"), "r64": ("r8", "r9", "r10"),
    "mm": ("mm1", "mm2", "mm3"), "xmm": ("xmm1", "xmm2", "xmm3", "xmm4"), "ymm": ("ymm1", "ymm2", "ymm3", "ymm4"),
    "zmm": ("zmm1", "zmm2", "zmm3", "zmm4"), "k": ("k1", "k2", "k3"), "st": ("st(1)", "st(2)"),
}  # fmt: skip
FIXED = {"al", "ax", "eax", "rax", "cl", "dx", "st0", "xmm0"}
OPERAND = re.compile(r"(r8|r16|r32|r64|mm|xmm|ymm|zmm|k|st|m\d+|imm\d+|address|1|al|ax|eax|rax|cl|dx|st0|xmm0)")
# An instruction per register, with the register as its first operand: it shows LLVM's number of the register.
NAMES = {
    **{name: f"inc {name}" for pool in ("r8", "r16", "r32", "r64") for name in POOLS[pool]},
    **{name: f"paddb {name}, {name}" for name in POOLS["mm"]},
    **{name: f"paddb {name}, {name}" for name in POOLS["xmm"]},
    **{name: f"vaddps {name}, {name}, {name}" for pool in ("ymm", "zmm") for name in POOLS[pool]},
    **{name: f"kandw {name}, {name}, {name}" for name in POOLS["k"]},
    **{name: f"fadd st, {name}" for name in POOLS["st"]},
    "rsi": "inc rsi",
}
MCINST = re.compile(r"<MCInst #\d+ (\w+)")
MCOPERAND = re.compile(r"<MCOperand (Reg|Imm):(-?\d+)>")
ENCODING = re.compile(r"encoding: \[([^\]]*)\]")


def tool(name):
    """Returns the path of the newest installed version of a tool."""
    for found in (name, *(f"{name}-{version}" for version in VERSIONS)):
        if path := shutil.which(found):
            return path
    raise Missing(f"{name} is missing: install the distribution's llvm, or run scripts/setup")


def _operand(kind, used):
    if kind in FIXED:
        return {"st0": "st"}.get(kind, kind)
    if kind == "address":
        return "[rsi]"
    if kind[:3] == "imm":
        return "7"
    if kind in POOLS:
        used[kind] += 1
        return POOLS[kind][used[kind] - 1]
    if kind[0] == "m" and kind != "mm":
        size = POINTERS.get(int(kind[1:]))
        return f"{size} ptr [rsi]" if size else "[rsi]"
    return kind


def assembly(name):
    """Returns a form in assembly, or None if it has operands that are not supported here: masks, jumps, vectors of
    addresses."""
    if "[" in name:  # the same form with other values
        return None
    words = name.split(", ")
    mnemonic, _, first = words[0].rpartition(" ")
    if not OPERAND.fullmatch(first) or not mnemonic:
        return name if len(words) == 1 and "{k}" not in name and "rel" not in name else None
    operands = [first, *words[1:]]
    if not all(map(OPERAND.fullmatch, operands)):
        return None
    used = collections.Counter()
    return f"{mnemonic} {', '.join(_operand(kind, used) for kind in operands)}"


def _run(lines, cpu):
    """Returns {line number: llvm-mc's output}. llvm-mc omits lines that it does not know."""
    text = ".intel_syntax noprefix\n" + "".join(f"L{i}:\n{line}\n" for i, line in enumerate(lines))
    ran = subprocess.run([tool("llvm-mc"), "-triple=x86_64", f"-mcpu={cpu}", "-show-inst", "-show-encoding"], input=text,
                         capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
    if "<MCInst" not in ran.stdout:
        raise Missing(f"llvm-mc assembles nothing for -mcpu={cpu}: {ran.stderr.strip()[:200]}")
    parts = re.split(r"^L(\d+):$", ran.stdout, flags=re.MULTILINE)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2])}


def _numbers(said):
    """Returns {LLVM's number: LLVM's name of the register}."""
    found = {0: "%noreg"}
    for i, name in enumerate(NAMES):
        if i in said and (first := MCOPERAND.search(said[i])):
            found[int(first[2])] = _llvm_register(name)
    return found


def _llvm_register(name):
    return re.sub(r"ST\((\d)\)", r"ST\1", name.upper())


def _instruction(part, registers):
    opcodes = MCINST.findall(part)
    if len(opcodes) != 1:
        return None
    operands = [f"i_0x{int(value) & (1 << 64) - 1:x}" if kind == "Imm" else registers.get(int(value))
                for kind, value in MCOPERAND.findall(part)]
    bytes_ = ENCODING.search(part)
    if None in operands or not bytes_ or not re.fullmatch(r"(0x[0-9a-f]{2},?)+", bytes_[1]):
        return None
    return Instruction(opcodes[0], operands, bytes_[1].replace("0x", "").replace(",", "").upper())


def instructions(names, cpu):
    """Returns {a form's name: an Instruction} of those that LLVM has for this CPU. Raises Missing."""
    texts = {name: text for name in names if (text := assembly(name))}
    lines = [*NAMES.values(), *texts.values()]
    said = _run(lines, cpu)
    registers, found = _numbers(said), {}
    for i, name in enumerate(texts, len(NAMES)):
        if i in said and (instruction := _instruction(said[i], registers)):
            found[name] = instruction
    return found
