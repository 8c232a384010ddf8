/* Instructions of each kind, and the memory that they access. Without Zydis nothing is tested. */
#include "tests/unit/cmocka_unit.h"
#if __has_include(<Zydis/Zydis.h>)
#include "hosted/stores/trace.h"

#define HERE 0x1000

static struct registers registers;
static struct decoded decoded;

/* rax is -70 for BT and its like; dwords 0, 2 and 3 of xmm1 are negative, and so byte 15, 11 and 3;
 * vector 2 has indices; k1 has bits 0, 3 and 8. */
static void begin(void)
{
    memset(&registers, 0, sizeof registers);
    registers.general[RAX] = (uint64_t)-70;
    registers.general[RCX] = 3;
    registers.general[RBX] = 0x20000;
    registers.general[RBP] = 0x40000;
    registers.general[RSP] = 0x50000;
    registers.general[RSI] = 0x60000;
    registers.general[RDI] = 0x70000;
    registers.fs = 0x1000000;
    registers.gs = 0x2000000;
    registers.vector[1][3] = registers.vector[1][11] = registers.vector[1][15] = 0x80;
    const int32_t indices[16] = {1, 0, 8, 0, 16, 0, 5, 0, -4};
    memcpy(registers.vector[2], indices, sizeof indices);
    registers.mask[1] = 0x109;
}

BEFORE_EACH(begin);

static void decode(const char *hex)
{
    uint8_t bytes[OPERANDS_LENGTH];
    size_t n = 0;

    for (char *at = (char *)(uintptr_t)hex; *at; n++)
        bytes[n] = (uint8_t)strtoul(at, &at, 16);
    assert_true(operands_decode(&decoded, HERE, bytes, n));
    assert_int_equal(decoded.instruction.length, n);
}

/* "L8@70000", one after the other; "S16@70000/f00f" if not all bytes are accessed. */
static const char *told(const char *hex)
{
    static char text[1000];
    struct touch t[OPERANDS_TOUCHES];
    char *at = text;

    decode(hex);
    unsigned n = operands_touches(&decoded, &registers, t);
    assert_true(n <= OPERANDS_TOUCHES);
    *at = '\0';
    for (unsigned i = 0; i < n; i++) {
        at += sprintf(at, "%s%s%s%u@%llx", i ? " " : "", t[i].load ? "L" : "",
                      t[i].store ? "S" : "", t[i].size, (unsigned long long)t[i].at);
        if (touch_count(&t[i]) != t[i].size)
            at += sprintf(at, "/%llx", (unsigned long long)t[i].lanes);
    }
    return text;
}

static const struct one {
    const char *hex, *touches;
} plain[] = {
    {"89 47 08", "S4@70008"},                     /* mov [rdi+8], eax */
    {"48 8b 44 8f f0", "L8@6fffc"},               /* mov rax, [rdi+rcx*4-16] */
    {"66 01 07", "LS2@70000"},                    /* add [rdi], ax */
    {"48 8b 05 00 01 00 00", "L8@1107"},          /* mov rax, [rip+0x100] */
    {"67 8b 04 37", "L4@d0000"},                  /* mov eax, [edi+esi] */
    {"67 8b 04 07", "L4@6ffba"},                  /* mov eax, [edi+eax]: 32 bits of the sum */
    {"64 8b 07", "L4@1070000"},                   /* mov eax, fs:[rdi] */
    {"65 66 89 04 25 08 00 00 00", "S2@2000008"}, /* mov gs:[8], ax */
    {"48 8d 07", ""},                             /* lea rax, [rdi] */
    {"0f 1f 07", ""},                             /* nop dword [rdi] */
    {"0f 0d 0f", ""},                             /* prefetchw [rdi] */
    {"0f 0d 17", ""},                             /* prefetchwt1 [rdi] */
    {"0f ae 3f", ""},                             /* clflush [rdi] */
    {"66 0f 1b 07", ""},                          /* bndmov [rdi], bnd0: a NOP */
    {"d7", "L1@200ba"},                           /* xlatb: rbx + al */
    {"db 3f", "S10@70000"},                       /* fstp tword [rdi] */
    {"dd 37", "S108@70000"},                      /* fnsave [rdi] */
    {"0f 01 fc", "S64@ffffffffffffff80"},         /* clzero */
    {"66 0f 38 f8 37", "L64@70000 S64@60000"},    /* movdir64b rsi, [rdi] */
};

static const struct one stack[] = {
    {"50", "S8@4fff8"},                   /* push rax */
    {"66 ff 37", "L2@70000 S2@4fffe"},    /* push word [rdi] */
    {"67 50", "S8@4fff8"},                /* push rax, with a prefix that changes nothing */
    {"ff 74 24 10", "L8@50010 S8@4fff8"}, /* push qword [rsp+16] */
    {"8f 44 24 10", "S8@50018 L8@50000"}, /* pop qword [rsp+16] */
    {"58", "L8@50000"},                   /* pop rax */
    {"ff d0", "S8@4fff8"},                /* call rax */
    {"ff 17", "L8@70000 S8@4fff8"},       /* call [rdi] */
    {"c2 08 00", "L8@50000"},             /* ret 8 */
    {"c8 10 00 00", "S8@4fff8"},          /* enter 16, 0 */
    {"c9", "L8@40000"},                   /* leave */
    {"9c", "S8@4fff8"},                   /* pushfq */
};

static const struct one strings[] = {
    {"48 a5", "S8@70000 L8@60000"}, /* movsq */
    {"f3 a4", "S1@70000 L1@60000"}, /* rep movsb: one iteration of it */
    {"f3 ab", "S4@70000"},          /* rep stosd */
    {"f3 a6", "L1@60000 L1@70000"}, /* repe cmpsb */
    {"66 ad", "L2@60000"},          /* lodsw */
    {"ae", "L1@70000"},             /* scasb */
};

static const struct one changed[] = {
    {"48 0f a3 07", "L8@6fff0"},      /* bt [rdi], rax: bit -70 is in the qword 2 before */
    {"0f ab 07", "LS4@6fff4"},        /* bts [rdi], eax: the dword 3 before */
    {"66 0f b3 07", "LS2@6fff6"},     /* btr [rdi], ax: the word 5 before */
    {"0f ba 27 05", "L4@70000"},      /* bt dword [rdi], 5 */
    {"48 0f b1 0f", "LS8@70000"},     /* cmpxchg [rdi], rcx: in any case */
    {"f0 48 0f c7 0f", "LS16@70000"}, /* lock cmpxchg16b [rdi] */
    {"0f c0 07", "LS1@70000"},        /* xadd [rdi], al */
    {"87 0f", "LS4@70000"},           /* xchg [rdi], ecx */
    {"d3 27", "LS4@70000"},           /* shl dword [rdi], cl */
};

static const struct one vectors[] = {
    {"66 0f f7 c1", "S16@70000/8808"},                      /* maskmovdqu xmm0, xmm1 */
    {"c4 e2 75 2e 17", "S32@70000/ff0f"},                   /* vmaskmovps [rdi], ymm1, ymm2 */
    {"c4 e2 f1 8c 07", "L16@70000/ff00"},                   /* vpmaskmovq xmm0, xmm1, [rdi] */
    {"c4 e2 75 90 04 97", "L4@70004 L4@70020 L4@70000"},    /* vpgatherdd ymm0, [rdi+ymm2*4] */
    {"c4 e2 75 91 04 97", "L4@70004 L4@70040 L4@70014"},    /* vpgatherqd xmm0, [rdi+ymm2*4] */
    {"c4 e2 f5 92 04 d7", "L8@70000"},                      /* vgatherdpd ymm0, [rdi+xmm2*8] */
    {"62 f2 7d 49 a0 04 97", "S4@70004 S4@70000 S4@6fff0"}, /* vpscatterdd [rdi+zmm2*4]{k1} */
    {"62 f2 7d 49 a1 04 97", "S4@70004 S4@70014"},          /* vpscatterqd [rdi+zmm2*4]{k1} */
    {"62 f2 7d 49 92 04 97", "L4@70004 L4@70000 L4@6fff0"}, /* vgatherdps zmm0{k1} */
    {"62 f1 7f 49 7f 07", "S64@70000/109"},                 /* vmovdqu8 [rdi]{k1}, zmm0 */
    {"62 f1 7e 29 7f 07", "S32@70000/f00f"},                /* vmovdqu32 [rdi]{k1}, ymm0 */
    {"62 f1 fe c9 6f 07", "L64@70000/ff0000ff"},            /* vmovdqu64 zmm0{k1}{z}, [rdi] */
    {"62 f1 75 59 fe 07", "L4@70000"},                      /* vpaddd, [rdi]{1to16}, masked */
    {"62 f1 75 58 fe 07", "L4@70000"},                      /* vpaddd, [rdi]{1to16} */
    {"62 f1 75 49 fe 07", "L64@70000/f0000f00f"},           /* vpaddd zmm0{k1}, zmm1, [rdi] */
    {"62 f2 75 49 00 07", "L64@70000"},                     /* vpshufb: class E4NF */
    {"62 f2 7d 49 31 07", "L16@70000/109"},                 /* vpmovzxbd zmm0{k1}, [rdi] */
    {"62 f2 7d 49 8b 07", "S64@70000/fff"},                 /* vpcompressd: three, in a row */
    {"62 f2 7d c9 89 07", "L64@70000/fff"},                 /* vpexpandd zmm0{k1}{z}, [rdi] */
    {"62 f2 7e 49 32 07", "S8@70000/9"},                    /* vpmovqb [rdi]{k1}, zmm0 */
    {"62 f1 7e 09 11 07", "S4@70000"},                      /* vmovss [rdi]{k1}, xmm0 */
    {"62 f2 7d 49 5a 07", "L16@70000"},                     /* vbroadcasti32x4 zmm0{k1}, [rdi] */
    {"62 f3 7d 49 39 07 01", "S16@70000/f00f"},             /* vextracti32x4 [rdi]{k1}, zmm0, 1 */
    {"62 f1 7d 59 76 17", "L4@70000"},                      /* vpcmpeqd k2{k1}, [rdi]{1to16} */
    {"c4 e1 f8 91 0f", "S8@70000"},                         /* kmovq [rdi], k1 */
    {"62 f1 7d 48 e7 07", "S64@70000"},                     /* vmovntdq [rdi], zmm0 */
};

/* If no lane is left. */
static const struct one unmasked[] = {
    {"62 f1 7f 49 7f 07", ""},          /* vmovdqu8 [rdi]{k1}, zmm0 */
    {"62 f1 75 59 fe 07", ""},          /* vpaddd, [rdi]{1to16}, masked */
    {"62 f2 7d 49 8b 07", ""},          /* vpcompressd */
    {"62 f2 7d 49 a0 04 97", ""},       /* vpscatterdd */
    {"62 f2 7d 49 5a 07", ""},          /* vbroadcasti32x4 */
    {"62 f1 7e 09 11 07", ""},          /* vmovss [rdi]{k1}, xmm0 */
    {"62 f2 75 49 00 07", "L64@70000"}, /* vpshufb: loads what is masked */
    {"c4 e2 75 2e 17", ""},             /* vmaskmovps [rdi], ymm1, ymm2 */
    {"66 0f f7 c1", ""},                /* maskmovdqu xmm0, xmm1 */
    {"c4 e2 75 90 04 97", ""},          /* vpgatherdd */
    {"f3 a4", ""},                      /* rep movsb, its count 0 */
};

#define EACH(table)                                                                                \
    TEST(accesses_of_##table##_are_those_listed)                                                   \
    {                                                                                              \
        EACH_CASE (c, table)                                                                       \
            assert_string_equal(told(c->hex), c->touches);                                         \
    }
EACH(plain)
EACH(stack)
EACH(strings)
EACH(changed)
EACH(vectors)

TEST(masked_elements_touch_no_memory)
{
    registers.mask[1] = 0;
    registers.general[RCX] = 0;
    memset(registers.vector[1], 0, 64);
    EACH_CASE (c, unmasked)
        assert_string_equal(told(c->hex), c->touches);
}

TEST(the_count_and_address_have_the_size_that_a_prefix_selects)
{
    registers.general[RCX] = 1ull << 32;
    registers.general[RDI] = (1ull << 32) + 0x70000;
    assert_string_equal(told("f3 aa"), "S1@100070000"); /* rep stosb */
    assert_string_equal(told("f3 67 aa"), "");          /* its count is ecx */
    registers.general[RCX] = 1;
    assert_string_equal(told("f3 67 aa"), "S1@70000");
}

TEST(instructions_that_cannot_be_stepped_are_refused)
{
    const char *const refused[] = {
        "0f 05",             /* syscall */
        "cc",                /* int3 */
        "cd 80",             /* int 0x80 */
        "c7 f8 fa ff ff ff", /* xbegin */
        "8e d0",             /* mov ss, ax */
        "8e e8",             /* mov gs, ax */
        "f3 48 0f ae d0",    /* wrfsbase rax */
        "0f 01 ef",          /* wrpkru */
        "0f ae 07",          /* fxsave [rdi] */
        "0f c7 27",          /* xsavec [rdi] */
        "cb",                /* retf */
        "c8 10 00 02",       /* enter 16, 2 */
        "0f 01 07",          /* sgdt [rdi] */
    };

    EACH_CASE (c, refused) {
        decode(*c);
        assert_non_null(decoded.refused);
    }
    decode("48 89 07");
    assert_null(decoded.refused);
    assert_false(operands_decode(&decoded, HERE, (const uint8_t *)"\x0f\x04", 2));
}

/* Any bytes: the decoded accesses keep to their limits, and the sanitizers find nothing. */
TEST(random_bytes_stay_within_the_limits)
{
    const uint8_t prefix[] = {0x62, 0xc4, 0xc5, 0x0f, 0xf3, 0x66, 0x67, 0xf2};
    uint8_t bytes[OPERANDS_LENGTH];
    struct touch t[OPERANDS_TOUCHES];
    uint64_t x = 1;
    unsigned known = 0, touched = 0;

    for (unsigned i = 0; i < 300000; i++) {
        for (size_t b = 0; b < sizeof bytes; b++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            bytes[b] = (uint8_t)(x >> 56);
        }
        if (i % 2)
            bytes[0] = prefix[x >> 32 & 7];
        if (!operands_decode(&decoded, HERE, bytes, sizeof bytes) || decoded.refused)
            continue;
        unsigned n = operands_touches(&decoded, &registers, t);
        known++;
        touched += n > 0;
        assert_true(n <= OPERANDS_TOUCHES);
        for (unsigned k = 0; k < n; k++)
            assert_true(t[k].size > 0 && t[k].size <= TOUCH_BYTES && (t[k].load || t[k].store));
    }
    assert_true(known > 50000 && touched > 20000);
}

TEST(the_text_has_the_address_that_rip_gives)
{
    char text[OPERANDS_TEXT];

    decode("48 8b 05 00 01 00 00");
    operands_text(&decoded, text);
    assert_string_equal(text, "mov rax, [0x0000000000001107]");
}
#else
TEST(without_zydis_the_comparison_is_skipped)
{
    print_message("Zydis is not installed (./scripts/setup installs it): nothing is tested here\n");
}
#endif
