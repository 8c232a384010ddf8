/*
 * Prints copies of every form of lib/insn: a line each, whose columns are parted by tabs: bytes in
 * hexadecimal, the form's name, and what a disassembler should say of the copy: its mnemonic and,
 * parted by `|`, its visible operands in Intel's syntax.
 *   insn_copies COPIES     that many copies of each form with each decoration
 * Registers, addresses and numbers are others in each copy. A copy that cannot be encoded is a `-`.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lib/insn/put.h"
#include "lib/insn/form.h"

static void write_out(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout);
}

static struct sink out = {write_out};

static unsigned registers_of(const struct insn_form *f, const struct insn_operand *o)
{
    switch (o->class) {
    case INSN_XMM:
    case INSN_YMM:
    case INSN_ZMM:
        return f->encoding == INSN_EVEX ? 32 : 16;
    case INSN_CR:
    case INSN_DR:
        return 8;
    case INSN_BND:
        return 4;
    case INSN_SEG:
        return 6;
    default:
        return o->class <= INSN_R64 ? 16 : 8;
    }
}

static struct insn_choice choice(const struct insn_form *f, unsigned decoration, unsigned copy)
{
    struct insn_operand o[INSN_OPERANDS_MOST];
    unsigned n = insn_operands(f, decoration, o);
    struct insn_choice c = {.decoration = (uint8_t)decoration,
                            .base = (uint8_t)((3 + copy * 5) % 16),
                            .index = INSN_NO_INDEX,
                            .displacement = (int32_t)(0x1234570 + copy * 0x101),
                            .address = 0x1122334455667788,
                            .immediate = 0x20 + copy};

    for (unsigned i = 0; i < n; i++) {
        unsigned of = registers_of(f, &o[i]);
        c.reg[i] = (uint8_t)((copy * 7 + i * 3 + 1) % of);
        /* Those with a separate meaning, or with none. */
        if (o[i].field == INSN_MASK)
            c.reg[i] = (uint8_t)(1 + copy % 7);
        if (o[i].class == INSN_CR)
            c.reg[i] = copy % 2 ? 8 : 4;
        if (o[i].class == INSN_SEG && o[i].field != INSN_FIXED)
            c.reg[i] = copy % 2 ? 3 : 5;
        if (o[i].kind == INSN_MEMORY && o[i].class != INSN_R64)
            c.index = (uint8_t)((copy * 7 + 14) % (f->encoding == INSN_EVEX ? 32 : 16));
        else if ((o[i].kind == INSN_MEMORY || o[i].kind == INSN_ADDRESS) && copy % 2)
            c.index = (uint8_t)((copy * 3 + 6) % 16 == 4 ? 9 : (copy * 3 + 6) % 16);
    }
    return c;
}

static const char *general(unsigned class, unsigned n)
{
    static const char *const low[][8] = {{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"},
                                         {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"},
                                         {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"},
                                         {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"}};
    static const char *const suffix[] = {"b", "w", "d", ""};
    static char high[16];

    if (n < 8)
        return low[class][n];
    snprintf(high, sizeof high, "r%u%s", n, suffix[class]);
    return high;
}

static void say_register(const struct insn_operand *o, unsigned number)
{
    static const char *const names[] = {
        [INSN_ST] = "st",   [INSN_MM] = "mm", [INSN_XMM] = "xmm", [INSN_YMM] = "ymm",
        [INSN_ZMM] = "zmm", [INSN_K] = "k",   [INSN_TMM] = "tmm", [INSN_BND] = "bnd",
        [INSN_CR] = "cr",   [INSN_DR] = "dr"};
    static const char *const segments[] = {"es", "cs", "ss", "ds", "fs", "gs"};

    if (o->class <= INSN_R64)
        printf("%s", general(o->class, number));
    else if (o->class == INSN_SEG)
        printf("%s", segments[number % 6]);
    else if (o->class == INSN_OTHER)
        printf("?");
    else
        printf("%s%u", names[o->class], number);
}

static void say_memory(const struct insn_operand *o, const struct insn_choice *c, unsigned reg)
{
    static const char *const vectors[] = {[INSN_XMM] = "x", [INSN_YMM] = "y", [INSN_ZMM] = "z"};

    if (o->field == INSN_MOFFS) {
        printf("[0x%llx]", (unsigned long long)c->address);
        return;
    }
    if (o->field != INSN_RM) {
        printf("[%s]", general(INSN_R64, o->field == INSN_FIXED ? o->number : reg));
        return;
    }
    printf("[%s", general(INSN_R64, c->base));
    if (o->class != INSN_R64)
        printf("+%smm%u", vectors[o->class], c->index);
    else if (c->index != INSN_NO_INDEX)
        printf("+%s", general(INSN_R64, c->index));
    printf("+0x%x]", (unsigned)c->displacement);
}

static unsigned long long immediate_of(const struct insn_operand *o, const struct insn_choice *c)
{
    if (o->field == INSN_FIXED)
        return o->number;
    return o->field == INSN_IS4 ? c->immediate & 15 : c->immediate;
}

static void say_copy(const struct insn_form *f, const struct insn_choice *c)
{
    struct insn_operand o[INSN_OPERANDS_MOST];
    unsigned n = insn_operands(f, c->decoration, o);
    const char *between = "\t";

    printf("\t");
    insn_name(f, c->decoration, &out);
    printf("\t%s", insn_mnemonic(f));
    for (unsigned i = 0; i < n; i++) {
        if (o[i].access & INSN_HIDDEN)
            continue;
        printf("%s", between);
        between = "|";
        if (o[i].field == INSN_MASK)
            printf("{k%u}", c->reg[i]);
        else if (o[i].kind == INSN_REGISTER)
            say_register(&o[i], o[i].field == INSN_FIXED ? o[i].number : c->reg[i]);
        else if (o[i].kind == INSN_MEMORY || o[i].kind == INSN_ADDRESS)
            say_memory(&o[i], c, c->reg[0]);
        else if (o[i].kind == INSN_RELATIVE)
            printf("next");
        else
            printf("0x%llx", immediate_of(&o[i], c));
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    unsigned copies = argc == 2 ? (unsigned)atoi(argv[1]) : 0;

    if (copies == 0) {
        fprintf(stderr, "usage: insn_copies COPIES\n");
        return 2;
    }
    for (unsigned i = 0; i < insn_count(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST], bytes[INSN_BYTES_MOST];
        const struct insn_form *f = insn_form(i);
        unsigned n = insn_decorations(f, decorations);
        for (unsigned k = 0; k < n * copies; k++) {
            struct insn_choice c = choice(f, decorations[k % n], k / n);
            unsigned length = insn_copy(f, &c, bytes);
            for (unsigned b = 0; b < length; b++)
                printf("%02x", bytes[b]);
            if (length == 0)
                printf("-");
            say_copy(f, &c);
        }
    }
    return 0;
}
