"""Snippets in the syntaxes of GNU as, and lines of objdump -d: their machine code. Nothing is measured here."""

from commands import output_of
import pytest

from assembly import asm, assembler
from assembly import snippet
from assembly import syntax


NASM = [  # of each, in NASM's syntax, GNU as's Intel syntax and AT&T's
    ("add rax, rbx", "add rax, rbx", "add %rbx, %rax"),
    ("add dword [r14], eax", "add dword ptr [r14], eax", "addl %eax, (%r14)"),
    ("mov rax, [r14 + rbx*8 + 16]", "mov rax, QWORD PTR [r14+rbx*8+16]", "movq 16(%r14,%rbx,8), %rax"),
    ("movzx eax, byte [rsi]", "movzx eax, byte ptr [rsi]", "movzbl (%rsi), %eax"),
    ("vaddps zmm0{k1}{z}, zmm1, [r14]{1to16}", "vaddps zmm0{k1}{z}, zmm1, dword ptr [r14]{1to16}",
     "vaddps (%r14){1to16}, %zmm1, %zmm0{%k1}{z}"),
    ("vmovups [rdi], ymm3", "vmovups ymmword ptr [rdi], ymm3", "vmovups %ymm3, (%rdi)"),
    ("fadd st0, st1", "fadd st, st(1)", "fadd %st(1), %st"),
    ("imul rax, rbx; imul rcx, rax", "imul rax, rbx; imul rcx, rax", "imul %rbx, %rax; imul %rax, %rcx"),
]


@pytest.mark.parametrize("nasm, intel, att", NASM)
def test_three_syntaxes_give_the_same_machine_code(nasm, intel, att):
    code = assembler.machine_code(nasm, "it").hex()
    known = {code, *({"4801d8", "4803c3"} if nasm == "add rax, rbx" else ())}
    for text, name in ((intel, "intel"), (att, "att")):
        assert syntax.assembled(text, name, "it").hex() in known
        s = snippet.Snippet(text)
        syntax.take(s, name)
        assert s.raw.hex() in known and s.text == text


@pytest.mark.parametrize("text, found", [
    *((row[0], "nasm") for row in NASM), *((row[2], "att") for row in NASM), *((row[1], "intel") for row in NASM[1:6]),
    ("jmp $+2", "nasm"), ("%assign i 0", "nasm"), ("%rep 3; nop; %endrep", "nasm"), ("mov eax, $0f", "nasm"),
    ("vmovups XMMWORD PTR [rdi], xmm3", "intel"), ("vaddph zmm0, zmm1, word bcst [r14]", "intel"), ("mov %cr3, %rax", "att"),
])  # fmt: skip
def test_a_syntax_is_recognised_by_tokens_that_only_it_has(text, found):
    assert syntax.detect(text) == found


def test_code_around_a_snippet_may_be_in_another_syntax():
    s = snippet.Snippet("imul %rbx, %rax", init="mov ebx, 3", late_init="mov dword ptr [r14], 1")
    syntax.take(s, "auto")
    assert s.init == "mov ebx, 3" and s.late_init == "db 0x41, 0xc7, 0x06, 0x01, 0x00, 0x00, 0x00"


@pytest.mark.parametrize("text, says", [
    ("addl %eax, %rbx", '"addl %eax, %rbx": '), ("foo %rax", '"foo %rax": no such instruction'),
    ("nop; addq (%r14), (%rdi)", '"addq (%r14), (%rdi)": '),
    ("mov elsewhere(%rip), %rax", "names a place that is not in it"), (".globl x; # %rax", "has no instruction"),
    ("mov rax, qword ptr [elsewhere]", "names a place"),
])
def test_errors_of_gnu_as_name_the_line_of_the_snippet(text, says):
    with pytest.raises(snippet.Wrong) as wrong:
        syntax.take(snippet.Snippet(text), "auto")
    assert says in str(wrong.value) and "the snippet: " in str(wrong.value)


def test_gnu_as_that_is_missing_is_named():
    with pytest.raises(snippet.Wrong, match="binutils.*setup installs it"):
        syntax.assembled("nop", "att", "it", program="/no/such/as")


# --- objdump -----------------------------------------------------------------------------------------

SOURCE = """
.globl f
f:
    xor %edx, %edx
1:  mov (%rdi), %eax
    add $4, %rdi
    movabs $0x1122334455667788, %rcx
    jne 1b
    mov here(%rip), %rax
    call f
    ret
here: .quad 0
"""


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    """Gives what objdump says of an object, with the options that are named."""
    folder = tmp_path_factory.mktemp("dump")
    (folder / "f.s").write_text(SOURCE)
    output_of("as", "-o", folder / "f.o", folder / "f.s")
    return lambda *words: output_of("objdump", "-d", *words, folder / "f.o").splitlines()


CODES = ["31d2", "8b07", "4883c704", "48b98877665544332211"]


@pytest.mark.parametrize("words", [(), ("-M", "intel"), ("--insn-width=4",), ("-w",)])
def test_each_instruction_of_objdumps_output_is_a_snippet(dump, words):
    lines = dump(*words)
    assert syntax.is_dump(lines)
    found, left_out = syntax.alone(lines, "f")
    assert [code.hex() for _, _, code in found][:4] == CODES
    said = "\n".join(left_out)
    assert all(f'"{text}' in said for text in ("jne", "mov", "call", "ret")) and "line " in said


@pytest.mark.parametrize("words", [("--no-show-raw-insn",), ("--no-show-raw-insn", "-M", "intel")])
def test_a_dump_without_bytes_is_assembled(dump, words):
    lines = [line for line in dump(*words) if ":\t" in line][:4]
    s = snippet.Snippet("\n".join(lines))
    syntax.take(s, "auto")
    assert s.raw.hex() in ("".join(CODES), "".join(CODES).replace("31d2", "33d2"))


def test_lines_of_a_dump_are_one_snippet_and_may_jump_among_themselves(dump):
    lines = [line for line in dump() if ":\t" in line]
    jump = next(i for i, line in enumerate(lines) if "jne" in line)
    s = snippet.Snippet("\n".join(lines[:jump + 1]))
    syntax.take(s, "auto")
    assert s.raw.hex().startswith("".join(CODES)) and s.text.startswith("xor %edx,%edx; mov (%rdi),%eax")
    with pytest.raises(snippet.Wrong, match="means a place in the program"):
        syntax.take(snippet.Snippet("\n".join(lines[2:jump + 1])), "auto")
    with pytest.raises(snippet.Wrong, match="means a place in the program"):
        syntax.take(snippet.Snippet(lines[jump + 1]), "auto")


@pytest.mark.parametrize("text", ["nop", "add rax, rbx", "l: jmp l", "add %rbx, %rax", "", "dd: mov"])
def test_other_text_is_not_a_dump(text):
    assert not syntax.is_dump(text.splitlines())


@pytest.mark.parametrize("text", ["f.o:     file format elf64-x86-64", "Disassembly of section .text:", "0000000000000000 <f>:",
                                  "\nf.o:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n0000 <f>:", "\t..."])
def test_headings_of_a_dump_alone_are_refused_by_name(dump, text):
    with pytest.raises(snippet.Wrong, match="^the snippet: .* is a heading of objdump -d; give the lines of instructions"):
        syntax.take(snippet.Snippet(text), "auto")
    s = snippet.Snippet("\n".join([text, *(line for line in dump() if ":\t" in line)][:3]))
    syntax.take(s, "auto")
    assert s.raw.hex().startswith(CODES[0])


def test_a_file_with_a_dump_has_a_row_for_each_instruction(dump, tmp_path, capsys):
    file = tmp_path / "f.dump"
    file.write_text("\n".join(dump()) + "\n")
    found = asm.read_file(str(file))
    assert [s.raw.hex() for s in found][:4] == CODES and f"{file}, line " in found[0].where
    assert "left out" in capsys.readouterr().err
