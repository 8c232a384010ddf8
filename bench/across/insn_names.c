#include "bench/across/insn_names.h"
#include "lib/insn/table.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

enum { ELEMENT_BYTES = 3, ARRAY_BYTES = 6 }; /* quotes, comma and brackets */

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
        fmt(out, "the CPU does not have %s", insn_feature_name((enum insn_feature)row->lacks));
    else if (row->why != INSN_RUNS)
        fmt(out, "%s", insn_why_text((enum insn_why)row->why));
    else
        fmt(out, "the time of time= was over, or the run was stopped");
}

void insn_names_begin(struct insn_names *n)
{
    n->head[0] = '\0';
    n->bytes = 0;
}

void insn_names_end(struct insn_names *n, struct json *j)
{
    if (n->head[0] && j)
        json_close(j);
    n->head[0] = '\0';
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

void insn_names_add(struct insn_names *n, const struct insn_row *row, struct json *j)
{
    char head[INSN_NAME_MOST], name[INSN_NAME_MOST];
    struct sink_buf begins, whole;

    sink_buf_init(&begins, head, sizeof head);
    insn_name_head(insn_form(row->form), &begins.sink);
    sink_buf_init(&whole, name, sizeof name);
    insn_row_name(row, &whole.sink);
    if (!str_eq(head, n->head)) {
        insn_names_end(n, j);
        if (j) {
            json_array(j, NULL);
            json_str(j, NULL, head);
        }
        memcpy(n->head, head, sizeof n->head);
        n->bytes += begins.used + ARRAY_BYTES;
    }
    char *rest = name + begins.used + (name[begins.used] == ' ');
    close_up(rest);
    if (j)
        json_str(j, NULL, rest);
    n->bytes += strlen(rest) + ELEMENT_BYTES;
}
