"""What copies of an instruction wait for, with --latency and --throughput: which operands are changed, and what is
refused. Nothing is measured here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from assembly import latency  # noqa: E402
from assembly import operands  # noqa: E402
from assembly import snippet  # noqa: E402
from assembly import throughput  # noqa: E402
from launch import start  # noqa: E402

pytestmark = pytest.mark.skipif(not Path(operands.PROGRAM).exists(), reason="Zydis is not installed")


def code_of(copy):
    """The measured instruction of a copy, and what stands before it."""
    *before, last = snippet.instructions(copy)
    assert last.startswith("db "), copy
    return bytes(int(b, 16) for b in last[3:].split(", ")), before


def texts(s):
    return [operands.describe(code_of(c)[0]).text for c in s.copies]


# --- latency -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, says", [
    ("imul rax, rbx", "rax is read and written"), ("add al, bl", "al is read and written"),
    ("add ah, bh", "ah is read and written"), ("add rax, [r14]", "the load is not waited for"),
    ("adc rax, rbx", "rax and CF are read and written"), ("adox rax, rbx", "rax and OF are"),
    ("rcl rax, 3", "rax and CF are"), ("cmovz rax, rbx", "rax is read and written"), ("cmc", "CF is read and written"),
    ("shl rax, cl", "rax and the flags are read and written by each copy; a count of 0 keeps the flags"),
    ("mul rbx", "rax is read and written"), ("imul rbx", "rax is read and written"),
    ("xchg rax, rbx", "rbx and rax are"), ("xadd rax, rbx", "rax and rbx are"), ("cmpxchg rcx, rdx", "rcx and rax are"),
    ("cmpxchg16b [r14]", "rdx, rax and the memory at [r14] are"), ("add [r14], rax", "the memory at [r14] is"),
    ("lock add [r14 + 8], rax", "the memory at [r14+8] is"), ("push rax", "rsp is"), ("pop rax", "rsp is"),
    ("movsq", "rdi and rsi are"), ("scasb", "rdi is read and written by each copy"), ("cmpsq", "rsi and rdi are"),
    ("insb", "rdi is"), ("outsd", "rsi is"), ("stosb", "rdi is"), ("lodsq", "rsi is"), ("enter 16, 0", "rbp and rsp are"),
    ("pushfq", "rsp is"), ("xchg rax, rsp", "rsp and rax are"), ("cmpxchg rsp, rbx", "rsp and rax are"), ("mul rdx", "rax and rdx are"), ("cdqe", "rax is read and written"),
    ("vfmadd231pd xmm0, xmm1, xmm2", "xmm0 is read and written"), ("vpternlogd zmm3, zmm1, zmm2, 0x96", "zmm3 is read"),
    ("aesenc xmm0, xmm1", "xmm0 is read and written"), ("sha256rnds2 xmm1, xmm2, xmm0", "xmm1 is read and written"),
    ("sha1msg1 xmm1, xmm2", "xmm1 is"), ("pclmulqdq xmm0, xmm1, 1", "xmm0 is"), ("gf2p8mulb xmm0, xmm1", "xmm0 is"),
    ("paddb mm0, mm1", "mm0 is"),
    ("tdpbssd tmm0, tmm1, tmm2", "tmm0 is read and written"), ("vpdpbusd ymm0, ymm1, ymm2", "ymm0 is"),
])  # fmt: skip
def test_an_instruction_that_waits_for_itself_stays_as_it_is(text, says):
    s = snippet.Snippet(text)
    latency.chain(s)
    assert says in s.notes[0] and s.notes[0].endswith(f": {text}")
    assert not s.copies and not s.init


@pytest.mark.parametrize("text, becomes, says", [
    ("lea rax, [rbx + 8]", "lea rax, [rax+0x08]", "rbx is now rax"),
    ("lea rax, [r14+8]", "lea rax, [rax+0x08]", "r14 is now rax"),
    ("lea rax, [rbx + rcx*8]", "lea rax, [rax+rcx*8]", "rbx is now rax, which the copy before writes; rcx is not waited for"),
    ("popcnt ecx, edx", "popcnt ecx, ecx", "edx is now ecx"), ("bsf rax, rbx", "bsf rax, rax", "rbx is now rax"),
    ("movzx eax, bl", "movzx eax, al", "bl is now al"), ("movsx ax, bl", "movsx ax, al", "it keeps the rest of rax"),
    ("lea rax, [rbx]", "lea rax, [rax]", "a copy onto itself may take another time"),
    ("mov rax, rbx", "mov rax, rax", "a copy onto itself may take another time"),
    ("sqrtsd xmm0, xmm1", "sqrtsd xmm0, xmm0", "xmm1 is now xmm0"),
    ("vaddps ymm2, ymm3, ymm4", "vaddps ymm2, ymm2, ymm4", "ymm3 is now ymm2"),
    ("vsqrtsd xmm0, xmm1, xmm2", "vsqrtsd xmm0, xmm1, xmm0", "xmm2 is now xmm0"),
    ("vpaddd xmm0, xmm1, [r14]", "vpaddd xmm0, xmm0, [r14]", "the load is not waited for"),
    ("vaddps xmm16, xmm17, xmm18", "vaddps xmm16, xmm16, xmm18", "xmm17 is now xmm16"),
    ("vaddps zmm0, zmm1, [r14]{1to16}", "vaddps zmm0, zmm0, [r14] {1to16}", "zmm1 is now zmm0"),
    ("vaddps zmm0, zmm1, zmm2, {rz-sae}", "vaddps zmm0, zmm0, zmm2 {rz-sae}", "zmm1 is now zmm0"),
    ("imul rax, rbx, 3", "imul rax, rax, 0x03", "rbx is now rax"),
    ("mulx rax, rbx, rcx", "mulx rax, rbx, rax", "rcx is now rax"),
    ("mulx rax, rbx, [r14]", "mulx rdx, rbx, [r14]", "rax is now rdx, which the next copy reads; the load is not waited for"),
    ("shlx rax, rbx, rcx", "shlx rax, rax, rcx", "rcx is not waited for"),
    ("rorx rax, rbx, 5", "rorx rax, rax, 0x05", "rbx is now rax"),
    ("vaesenc ymm0, ymm1, ymm2", "vaesenc ymm0, ymm0, ymm2", "ymm1 is now ymm0"),
    ("kaddb k0, k1, k2", "kaddb k0, k0, k2", "k1 is now k0"), ("kshiftrw k1, k2, 3", "kshiftrw k1, k1, 0x03", "k2 is now k1"),
    ("vpermd zmm0, zmm1, zmm2", "vpermd zmm0, zmm0, zmm2", "zmm1 is now zmm0"),
    ("pshufd xmm0, xmm1, 5", "pshufd xmm0, xmm0, 0x05", "xmm1 is now xmm0"),
])  # fmt: skip
def test_a_source_becomes_the_register_that_the_copy_before_writes(text, becomes, says):
    s = snippet.Snippet(text)
    latency.chain(s)
    assert texts(s) == [becomes] and not s.init
    assert says in s.notes[0] and s.notes[0].endswith(f": {becomes}")
    assert ("copy onto itself" in s.notes[0]) == ("copy onto itself" in says or text.startswith("mov"))
    if "[r14]" not in text:
        assert "load" not in s.notes[0]


@pytest.mark.parametrize("text, becomes, init", [
    ("vaddps zmm0{k1}, zmm1, zmm2", None, "kxnorw k1, k1, k1"),
    ("vpaddw zmm0{k1}, zmm1, zmm2", None, "kxnord k1, k1, k1"), ("vpaddb zmm0{k7}, zmm1, zmm2", None, "kxnorq k7, k7, k7"),
    ("vaddps zmm0{k1}{z}, zmm1, zmm2", "vaddps zmm0 {k1} {z}, zmm0, zmm2", "kxnorw k1, k1, k1"),
    ("vpcmpeqd k1{k2}, zmm0, zmm1", "vpcmpeqd k1 {k1}, zmm0, zmm1", "kxnorw k1, k1, k1"),
    ("vpcmpeqd k0{k2}, zmm0, zmm1", "vpcmpeqd k2 {k2}, zmm0, zmm1", "kxnorw k2, k2, k2"),
])
def test_a_mask_is_set_to_ones_where_nobody_sets_registers(text, becomes, init):
    s = snippet.Snippet(text)
    latency.chain(s)
    assert s.init == init and "is set to ones first" in s.notes[0]
    assert texts(s) == ([becomes] if becomes else [])
    s = snippet.Snippet(text, init="kmovw k1, eax")
    latency.chain(s)
    assert s.init == "kmovw k1, eax" and "ones" not in s.notes[0]


@pytest.mark.parametrize("wish, text, init, says", [
    ("latency", "fadd st0, st1", "fld1; fld1", "st0 is read and written by each copy; st0 and st1 are set to 1 first"),
    ("latency", "fmul st2, st0", "fld1; fld1; fld1", "st2 is read and written by each copy; st0, st1 and st2 are set to 1"),
    ("latency", "fsqrt", "fld1", "st0 is read and written by each copy; st0 is set to 1 first"),
    ("throughput", "fcomi st0, st1", "fld1; fld1", "st0 and st1 are set to 1 first"),
    ("latency", "leave", "mov [rbp], rbp", "the memory at [rbp] holds rbp, which each copy loads"),
    ("throughput", "leave", "mov [rbp], rbp", "`mov rbp, r13` before each copy"),
    ("latency", "xlatb", "mov rbx, r14", "al is read and written by each copy; rbx is set to r14 first, an address"),
    ("throughput", "xlatb", "mov rbx, r14", "rbx is set to r14 first, an address"),
    ("throughput", "movdir64b rax, [r14]", "mov rax, rdi", "rax is set to rdi first, an address"),
    ("throughput", "movdir64b rdi, [r14]", "", "movdir64b writes no register"),
    ("throughput", "vmaskmovps xmm0, xmm1, [r14]", "vcmpps xmm1, xmm1, xmm1, 15", "xmm1 is set to ones first"),
    ("throughput", "vpmaskmovd [r14], ymm1, ymm2", "vcmpps ymm1, ymm1, ymm1, 15", "ymm1 is set to ones first"),
    ("throughput", "maskmovdqu xmm0, xmm1", "pcmpeqd xmm1, xmm1", "xmm1 is set to ones first"),
    ("throughput", "maskmovq mm0, mm1", "pcmpeqd mm1, mm1", "mm1 is set to ones first"),
    ("latency", "vmaskmovps ymm0, ymm1, [r14+8]", "vcmpps ymm0, ymm0, ymm0, 15; vmovups [r14+8], ymm0",
     "ymm0 and the memory at [r14+8] are set to ones first"),
    ("throughput", "clzero", "mov rax, r14", "rax is set to r14 first, an address"),
    ("latency", "div rbx", "mov eax, 100; mov rbx, 1", "rax is set to 100 and rbx to 1 first"),
    ("latency", "idiv ecx", "mov eax, 100; mov ecx, 1", "eax and edx are read and written"),
    ("latency", "div bl", "mov eax, 100; mov bl, 1", "ax is read and written by each copy; rax is set to 100 and bl to 1"),
    ("latency", "div rax", "mov eax, 100", "rax is set to 100 first"),
    ("latency", "div dl", "mov eax, 100; mov dl, 1", "rax is set to 100 and dl to 1 first"),
    ("throughput", "idiv rdx", "mov rax, -100; mov rdx, -1", "rax is set to -100 and rdx to -1 first"),
    ("throughput", "idiv dx", "mov rax, -100; mov rdx, -1", "rax is set to -100 and dx to -1 first"),
    ("throughput", "idiv ah", "mov eax, 0xff9c", "ax is set to -100 and ah to -1 first"),
    ("latency", "pop rsp", "mov [rsp], rsp", "the memory at [rsp] holds rsp, which each copy loads"),
    ("throughput", "popfq", "mov r8, rdi; mov rdi, rsp; mov ecx, 2048; rep stosq; mov rdi, r8; xor r8d, r8d",
     "the memory at [rsp] is set to 0 first"),
    ("throughput", "idiv r8", "mov eax, 100; mov r8, 1", "rax is set to 100 and r8 to 1 first"),
])
def test_what_the_copies_cannot_do_without_is_set_where_nobody_sets_registers(wish, text, init, says):
    make = {"latency": latency.chain, "throughput": throughput.part}[wish]
    s = snippet.Snippet(text)
    make(s)
    assert s.init == init and says in s.notes[0], s
    s = snippet.Snippet(text, init="mov r8, 1")
    make(s)
    assert s.init == "mov r8, 1" and "first" not in s.notes[0], s


@pytest.mark.parametrize("text", ["vaddph zmm0, zmm1, zmm2", "vaddsh xmm0, xmm1, xmm2", "vfmadd231ph ymm0, ymm1, ymm2",
                                  "vfmaddcph zmm0, zmm1, zmm2", "vsqrtph zmm0, zmm1", "vrcpsh xmm0, xmm1, xmm2",
                                  "vcvtph2pd zmm0, xmm1", "vcvttph2w zmm0, zmm1", "vaddph zmm0{k1}, zmm1, [r14]"])
def test_forms_of_avx512_fp16_are_copied_and_known_by_their_extension(text):
    for make in (latency.chain, throughput.part):
        s = snippet.Snippet(text)
        make(s)
        assert s.extension.startswith("AVX512_FP16"), s
        assert all(operands.describe(code_of(c)[0]).extension == s.extension for c in s.copies), s


@pytest.mark.parametrize("text, becomes, init, says", [
    ("mov rax, [r14]", "mov r14, [r14]", "mov [r14], r14", "the memory at [r14] holds it"),
    ("mov rax, [r14+8]", "mov r14, [r14+0x08]", "mov [r14+8], r14", "the memory at [r14+8] holds it"),
    ("mov rdi, qword [rsi - 8]", "mov rsi, [rsi-0x08]", "mov [rsi-8], rsi", "the memory at [rsi-8]"),
    ("mov rax, [rbx]", "mov r14, [r14]", "mov [r14], r14", "rbx points nowhere"),
    ("mov rax, [rax]", "mov r14, [r14]", "mov [r14], r14", "rax points nowhere"),
])
def test_a_load_takes_its_address_from_the_load_before(text, becomes, init, says):
    s = snippet.Snippet(text)
    latency.chain(s)
    assert (texts(s), s.init) == ([becomes], init)
    assert "is the address and the result" in s.notes[0] and says in s.notes[0]


@pytest.mark.parametrize("text, becomes, at", [
    ("mov eax, [r14]", "mov eax, [r14+rax*1]", "r14+0"),
    ("movzx ecx, byte [rsi + 4]", "movzx ecx, byte ptr [rsi+rcx*1+0x04]", "rsi+4"),
    ("popcnt rax, [r14 - 8]", "popcnt rax, [r14+rax*1-0x08]", "r14-8"),
    ("cvttsd2si rax, [r14]", "cvttsd2si rax, [r14+rax*1]", "r14+0"),
])
def test_another_load_has_its_result_in_the_next_address(text, becomes, at):
    """Of the 0 that is stored there first: another snippet of the object may have stored something else."""
    s = snippet.Snippet(text)
    latency.chain(s)
    assert texts(s) == [becomes] and s.init == f"mov qword [{at}], 0" and "a cycle more" in s.notes[0]


@pytest.mark.parametrize("text, why", [
    *((idiom, "processors wait for neither") for idiom in (
        "sub rax, rax", "xor rax, rax", "xor EAX, eax", "sbb rax, rax", "pxor xmm0, xmm0",
        "vpxor xmm0, xmm0, xmm0", "vpxor xmm0, xmm1, xmm1", "pcmpeqd xmm0, xmm0", "vxorps ymm0, ymm1, ymm1",
        "psubq xmm2, xmm2", "vpxord zmm0, zmm1, zmm1", "kxnorw k1, k2, k2")),
    ("setz al", "it reads flags only, and writes al"), ("lahf", "reads flags only, and writes ah"),
    ("rdrand rax", "reads no register"), ("rdseed rax", "reads no register"), ("mov rax, 5", "reads no register"),
    ("rdtsc", "reads no register"), ("cqo", "no register that it reads can be one that it writes"),
    ("mov rax, [r14 + rbx*8]", "an address of one register"), ("mov rax, [fs:r14]", "what fs adds"),
    ("movzx eax, byte [rbx]", "not one area register"), ("add rax, [rax]", "its address is made of rax"),
    ("movd eax, xmm0", "a way back takes"), ("kmovw eax, k1", "a way back takes"),
    ("pcmpistri xmm0, xmm1, 1", "a way back takes"), ("vpcmpeqb k1, zmm1, zmm2", "a way back takes"),
    ("vmovups zmm0, [r14]", "what it loads is no address"), ("movq xmm0, [r14]", "what it loads is no address"),
    ("mov [r14], rax", "it only stores"), ("vmovups [r14], zmm0", "it only stores"), ("nop", "writes no register"),
    ("cmp rax, rbx", "writes flags only"), ("ptest xmm0, xmm1", "writes flags only"), ("prefetcht0 [r14]", "writes no register"),
    ("vgatherdps zmm0{k1}, [r14+zmm2*4]", "it clears its mask k1"),
    ("vgatherdps ymm0, [r14+ymm1*4], ymm2", "it clears its mask ymm2"),
    ("vpscatterdd [r14+zmm2*4]{k1}, zmm3", "it clears its mask k1"), ("rep movsb", "counts rcx down to 0"),
    ("repne scasb", "counts rcx down to 0"), ("fld st0", "moves the top of the x87 stack"), ("faddp st1, st0", "moves the top"),
    ("jmp $+2", "leaves the copies"), ("call $+5", "leaves the copies"), ("jz $+2", "leaves the copies"),
    ("loop $+2", "leaves the copies"), ("jrcxz $+2", "leaves the copies"),
    ("cpuid", "eax and ecx choose what it reports"), ("idiv rdx", "rdx is the divisor, the upper half of the dividend, and the remainder"),
    ("idiv ah", "ah is the divisor"), ("mul qword [rax]", "its address is made of rax"), ("cmpxchg [rax], rbx", "its address is made of rax"),
    ("cmpxchg16b [rdx]", "its address is made of rdx"), ("repe cmpsb", "counts rcx down to 0"),
    ("syscall", "leaves the copies"), ("int 0x80", "leaves the copies"), ("ret", "leaves the copies"),
])  # fmt: skip
def test_latency_refuses_what_has_no_way_back(text, why):
    s = snippet.Snippet(text)
    with pytest.raises(snippet.Wrong) as wrong:
        latency.chain(s)
    assert f'--latency: "{text}": ' in str(wrong.value) and why in str(wrong.value)
    assert (s.copies, s.init, s.notes) == ([], "", [])


@pytest.mark.parametrize("given, why", [
    ({"text": "mov rax, [rbx]", "init": "lea rbx, [r14 + 64]"}, "what --init does to rbx"),
    ({"text": "mov rax, [r14]", "late_init": "add r14, 64"}, "what --late-init does"),
    ({"text": "add r15, rax", "loop": 10}, "counts the loop's iterations"),
    ({"text": "add rax, rbx; nop"}, "takes one instruction"),
    ({"text": "add rax, [rel elsewhere]"}, "elsewhere"),
])
def test_latency_refuses_what_other_code_may_change(given, why):
    with pytest.raises(snippet.Wrong, match=why):
        latency.chain(snippet.Snippet(**given))


# --- throughput --------------------------------------------------------------------------------------

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
    ("bsf rax, rbx", "bsf rcx, rbx", "it keeps its destination where the source is 0"),
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
def test_a_fixed_register_is_set_anew_before_each_copy_and_that_is_said(text, first, before, late):
    s = snippet.Snippet(text)
    throughput.part(s)
    assert [texts(s)[0], s.late_init] == [first, late]
    assert all(code_of(c)[1] == before for c in s.copies)
    assert f"`{'; '.join(before)}` before each copy keeps it from waiting" in s.notes[0] and "in the figure" in s.notes[0]
    snippet.machine_code("; ".join(before), "what stands before")


@pytest.mark.parametrize("text, keeps", [("lahf", "; it keeps the rest of rax"), ("cbw", ""), ("cdq", "")])
def test_a_fixed_register_that_is_kept_in_part_is_said(text, keeps):
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
def test_throughput_leaves_what_waits_for_nothing(text, says):
    s = snippet.Snippet(text)
    throughput.part(s)
    assert (s.text, s.copies, s.late_init) == (text, [], "")
    assert says in s.notes[0] and s.notes[0].endswith("copies stay as they are")


@pytest.mark.parametrize("text, why", [
    ("mov rax, [rax]", "its address is made of rax"), ("fadd st0, st1", "st0 is read and written by each copy"),
    ("fld st0", "moves the top of the x87 stack"), ("rep stosq", "counts rcx down"), ("jmp $+2", "leaves the copies"),
    ("add [rbx], rax", "its memory is read and written by each copy"),
])
def test_throughput_refuses_what_always_waits(text, why):
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
    ("div qword [rdx]", "the divisor at [rdx] is not set"), ("cmpxchg16b [r14 + 8]", "[r14+8] has to be at a multiple of 16 bytes"),
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


# --- every form --------------------------------------------------------------------------------------

def forms():
    """Instructions of every kind that NASM writes and Zydis knows."""
    found = []
    for op in "add or adc sbb and sub xor cmp test mov xchg xadd cmpxchg".split():
        for a, b in (("rax", "rbx"), ("ecx", "edx"), ("r8w", "r9w"), ("al", "r10b"), ("[r14]", "rax"), ("[r14 + 8]", "cl")):
            found.append(f"{op} {a}, {b}")
    found += [f"{op} {a}, [rsi + 16]" for op in "add adc and cmp mov imul popcnt lzcnt tzcnt bsf bsr cmovc".split()
              for a in ("rax", "r9d", "dx")]
    found += [f"{op} {a}" for op in "inc dec neg not mul imul div idiv".split()
              for a in ("rbx", "ecx", "r8w", "dl", "qword [r14]", "byte [r14 + 3]")]
    found += [f"{op} {a}, {c}" for op in "rol ror rcl rcr shl shr sar".split() for a in ("rax", "r9d", "bx", "dl", "dword [r14]")
              for c in ("cl", "1", "5")]
    found += [f"{op} rax, rbx, {c}" for op in ("shld", "shrd") for c in ("cl", "7")]
    found += [f"{op} {a}, {b}" for op in "bt bts btr btc".split() for a, b in (("rax", "rbx"), ("ecx", "5"), ("dword [r14]", "3"))]
    found += [f"{op} rax, rbx, rcx" for op in "andn bextr bzhi pdep pext sarx shlx shrx mulx".split()]
    found += "blsi rax, rbx;blsr rax, rbx;blsmsk eax, ebx;rorx rax, rbx, 3;adcx rax, rbx;adox eax, [r14];crc32 eax, bl;bswap rax".split(";")
    found += [f"movbe {o}" for o in ("rax, [r14]", "[r14], eax")] + [f"set{c} {o}" for c in ("z", "o", "be") for o in ("al", "[r14]")]
    found += ("cbw;cwde;cdqe;cwd;cdq;cqo;lahf;sahf;clc;stc;cmc;cld;std;pushfq;popfq;push rax;push qword [r14];pop rbx;push 5;leave;"
              "lodsb;stosq;movsd;cmpsb;scasw;rep movsb;repe cmpsb;xlatb;cpuid;rdtsc;rdtscp;rdpmc;rdrand rax;rdseed ecx;rdpid rax;"
              "lfence;mfence;sfence;pause;nop;nop dword [rax];prefetchw [r14];clflush [r14];clflushopt [r14];clwb [r14];"
              "cmpxchg8b [r14];cmpxchg16b [r14];lock xadd [r14], rax;lock inc dword [r14];xchg [r14], rax;movnti [r14], rax;"
              "ldmxcsr [r14];stmxcsr [r14];vzeroupper;vzeroall;emms;fnop;fld qword [r14];fstp qword [r14];fadd st0, st3;"
              "fmul st2, st0;fsin;fsincos;fxch st1;fcomi st0, st1;fild dword [r14];faddp;fchs;fptan;fldcw [r14];fninit;"
              "jmp $+2;jz $+2;call $+5;ret;syscall;int 3;ud2;hlt;rdmsr;wrmsr;mov rax, cr3;mov cr3, rax;in al, dx;lgdt [r14];"
              "invlpg [r14];swapgs;wbinvd;monitor;mwait;xgetbv;mov ds, eax;mov rax, [gs:8];mov rax, [rax + rbx*4 + 100];"
              "lea rax, [rel $ + 5];lea r8d, [rbx + rbx];endbr64;serialize;tpause eax;umonitor rax;movdiri [r14], rax").split(";")
    for suffix in ("ps", "pd", "ss", "sd"):
        for op in "add mul div sqrt max cmpeq".split():
            found += [f"{op}{suffix} xmm0, xmm1", f"{op}{suffix} xmm8, [r14]"]
            v = f"v{op}{suffix}"
            found += [f"{v} xmm0, xmm1" + (", xmm2" if op != "sqrt" or suffix[0] == "s" else "")]
        found += [f"vfmadd213{suffix} xmm0, xmm1, xmm2", f"vfnmsub132{suffix} xmm0, xmm1, [r14]"]
    found += ("pand xmm0, xmm1;pshufb xmm3, xmm4;psadbw xmm0, [r14];paddb mm0, mm1;pmuludq mm2, [r14];palignr xmm0, xmm1, 3;"
              "pinsrd xmm0, eax, 1;pextrq rax, xmm0, 1;pmovmskb eax, xmm0;movmskpd ecx, xmm1;movd xmm0, eax;movq rax, xmm0;"
              "movq2dq xmm0, mm1;cvtsi2sd xmm0, rax;cvttss2si eax, xmm1;cvtpd2ps xmm0, xmm1;vcvtps2ph xmm0, ymm1, 0;comisd xmm0, xmm1;"
              "ptest xmm0, xmm1;blendvpd xmm1, xmm2, xmm0;vblendvpd ymm0, ymm1, ymm2, ymm3;dpps xmm0, xmm1, 0xff;mpsadbw xmm0, xmm1, 0;"
              "insertps xmm0, xmm1, 0x10;extractps eax, xmm0, 1;pcmpestri xmm0, xmm1, 0;pcmpistrm xmm0, xmm1, 0;maskmovdqu xmm0, xmm1;"
              "movntdq [r14], xmm0;movntdqa xmm0, [r14];lddqu xmm0, [r14];vbroadcastss ymm0, xmm1;vbroadcasti128 ymm0, [r14];"
              "vperm2i128 ymm0, ymm1, ymm2, 0x20;vinserti128 ymm0, ymm1, xmm2, 1;vextracti128 xmm0, ymm1, 1;vpermq ymm0, ymm1, 0x1b;"
              "vmaskmovps ymm0, ymm1, [r14];vpmaskmovd [r14], ymm1, ymm2;vpsllvd ymm0, ymm1, ymm2;vtestps ymm0, ymm1;"
              "aesenc xmm0, xmm1;aesimc xmm0, xmm1;aeskeygenassist xmm0, xmm1, 1;vaesdec zmm0, zmm1, zmm2;pclmulqdq xmm0, xmm1, 0;"
              "vpclmulqdq zmm0, zmm1, zmm2, 1;sha1rnds4 xmm0, xmm1, 2;sha1nexte xmm0, xmm1;sha256msg2 xmm0, xmm1;sha256rnds2 xmm1, xmm2, xmm0;"
              "gf2p8affineqb xmm0, xmm1, 3;vgf2p8mulb zmm0, zmm1, zmm2;movhlps xmm0, xmm1;movlps xmm0, [r14];vmovhps xmm0, xmm1, [r14]").split(";")
    for mask in ("", "{k1}", "{k2}{z}"):
        found += [f"{op} zmm0{mask}, zmm1, {c}" for op in "vaddps vpaddb vpmullq vpermt2d vpermi2w vpdpbusd vpternlogd vblendmps".split()
                  for c in ("zmm2" + (", 0x96" if op == "vpternlogd" else ""), "[r14]" + (", 1" if op == "vpternlogd" else ""))]
        found += [f"vpopcntd ymm17{mask}, ymm18", f"vpcompressd zmm0{mask}, zmm1", f"vpexpandq zmm0{mask}, zmm1",
                  f"vmovdqu8 zmm0{mask}, [r14]", f"vcvtqq2pd zmm0{mask}, zmm1", f"vrndscalesd xmm0{mask}, xmm1, xmm2, 1",
                  f"vpmovqb xmm0{mask}, zmm1", f"vbroadcastss zmm0{mask}, xmm1", f"vpconflictd zmm0{mask}, zmm1"]
    found += ("vmovdqu16 [r14]{k1}, zmm0;vpcmpub k1, zmm0, zmm1, 2;vpcmpeqd k1{k2}, zmm0, zmm1;vptestmb k1, zmm0, zmm1;vfpclassps k1, zmm0, 3;"
              "kandw k1, k2, k3;knotq k1, k2;kortestw k1, k2;kunpckbw k1, k2, k3;kmovw k1, eax;kmovq rax, k1;kmovd k1, [r14];kshiftlb k1, k2, 2;"
              "vgatherdps zmm0{k1}, [r14+zmm2*4];vgatherqpd ymm0{k1}, [r14+ymm2*8];vpgatherdd xmm0, [r14+xmm1*4], xmm2;"
              "vpscatterqq [r14+zmm2*8]{k1}, zmm3;vaddpd zmm0, zmm1, [r14]{1to8};vsqrtpd zmm0, zmm1, {rn-sae};vmaxps zmm0, zmm1, zmm2, {sae};"
              "vpmovm2b zmm0, k1;vpmovd2m k1, zmm0;vcvtusi2sd xmm0, xmm1, rax;vp2intersectd k2, zmm0, zmm1;vpbroadcastmb2q zmm0, k1;"
              "tdpbssd tmm0, tmm1, tmm2;tilezero tmm1;tilerelease;vdpbf16ps zmm0, zmm1, zmm2;vpmadd52luq zmm0, zmm1, zmm2;"
              "vpshldvd zmm0, zmm1, zmm2;vpmultishiftqb zmm0, zmm1, zmm2;vpshufbitqmb k1, zmm0, zmm1").split(";")
    return list(dict.fromkeys(found))


def encoded(texts_, folder):
    """The bytes of each, by one run of NASM."""
    lines = ["bits 64"]
    for i, text in enumerate(texts_):
        lines += [f"b{i}:", text, f"e{i}:"]
    lines += [f"db e{i} - b{i}" for i in range(len(texts_))]
    (folder / "forms.asm").write_text("\n".join(lines) + "\n")
    ran = subprocess.run(["nasm", "-f", "bin", "-o", folder / "forms", folder / "forms.asm"], capture_output=True, text=True,
                         check=False)
    assert ran.returncode == 0, ran.stderr
    made = (folder / "forms").read_bytes()
    at, found = 0, []
    for size in made[-len(texts_):]:
        found.append(made[at:at + size])
        at += size
    return found


def registers(one, does):
    """Names of the registers that an instruction reads or writes, the address included."""
    found = {o.whole for o in one.operands if o.kind == "register" and (getattr(o, does) or o.may_write)
             and operands.kind_of(o.whole)}
    if does == "reads":
        found |= {r for o in one.operands for r in o.address()}
    return found - {"k0" if any(o.mask and o.whole == "k0" for o in one.operands) else ""}


def test_every_form_is_chained_and_parted_or_refused_with_a_reason(tmp_path):
    """What is chained reads what it writes; what is parted reads nothing that another copy of the round writes,
    but the stack pointer and what is set anew before it."""
    names = forms()
    chained = parted = 0
    for text, code in zip(names, encoded(names, tmp_path)):
        s = snippet.Snippet("", raw=code, where=text)
        try:
            latency.chain(s)
            one = operands.describe(code_of(s.copies[0])[0] if s.copies else code)
            both = registers(one, "reads") & registers(one, "writes")
            flags = set(one.reads_flags) & set(one.writes_flags) or any(o.register == "rflags" and o.may_write for o in one.operands)
            memory = any(o.kind == "memory" and o.reads and (o.writes or o.may_write) for o in one.operands)
            assert both or flags or memory or one.mnemonic == "xlat", (text, one.text, s.notes)
            chained += 1
        except snippet.Wrong as wrong:
            assert len(str(wrong)) > 40, text
        s = snippet.Snippet("", raw=code, where=text)
        try:
            throughput.part(s)
            parted += 1
        except snippet.Wrong as wrong:
            assert len(str(wrong)) > 40, text
            continue
        copies = [code_of(c) for c in s.copies]
        all_of = [operands.describe(c) for c, _ in copies[:3]]
        names_anew = [line.split()[1].rstrip(",") for line in copies[0][1]] if copies else []
        anew = {operands.whole_of(name) or name for name in names_anew}
        for i, one in enumerate(all_of):
            wrote = set().union(*(registers(o, "writes") for k, o in enumerate(all_of) if k != i), set())
            assert registers(one, "reads") & wrote <= anew | {"rsp"}, (text, one.text)
    assert chained > 200 and parted > 400, (chained, parted)


@pytest.mark.parametrize("said", ["", "{}", '{"operands": [{"kind": "register"}]}', '{"operands": [], "newer": 1}'])
def test_a_tool_of_another_version_is_named(said, monkeypatch):
    """After a pull, until `make hosted`."""
    monkeypatch.setattr(operands, "_run", lambda *_: subprocess.CompletedProcess([], 0, said, ""))
    with pytest.raises(start.Failed, match="not of one version: run `make hosted`"):
        operands.describe(b"\x90")


def test_zydis_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(operands, "PROGRAM", "/no/such/program")
    with pytest.raises(start.Failed, match="setup installs it"):
        latency.chain(snippet.Snippet("add rax, rbx"))


# --- any form ----------------------------------------------------------------------------------------

def drawn():
    """Machine code of 220 forms of all of Zydis's categories, drawn at random."""
    lines = (ROOT / "tests/hosted/data/forms.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("make", [latency.chain, throughput.part])
def test_any_form_is_made_into_copies_or_refused_with_a_reason(make, tmp_path):
    made, refused = [], []
    for number, code in enumerate(drawn()):
        one = snippet.Snippet("", raw=bytes.fromhex(code), name=f"form_{number}", unroll=2)
        try:
            make(one)
        except snippet.Wrong as e:
            refused.append(str(e))
        else:
            assert one.notes and all(one.notes), code
            made.append(one)
    assert len(made) + len(refused) == len(drawn()) >= 200
    assert len(made) > 100 and len(refused) > 20
    for why in refused:
        assert re.search(r": [^:]*\w{2,} \w{2,} \w{2,}", why), why
    for at in range(0, len(made), 64):
        snippet.assemble(made[at:at + 64], tmp_path / "forms.o", ROOT / "bench/api")
