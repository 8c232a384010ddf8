/*
 * The places where a dependency enters and leaves a form: a register, the data of memory, an
 * address, the flags. Each pair of an input and an output has a latency. Also the values of
 * operands that change the time of a form.
 */
#ifndef LIB_INSN_DEPENDENCY_H
#define LIB_INSN_DEPENDENCY_H

#include "lib/insn/form.h"

enum insn_part {
    INSN_DATA,       /* of a register or of memory */
    INSN_BASE_PART,  /* the base of an address ... */
    INSN_INDEX_PART, /* ... and its index; a vector in gathers and scatters */
    INSN_FLAGS_PART, /* of RFLAGS; `operand` is not used */
};

struct insn_end {
    uint8_t part, operand;
};
#define INSN_ENDS_MOST (2 * INSN_OPERANDS_MOST + 1)

/* Both return the number. RSP is neither input nor output: renaming tracks it separately. */
unsigned insn_inputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST]);
unsigned insn_outputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST]);

/* Returns whether a general register is fixed as an operand, and as the base of memory. */
static inline bool insn_is_listed(const struct insn_view *v, unsigned number)
{
    return INSN_FIND(v, .kinds = 1 << INSN_REGISTER, .fields = 1 << INSN_FIXED,
                     .classes = INSN_GENERALS, .numbers = 1u << number);
}
static inline bool insn_is_pointer(const struct insn_view *v, unsigned number)
{
    return INSN_FIND(v, .kinds = INSN_POINTERS, .fields = 1 << INSN_FIXED, .numbers = 1u << number);
}

/* Returns whether the operand is the address register of another operand. */
static inline bool insn_is_base(const struct insn_view *v, const struct insn_operand *o)
{
    return o->field == INSN_REG && INSN_FIND(v, .fields = 1 << INSN_REG_BASE);
}

/*
 * Links: the instructions that carry a dependency from one copy of a form to the next if its output
 * is not directly its input, and those that set up or reset what copies need. They are forms of the
 * table, so that their own cost is measured like that of any form.
 */
#define INSN_LINK(L)                                                                               \
    L(LINK_MOV64, "mov r64, imm64")                                                                \
    L(LINK_MOV32, "mov r32, imm32")                                                                \
    L(LINK_MOVSXD, "movsxd r64, r32")                                                              \
    L(LINK_AND, "and r64, imm8")                                                                   \
    L(LINK_OR, "or r64, imm8")                                                                     \
    L(LINK_ADD, "add r64, r64")                                                                    \
    L(LINK_TEST, "test r64, r64")                                                                  \
    L(LINK_CMOVB, "cmovb r64, r64")                                                                \
    L(LINK_CMOVZ, "cmovz r64, r64")                                                                \
    L(LINK_CMOVS, "cmovs r64, r64")                                                                \
    L(LINK_CMOVO, "cmovo r64, r64")                                                                \
    L(LINK_CMOVP, "cmovp r64, r64")                                                                \
    L(LINK_PSHUFD, "pshufd xmm, xmm, imm8")                                                        \
    L(LINK_VPSHUFD, "vpshufd xmm, xmm, imm8")                                                      \
    L(LINK_MOVQ_R_X, "movq r64, xmm")                                                              \
    L(LINK_VMOVQ_R_X, "vmovq r64, xmm")                                                            \
    L(LINK_MOVQ_X_R, "movq xmm, r64")                                                              \
    L(LINK_VMOVQ_X_R, "vmovq xmm, r64")                                                            \
    L(LINK_VPAND, "vpand xmm, xmm, xmm")                                                           \
    L(LINK_VPOR, "vpor xmm, xmm, xmm")                                                             \
    L(LINK_VANDPS_Y, "vandps ymm, ymm, ymm")                                                       \
    L(LINK_VORPS_Y, "vorps ymm, ymm, ymm")                                                         \
    L(LINK_VPAND_Z, "{evex} vpandd zmm, zmm, zmm")                                                 \
    L(LINK_VPOR_Z, "{evex} vpord zmm, zmm, zmm")                                                   \
    L(LINK_KMOV_R_K, "kmovw r32, k")                                                               \
    L(LINK_KMOV_K_R, "kmovw k, r32")                                                               \
    L(LINK_KXNOR, "kxnorw k, k, k")                                                                \
    L(LINK_MOVQ_R_MM, "movq r64, mm")                                                              \
    L(LINK_MOVQ_MM_R, "movq mm, r64")                                                              \
    L(LINK_MOVQ_MM_M, "movq mm, m64")                                                              \
    L(LINK_LOAD8, "movzx r32, m8")                                                                 \
    L(LINK_LOAD16, "movzx r32, m16")                                                               \
    L(LINK_LOAD32, "mov r32, m32")                                                                 \
    L(LINK_LOAD64, "mov r64, m64")                                                                 \
    L(LINK_STORE8, "mov m8, r8")                                                                   \
    L(LINK_STORE16, "mov m16, r16")                                                                \
    L(LINK_STORE32, "mov m32, r32")                                                                \
    L(LINK_STORE64, "mov m64, r64")                                                                \
    L(LINK_LOAD128, "movups xmm, m128")                                                            \
    L(LINK_STORE128, "movups m128, xmm")                                                           \
    L(LINK_VLOAD128, "vmovups xmm, m128")                                                          \
    L(LINK_VSTORE128, "vmovups m128, xmm")                                                         \
    L(LINK_VLOAD256, "vmovups ymm, m256")                                                          \
    L(LINK_VSTORE256, "vmovups m256, ymm")                                                         \
    L(LINK_VLOAD512, "{evex} vmovups zmm, m512")                                                   \
    L(LINK_VSTORE512, "{evex} vmovups m512, zmm")                                                  \
    L(LINK_PCMPEQ, "vpcmpeqd xmm, xmm, xmm")                                                       \
    L(LINK_PCMPEQ_Y, "vpcmpeqd ymm, ymm, ymm")                                                     \
    L(LINK_RORX, "rorx r64, r64, imm8")                                                            \
    L(LINK_IMUL, "imul r64, r64, imm8")                                                            \
    L(LINK_VPADDD, "vpaddd xmm, xmm, xmm")                                                         \
    L(LINK_VADDPS, "vaddps xmm, xmm, xmm")                                                         \
    L(LINK_VMULPS, "vmulps xmm, xmm, xmm")                                                         \
    L(LINK_VDIVPS, "vdivps xmm, xmm, xmm")                                                         \
    L(LINK_ADD_1, "add r64, imm8")                                                                 \
    L(LINK_PSHUFW, "pshufw mm, mm, imm8")                                                          \
    L(LINK_SHUFPS, "shufps xmm, xmm, imm8")                                                        \
    L(LINK_VSHUFPS, "vshufps ymm, ymm, ymm, imm8")                                                 \
    L(LINK_VPSHUFD_Y, "vpshufd ymm, ymm, imm8")                                                    \
    L(LINK_VSHUFPS_Z, "{evex} vshufps zmm, zmm, zmm, imm8")                                        \
    L(LINK_VPSHUFD_Z, "{evex} vpshufd zmm, zmm, imm8")                                             \
    L(LINK_XOR, "xor r32, r32")                                                                    \
    L(LINK_NOP, "nop")                                                                             \
    L(LINK_DEC, "dec m64")                                                                         \
    L(LINK_FNINIT, "fninit")                                                                       \
    L(LINK_FLD1, "fld1")                                                                           \
    L(LINK_EMMS, "emms")                                                                           \
    L(LINK_VZEROUPPER, "vzeroupper")
#define INSN_LINK_ID(id, name) id,
enum insn_link { INSN_LINK(INSN_LINK_ID) LINKS };

static inline bool insn_is_store(unsigned link)
{
    return (link >= LINK_STORE8 && link <= LINK_STORE64) || link == LINK_STORE128 ||
           link == LINK_VSTORE128 || link == LINK_VSTORE256 || link == LINK_VSTORE512;
}

struct insn_links {
    const struct insn_form *form[LINKS];
};

/* Looks up all links by name. Returns NULL, or the name of one that is not in the table. */
const char *insn_links_find(struct insn_links *l);

/*
 * Values of operands that change the time of a form. A form has one row for each of them.
 */

/* The values, the ending of the form's name, RCX for repetitions, and the immediate. The usual
 * values are 1 in each register and lane, so that results stay the same in a chain, 64 repetitions,
 * and 2 as the immediate. Slow ones have all bits of a quotient or a root. Denormal ones make some
 * CPUs call microcode. */
#define INSN_VALUES(V)                                                                             \
    V(INSN_USUAL, "", 64, 2)                                                                       \
    V(INSN_SLOW, " [slow]", 64, 2)                                                                 \
    V(INSN_DENORMAL, " [denormal]", 64, 2)                                                         \
    V(INSN_IMM_0, " [imm8=0]", 64, 0)                                                              \
    V(INSN_IMM_1, " [imm8=1]", 64, 1)                                                              \
    V(INSN_IMM_31, " [imm8=31]", 64, 31)                                                           \
    V(INSN_IMM_255, " [imm8=255]", 64, 255)                                                        \
    V(INSN_IMM_4096, " [imm32=4096]", 64, 4096)                                                    \
    V(INSN_TIMES_0, " [rcx=0]", 0, 2)                                                              \
    V(INSN_TIMES_1, " [rcx=1]", 1, 2)                                                              \
    V(INSN_TIMES_2, " [rcx=2]", 2, 2)                                                              \
    V(INSN_TIMES_4096, " [rcx=4096]", 4096, 2)
#define INSN_VALUES_ID(id, name, repeats, immediate) id,
enum insn_values { INSN_VALUES(INSN_VALUES_ID) INSN_VALUES_COUNT };

/* Returns the element type of the vectors and the memory that the form reads. */
unsigned insn_element(const struct insn_view *v);

/* Lists the values that the form has a row for, the usual ones first. Returns their number. */
unsigned insn_values(const struct insn_view *v, uint8_t to[INSN_VALUES_COUNT]);

/* Returns whether copies need their fixed registers set again: quotients would grow without it. */
bool insn_values_break(const struct insn_view *v, unsigned values);

/* Returns whether copies may be in a loop: slow quotients in the same register approach 0. */
static inline bool insn_values_can_loop(unsigned values)
{
    return values != INSN_SLOW;
}

/* Returns whether they are repetitions, which nothing in a chain changes. */
static inline bool insn_values_last(unsigned values)
{
    return values >= INSN_TIMES_0;
}

/* Returns whether a chain must keep the values of registers: their time depends on these. */
static inline bool insn_values_kept(unsigned values)
{
    return values == INSN_SLOW || values == INSN_DENORMAL;
}

extern const struct insn_values_facts {
    const char *name;
    uint32_t repeats, immediate;
} insn_values_of[INSN_VALUES_COUNT];

/* The content of RAX and RDX for slow integer division. */
#define INSN_SLOW_RAX 0x123456789abc1234
#define INSN_SLOW_RDX 0x1234567812341212

#endif
