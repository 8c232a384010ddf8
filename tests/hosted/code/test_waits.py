"""What copies of an instruction wait for, with --latency: which operands are changed, and what is refused. Nothing is
measured here."""

from pathlib import Path

import pytest

from assembly import latency
from assembly import operands
from assembly import snippet
from assembly import throughput
from wait_copies import code_of, texts


pytestmark = pytest.mark.skipif(not Path(operands.PROGRAM).exists(), reason="Zydis is not installed")


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
def test_a_mask_without_init_is_set_to_ones(text, becomes, init):
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
def test_registers_that_the_copies_need_are_set_without_init(wish, text, init, says):
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
    ("mov rax, [rbx]", "mov r14, [r14]", "mov [r14], r14", "rbx does not point to memory"),
    ("mov rax, [rax]", "mov r14, [r14]", "mov [r14], r14", "rax does not point to memory"),
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
    ("mov rax, [r14 + rbx*8]", "the address must be a register"), ("mov rax, [fs:r14]", "the base of fs"),
    ("movzx eax, byte [rbx]", "use an area register"), ("add rax, [rax]", "its address is made of rax"),
    ("movd eax, xmm0", "a chain needs"), ("kmovw eax, k1", "a chain needs"),
    ("pcmpistri xmm0, xmm1, 1", "a chain needs"), ("vpcmpeqb k1, zmm1, zmm2", "a chain needs"),
    ("vmovups zmm0, [r14]", "the loaded value is not an address"), ("movq xmm0, [r14]", "the loaded value is not an address"),
    ("mov [r14], rax", "it only stores"), ("vmovups [r14], zmm0", "it only stores"), ("nop", "writes no register"),
    ("cmp rax, rbx", "writes flags only"), ("ptest xmm0, xmm1", "writes flags only"), ("prefetcht0 [r14]", "writes no register"),
    ("vgatherdps zmm0{k1}, [r14+zmm2*4]", "it clears its mask k1"),
    ("vgatherdps ymm0, [r14+ymm1*4], ymm2", "it clears its mask ymm2"),
    ("vpscatterdd [r14+zmm2*4]{k1}, zmm3", "it clears its mask k1"), ("rep movsb", "counts rcx down to 0"),
    ("repne scasb", "counts rcx down to 0"), ("fld st0", "moves the top of the x87 stack"), ("faddp st1, st0", "moves the top"),
    ("jmp $+2", "leaves the copies"), ("call $+5", "leaves the copies"), ("jz $+2", "leaves the copies"),
    ("loop $+2", "leaves the copies"), ("jrcxz $+2", "leaves the copies"),
    ("cpuid", "eax and ecx select its leaf"), ("idiv rdx", "rdx is the divisor, the upper half of the dividend, and the remainder"),
    ("idiv ah", "ah is the divisor"), ("mul qword [rax]", "its address is made of rax"), ("cmpxchg [rax], rbx", "its address is made of rax"),
    ("cmpxchg16b [rdx]", "its address is made of rdx"), ("repe cmpsb", "counts rcx down to 0"),
    ("syscall", "leaves the copies"), ("int 0x80", "leaves the copies"), ("ret", "leaves the copies"),
])  # fmt: skip
def test_latency_refuses_an_instruction_that_cannot_form_a_chain(text, why):
    s = snippet.Snippet(text)
    with pytest.raises(snippet.Wrong) as wrong:
        latency.chain(s)
    assert f'--latency: "{text}": ' in str(wrong.value) and why in str(wrong.value)
    assert (s.copies, s.init, s.notes) == ([], "", [])


@pytest.mark.parametrize("given, why", [
    ({"text": "mov rax, [rbx]", "init": "lea rbx, [r14 + 64]"}, "--init may change rbx"),
    ({"text": "mov rax, [r14]", "late_init": "add r14, 64"}, "--late-init may change"),
    ({"text": "add r15, rax", "loop": 10}, "counts the loop's iterations"),
    ({"text": "add rax, rbx; nop"}, "takes one instruction"),
    ({"text": "add rax, [rel elsewhere]"}, "elsewhere"),
])
def test_latency_refuses_what_other_code_may_change(given, why):
    with pytest.raises(snippet.Wrong, match=why):
        latency.chain(snippet.Snippet(**given))
