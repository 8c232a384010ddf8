#include "lib/insn/links.h"
#include "lib/insn/table.h"
#include "lib/text/str.h"

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
