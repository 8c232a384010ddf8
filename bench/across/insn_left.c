#include "bench/across/insn_left.h"
#include "bench/across/insn_names.h"
#include "lib/text/json.h"

#define NAMES_A_RECORD 64

static bool has_reason_of(const struct insn_row *a, const struct insn_row *b)
{
    return a->why == b->why && a->lacks == b->lacks;
}

/* Writes the forms from row `first` on that share its reason. */
static void record_reason(const struct run_facts *run, const struct insn_table *t, unsigned first,
                          struct report *r)
{
    struct insn_names names;
    struct sink_buf why;
    char text[160];
    struct json j;
    unsigned in_record = 0;

    sink_buf_init(&why, text, sizeof text);
    insn_why_not(&t->row[first], &why.sink);
    insn_names_begin(&names);
    for (unsigned i = first; i < t->rows; i++) {
        if (insn_was_run(&t->row[i]) || !has_reason_of(&t->row[i], &t->row[first]))
            continue;
        if (in_record == 0) {
            if (!report_record(r, &j, "insn_left"))
                return;
            json_u64(&j, "core", run->core);
            json_str(&j, "why", text);
            json_array(&j, "forms");
        }
        insn_names_add(&names, &t->row[i], &j);
        if (++in_record == NAMES_A_RECORD) {
            insn_names_end(&names, &j);
            json_end(&j);
            in_record = 0;
        }
    }
    insn_names_end(&names, &j);
    if (in_record > 0)
        json_end(&j);
}

void insn_record_left(const struct run_facts *run, const struct insn_table *t, struct report *r)
{
    for (unsigned i = t->links; i < t->rows; i++) {
        bool is_first = !insn_was_run(&t->row[i]);
        for (unsigned k = t->links; k < i && is_first; k++)
            is_first = insn_was_run(&t->row[k]) || !has_reason_of(&t->row[k], &t->row[i]);
        if (is_first)
            record_reason(run, t, i, r);
    }
}
