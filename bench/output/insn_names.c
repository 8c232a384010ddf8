#include "bench/output/insn_names.h"
#include "lib/insn/form.h"
#include "lib/text/fmt.h"

void insn_end_name(const struct insn_end *e, struct sink *out)
{
    static const char *const parts[] = {
        [INSN_DATA] = "", [INSN_BASE_PART] = "b", [INSN_INDEX_PART] = "i"};

    if (e->part == INSN_FLAGS_PART)
        fmt(out, "f");
    else
        fmt(out, "%u%s", e->operand, parts[e->part]);
}

void insn_pair_name(const struct insn_cell *c, struct sink *out)
{
    insn_end_name(&c->id.in, out);
    fmt(out, ">");
    insn_end_name(&c->id.out, out);
}

void insn_why_not(const struct insn_row *row, struct sink *out)
{
    if (row->why == INSN_CPU_LACKS)
        fmt(out, "the CPU does not have %s", insn_feature_names[row->lacks]);
    else if (row->why != INSN_RUNS)
        fmt(out, "%s", insn_why_texts[row->why]);
    else
        fmt(out, "the time of time= was over, or the run was stopped");
}

/* Drops the blank after each comma. */
static void close_up(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        *to++ = *from;
        from += *from == ',' && from[1] == ' ';
    }
    *to = '\0';
}

void insn_rest_name(const struct insn_row *row, struct sink *out)
{
    char head[INSN_NAME_MOST], name[INSN_NAME_MOST];
    struct sink_buf begins, whole;

    sink_buf_init(&begins, head, sizeof head);
    insn_name_head(insn_form(row->form), &begins.sink);
    sink_buf_init(&whole, name, sizeof name);
    insn_row_name(row, &whole.sink);
    close_up(name);
    fmt(out, "%s", name + begins.used + (name[begins.used] == ' '));
}

void insn_pairs_name(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    const char *between = "";

    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        if (c->id.kind != INSN_TEST_LATENCY)
            continue;
        fmt(out, "%s", between);
        insn_pair_name(c, out);
        between = " ";
    }
}
