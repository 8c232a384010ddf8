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
    raise Missing(f"{name} is missing: install the distribution's llvm, or run scripts/setup --test")


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
                         capture_output=True, encoding="utf-8", errors="backslashreplace", timeout=300, check=False)  # fmt: skip
    if "<MCInst" not in ran.stdout:
        raise Missing(f"llvm-mc assembles nothing for -mcpu={cpu}: {ran.stderr.strip()[:200]}")
    parts = re.split(r"^L(\d+):$", ran.stdout, flags=re.MULTILINE)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2])}


def _numbers(said):
    """Returns {LLVM's number: LLVM's name of the register}."""
    found = {0: "%noreg"}
    for i, name in enumerate(NAMES):
        if i in said and (first := MCOPERAND.search(said[i])):
            found[int(first[2])] = re.sub(r"ST\((\d)\)", r"ST\1", name.upper())
    return found


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


# --- LLVM's names of CPUs -------------------------------------------------------------------------

# family: (the last model, the name), in the order of the models.
AMD = {
    15: ((0xff, "k8-sse3"),),
    16: ((0xff, "amdfam10"),),
    20: ((0xff, "btver1"),),
    21: ((0x01, "bdver1"), (0x02, "bdver2"), (0x0f, "bdver1"), (0x1f, "bdver2"), (0x3f, "bdver3"), (0x7f, "bdver4")),
    22: ((0xff, "btver2"),),
    23: ((0x2f, "znver1"), (0xff, "znver2")),
    24: ((0xff, "znver1"),),  # Hygon
    25: ((0x0f, "znver3"), (0x1f, "znver4"), (0x5f, "znver3"), (0xaf, "znver4")),
    26: ((0xff, "znver5"),),
}
# Of family 6. Older versions of LLVM know the first name of a core, such as alderlake, but not raptorlake.
INTEL = {
    "core2": (0x0f, 0x16), "penryn": (0x17, 0x1d), "nehalem": (0x1a, 0x1e, 0x1f, 0x2e), "westmere": (0x25, 0x2c, 0x2f),
    "sandybridge": (0x2a, 0x2d), "ivybridge": (0x3a, 0x3e), "haswell": (0x3c, 0x3f, 0x45, 0x46),
    "broadwell": (0x3d, 0x47, 0x4f, 0x56), "skylake": (0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6), "cannonlake": (0x66,),
    "icelake-client": (0x7d, 0x7e), "icelake-server": (0x6a, 0x6c), "tigerlake": (0x8c, 0x8d), "rocketlake": (0xa7,),
    "alderlake": (0x97, 0x9a, 0xb7, 0xba, 0xbe, 0xbf), "sapphirerapids": (0x8f,), "emeraldrapids": (0xcf,),
    "graniterapids": (0xad,), "graniterapids-d": (0xae,), "meteorlake": (0xaa, 0xac), "arrowlake": (0xc5,),
    "arrowlake-s": (0xbd, 0xc6), "bonnell": (0x1c, 0x26, 0x27, 0x35, 0x36),
    "silvermont": (0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d), "goldmont": (0x5c, 0x5f), "goldmont-plus": (0x7a,),
    "tremont": (0x86, 0x8a, 0x96, 0x9c), "sierraforest": (0xaf,), "grandridge": (0xb6,), "knl": (0x57,), "knm": (0x85,),
}  # fmt: skip
# Model 55h of family 6: the last stepping, the name.
SKYLAKE_SERVER = ((4, "skylake-avx512"), (9, "cascadelake"), (15, "cooperlake"))


def _first(names, number):
    """Returns the name of the first range that has the number."""
    return next((name for last, name in names if number <= last), None)


def name_of(cpu):
    """Returns LLVM's name of a report's `run.cpu`, or None."""
    family, model = cpu.get("family"), cpu.get("model")
    if cpu.get("vendor") in ("AuthenticAMD", "HygonGenuine"):
        return _first(AMD.get(family, ()), model)
    if cpu.get("vendor") == "GenuineIntel" and family == 6:
        if model == 0x55:
            return _first(SKYLAKE_SERVER, cpu.get("stepping", 0))
        return next((name for name, models in INTEL.items() if model in models), None)
    return None
