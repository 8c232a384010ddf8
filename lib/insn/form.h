/*
 * Forms of instructions as data. lib/insn/table.def has all of them; `make insn-table` generates it
 * from Zydis' decoder. Encodings: Intel SDM vol. 2A chapter 2, AMD APM vol. 3 chapter 1.
 */
#ifndef LIB_INSN_FORM_H
#define LIB_INSN_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"
#include "lib/cpu/cpu.h"

/* Why a form, or a pair of its operands, is not run. */
#define INSN_WHY(WHY)                                                                              \
    WHY(INSN_RUNS, "it runs")                                                                      \
    WHY(INSN_PRIVILEGED, "privileged: only ring 0 may execute it")                                 \
    WHY(INSN_KERNEL, "it calls a kernel, a hypervisor, firmware or an enclave")                    \
    WHY(INSN_RAISES, "it raises an exception by design")                                           \
    WHY(INSN_JUMPS, "it transfers control elsewhere, so copies cannot follow each other")          \
    WHY(INSN_LOSES_STATE, "it changes state of the core that the program needs")                   \
    WHY(INSN_NEEDS_IMAGE, "it needs a valid image of state in memory")                             \
    WHY(INSN_NEEDS_TILES, "it needs a tile configuration")                                         \
    WHY(INSN_MOVES_RSP, "it changes RSP by an amount that copies cannot balance")                  \
    WHY(INSN_MOVES_X87, "it moves the x87 register stack, which copies would overflow")            \
    WHY(INSN_WAITS, "it waits for an event")                                                       \
    WHY(INSN_TRANSACTION, "it begins or ends a transaction")                                       \
    WHY(INSN_NOT_MODELLED, "it has operands that copies do not model")                             \
    WHY(INSN_CPU_LACKS, "the CPU does not have it")                                                \
    WHY(INSN_NOT_ENCODABLE, "these registers cannot be encoded")                                   \
    WHY(INSN_NO_CHAIN, "no chain leads from this output to this input")                            \
    WHY(INSN_NO_SUCH_PAIR, "the form has no such output or input")
#define INSN_WHY_ID(id, text) id,
enum insn_why { INSN_WHY(INSN_WHY_ID) INSN_WHYS };

/* The required bit of CPUID: leaf, subleaf, register (0 EAX to 3 EDX) and bit (AMD APM vol. 3
 * appendix E, Intel SDM vol. 2A CPUID). Leaf 0: every CPU with long mode has it. */
#define INSN_FEATURE(F)                                                                            \
    F(BASE, "x86-64", 0, 0, 0, 0)                                                                  \
    F(SSE3, "SSE3", 1, 0, 2, 0)                                                                    \
    F(PCLMULQDQ, "PCLMULQDQ", 1, 0, 2, 1)                                                          \
    F(MONITOR, "MONITOR", 1, 0, 2, 3)                                                              \
    F(VMX, "VMX", 1, 0, 2, 5)                                                                      \
    F(SMX, "SMX", 1, 0, 2, 6)                                                                      \
    F(SSSE3, "SSSE3", 1, 0, 2, 9)                                                                  \
    F(FMA, "FMA", 1, 0, 2, 12)                                                                     \
    F(CX16, "CMPXCHG16B", 1, 0, 2, 13)                                                             \
    F(SSE41, "SSE4.1", 1, 0, 2, 19)                                                                \
    F(SSE42, "SSE4.2", 1, 0, 2, 20)                                                                \
    F(MOVBE, "MOVBE", 1, 0, 2, 22)                                                                 \
    F(POPCNT, "POPCNT", 1, 0, 2, 23)                                                               \
    F(AES, "AES", 1, 0, 2, 25)                                                                     \
    F(XSAVE, "OSXSAVE", 1, 0, 2, 27)                                                               \
    F(AVX, "AVX", 1, 0, 2, 28)                                                                     \
    F(F16C, "F16C", 1, 0, 2, 29)                                                                   \
    F(RDRAND, "RDRAND", 1, 0, 2, 30)                                                               \
    F(CLFLUSH, "CLFLUSH", 1, 0, 3, 19)                                                             \
    F(FSGSBASE, "FSGSBASE", 7, 0, 1, 0)                                                            \
    F(SGX, "SGX", 7, 0, 1, 2)                                                                      \
    F(BMI1, "BMI1", 7, 0, 1, 3)                                                                    \
    F(AVX2, "AVX2", 7, 0, 1, 5)                                                                    \
    F(BMI2, "BMI2", 7, 0, 1, 8)                                                                    \
    F(INVPCID, "INVPCID", 7, 0, 1, 10)                                                             \
    F(RTM, "RTM", 7, 0, 1, 11)                                                                     \
    F(MPX, "MPX", 7, 0, 1, 14)                                                                     \
    F(AVX512F, "AVX512F", 7, 0, 1, 16)                                                             \
    F(AVX512DQ, "AVX512DQ", 7, 0, 1, 17)                                                           \
    F(RDSEED, "RDSEED", 7, 0, 1, 18)                                                               \
    F(ADX, "ADX", 7, 0, 1, 19)                                                                     \
    F(SMAP, "SMAP", 7, 0, 1, 20)                                                                   \
    F(AVX512_IFMA, "AVX512_IFMA", 7, 0, 1, 21)                                                     \
    F(CLFLUSHOPT, "CLFLUSHOPT", 7, 0, 1, 23)                                                       \
    F(CLWB, "CLWB", 7, 0, 1, 24)                                                                   \
    F(PT, "PT", 7, 0, 1, 25)                                                                       \
    F(AVX512PF, "AVX512PF", 7, 0, 1, 26)                                                           \
    F(AVX512ER, "AVX512ER", 7, 0, 1, 27)                                                           \
    F(AVX512CD, "AVX512CD", 7, 0, 1, 28)                                                           \
    F(SHA, "SHA", 7, 0, 1, 29)                                                                     \
    F(AVX512BW, "AVX512BW", 7, 0, 1, 30)                                                           \
    F(AVX512VL, "AVX512VL", 7, 0, 1, 31)                                                           \
    F(PREFETCHWT1, "PREFETCHWT1", 7, 0, 2, 0)                                                      \
    F(AVX512_VBMI, "AVX512_VBMI", 7, 0, 2, 1)                                                      \
    F(OSPKE, "OSPKE", 7, 0, 2, 4)                                                                  \
    F(WAITPKG, "WAITPKG", 7, 0, 2, 5)                                                              \
    F(AVX512_VBMI2, "AVX512_VBMI2", 7, 0, 2, 6)                                                    \
    F(CET_SS, "CET_SS", 7, 0, 2, 7)                                                                \
    F(GFNI, "GFNI", 7, 0, 2, 8)                                                                    \
    F(VAES, "VAES", 7, 0, 2, 9)                                                                    \
    F(VPCLMULQDQ, "VPCLMULQDQ", 7, 0, 2, 10)                                                       \
    F(AVX512_VNNI, "AVX512_VNNI", 7, 0, 2, 11)                                                     \
    F(AVX512_BITALG, "AVX512_BITALG", 7, 0, 2, 12)                                                 \
    F(AVX512_VPOPCNTDQ, "AVX512_VPOPCNTDQ", 7, 0, 2, 14)                                           \
    F(RDPID, "RDPID", 7, 0, 2, 22)                                                                 \
    F(KEYLOCKER, "Key Locker", 7, 0, 2, 23)                                                        \
    F(CLDEMOTE, "CLDEMOTE", 7, 0, 2, 25)                                                           \
    F(MOVDIRI, "MOVDIRI", 7, 0, 2, 27)                                                             \
    F(MOVDIR64B, "MOVDIR64B", 7, 0, 2, 28)                                                         \
    F(ENQCMD, "ENQCMD", 7, 0, 2, 29)                                                               \
    F(AVX512_4VNNIW, "AVX512_4VNNIW", 7, 0, 3, 2)                                                  \
    F(AVX512_4FMAPS, "AVX512_4FMAPS", 7, 0, 3, 3)                                                  \
    F(UINTR, "UINTR", 7, 0, 3, 5)                                                                  \
    F(AVX512_VP2INTERSECT, "AVX512_VP2INTERSECT", 7, 0, 3, 8)                                      \
    F(SERIALIZE, "SERIALIZE", 7, 0, 3, 14)                                                         \
    F(TSXLDTRK, "TSXLDTRK", 7, 0, 3, 16)                                                           \
    F(PCONFIG, "PCONFIG", 7, 0, 3, 18)                                                             \
    F(AMX_BF16, "AMX_BF16", 7, 0, 3, 22)                                                           \
    F(AVX512_FP16, "AVX512_FP16", 7, 0, 3, 23)                                                     \
    F(AMX_TILE, "AMX_TILE", 7, 0, 3, 24)                                                           \
    F(AMX_INT8, "AMX_INT8", 7, 0, 3, 25)                                                           \
    F(AVX_VNNI, "AVX_VNNI", 7, 1, 0, 4)                                                            \
    F(AVX512_BF16, "AVX512_BF16", 7, 1, 0, 5)                                                      \
    F(HRESET, "HRESET", 7, 1, 0, 22)                                                               \
    F(XSAVEOPT, "XSAVEOPT", 0xd, 1, 0, 0)                                                          \
    F(XSAVEC, "XSAVEC", 0xd, 1, 0, 1)                                                              \
    F(XSAVES, "XSAVES", 0xd, 1, 0, 3)                                                              \
    F(LAHF, "LAHF", 0x80000001, 0, 2, 0)                                                           \
    F(SVM, "SVM", 0x80000001, 0, 2, 2)                                                             \
    F(LZCNT, "LZCNT", 0x80000001, 0, 2, 5)                                                         \
    F(SSE4A, "SSE4A", 0x80000001, 0, 2, 6)                                                         \
    F(XOP_FEATURE, "XOP", 0x80000001, 0, 2, 11)                                                    \
    F(LWP, "LWP", 0x80000001, 0, 2, 15)                                                            \
    F(FMA4, "FMA4", 0x80000001, 0, 2, 16)                                                          \
    F(TBM, "TBM", 0x80000001, 0, 2, 21)                                                            \
    F(MONITORX, "MONITORX", 0x80000001, 0, 2, 29)                                                  \
    F(RDTSCP, "RDTSCP", 0x80000001, 0, 3, 27)                                                      \
    F(AMD3DNOW, "3DNow!", 0x80000001, 0, 3, 31)                                                    \
    F(CLZERO, "CLZERO", 0x80000008, 0, 1, 0)                                                       \
    F(INVLPGB, "INVLPGB", 0x80000008, 0, 1, 3)                                                     \
    F(RDPRU, "RDPRU", 0x80000008, 0, 1, 4)                                                         \
    F(MCOMMIT, "MCOMMIT", 0x80000008, 0, 1, 8)                                                     \
    F(SNP, "SEV-SNP", 0x8000001f, 0, 0, 4)                                                         \
    F(PADLOCK, "PadLock", 0xc0000001, 0, 3, 2)
#define INSN_FEATURE_ID(id, name, leaf, subleaf, reg, bit) INSN_##id,
enum insn_feature { INSN_FEATURE(INSN_FEATURE_ID) INSN_FEATURES };

enum insn_file { FILE_GENERAL, FILE_VECTOR, FILE_MASK, FILE_MMX, FILE_X87, FILE_NONE };

/* Classes of registers: the name in that of a form, the register file, and the highest number that
 * can be encoded (EVEX has vectors up to 31). */
#define INSN_CLASS(C)                                                                              \
    C(INSN_R8, "r8", FILE_GENERAL, 15)                                                             \
    C(INSN_R16, "r16", FILE_GENERAL, 15)                                                           \
    C(INSN_R32, "r32", FILE_GENERAL, 15)                                                           \
    C(INSN_R64, "r64", FILE_GENERAL, 15)                                                           \
    C(INSN_ST, "st", FILE_X87, 7)                                                                  \
    C(INSN_MM, "mm", FILE_MMX, 7)                                                                  \
    C(INSN_XMM, "xmm", FILE_VECTOR, 15)                                                            \
    C(INSN_YMM, "ymm", FILE_VECTOR, 15)                                                            \
    C(INSN_ZMM, "zmm", FILE_VECTOR, 15)                                                            \
    C(INSN_K, "k", FILE_MASK, 7)                                                                   \
    C(INSN_TMM, "tmm", FILE_NONE, 7)                                                               \
    C(INSN_BND, "bnd", FILE_NONE, 7)                                                               \
    C(INSN_SEG, "seg", FILE_NONE, 7)                                                               \
    C(INSN_CR, "cr", FILE_NONE, 15)                                                                \
    C(INSN_DR, "dr", FILE_NONE, 15)                                                                \
    C(INSN_OTHER, "sys", FILE_NONE, 7)
#define INSN_CLASS_ID(id, ...) id,
enum insn_class { INSN_CLASS(INSN_CLASS_ID) INSN_CLASSES };

extern const struct insn_class_facts {
    const char *name;
    uint8_t file, last;
} insn_classes[INSN_CLASSES];

static inline enum insn_file insn_file_of(unsigned class)
{
    return (enum insn_file)insn_classes[class].file;
}

enum insn_kind { INSN_REGISTER, INSN_MEMORY, INSN_ADDRESS, INSN_IMMEDIATE, INSN_RELATIVE };

/* The place of an operand's register, address or number in the encoding. */
enum insn_field {
    INSN_FIXED,    /* none: `number` is the register, or the base of the memory */
    INSN_REG,      /* ModRM.reg */
    INSN_RM,       /* ModRM.rm, or the whole memory operand in ModRM and SIB */
    INSN_VVVV,     /* of VEX, XOP and EVEX */
    INSN_OPCODE,   /* the opcode's low three bits */
    INSN_IS4,      /* bits 7 to 4 of the immediate */
    INSN_MASK,     /* EVEX.aaa */
    INSN_TAIL,     /* an immediate or a jump's displacement, after ModRM */
    INSN_MOFFS,    /* a 64-bit address after the opcode */
    INSN_REG_BASE, /* ModRM.reg names the base of memory: MOVDIR64B */
    INSN_FIELDS
};

enum insn_access {
    INSN_READ = 1,
    INSN_WRITE = 2,
    INSN_MAY = 4,    /* the read or write is conditional */
    INSN_HIDDEN = 8, /* not in the text of the instruction */
};

/* The type of an operand's bits, for choosing suitable values. */
enum insn_element { INSN_INT, INSN_F16, INSN_F32, INSN_F64, INSN_F80 };

struct insn_operand {
    uint8_t kind;    /* enum insn_kind */
    uint8_t field;   /* enum insn_field */
    uint8_t class;   /* enum insn_class of a register; of memory with a vector index: of that */
    uint8_t number;  /* of a fixed register */
    uint8_t access;  /* enum insn_access */
    uint8_t element; /* enum insn_element */
    uint16_t bits;   /* of the register's part, the memory, the immediate; 0: unknown */
};
#define INSN_OPERANDS_MOST 12

/* Flags as bits: those of RFLAGS in their positions (Intel SDM vol. 1 section 3.4.3), and above
 * them the x87's condition codes C0 to C3. */
enum { INSN_C0 = 1 << 12, INSN_C1 = 1 << 13, INSN_C2 = 1 << 14, INSN_C3 = 1 << 15 };
enum {
    INSN_CF = 1 << 0,
    INSN_PF = 1 << 2,
    INSN_AF = 1 << 4,
    INSN_ZF = 1 << 6,
    INSN_SF = 1 << 7,
    INSN_DF = 1 << 10,
    INSN_OF = 1 << 11,
    INSN_STATUS = INSN_CF | INSN_PF | INSN_AF | INSN_ZF | INSN_SF | INSN_OF,
};

struct insn_flags {
    uint16_t read, written; /* a flag that becomes undefined counts as written */
};

enum insn_encoding { INSN_LEGACY, INSN_VEX, INSN_XOP, INSN_EVEX };

enum insn_property {
    INSN_MODRM = 1 << 0, /* the template's last byte is ModRM */
    INSN_REX_W = 1 << 1, /* a REX prefix with W, which is not in the template */
    INSN_VL = 1 << 2,    /* needs AVX512VL */
    INSN_LCP = 1 << 3,   /* the operand-size prefix changes the length of the immediate */
    INSN_LOCK = 1 << 4,
    INSN_REP = 1 << 5, /* REP, REPE or REPNE */
    INSN_STRING = 1 << 6,
    INSN_BRANCH = 1 << 7,
    INSN_STACK = 1 << 8,        /* pushes or pops */
    INSN_VALUE = 1 << 9,        /* its time depends on the values: DIV, SQRT, REP */
    INSN_SERIAL = 1 << 10,      /* serialises or fences memory */
    INSN_NEEDS_MASK = 1 << 11,  /* EVEX.aaa of 0 is invalid: gathers, scatters */
    INSN_CLEARS_MASK = 1 << 12, /* each execution clears the mask */
    INSN_NEEDS_SIB = 1 << 14,   /* memory without SIB is invalid: tiles */
    INSN_UMIP = 1 << 13,        /* if CR4.UMIP is set, only ring 0 may execute it */
};

/* Additions of EVEX to a form. As bits of `decorations`: those that are possible. */
enum insn_decoration {
    INSN_PLAIN = 0,
    INSN_MERGE = 1 << 0,     /* {k} */
    INSN_ZERO = 1 << 1,      /* {k}{z} */
    INSN_BROADCAST = 1 << 2, /* {1toN} of one element in memory, ... */
    INSN_ROUND = 1 << 3,     /* {rn-sae} */
    INSN_SAE = 1 << 4,       /* {sae} */
};
#define INSN_BROADCAST_BITS(decorations) (8u << ((decorations) >> 6)) /* ... of 16, 32 or 64 bits */

#define INSN_TEMPLATE 7
struct insn_form {
    uint8_t bytes[INSN_TEMPLATE]; /* prefixes except REX, opcode, ModRM */
    uint8_t length : 4;           /* number of bytes */
    uint8_t prefixes : 2;         /* number of bytes before the place of REX */
    uint8_t encoding : 2;         /* enum insn_encoding */
    uint16_t name;                /* its mnemonic: offset among the names */
    uint16_t operands;            /* offset of its list of operands */
    uint16_t properties;          /* enum insn_property */
    uint8_t flags;                /* index of its struct insn_flags */
    uint8_t feature;     /* enum insn_feature; EVEX also needs AVX512F, VEX with vectors AVX */
    uint8_t why;         /* enum insn_why, as far as it is the same for every CPU */
    uint8_t decorations; /* enum insn_decoration; bits 7 and 6: for INSN_BROADCAST_BITS */
    uint8_t tail;        /* bytes after ModRM, SIB and displacement */
};

/* The table of forms, and functions that describe a form. */

unsigned insn_count(void);
const struct insn_form *insn_form(unsigned i); /* 0 to insn_count() - 1 */

const char *insn_mnemonic(const struct insn_form *f); /* including its prefix: "lock add" */

/* Lists the combinations that EVEX may add to the form, INSN_PLAIN first; returns their number. */
#define INSN_DECORATIONS_MOST 12
unsigned insn_decorations(const struct insn_form *f, uint8_t to[INSN_DECORATIONS_MOST]);

/* Lists the form's operands with this decoration, in the order of Intel's syntax, then the hidden
 * ones, then a mask. Returns their number. */
unsigned insn_operands(const struct insn_form *f, unsigned decoration,
                       struct insn_operand to[INSN_OPERANDS_MOST]);

/* Writes "{evex} vaddps zmm, zmm, m512 {k}{z}": classes for registers, bits for memory. Names of
 * forms are unique. */
void insn_name(const struct insn_form *f, unsigned decoration, struct sink *out);

/* Writes what the name begins with, before its operands: "{evex} vaddps". */
void insn_name_head(const struct insn_form *f, struct sink *out);

extern const char *const insn_why_texts[INSN_WHYS], *const insn_feature_names[INSN_FEATURES];

/* A form with its operands. */
struct insn_view {
    const struct insn_form *form;
    uint8_t decoration;
    struct insn_operand operand[INSN_OPERANDS_MOST];
    unsigned operands;
    struct insn_flags flags;
};

void insn_view(struct insn_view *v, const struct insn_form *f, unsigned decoration);

/* Describes operands: of each member, a bit (1 << value) for each value that they may have, of
 * `access` one of these bits; 0: any. */
struct insn_pattern {
    uint16_t kinds, fields, classes, access;
    uint32_t numbers;
};
enum {
    INSN_GENERALS = 1 << INSN_R8 | 1 << INSN_R16 | 1 << INSN_R32 | 1 << INSN_R64,
    INSN_VECTORS = 1 << INSN_XMM | 1 << INSN_YMM | 1 << INSN_ZMM,
    INSN_POINTERS = 1 << INSN_MEMORY | 1 << INSN_ADDRESS, /* kinds */
};

/* Returns the first of the form's operands that is as described; NULL: no operand is. */
const struct insn_operand *insn_find(const struct insn_view *v, struct insn_pattern p);
#define INSN_FIND(v, ...) insn_find(v, (struct insn_pattern){__VA_ARGS__})

/* Selects forms by name, as bench= does. */

/* Returns whether a comma-separated list of patterns has one for this form. Patterns match its name
 * as one word: "add_r64_m64" for "add r64, m64". A form with a mask, broadcast or rounding needs a
 * pattern with a brace: "*{k}*". */
bool insn_selected(const char *list, const struct insn_form *f, unsigned decoration);

/* Returns whether it has one for any form. */
bool insn_any_selected(const char *list);

/* The forms that a CPU has. */

struct insn_support {
    bool has[INSN_FEATURES];
    bool avx_on, avx512_on; /* XCR0: Intel SDM vol. 1 sections 14.3 and 15.2 */
};

/* xcr0: read by XGETBV; 0 if CPUID does not report OSXSAVE. */
void insn_support(struct insn_support *s, cpuid_fn cpuid, void *ctx, uint64_t xcr0);

/* Returns INSN_FEATURES if the CPU has the form; else the first missing feature. */
enum insn_feature insn_lacks(const struct insn_support *s, const struct insn_form *f);

#endif
