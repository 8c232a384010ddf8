#include "lib/insn/tests.h"
#include "lib/text/str.h"

/* --- registers -------------------------------------------------------------------------------- */

#define POOL_MOST 10
enum { CHAIN_ENDS = 2, CHAIN_OTHERS = 3 }; /* registers of a chain that alternate */
static const struct {
    uint8_t pool[POOL_MOST], pools; /* used in rotation: no results wait for each other */
    uint8_t source[4], sources;     /* never written */
} registers[] = {
    [FILE_GENERAL] = {{8, 9, 10, 11, 12, 6, 7, 1, 2, 0}, 10, {3, 5, 15, 13}, 3},
    [FILE_VECTOR] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, 10, {10, 11, 12, 13}, 4},
    [FILE_MASK] = {{1, 2, 3, 4, 5}, 5, {6, 7}, 2},
    [FILE_MMX] = {{0, 1, 2, 3, 4, 5}, 6, {6, 7}, 2},
    [FILE_X87] = {{1, 2, 3, 4, 5}, 5, {6, 7}, 2},
    [FILE_NONE] = {{0, 1, 2}, 3, {3, 3}, 2},
};

/* Returns a bit for each register of the file that the form fixes. */
static uint32_t fixed_of(const struct insn_view *v, enum insn_file file)
{
    uint32_t fixed = 0;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if (o->field == INSN_FIXED && o->kind <= INSN_ADDRESS &&
            insn_file_of(o->kind == INSN_REGISTER ? o->class : INSN_R64) == file)
            fixed |= 1u << o->number;
    }
    return fixed;
}

/* Returns a bit for the register that blockers or the steps of a chain use. */
static uint32_t temporary_of(enum insn_file file)
{
    return file == FILE_GENERAL  ? 1u << PLAN_TEMPORARY
           : file == FILE_VECTOR ? 1u << PLAN_VECTOR_TEMPORARY
                                 : 0;
}

/* Lists the registers of the pool, without those that the form fixes, or that blockers or the steps
 * of a chain use. Returns their number. */
static unsigned pool_of(const struct insn_test *t, enum insn_file file, uint8_t pool[POOL_MOST])
{
    unsigned pools = 0;
    uint32_t taken = fixed_of(&t->view, file);

    if (t->shape == INSN_MIXED || t->shape == INSN_CHAIN)
        taken |= temporary_of(file);
    for (unsigned i = 0; i < registers[file].pools; i++)
        if (!(taken >> registers[file].pool[i] & 1))
            pool[pools++] = registers[file].pool[i];
    return pools;
}

/* Returns the n-th register of the pool. */
static unsigned pooled(const struct insn_test *t, enum insn_file file, unsigned n)
{
    uint8_t pool[POOL_MOST];
    unsigned pools = pool_of(t, file, pool);

    return pools ? pool[n % pools] : 0;
}

/* Returns the n-th register that is only read. */
static unsigned source(const struct insn_view *v, enum insn_file file, unsigned n)
{
    uint32_t fixed = fixed_of(v, file);

    for (unsigned i = 0; i < registers[file].sources; i++) {
        unsigned r = registers[file].source[(n + i) % registers[file].sources];
        if (!(fixed >> r & 1))
            return r;
    }
    return registers[file].source[0];
}

static bool is_end(const struct insn_end *e, unsigned i)
{
    return e->part == INSN_DATA && e->operand == i;
}

/* A chain without steps goes from a register of one copy to the same register in the next. */
static unsigned chained(const struct insn_test *t, unsigned i, unsigned k, enum insn_file file)
{
    bool iterations = t->steps == 0 && t->in.operand != t->out.operand;

    if (is_end(&t->out, i))
        return pooled(t, file, iterations ? k % CHAIN_ENDS : 0);
    return pooled(t, file, iterations ? (k + 1) % CHAIN_ENDS : 1);
}

/* Returns the number of chosen registers of this file that the form writes; at least 1. */
static unsigned written(const struct insn_view *v, enum insn_file file)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        n += o->kind == INSN_REGISTER && o->field != INSN_FIXED && o->access & INSN_WRITE &&
             insn_file_of(o->class) == file;
    }
    return n > 1 ? n : 1;
}

unsigned insn_register(const struct insn_test *t, unsigned i, unsigned k)
{
    const struct insn_view *v = &t->view;
    const struct insn_operand *o = &v->operand[i];
    enum insn_file file = insn_file_of(o->class);
    unsigned before = 0;

    if (o->field == INSN_FIXED)
        return o->number;
    if (insn_is_base(v, o))
        return PLAN_BASE;
    if (o->field == INSN_MASK && !(o->access & INSN_WRITE) &&
        !(t->shape == INSN_CHAIN && is_end(&t->in, i)))
        return PLAN_MASK;
    if (t->shape == INSN_SAME)
        return pooled(t, file, k);
    if (t->shape == INSN_CHAIN && (is_end(&t->in, i) || is_end(&t->out, i)))
        return chained(t, i, k, file);
    for (unsigned j = 0; j < i; j++)
        before += v->operand[j].kind == INSN_REGISTER && insn_file_of(v->operand[j].class) == file;
    if (!(o->access & INSN_WRITE))
        return source(v, file, before);
    unsigned n = t->shape == INSN_CHAIN ? CHAIN_ENDS + k % CHAIN_OTHERS : k * written(v, file);
    return pooled(t, file, n + before);
}

static unsigned common_multiple(unsigned a, unsigned b)
{
    unsigned multiple = a;

    while (multiple % b)
        multiple += a;
    return multiple;
}

unsigned insn_period(const struct insn_test *t)
{
    unsigned period = 1;

    if (t->shape == INSN_CHAIN)
        return CHAIN_ENDS * CHAIN_OTHERS;
    for (unsigned i = 0; i < t->view.operands; i++) {
        const struct insn_operand *o = &t->view.operand[i];
        uint8_t pool[POOL_MOST];
        unsigned pools = pool_of(t, insn_file_of(o->class), pool);
        if (o->kind == INSN_REGISTER && o->field != INSN_FIXED && pools > 0)
            period = common_multiple(period, pools);
    }
    return period;
}

bool insn_must_reset(const struct insn_view *v, const struct insn_operand *o)
{
    bool general = o->kind == INSN_REGISTER && o->field == INSN_FIXED &&
                   insn_file_of(o->class) == FILE_GENERAL && o->number != PLAN_RSP;

    if (!general || !(o->access & INSN_WRITE))
        return false;
    if (v->form->properties & (INSN_REP | INSN_BRANCH))
        return true;
    return v->form->properties & INSN_SERIAL && o->access & INSN_READ;
}

bool insn_is_selector(const struct insn_operand *o)
{
    return o->kind == INSN_REGISTER && o->field == INSN_FIXED && o->class == INSN_R32 &&
           o->number == PLAN_RCX;
}

static bool is_register_of(const struct insn_test *t, const struct insn_end *e, unsigned number)
{
    const struct insn_operand *o = &t->view.operand[e->operand];

    return t->shape == INSN_CHAIN && e->part != INSN_FLAGS_PART && o->field == INSN_FIXED &&
           o->number == number;
}

bool insn_is_to_break(const struct insn_test *t, const struct insn_operand *o)
{
    unsigned both = INSN_READ | INSN_WRITE;

    return t->breaks && o->kind == INSN_REGISTER && o->field == INSN_FIXED &&
           o->class <= INSN_R64 && o->number != PLAN_RSP && (o->access & both) == both &&
           !(t->view.form->properties & INSN_STRING) && !is_register_of(t, &t->in, o->number) &&
           !is_register_of(t, &t->out, o->number);
}

bool insn_has_source(const struct insn_test *t)
{
    const struct insn_view *v = &t->view;

    for (unsigned i = 0; i < v->operands && !(v->flags.read & INSN_STATUS); i++) {
        const struct insn_operand *o = &v->operand[i];
        enum insn_file file = insn_file_of(o->class);
        bool chained = t->shape == INSN_CHAIN && is_end(&t->in, i);
        if (o->kind == INSN_REGISTER && !(o->access & INSN_WRITE) && !chained &&
            !insn_is_base(v, o) &&
            (file == FILE_GENERAL || file == FILE_VECTOR || file == FILE_MMX))
            return true;
    }
    return false;
}

/* --- the form --------------------------------------------------------------------------------- */

bool insn_can_turn(const struct insn_view *v)
{
    return !(v->form->properties & (INSN_BRANCH | INSN_REP));
}

bool insn_can_mix(const struct insn_view *v)
{
    return v->operands > 0 && insn_can_turn(v) && !str_eq(insn_mnemonic(v->form), "nop") &&
           !(v->form->properties & (INSN_SERIAL | INSN_CLEARS_MASK));
}

/* Returns whether the test with `breaks` differs from that without. */
static bool has_breaks(const struct insn_view *v)
{
    const struct insn_test t = {.view = *v, .shape = INSN_DISTINCT, .breaks = true};

    for (unsigned i = 0; i < v->operands; i++)
        if (insn_is_to_break(&t, &v->operand[i]) && !insn_must_reset(v, &v->operand[i]))
            return true;
    return v->flags.read & INSN_STATUS && v->flags.written & INSN_STATUS;
}

/* Gathers, and complex products, are undefined with one register in two places. */
static bool may_be_same(const struct insn_form *f)
{
    const char *name = insn_mnemonic(f);

    return !(f->properties & INSN_CLEARS_MASK) && !str_has(name, "mulc") && !str_has(name, "maddc");
}

static bool has_chosen_memory(const struct insn_view *v)
{
    return INSN_FIND(v, .kinds = 1 << INSN_MEMORY, .fields = (uint16_t) ~(1u << INSN_FIXED));
}

enum insn_why insn_throughput(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                              enum insn_shape shape, bool breaks)
{
    *t = (struct insn_test){.shape = (uint8_t)shape, .breaks = breaks};
    insn_view(&t->view, f, decoration);
    if (f->why != INSN_RUNS)
        return (enum insn_why)f->why;
    if (shape == INSN_SAME && !may_be_same(f))
        return INSN_NOT_ENCODABLE;
    return shape == INSN_ONE_LINE && !has_chosen_memory(&t->view) ? INSN_NO_SUCH_PAIR : INSN_RUNS;
}

/* --- tests ------------------------------------------------------------------------------------ */

enum insn_why insn_test(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                        const struct insn_test_id *id)
{
    struct insn_view v;

    insn_view(&v, f, decoration);
    switch (id->kind) {
    case INSN_TEST_STRAIGHT: /* the one that is usually in a loop */
        return insn_throughput(t, f, decoration, has_breaks(&v) ? INSN_MIXED : INSN_DISTINCT,
                               has_breaks(&v));
    case INSN_TEST_MIXED:
        return insn_throughput(t, f, decoration, INSN_MIXED, has_breaks(&v));
    case INSN_TEST_BREAKS:
    case INSN_TEST_SLOTS:
        return insn_throughput(t, f, decoration, INSN_MIXED, true);
    case INSN_TEST_DISTINCT:
        return insn_throughput(t, f, decoration, INSN_DISTINCT, false);
    case INSN_TEST_SAME:
        return insn_throughput(t, f, decoration, INSN_SAME, false);
    case INSN_TEST_ONE_LINE:
        return insn_throughput(t, f, decoration, INSN_ONE_LINE, false);
    case INSN_TEST_FILLERS:
        return insn_throughput(t, f, decoration, INSN_MIXED, false);
    default:
        return insn_latency(t, f, decoration, id->in, id->out, insn_values_kept(id->other));
    }
}

const enum insn_link insn_blocker_links[] = {
#define BLOCKER_LINK(id, link) link,
    INSN_BLOCKER(BLOCKER_LINK)};

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
    return INSN_FIND(v, .kinds = 1 << INSN_REGISTER, .classes = 1 << INSN_MM | 1 << INSN_ST);
}

static bool is_of_use(const struct insn_view *v, unsigned kind)
{
    if (kind == INSN_TEST_BREAKS)
        return has_breaks(v);
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

static unsigned with_values(const struct insn_view *v, unsigned values,
                            struct insn_test_id to[INSN_TESTS_MOST])
{
    if (!insn_values_kept(values) && !insn_values_last(values))
        return with_immediate(v, values, to);
    to[0] = (struct insn_test_id){.kind = insn_values_break(v, values) ? INSN_TEST_BREAKS
                                                                       : INSN_TEST_DISTINCT};
    return insn_values_last(values) ? 1 : add_pairs(v, values, to, 1);
}

unsigned insn_tests(const struct insn_form *f, unsigned decoration, unsigned values,
                    struct insn_test_id to[INSN_TESTS_MOST])
{
    struct insn_view v;
    struct insn_test t;
    unsigned n = 0;

    insn_view(&v, f, decoration);
    if (values != INSN_USUAL)
        return with_values(&v, values, to);
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
