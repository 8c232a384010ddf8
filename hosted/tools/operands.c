/*
 * Shows what one instruction reads and writes, by Zydis, and re-encodes it with other operands.
 *   operands describe BYTES              one JSON line: its properties
 *   operands rewrite BYTES CHANGES ...   one JSON line for each CHANGES: its bytes and its text
 * BYTES: machine code in hexadecimal, one instruction. CHANGES: comma-separated words of the form
 * N=REGISTER, N.base=REGISTER, N.index=REGISTER or N.disp=NUMBER, where N is the number of an
 * operand in the output of describe; REGISTER is `none` for no register. A line of rewrite has
 * `wrong` if there is no such instruction. Exit status: 0, 1 if the bytes are not an instruction, 2
 * if the words are wrong.
 */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/text/json.h"

enum { GOOD, NO_INSTRUCTION, USAGE };
enum { TEXT = 160, CHANGES_MOST = 400 };

struct decoded {
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

static void write_out(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout);
}

static struct sink out = {write_out};

/* Returns whether the bytes are this one instruction. */
static bool decode(struct decoded *d, const uint8_t *bytes, size_t n)
{
    ZydisDecoder decoder;

    memset(d, 0, sizeof *d);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &d->in, d->operand)) &&
           d->in.length == n;
}

static const char *text_of(const struct decoded *d, char text[TEXT])
{
    ZydisFormatter formatter;

    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &d->in, d->operand,
                                                      d->in.operand_count_visible, text, TEXT,
                                                      ZYDIS_RUNTIME_ADDRESS_NONE, ZYAN_NULL)))
        strcpy(text, ZydisMnemonicGetString(d->in.mnemonic));
    return text;
}

/* --- describe --------------------------------------------------------------------------------- */

/* Returns NULL for no register: its member is then omitted. */
static const char *name_of(ZydisRegister r)
{
    return r != ZYDIS_REGISTER_NONE ? ZydisRegisterGetString(r) : NULL;
}

/* Returns the largest register that contains this one. */
static ZydisRegister whole_of(ZydisRegister r)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

    return whole == ZYDIS_REGISTER_NONE ? r : whole;
}

static void say_place(struct json *j, const ZydisDecodedOperand *o)
{
    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
        JSON_PUT(j, JSON_IS("kind", "register"), JSON_IS("register", name_of(o->reg.value)),
                 JSON_IS("whole", name_of(whole_of(o->reg.value))));
    else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
        /* A computed address and an address used as a hint are not accesses. */
        JSON_PUT(j, JSON_IS("kind", o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? "address" : "memory"),
                 JSON_BOOL("vectors", o->mem.type == ZYDIS_MEMOP_TYPE_VSIB),
                 JSON_IS("base", name_of(o->mem.base)), JSON_IS("index", name_of(o->mem.index)),
                 JSON_IS("segment", name_of(o->mem.segment)), JSON_IS("scale", o->mem.scale),
                 JSON_IS("disp", o->mem.disp.has_displacement ? o->mem.disp.value : 0));
    else
        JSON_PUT(j, JSON_IS("kind", "number"));
}

static void say_operand(struct json *j, const ZydisDecodedOperand *o)
{
    static const char *const visible[] = {
        [ZYDIS_OPERAND_VISIBILITY_EXPLICIT] = "explicit",
        [ZYDIS_OPERAND_VISIBILITY_IMPLICIT] = "implicit",
        [ZYDIS_OPERAND_VISIBILITY_HIDDEN] = "hidden",
    };

    JSON_PUT(j, JSON_IS("visibility", visible[o->visibility]),
             JSON_BOOL("reads", o->actions & ZYDIS_OPERAND_ACTION_MASK_READ),
             JSON_BOOL("writes", o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE),
             JSON_BOOL("may_write", o->actions & ZYDIS_OPERAND_ACTION_CONDWRITE),
             JSON_IS("bits", o->size), JSON_IS("elements", o->element_count),
             JSON_BOOL("mask", o->encoding == ZYDIS_OPERAND_ENCODING_MASK));
    say_place(j, o);
}

static void say_flags(struct json *j, const char *name, ZydisAccessedFlagsMask mask)
{
    static const struct {
        ZydisAccessedFlagsMask bit;
        const char *name;
    } flags[] = {
        {ZYDIS_CPUFLAG_CF, "CF"}, {ZYDIS_CPUFLAG_PF, "PF"}, {ZYDIS_CPUFLAG_AF, "AF"},
        {ZYDIS_CPUFLAG_ZF, "ZF"}, {ZYDIS_CPUFLAG_SF, "SF"}, {ZYDIS_CPUFLAG_OF, "OF"},
        {ZYDIS_CPUFLAG_DF, "DF"},
    };

    JSON_EACH(j, name, i, sizeof flags / sizeof flags[0],
              JSON_PUT(j, JSON_IF(mask & flags[i].bit, NULL, flags[i].name)));
}

static void describe(struct json *j, const struct decoded *d)
{
    const ZydisAccessedFlags none = {0}, *flags = d->in.cpu_flags ? d->in.cpu_flags : &none;
    static const char *const encodings[] = {
        [ZYDIS_INSTRUCTION_ENCODING_LEGACY] = "legacy",
        [ZYDIS_INSTRUCTION_ENCODING_3DNOW] = "3dnow",
        [ZYDIS_INSTRUCTION_ENCODING_XOP] = "xop",
        [ZYDIS_INSTRUCTION_ENCODING_VEX] = "vex",
        [ZYDIS_INSTRUCTION_ENCODING_EVEX] = "evex",
        [ZYDIS_INSTRUCTION_ENCODING_MVEX] = "mvex",
    };
    const ZydisInstructionAttributes repeats =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    char text[TEXT];

    JSON_PUT(j, JSON_IS("text", text_of(d, text)),
             JSON_IS("mnemonic", ZydisMnemonicGetString(d->in.mnemonic)),
             JSON_IS("category", ZydisCategoryGetString(d->in.meta.category)),
             JSON_IS("encoding", encodings[d->in.encoding]),
             JSON_IS("extension", ZydisISASetGetString(d->in.meta.isa_set)),
             JSON_BOOL("repeats", d->in.attributes & repeats),
             JSON_BOOL("jumps", d->in.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE),
             JSON_BOOL("privileged", d->in.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED));
    say_flags(j, "reads_flags", flags->tested);
    say_flags(j, "writes_flags", flags->modified | flags->set_0 | flags->set_1 | flags->undefined);
    JSON_EACH(j, "operands", i, d->in.operand_count,
              JSON_OBJECT_OF(j, NULL, say_operand(j, &d->operand[i])));
}

/* --- rewrite ---------------------------------------------------------------------------------- */

/* ZYDIS_REGISTER_MAX_VALUE + 1: no such register. */
static ZydisRegister register_by_name(const char *name)
{
    if (!strcmp(name, "none"))
        return ZYDIS_REGISTER_NONE;
    unsigned r = ZYDIS_REGISTER_NONE + 1;
    while (r <= ZYDIS_REGISTER_MAX_VALUE &&
           strcmp(name, ZydisRegisterGetString((ZydisRegister)r)) != 0)
        r++;
    return (ZydisRegister)r;
}

/* Applies one change to the wanted operands. Returns NULL, or what is wrong with its words. */
static const char *change(struct decoded *d, char *word)
{
    char *value = strchr(word, '='), *end;

    if (!value)
        return "a change has a =";
    *value++ = '\0';
    unsigned long n = strtoul(word, &end, 10);
    if (end == word || n >= d->in.operand_count_visible)
        return "no visible operand has this number";
    ZydisDecodedOperand *o = &d->operand[n];
    if (!strcmp(end, ".disp")) {
        o->mem.disp.value = strtoll(value, &end, 0);
        o->mem.disp.has_displacement = o->mem.disp.value != 0;
        return *end || o->type != ZYDIS_OPERAND_TYPE_MEMORY ? "no displacement" : NULL;
    }
    ZydisRegister r = register_by_name(value);
    if ((unsigned)r > ZYDIS_REGISTER_MAX_VALUE)
        return "no register has this name";
    if (!*end && o->type == ZYDIS_OPERAND_TYPE_REGISTER)
        o->reg.value = r;
    else if (!strcmp(end, ".base") && o->type == ZYDIS_OPERAND_TYPE_MEMORY)
        o->mem.base = r;
    else if (!strcmp(end, ".index") && o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        o->mem.index = r;
        o->mem.scale = r == ZYDIS_REGISTER_NONE ? 0 : o->mem.scale ? o->mem.scale : 1;
    } else
        return "the operand has no such part";
    return NULL;
}

static bool is_same_operand(const ZydisDecodedOperand *a, const ZydisDecodedOperand *b)
{
    if (a->type != b->type || a->actions != b->actions || a->size != b->size)
        return false;
    switch (a->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        return a->reg.value == b->reg.value;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        return a->mem.base == b->mem.base && a->mem.index == b->mem.index &&
               (a->mem.index == ZYDIS_REGISTER_NONE || a->mem.scale == b->mem.scale) &&
               a->mem.segment == b->mem.segment && a->mem.type == b->mem.type &&
               (a->mem.disp.has_displacement ? a->mem.disp.value : 0) ==
                   (b->mem.disp.has_displacement ? b->mem.disp.value : 0);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        return a->imm.value.u == b->imm.value.u;
    default:
        return true;
    }
}

/* Returns whether the encoded instruction is the wanted one: the encoder may choose another form.
 * An implicit operand of one form, such as RAX of a short XCHG, is explicit in another. */
static bool is_wanted(const struct decoded *wanted, const struct decoded *made)
{
    if (wanted->in.mnemonic != made->in.mnemonic || wanted->in.encoding != made->in.encoding ||
        wanted->in.operand_count_visible != made->in.operand_count_visible ||
        wanted->in.operand_width != made->in.operand_width ||
        wanted->in.avx.broadcast.mode != made->in.avx.broadcast.mode ||
        wanted->in.avx.rounding.mode != made->in.avx.rounding.mode ||
        wanted->in.avx.mask.mode != made->in.avx.mask.mode)
        return false;
    for (unsigned i = 0; i < wanted->in.operand_count_visible; i++)
        if (!is_same_operand(&wanted->operand[i], &made->operand[i]))
            return false;
    return true;
}

/* Returns NULL, or why there is no such instruction. */
static const char *encode(const struct decoded *wanted, uint8_t *bytes, ZyanUSize *length,
                          struct decoded *made)
{
    ZydisEncoderRequest request;

    *length = ZYDIS_MAX_INSTRUCTION_LENGTH;
    if (!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
            &wanted->in, wanted->operand, wanted->in.operand_count_visible, &request)) ||
        !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, bytes, length)))
        return "no encoding has these operands";
    if (!decode(made, bytes, *length) || !is_wanted(wanted, made))
        return "its encoding is another form";
    return NULL;
}

/* Returns false, after a message, if the words are wrong. */
static bool rewrite(const struct decoded *d, const char *changes)
{
    struct decoded wanted = *d, made;
    char words[CHANGES_MOST];

    if (strlen(changes) >= sizeof words) {
        fprintf(stderr, "operands: changes take at most %d characters\n", CHANGES_MOST - 1);
        return false;
    }
    strcpy(words, changes);
    for (char *word = strtok(words, ","); word; word = strtok(NULL, ",")) {
        const char *why = change(&wanted, word);
        if (why) {
            fprintf(stderr, "operands: %s: %s\n", changes, why);
            return false;
        }
    }
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZyanUSize length;
    const char *why = encode(&wanted, bytes, &length, &made);
    char text[TEXT], hex[2 * ZYDIS_MAX_INSTRUCTION_LENGTH + 1];
    struct json j;
    for (ZyanUSize i = 0; !why && i < length; i++)
        snprintf(&hex[2 * i], 3, "%02x", bytes[i]);
    if (why)
        JSON_PUT_LINE(&j, &out, JSON_IS("wrong", why));
    else
        JSON_PUT_LINE(&j, &out, JSON_IS("bytes", hex), JSON_IS("text", text_of(&made, text)));
    return true;
}

/* Returns the number of bytes; 0: not hexadecimal, or too many digits. */
static size_t bytes_of(const char *hex, uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH])
{
    size_t digits = strlen(hex);

    if (digits % 2 || digits / 2 > ZYDIS_MAX_INSTRUCTION_LENGTH ||
        strspn(hex, "0123456789abcdefABCDEF") != digits)
        return 0;
    for (size_t i = 0; i < digits / 2; i++) {
        const char two[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return digits / 2;
}

int main(int argc, char **argv)
{
    struct decoded d;
    struct json j;
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    bool describes = argc == 3 && !strcmp(argv[1], "describe");

    if (!describes && (argc < 4 || strcmp(argv[1], "rewrite") != 0)) {
        fprintf(stderr, "usage: operands describe BYTES | operands rewrite BYTES CHANGES ...\n");
        return USAGE;
    }
    size_t n = bytes_of(argv[2], bytes);
    if (!n || !decode(&d, bytes, n))
        return NO_INSTRUCTION;
    if (describes)
        JSON_LINE_OF(&j, &out, describe(&j, &d));
    for (int i = 3; !describes && i < argc; i++)
        if (!rewrite(&d, argv[i]))
            return USAGE;
    return GOOD;
}
