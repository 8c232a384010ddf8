"""The calls in shared libraries made by ld -shared, for comparison with lib/object's linking
(bench/suites/calls/pic.h)."""

import re

from commands import output_of
import pytest
from test_loops import COMPILERS, FLAGS, ROOT, own_flags

FOLDER = "bench/suites/calls"
CALLEES = {"plt": "callee", "got": "callee", "plt_endbr": "callee_endbr", "symbolic": "callee_symbolic"}
# Per way of calling: the number of instructions between the call and the function, and the call instruction.
ENTRY = {"plt": ["jmp"], "plt_endbr": ["endbr64", "jmp"]}


def linked(compiler, way, tmp_path):
    """Returns the disassembly of a shared library of caller and callee: {symbol: [instructions]}."""
    made = []
    for name in (f"pic_{way}", f"pic_{CALLEES[way]}"):
        source = f"{FOLDER}/{name}.c"
        # With -Bsymbolic the callee is exported too: the linker binds it.
        flags = [f for f in FLAGS if f not in ("-S", "-o", "-") and (way != "symbolic" or "visibility" not in f)]
        made.append(tmp_path / f"{name}.o")
        output_of(compiler, *flags, "-O2", *own_flags(source, compiler), "-c", source, "-o", made[-1], cwd=ROOT)
    binding = ["-Bsymbolic"] if way == "symbolic" else []
    output_of("ld", "-shared", "-z", "now", *binding, *made, "-o", tmp_path / "a.so")
    found, lines = {}, []
    for line in output_of("objdump", "-d", "--no-show-raw-insn", tmp_path / "a.so").splitlines():
        if label := re.fullmatch(r"[0-9a-f]+ <(.+)>:", line):
            lines = found[label[1]] = []
        elif code := re.match(r"\s+[0-9a-f]+:\s+(.*)", line):
            lines.append(code[1])
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("way", CALLEES)
def test_ld_links_the_calls_as_the_program_does(compiler, way, tmp_path):
    functions = linked(compiler, way, tmp_path)
    (call,) = (x for x in functions[f"calls_{way}"] if x.startswith("call"))
    if way == "got":
        assert re.match(r"call +\*0x[0-9a-f]+\(%rip\)", call), call  # loaded, not relaxed
    elif way == "symbolic":
        assert re.match(r"call +[0-9a-f]+ <calls_symbolic_callee>", call), call
    else:
        entry = re.match(r"call +[0-9a-f]+ <(calls_exported\w*@plt)>", call)[1]
        runs = [re.sub(r"^bnd ", "", x).split()[0] for x in functions[entry]]
        assert runs[:len(ENTRY[way])] == ENTRY[way], functions[entry]
