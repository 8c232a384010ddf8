#include "lib/insn/tests.h"
#include "lib/insn/fillers.h"
#include "lib/insn/program.h"

enum insn_why insn_test(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                        const struct insn_test_id *id)
{
    struct insn_view v;

    switch (id->kind) {
    case INSN_TEST_STRAIGHT:
        insn_view(&v, f, decoration);
        return insn_has_breaks(&v) ? insn_throughput(t, f, decoration, INSN_MIXED, true)
                                   : insn_throughput(t, f, decoration, INSN_DISTINCT, false);
    case INSN_TEST_DISTINCT:
        return insn_throughput(t, f, decoration, INSN_DISTINCT, false);
    case INSN_TEST_BREAKS:
        return insn_throughput(t, f, decoration, INSN_MIXED, true);
    case INSN_TEST_SAME:
        return insn_throughput(t, f, decoration, INSN_SAME, false);
    case INSN_TEST_ONE_LINE:
        return insn_throughput(t, f, decoration, INSN_ONE_LINE, false);
    case INSN_TEST_SLOTS:
        return insn_throughput(t, f, decoration, INSN_MIXED, true);
    case INSN_TEST_MIXED:
        insn_view(&v, f, decoration);
        return insn_throughput(t, f, decoration, INSN_MIXED, insn_has_breaks(&v));
    case INSN_TEST_FILLERS:
        return insn_throughput(t, f, decoration, INSN_MIXED, false);
    default:
        return insn_values_kept(id->other) ? insn_kept_latency(t, f, decoration, id->in, id->out)
                                           : insn_latency(t, f, decoration, id->in, id->out);
    }
}

/* Returns whether two operands in one register file can be chosen, so that they can be the same. */
static bool can_be_same(const struct insn_view *v)
{
    unsigned chosen[FILE_NONE + 1] = {0};

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if (o->kind == INSN_REGISTER && o->field != INSN_FIXED && o->field != INSN_MASK)
            chosen[insn_file_of(o->class)]++;
    }
    for (unsigned i = 0; i < FILE_NONE; i++)
        if (chosen[i] > 1)
            return true;
    return false;
}

/* Returns whether the end of a loop takes longer after copies than after fillers: EMMS and
 * FNINIT. */
static bool has_old_state(const struct insn_view *v)
{
    for (unsigned i = 0; i < v->operands; i++) {
        enum insn_file file = insn_file_of(v->operand[i].class);
        if (v->operand[i].kind == INSN_REGISTER && (file == FILE_MMX || file == FILE_X87))
            return true;
    }
    return false;
}

static bool is_of_use(const struct insn_view *v, unsigned kind)
{
    if (kind == INSN_TEST_BREAKS)
        return insn_has_breaks(v);
    if (kind == INSN_TEST_SLOTS)
        return insn_can_turn(v) && !has_old_state(v) && !(v->form->properties & INSN_SERIAL);
    if (kind == INSN_TEST_STRAIGHT)
        return insn_can_loop(v);
    return kind != INSN_TEST_SAME || can_be_same(v);
}

/* Adds the pairs that have a chain with these values. */
static unsigned add_pairs(const struct insn_view *v, unsigned values,
                          struct insn_test_id to[INSN_TESTS_MOST], unsigned n)
{
    struct insn_end in[INSN_ENDS_MOST], out[INSN_ENDS_MOST];
    unsigned ins = insn_inputs(v, in), outs = insn_outputs(v, out);
    struct insn_test t;

    for (unsigned i = 0; i < ins * outs && n < INSN_TESTS_MOST; i++) {
        struct insn_test_id id = {INSN_TEST_LATENCY, (uint8_t)values, in[i / outs], out[i % outs]};
        if (insn_test(&t, v->form, v->decoration, &id) == INSN_RUNS)
            to[n++] = id;
    }
    return n;
}

/* Another immediate leaves the tests as they are, without the throughputs of variants. */
static unsigned with_immediate(const struct insn_view *v, unsigned values,
                               struct insn_test_id to[INSN_TESTS_MOST])
{
    static const uint8_t kinds[] = {INSN_TEST_DISTINCT, INSN_TEST_BREAKS, INSN_TEST_SLOTS};
    unsigned n = 0;

    for (unsigned i = 0; i < sizeof kinds; i++)
        if (is_of_use(v, kinds[i]))
            to[n++] = (struct insn_test_id){.kind = kinds[i]};
    return add_pairs(v, values, to, n);
}

unsigned insn_tests_with(const struct insn_form *f, unsigned decoration, unsigned values,
                         struct insn_test_id to[INSN_TESTS_MOST])
{
    struct insn_view v;

    insn_view(&v, f, decoration);
    if (!insn_values_kept(values) && !insn_values_last(values))
        return with_immediate(&v, values, to);
    to[0] = (struct insn_test_id){.kind = insn_values_break(&v, values) ? INSN_TEST_BREAKS
                                                                        : INSN_TEST_DISTINCT};
    return insn_values_last(values) ? 1 : add_pairs(&v, values, to, 1);
}

unsigned insn_tests(const struct insn_form *f, unsigned decoration,
                    struct insn_test_id to[INSN_TESTS_MOST])
{
    struct insn_view v;
    struct insn_test t;
    unsigned n = 0;

    insn_view(&v, f, decoration);
    for (unsigned kind = INSN_TEST_DISTINCT; kind < INSN_TEST_LATENCY; kind++) {
        struct insn_test_id id = {.kind = (uint8_t)kind};
        if (is_of_use(&v, kind) && insn_test(&t, f, decoration, &id) == INSN_RUNS)
            to[n++] = id;
    }
    n = add_pairs(&v, INSN_USUAL, to, n);
    for (unsigned b = 0; b < BLOCKERS && insn_can_mix(&v) && f->why == INSN_RUNS; b++)
        if (n < INSN_TESTS_MOST)
            to[n++] = (struct insn_test_id){.kind = INSN_TEST_MIXED, .other = (uint8_t)b};
    return n;
}

bool insn_has_states(unsigned kind)
{
    return kind == INSN_TEST_DISTINCT || kind == INSN_TEST_BREAKS || kind == INSN_TEST_SAME ||
           kind == INSN_TEST_ONE_LINE || kind == INSN_TEST_STRAIGHT;
}
