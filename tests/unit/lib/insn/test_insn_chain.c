#include "lib/insn/program.h"
#include "lib/insn/form.h"

#include "tests/unit/lib/insn/form_named.h"

enum { COPIES = 12, RAX = 0, RDX = 2 };

/* Calls `look` with the chain of every pair that has one, of every form with every decoration. */
static void every_chain(void (*look)(const struct insn_test *t))
{
    for (unsigned i = 0; i < insn_count(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST];
        unsigned n = insn_decorations(insn_form(i), decorations);
        for (unsigned d = 0; d < n; d++) {
            struct insn_end in[INSN_ENDS_MOST], out[INSN_ENDS_MOST];
            struct insn_view v;
            insn_view(&v, insn_form(i), decorations[d]);
            unsigned ins = insn_inputs(&v, in), outs = insn_outputs(&v, out);
            for (unsigned p = 0; p < ins * outs; p++) {
                struct insn_test t;
                if (insn_latency(&t, v.form, decorations[d], in[p / outs], out[p % outs], false) ==
                    INSN_RUNS)
                    look(&t);
            }
        }
    }
}

static unsigned chains;

static bool is_register(const struct insn_test *t, const struct insn_end *e)
{
    return e->part == INSN_DATA && t->view.operand[e->operand].kind == INSN_REGISTER;
}

/* A chain without steps: what a copy writes is what the next one reads, and is not what is written
 * in between. */
static void leads_on(const struct insn_test *t)
{
    chains++;
    if (t->steps > 0) {
        assert_in_range(t->steps, 1, INSN_STEPS_MOST);
        if (is_register(t, &t->out))
            assert_int_equal(t->step[0].from, insn_register(t, t->out.operand, 0));
        if (is_register(t, &t->in))
            assert_int_equal(t->step[t->steps - 1].to, insn_register(t, t->in.operand, 0));
        return;
    }
    assert_int_equal(t->in.part, t->out.part);
    for (unsigned k = 0; k < COPIES && is_register(t, &t->in); k++)
        assert_int_equal(insn_register(t, t->out.operand, k),
                         insn_register(t, t->in.operand, k + 1));
}

TEST(every_chain_leads_on)
{
    chains = 0;
    every_chain(leads_on);
    assert_in_range(chains, 40000, 1000000);
}

/* Another register of a copy than the chain's ends, of the same file, is not the chain's. */
static void stays_apart(const struct insn_test *t)
{
    const struct insn_view *v = &t->view;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i], *end = &v->operand[t->in.operand];
        if (!is_register(t, &t->in) || !is_register(t, &t->out) || i == t->in.operand ||
            i == t->out.operand || o->kind != INSN_REGISTER || o->field == INSN_FIXED ||
            end->field == INSN_FIXED || insn_file_of(o->class) != insn_file_of(end->class))
            continue;
        for (unsigned k = 0; k < COPIES; k++)
            assert_int_not_equal(insn_register(t, i, k), insn_register(t, t->in.operand, k));
    }
}

TEST(no_other_operand_is_the_chain)
{
    every_chain(stays_apart);
}

/* A copy that wrote the temporary of the steps would change the values that these carry on: a count
 * of shifts was 0 instead of 1, which takes another time. */
static void leaves_the_temporaries(const struct insn_test *t)
{
    const struct insn_view *v = &t->view;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        enum insn_file file = insn_file_of(o->class);
        if (o->kind != INSN_REGISTER || o->field == INSN_FIXED)
            continue;
        for (unsigned k = 0; k < COPIES; k++) {
            unsigned number = insn_register(t, i, k);
            assert_false(file == FILE_GENERAL && number == PLAN_TEMPORARY);
            assert_false(file == FILE_VECTOR && number == PLAN_VECTOR_TEMPORARY);
        }
    }
}

TEST(no_copy_writes_what_the_steps_of_a_chain_use)
{
    every_chain(leaves_the_temporaries);
}

/* Returns whether a copy writes operand i into a chosen register. */
static bool is_written(const struct insn_operand *o)
{
    return o->kind == INSN_REGISTER && o->field != INSN_FIXED && o->access & INSN_WRITE;
}

static void repeats(const struct insn_test *t)
{
    unsigned period = insn_period(t);

    for (unsigned i = 0; i < t->view.operands; i++)
        for (unsigned k = 0; k < COPIES && t->view.operand[i].kind == INSN_REGISTER; k++)
            assert_int_equal(insn_register(t, i, k), insn_register(t, i, k + period));
}

/* Code is generated for one period only. */
TEST(copies_repeat_after_a_period)
{
    for (unsigned f = 0; f < insn_count(); f++)
        for (unsigned shape = INSN_DISTINCT; shape <= INSN_MIXED; shape++) {
            struct insn_test t;
            insn_throughput(&t, insn_form(f), INSN_PLAIN, (enum insn_shape)shape, false);
            repeats(&t);
        }
}

TEST(chains_repeat_after_a_period)
{
    every_chain(repeats);
}

/* XCHG writes two registers: the next copy has two others. */
TEST(consecutive_copies_write_other_registers)
{
    for (unsigned f = 0; f < insn_count(); f++) {
        struct insn_test t;
        insn_throughput(&t, insn_form(f), INSN_PLAIN, INSN_DISTINCT, false);
        for (unsigned i = 0; i < t.view.operands; i++)
            for (unsigned j = 0; j < t.view.operands; j++) {
                const struct insn_operand *a = &t.view.operand[i], *b = &t.view.operand[j];
                if (is_written(a) && is_written(b) && a->class <= INSN_K &&
                    insn_file_of(a->class) == insn_file_of(b->class))
                    for (unsigned k = 0; k < COPIES; k++)
                        assert_int_not_equal(insn_register(&t, i, k), insn_register(&t, j, k + 1));
            }
    }
}

/* No operand that is only read is written by any copy, and consecutive copies write different
 * registers. */
TEST(copies_are_independent)
{
    for (unsigned f = 0; f < insn_count(); f++) {
        struct insn_test t;
        insn_throughput(&t, insn_form(f), INSN_PLAIN, INSN_DISTINCT, false);
        for (unsigned i = 0; i < t.view.operands; i++) {
            const struct insn_operand *o = &t.view.operand[i];
            if (o->kind != INSN_REGISTER || o->field == INSN_FIXED || o->class > INSN_K ||
                o->field == INSN_MASK)
                continue;
            if (o->access & INSN_WRITE) {
                assert_int_not_equal(insn_register(&t, i, 0), insn_register(&t, i, 1));
                continue;
            }
            for (unsigned j = 0; j < t.view.operands; j++)
                for (unsigned k = 0; k < COPIES; k++)
                    if (t.view.operand[j].kind == INSN_REGISTER &&
                        t.view.operand[j].access & INSN_WRITE &&
                        insn_file_of(t.view.operand[j].class) == insn_file_of(o->class))
                        assert_int_not_equal(insn_register(&t, i, 0), insn_register(&t, j, k));
        }
    }
}

static void pairs_of(const char *name, unsigned *ins, unsigned *outs)
{
    struct insn_end all[INSN_ENDS_MOST];
    struct insn_view v;

    insn_view(&v, form_named(name), INSN_PLAIN);
    *ins = insn_inputs(&v, all);
    *outs = insn_outputs(&v, all);
}

TEST(inputs_and_outputs_are_counted)
{
    static const struct {
        const char *name;
        unsigned ins, outs;
    } cases[] = {
        {"add r64, r64", 2, 2}, /* in: both; out: the first, flags */
        {"adc r64, r64", 3, 2},
        {"mov r64, m64", 3, 1},     /* data, base, index */
        {"lea r64, address", 2, 1}, /* base, index */
        {"mul r64", 2, 3},          /* RAX and the operand; RAX, RDX, flags */
        {"nop", 0, 0},
        {"push r64", 1, 0}, /* neither RSP nor what it points to */
        {"vpgatherdd xmm, vm32xmm, xmm", 5, 2},
    };
    EACH_CASE (c, cases) {
        unsigned ins, outs;
        pairs_of(c->name, &ins, &outs);
        assert_int_equal(ins, c->ins);
        assert_int_equal(outs, c->outs);
    }
}

static enum insn_link only_step(const char *name, struct insn_end in, struct insn_end out)
{
    struct insn_test t;

    assert_int_equal(insn_latency(&t, form_named(name), INSN_PLAIN, in, out, false), INSN_RUNS);
    assert_int_equal(t.steps, 1);
    return (enum insn_link)t.step[0].link;
}

TEST(each_pair_of_operands_has_its_link)
{
    static const struct insn_end first = {INSN_DATA, 0}, second = {INSN_DATA, 1},
                                 third = {INSN_DATA, 2}, flags = {INSN_FLAGS_PART, 0};
    struct insn_test t;

    assert_int_equal(only_step("movd r32, xmm", second, first), LINK_MOVQ_X_R);
    assert_int_equal(only_step("vmovd r32, xmm", second, first), LINK_VMOVQ_X_R);
    assert_int_equal(only_step("mul r64", second, third), LINK_MOVSXD); /* RDX to RAX */
    assert_int_equal(only_step("adc r64, r64", flags, first), LINK_TEST);
    assert_int_equal(only_step("mov r64, m64", second, first), LINK_STORE64);
    /* An address is made of a result that is 0. */
    insn_latency(&t, form_named("mov r64, m64"), INSN_PLAIN, (struct insn_end){INSN_INDEX_PART, 1},
                 first, false);
    assert_int_equal(t.steps, 2);
    assert_int_equal(t.step[1].link, LINK_AND);
    assert_false(t.at_most);
    insn_latency(&t, form_named("vmovd r32, xmm"), INSN_PLAIN, second, first, false);
    assert_true(t.at_most);
}

TEST(each_form_that_cannot_run_has_a_reason)
{
    static const struct {
        const char *name;
        enum insn_why why;
    } cases[] = {
        {"add r64, r64", INSN_RUNS},
        {"hlt", INSN_PRIVILEGED},
        {"invd", INSN_PRIVILEGED},
        {"mov cr, r64", INSN_PRIVILEGED},
        {"wrfsbase r64", INSN_LOSES_STATE},
        {"mov seg, r16", INSN_LOSES_STATE},
        {"syscall", INSN_KERNEL},
        {"vmcall", INSN_KERNEL},
        {"ud2", INSN_RAISES},
        {"int3", INSN_RAISES},
        {"jmp r64", INSN_JUMPS},
        {"ret", INSN_JUMPS},
        {"jz rel8", INSN_RUNS},
        {"popfq", INSN_NEEDS_IMAGE},
        {"xrstor m4608", INSN_NEEDS_IMAGE},
        {"tdpbssd tmm, tmm, tmm", INSN_NEEDS_TILES},
        {"leave", INSN_MOVES_RSP},
        {"fld1", INSN_MOVES_X87},
        {"fadd st0, st", INSN_RUNS},
        {"umwait r32", INSN_WAITS},
        {"xbegin rel32", INSN_TRANSACTION},
    };
    static const struct insn_end first = {INSN_DATA, 0};
    struct insn_test t;

    EACH_CASE (c, cases)
        assert_int_equal(insn_throughput(&t, form_named(c->name), INSN_PLAIN, INSN_DISTINCT, false),
                         c->why);
    assert_int_equal(insn_latency(&t, form_named("nop"), INSN_PLAIN, first, first, false),
                     INSN_NO_SUCH_PAIR);
    assert_int_equal(insn_throughput(&t, form_named("vpgatherdd xmm, vm32xmm, xmm"), INSN_PLAIN,
                                     INSN_SAME, false),
                     INSN_NOT_ENCODABLE);
    assert_int_equal(
        insn_throughput(&t, form_named("add r64, r64"), INSN_PLAIN, INSN_ONE_LINE, false),
        INSN_NO_SUCH_PAIR);
    assert_int_equal(
        insn_throughput(&t, form_named("add m64, r64"), INSN_PLAIN, INSN_ONE_LINE, false),
        INSN_RUNS);
    for (unsigned i = 0; i < INSN_WHYS; i++)
        assert_true(strlen(insn_why_texts[i]) > 0);
}

/* A body is cut off where the room ends, and reports that. */
TEST(a_body_fits_or_is_reported_as_too_long)
{
    static struct insn_links links;
    struct insn_place place = {.links = &links, .area = 0x10000000, .vectors = 512};
    uint8_t bytes[512];
    struct insn_code to = {.at = bytes, .size = sizeof bytes};
    struct insn_test t;

    assert_null(insn_links_find(&links));
    insn_throughput(&t, form_named("add r64, r64"), INSN_PLAIN, INSN_DISTINCT, false);
    insn_body(&to, &place, &t, &(struct insn_contents){BODY_STRAIGHT, 10, 0, 0});
    assert_false(to.full || to.refused);
    size_t ten = to.used;
    to = (struct insn_code){.at = bytes, .size = sizeof bytes};
    insn_body(&to, &place, &t, &(struct insn_contents){BODY_STRAIGHT, 11, 0, 0});
    assert_int_equal(to.used, ten + 3); /* REX, opcode, ModRM */
    to = (struct insn_code){.at = bytes, .size = ten};
    insn_body(&to, &place, &t, &(struct insn_contents){BODY_STRAIGHT, 11, 0, 0});
    assert_true(to.full);
    assert_in_range(to.used, 1, ten);
}
