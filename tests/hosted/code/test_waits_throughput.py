"""What copies of an instruction wait for, with --throughput: which operands are changed, and what is refused. Nothing is
measured here."""

from pathlib import Path

import pytest

from assembly import assembler, latency
from assembly import operands
from assembly import snippet
from assembly import throughput
from wait_copies import code_of, texts


pytestmark = pytest.mark.skipif(not Path(operands.PROGRAM).exists(), reason="Zydis is not installed")


@pytest.mark.parametrize("text, second, says", [
    ("imul rax, rbx", "imul rcx, rbx", "9 chains side by side"),
    ("mulsd xmm0, xmm1", "mulsd xmm2, xmm1", "15 chains side by side"),
    ("vfmadd231pd xmm0, xmm1, xmm2", "vfmadd231pd xmm3, xmm1, xmm2", "14 chains side by side"),
    ("vpternlogd xmm0, xmm1, xmm2, 1", "vpternlogd xmm3, xmm1, xmm2, 0x01", "14 chains side by side"),
    ("vaddps zmm0{k1}{z}, zmm1, zmm2", "vaddps zmm3 {k1} {z}, zmm1, zmm2", "no copy reads what another writes"),
    ("kaddb k0, k1, k2", "kaddb k3, k1, k2", "no copy reads what another writes"),
    ("vcmpps k0, zmm1, zmm2, 0", "vcmpps k1, zmm1, zmm2, 0x00", "k0 is in turn k0, k1, k2, k3, k4, k5, k6, k7; no copy"),
    ("vcmpps k1{k1}, zmm1, zmm2, 0", "vcmpps k2 {k2}, zmm1, zmm2, 0x00", "7 chains side by side"),
    ("cmovz rax, rbx", "cmovz rcx, rbx", "9 chains side by side"), ("shl rax, 3", "shl rcx, 0x03", "10 chains"),
    ("lea rax, [rax + 8]", "lea rcx, [rcx+0x08]", "10 chains side by side"),
    ("vaddps ymm0, ymm1, ymm2", "vaddps ymm3, ymm1, ymm2", "no copy reads what another writes"),
    ("vaddps ymm0, ymm0, ymm2", "vaddps ymm1, ymm1, ymm2", "15 chains side by side"),
    ("popcnt rax, rbx", "popcnt rcx, rbx", "some Intel CPUs wait for its destination"),
    ("bsf rax, rbx", "bsf rcx, rbx", "it keeps its destination if the source is 0"),
    ("sqrtsd xmm0, xmm1", "sqrtsd xmm2, xmm1", "it keeps the rest of its destination"),
    ("setz al", "setz cl", "it keeps the rest of rax"), ("mov ah, bl", "mov ch, bl", "at most 3 chains"),
    ("xor eax, eax", "xor ecx, ecx", "none where the CPU knows"),
    ("xchg rax, rbx", "xchg rcx, rdx", "5 chains side by side"), ("xadd rax, rbx", "xadd rcx, rdx", "5 chains"),
    ("mulx rax, rbx, rcx", "mulx r8, r9, rcx", "rax is in turn rax, r8, r10, r12; rbx is in turn rbx, r9, r11, r13"),
    ("blendvps xmm1, xmm2, xmm0", "blendvps xmm3, xmm2", "14 chains"),
    ("sha256rnds2 xmm1, xmm2, xmm0", "sha256rnds2 xmm3, xmm2", "14 chains"),
    ("pop rax", "pop rcx", "rsp is read and written by each copy"), ("add rdi, rax", "add rdx, rax", "9 chains"),
    ("tdpbssd tmm0, tmm1, tmm2", "tdpbssd tmm3, tmm1, tmm2", "6 chains"), ("paddb mm0, mm1", "paddb mm2, mm1", "7 chains"),
])  # fmt: skip
def test_copies_have_other_registers(text, second, says):
    s = snippet.Snippet(text)
    throughput.part(s)
    made = texts(s)
    assert len(set(made)) == len(made) > 1 and s.text == text
    assert made[1] == second
    assert says in s.notes[0], s.notes


@pytest.mark.parametrize("text, first, before, late", [
    ("adc rax, rbx", "adc rax, rbx", ["xor r13d, r13d"], ""), ("cmc", "cmc", ["xor r13d, r13d"], ""),
    ("shl rax, cl", "shl rax, cl", ["xor r13d, r13d"], ""), ("rcr rax, 1", "rcr rax, 0x01", ["xor r13d, r13d"], ""),
    ("mul rbx", "mul rbx", ["mov rax, r13"], "mov r13, rax"),
    ("div rbx", "div rbx", ["mov rax, r13", "mov rdx, r12"], "mov r13, rax; mov r12, rdx"),
    ("cmpxchg rcx, rdx", "cmpxchg rcx, rdx", ["mov rax, r13"], "mov r13, rax"),
    ("vgatherdps zmm0{k1}, [r14+zmm2*4]", "vgatherdps zmm0 {k1}, dword ptr [r14+zmm2*4]", ["kmovw k1, k7"], "kmovw k7, k1"),
    ("vgatherdps ymm0, [r14+ymm1*4], ymm2", "vgatherdps ymm0, dword ptr [r14+ymm1*4], ymm2", ["vmovdqa ymm2, ymm15"],
     "vmovdqa ymm15, ymm2"),
    ("vpscatterdd [r14+zmm2*4]{k1}, zmm3", "vpscatterdd dword ptr [r14+zmm2*4] {k1}, zmm3", ["kmovw k1, k7"], "kmovw k7, k1"),
])
def test_a_fixed_register_is_set_before_each_copy_and_this_is_reported(text, first, before, late):
    s = snippet.Snippet(text)
    throughput.part(s)
    assert [texts(s)[0], s.late_init] == [first, late]
    assert all(code_of(c)[1] == before for c in s.copies)
    assert f"`{'; '.join(before)}` before each copy keeps it from waiting" in s.notes[0] and "in the figure" in s.notes[0]
    assembler.machine_code("; ".join(before), "what stands before")


@pytest.mark.parametrize("text, keeps", [("lahf", "; it keeps the rest of rax"), ("cbw", ""), ("cdq", "")])
def test_a_fixed_register_that_is_kept_in_part_is_reported(text, keeps):
    s = snippet.Snippet(text)
    throughput.part(s)
    assert s.notes[0].count("it keeps the rest of") == bool(keeps) and keeps in s.notes[0], s.notes


@pytest.mark.parametrize("text, count, apart", [
    ("mov rax, [r14 + 8]", 10, 8), ("vmovups zmm0, [rsi]", 16, 64), ("mov [r14], rax", 16, 8),
    ("vmovups [rdi], ymm3", 16, 32), ("add [r14], rax", 16, 8), ("cmp rax, [r14]", 16, 8), ("prefetcht0 [r14]", 16, 8),
])  # fmt: skip
def test_copies_have_other_addresses(text, count, apart):
    s = snippet.Snippet(text)
    throughput.part(s)
    disps = [next(o.disp for o in operands.describe(code_of(c)[0]).operands if o.kind == "memory") for c in s.copies]
    assert len(disps) == count and {b - a for a, b in zip(disps, disps[1:])} == {apart}
    assert f"addresses are {count} in turn, {apart} bytes apart" in s.notes[0]


@pytest.mark.parametrize("text, says", [
    ("cmp rax, rbx", "writes flags only"), ("nop", "nop writes no register"), ("mov [rbx], rax", "mov writes no register"),
    ("rdtsc", "no register that can be chosen"), ("vzeroupper", "writes no register"),
])
def test_throughput_leaves_independent_instructions_unchanged(text, says):
    s = snippet.Snippet(text)
    throughput.part(s)
    assert (s.text, s.copies, s.late_init) == (text, [], "")
    assert says in s.notes[0] and s.notes[0].endswith("copies stay as they are")


@pytest.mark.parametrize("text, why", [
    ("mov rax, [rax]", "its address is made of rax"), ("fadd st0, st1", "st0 is read and written by each copy"),
    ("fld st0", "moves the top of the x87 stack"), ("rep stosq", "counts rcx down"), ("jmp $+2", "leaves the copies"),
    ("add [rbx], rax", "its memory is read and written by each copy"),
])
def test_throughput_refuses_instructions_that_always_wait(text, why):
    s = snippet.Snippet(text)
    with pytest.raises(snippet.Wrong) as wrong:
        throughput.part(s)
    assert f'--throughput: "{text}": ' in str(wrong.value) and why in str(wrong.value)
    assert (s.copies, s.late_init, s.notes) == ([], "", [])


@pytest.mark.parametrize("make", [latency.chain, throughput.part], ids=["latency", "throughput"])
@pytest.mark.parametrize("text, why", [
    *((f"div {upper}", f"{upper} is the divisor and the upper half of the dividend") for upper in ("rdx", "edx", "dx", "ah")),
    *((f"{name} {register}", f"{register} is the divisor and the stack pointer")
      for name in ("div", "idiv") for register in ("rsp", "esp", "sp", "spl")),
    ("div qword [rbx]", "the divisor at [rbx] is not set"), ("idiv dword [r14 + rbx*4]", "the divisor at [r14+rbx*4] is not set"),
    ("div qword [rdx]", "the divisor at [rdx] is not set"), ("cmpxchg16b [r14 + 8]", "[r14+8] must be at a multiple of 16 bytes"),
])
def test_a_clash_with_an_operand_that_is_not_written_is_refused_by_its_name(make, text, why):
    s = snippet.Snippet(text)
    with pytest.raises(snippet.Wrong) as wrong:
        make(s)
    assert f'"{text}": ' in str(wrong.value) and why in str(wrong.value)
    assert (s.copies, s.init, s.late_init, s.notes) == ([], "", "", [])


def test_an_address_that_the_copies_set_again_is_measured_with_its_init():
    s = snippet.Snippet("div qword [rax]", init="mov rax, r14; mov qword [r14], 1")
    throughput.part(s)
    assert s.late_init == "mov r13, rax; mov r12, rdx" and code_of(s.copies[0])[1] == ["mov rax, r13", "mov rdx, r12"]


@pytest.mark.parametrize("text, waits", [("cmpxchg rax, rbx", False), ("cmpxchg rbx, rax", True)])
def test_a_register_that_is_set_again_makes_no_chain(text, waits):
    s = snippet.Snippet(text)
    throughput.part(s)
    assert ("side by side" in s.notes[0]) == waits and "keeps it from waiting for rax" in s.notes[0]


@pytest.mark.parametrize("before, pointers", [("movsb", ["rdi", "rsi"]), ("scasq", ["rdi"]), ("cmpsw", ["rsi", "rdi"])])
def test_pointers_of_a_string_instruction_are_set_again(before, pointers):
    s = snippet.Snippet(before)
    throughput.part(s)
    assert code_of(s.copies[0])[1] == [f"mov {p}, {k}" for p, k in zip(pointers, ("r13", "r12"))]


def test_throughput_in_a_loop_needs_as_many_copies_as_registers():
    """With fewer, the window of twice the copies has more chains than its twin, and hides their time."""
    throughput.part(snippet.Snippet("imul rax, rbx", unroll=9, loop=10))
    with pytest.raises(snippet.Wrong, match="--unroll has to be 9 at least"):
        throughput.part(snippet.Snippet("imul rax, rbx", unroll=8, loop=10))
