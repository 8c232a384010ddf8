#include "lib/insn/dependency.h"
#include "lib/text/str.h"

enum { RSP = 4 };

static bool is_address(const struct insn_operand *o)
{
    return o->kind == INSN_MEMORY || o->kind == INSN_ADDRESS;
}

static bool is_rsp(const struct insn_operand *o)
{
    return o->field == INSN_FIXED && o->class <= INSN_R64 && o->number == RSP;
}

/* Returns whether a chain can go through the operand. */
static bool is_data(const struct insn_operand *o)
{
    if (is_rsp(o))
        return false;
    return o->kind == INSN_MEMORY || (o->kind == INSN_REGISTER && o->class <= INSN_K);
}

static unsigned add(struct insn_end *to, unsigned n, unsigned part, unsigned operand)
{
    to[n].part = (uint8_t)part;
    to[n].operand = (uint8_t)operand;
    return n + 1;
}

static unsigned add_address(const struct insn_view *v, struct insn_end *to, unsigned n, unsigned i)
{
    const struct insn_operand *o = &v->operand[i];

    if (o->field == INSN_RM) {
        n = add(to, n, INSN_BASE_PART, i);
        n = add(to, n, INSN_INDEX_PART, i);
    } else if (o->field == INSN_REG_BASE ||
               (o->field == INSN_FIXED && !is_rsp(o) && !insn_is_listed(v, o->number))) {
        n = add(to, n, INSN_BASE_PART, i);
    }
    return n;
}

unsigned insn_inputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST])
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if (o->access & INSN_READ && is_data(o) && !insn_is_base(v, o))
            n = add(to, n, INSN_DATA, i);
        if (is_address(o))
            n = add_address(v, to, n, i);
    }
    return v->flags.read & INSN_STATUS ? add(to, n, INSN_FLAGS_PART, 0) : n;
}

unsigned insn_outputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST])
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->operands; i++)
        if (v->operand[i].access & INSN_WRITE && is_data(&v->operand[i]))
            n = add(to, n, INSN_DATA, i);
    return v->flags.written & INSN_STATUS ? add(to, n, INSN_FLAGS_PART, 0) : n;
}

static const char *const names[] = {
#define LINK_NAME(id, name) name,
    INSN_LINK(LINK_NAME)};

/* A fast check of the mnemonic. */
static bool may_be(const struct insn_form *f, const char *name)
{
    static const char evex[] = "{evex} ";

    if (f->encoding == INSN_EVEX) {
        if (!str_starts(name, evex))
            return false;
        name += sizeof evex - 1;
    }
    return str_starts(name, insn_mnemonic(f));
}

static bool is_named(const struct insn_form *f, const char *name)
{
    char text[96];
    struct sink_buf to;

    if (!may_be(f, name))
        return false;
    sink_buf_init(&to, text, sizeof text);
    insn_name(f, INSN_PLAIN, &to.sink);
    return str_eq(text, name);
}

const char *insn_links_find(struct insn_links *l)
{
    for (unsigned i = 0; i < LINKS; i++) {
        unsigned at = 0;
        while (at < insn_count() && !is_named(insn_form(at), names[i]))
            at++;
        if (at == insn_count())
            return names[i];
        l->form[i] = insn_form(at);
    }
    return NULL;
}
