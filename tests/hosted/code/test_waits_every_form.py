"""Copies of every form of every instruction that Zydis knows: chained, parted, or refused with a reason."""

import re
import subprocess
from pathlib import Path

from commands import output_of
import pytest

from assembly import assembler, latency
from assembly import operands
from assembly import snippet
from assembly import throughput
from conftest import ROOT
from launch import start
from wait_copies import code_of


pytestmark = pytest.mark.skipif(not Path(operands.PROGRAM).exists(), reason="Zydis is not installed")


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
    output_of("nasm", "-f", "bin", "-o", folder / "forms", folder / "forms.asm")
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
    with pytest.raises(start.Failed, match="setup --test installs it"):
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
        assembler.assemble(made[at:at + 64], tmp_path / "forms.o", ROOT / "bench/api")
