#include "lib/insn/form.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* Expands table.def, one kind of line at a time. */
#define NAME(text)
#define FLAGS(...)
#define OPERAND(...)
#define LIST(...)
#define FORM(...)

#undef NAME
#define NAME(text) text "\0"
static const char names[] =
#include "lib/insn/table.def"
    ;
#undef NAME
#define NAME(text)

#undef FLAGS
#define FLAGS(...) {__VA_ARGS__},
static const struct insn_flags flag_sets[] = {
#include "lib/insn/table.def"
};
#undef FLAGS
#define FLAGS(...)

#undef OPERAND
#define OPERAND(...) {__VA_ARGS__},
static const struct insn_operand operands[] = {
#include "lib/insn/table.def"
};
#undef OPERAND
#define OPERAND(...)

#undef LIST
#define LIST(...) __VA_ARGS__,
static const uint16_t lists[] = {
#include "lib/insn/table.def"
};
#undef LIST
#define LIST(...)

#undef FORM
#define FORM(...) {__VA_ARGS__},
static const struct insn_form forms[] = {
#include "lib/insn/table.def"
};

const struct insn_class_facts insn_classes[] = {
#define CLASS_FACTS(id, ...) {__VA_ARGS__},
    INSN_CLASS(CLASS_FACTS)};

_Static_assert(sizeof(struct insn_form) == 20, "a form costs 20 bytes of the image");

unsigned insn_count(void)
{
    return sizeof forms / sizeof forms[0];
}

const struct insn_form *insn_form(unsigned i)
{
    return &forms[i];
}

const char *insn_mnemonic(const struct insn_form *f)
{
    return names + f->name;
}

unsigned insn_decorations(const struct insn_form *f, uint8_t to[INSN_DECORATIONS_MOST])
{
    static const uint8_t masks[] = {INSN_PLAIN, INSN_MERGE, INSN_ZERO};
    static const uint8_t others[] = {INSN_PLAIN, INSN_BROADCAST, INSN_ROUND, INSN_SAE};
    unsigned n = 0;

    for (unsigned o = 0; o < sizeof others; o++)
        for (unsigned m = 0; m < sizeof masks; m++)
            if (!((masks[m] | others[o]) & ~f->decorations))
                to[n++] = masks[m] | others[o];
    return n;
}

/* A merging mask makes the old value of a vector an input, but not that of a mask or memory. */
static void add_mask(struct insn_operand *to, unsigned *n, bool merges)
{
    static const struct insn_operand mask = {.kind = INSN_REGISTER,
                                             .field = INSN_MASK,
                                             .class = INSN_K,
                                             .access = INSN_READ,
                                             .bits = 64};

    if (to[0].kind == INSN_REGISTER && to[0].class != INSN_K && merges)
        to[0].access |= INSN_READ;
    to[(*n)++] = mask;
}

unsigned insn_operands(const struct insn_form *f, unsigned decoration,
                       struct insn_operand to[INSN_OPERANDS_MOST])
{
    unsigned n = lists[f->operands];

    for (unsigned i = 0; i < n; i++) {
        to[i] = operands[lists[f->operands + 1 + i]];
        if (decoration & INSN_BROADCAST && to[i].kind == INSN_MEMORY)
            to[i].bits = (uint16_t)INSN_BROADCAST_BITS(f->decorations);
    }
    if (decoration & (INSN_MERGE | INSN_ZERO) && n < INSN_OPERANDS_MOST)
        add_mask(to, &n, decoration & INSN_MERGE);
    return n;
}

void insn_view(struct insn_view *v, const struct insn_form *f, unsigned decoration)
{
    v->form = f;
    v->decoration = (uint8_t)decoration;
    v->operands = insn_operands(f, decoration, v->operand);
    v->flags = flag_sets[f->flags];
}

static bool is_one_of(uint32_t values, unsigned value)
{
    return !values || (value < 32 && values >> value & 1);
}

const struct insn_operand *insn_find(const struct insn_view *v, struct insn_pattern p)
{
    for (const struct insn_operand *o = v->operand; o < v->operand + v->operands; o++)
        if (is_one_of(p.kinds, o->kind) && is_one_of(p.fields, o->field) &&
            is_one_of(p.classes, o->class) && is_one_of(p.numbers, o->number) &&
            (!p.access || p.access & o->access))
            return o;
    return NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Writes the name of a register that the form fixes. */
static void fixed_name(const struct insn_operand *o, struct sink *out)
{
    static const char *const legacy[] = {"a", "c", "d", "b", "sp", "bp", "si", "di"};
    static const char *const segments[] = {"es", "cs", "ss", "ds", "fs", "gs", "?", "?"};
    unsigned n = o->number & 7;

    if (o->class == INSN_SEG)
        fmt(out, "%s", segments[n]);
    else if (o->class > INSN_R64)
        fmt(out, "%s%u", insn_classes[o->class].name, o->number);
    else if (o->class == INSN_R8)
        fmt(out, "%sl", legacy[n]);
    else
        fmt(out, "%s%s%s",
            o->class == INSN_R64   ? "r"
            : o->class == INSN_R32 ? "e"
                                   : "",
            legacy[n], n < 4 ? "x" : "");
}

static void operand_name(const struct insn_operand *o, struct sink *out)
{
    switch (o->kind) {
    case INSN_REGISTER:
        if (o->field == INSN_FIXED)
            fixed_name(o, out);
        else
            fmt(out, "%s", insn_classes[o->class].name);
        return;
    case INSN_MEMORY:
        if (o->field == INSN_MOFFS)
            fmt(out, "moffs%u", o->bits);
        else if (o->class != INSN_R64)
            fmt(out, "vm%u%s", o->bits, insn_classes[o->class].name);
        else
            fmt(out, "m%u", o->bits);
        return;
    case INSN_ADDRESS:
        fmt(out, "address");
        return;
    case INSN_RELATIVE:
        fmt(out, "rel%u", o->bits);
        return;
    default:
        if (o->field == INSN_FIXED)
            fmt(out, "%u", o->number);
        else
            fmt(out, "imm%u", o->bits);
    }
}

static void decoration_name(const struct insn_form *f, unsigned decoration, struct sink *out)
{
    struct insn_operand o[INSN_OPERANDS_MOST];
    unsigned n = insn_operands(f, INSN_PLAIN, o);

    for (unsigned i = 0; i < n && decoration & INSN_BROADCAST; i++)
        if (o[i].kind == INSN_MEMORY)
            fmt(out, " {1to%u}", o[i].bits / INSN_BROADCAST_BITS(f->decorations));
    if (decoration & (INSN_MERGE | INSN_ZERO) || f->properties & INSN_NEEDS_MASK)
        fmt(out, " {k}%s", decoration & INSN_ZERO ? "{z}" : "");
    if (decoration & (INSN_ROUND | INSN_SAE))
        fmt(out, " %s", decoration & INSN_ROUND ? "{er}" : "{sae}");
}

void insn_name_head(const struct insn_form *f, struct sink *out)
{
    fmt(out, "%s%s", f->encoding == INSN_EVEX ? "{evex} " : "", insn_mnemonic(f));
}

void insn_name(const struct insn_form *f, unsigned decoration, struct sink *out)
{
    struct insn_operand o[INSN_OPERANDS_MOST];
    unsigned n = insn_operands(f, decoration, o);
    const char *between = " ";

    insn_name_head(f, out);
    for (unsigned i = 0; i < n; i++) {
        if (o[i].access & INSN_HIDDEN || o[i].field == INSN_MASK)
            continue;
        fmt(out, "%s", between);
        operand_name(&o[i], out);
        between = ", ";
    }
    decoration_name(f, decoration, out);
}

/* --- texts ------------------------------------------------------------------------------------ */

const char *const insn_why_texts[] = {
#define WHY_TEXT(id, text) text,
    INSN_WHY(WHY_TEXT)};

const char *const insn_feature_names[] = {
#define FEATURE_NAME(id, name, leaf, subleaf, reg, bit) name,
    INSN_FEATURE(FEATURE_NAME)};

#define WORD_MOST 128

/* Writes the form's name as one word. */
static void word_of(const struct insn_form *f, unsigned decoration, struct sink *out)
{
    char name[WORD_MOST];
    struct sink_buf text;

    sink_buf_init(&text, name, sizeof name);
    insn_name(f, decoration, &text.sink);
    for (size_t i = 0; i < text.used; i++)
        if (name[i] != ',')
            out->write(out, name[i] == ' ' ? "_" : &name[i], 1);
}

bool insn_selected(const char *list, const struct insn_form *f, unsigned decoration)
{
    char word[WORD_MOST], pattern[WORD_MOST * 2];
    struct sink_buf text;

    if (decoration == INSN_PLAIN && str_eq(list, "*"))
        return true;
    sink_buf_init(&text, word, sizeof word);
    word_of(f, decoration, &text.sink);
    for (size_t i = 0; glob_list_at(list, i, pattern, sizeof pattern); i++)
        if (glob_match(pattern, word) && (decoration == INSN_PLAIN || str_has(pattern, "{")))
            return true;
    return false;
}

bool insn_any_selected(const char *list)
{
    for (unsigned i = 0; i < insn_count(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST];
        unsigned n = insn_decorations(insn_form(i), decorations);
        for (unsigned k = 0; k < n; k++)
            if (insn_selected(list, insn_form(i), decorations[k]))
                return true;
    }
    return false;
}

enum { XCR0_AVX = 0x6, XCR0_AVX512 = 0xe6 };

static const struct {
    uint32_t leaf, subleaf;
    uint8_t reg, bit;
} bits[] = {
#define FEATURE_BIT(id, name, leaf, subleaf, reg, bit) {leaf, subleaf, reg, bit},
    INSN_FEATURE(FEATURE_BIT)};

static bool states(cpuid_fn cpuid, void *ctx, enum insn_feature i)
{
    struct cpuid_regs most = cpuid(ctx, bits[i].leaf & 0xffff0000u, 0);

    if (most.eax < bits[i].leaf)
        return false;
    /* Leaf 7 reports its number of subleaves; others read as 0. */
    if (bits[i].leaf == 7 && bits[i].subleaf > cpuid(ctx, 7, 0).eax)
        return false;
    struct cpuid_regs r = cpuid(ctx, bits[i].leaf, bits[i].subleaf);
    uint32_t words[] = {r.eax, r.ebx, r.ecx, r.edx};
    return words[bits[i].reg] >> bits[i].bit & 1;
}

void insn_support(struct insn_support *s, cpuid_fn cpuid, void *ctx, uint64_t xcr0)
{
    for (unsigned i = 0; i < INSN_FEATURES; i++)
        s->has[i] = bits[i].leaf == 0 || states(cpuid, ctx, (enum insn_feature)i);
    s->avx_on = s->has[INSN_XSAVE] && (xcr0 & XCR0_AVX) == XCR0_AVX;
    s->avx512_on = s->avx_on && (xcr0 & XCR0_AVX512) == XCR0_AVX512;
}

static bool uses(const struct insn_form *f, uint16_t classes)
{
    struct insn_view v;

    insn_view(&v, f, INSN_PLAIN);
    return INSN_FIND(&v, .kinds = 1 << INSN_REGISTER, .classes = classes);
}

enum insn_feature insn_lacks(const struct insn_support *s, const struct insn_form *f)
{
    enum insn_feature feature = (enum insn_feature)f->feature;

    if (!s->has[feature])
        return feature;
    if (f->properties & INSN_VL && !s->has[INSN_AVX512VL])
        return INSN_AVX512VL;
    if ((f->encoding == INSN_EVEX || uses(f, 1 << INSN_K)) &&
        !(s->has[INSN_AVX512F] && s->avx512_on))
        return INSN_AVX512F;
    /* VEX with general registers, as in BMI, needs no vector state. VZEROUPPER names none. */
    bool is_vex = f->encoding == INSN_VEX || f->encoding == INSN_XOP;
    if (is_vex && (uses(f, INSN_VECTORS) || feature == INSN_AVX) &&
        !(s->has[INSN_AVX] && s->avx_on))
        return INSN_AVX;
    return INSN_FEATURES;
}
