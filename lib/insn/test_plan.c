#include "lib/insn/test_plan.h"
#include "lib/insn/form.h"
#include "lib/text/str.h"

enum insn_file insn_file_of(unsigned class)
{
    switch (class) {
    case INSN_R8:
    case INSN_R16:
    case INSN_R32:
    case INSN_R64:
        return FILE_GENERAL;
    case INSN_XMM:
    case INSN_YMM:
    case INSN_ZMM:
        return FILE_VECTOR;
    case INSN_K:
        return FILE_MASK;
    case INSN_MM:
        return FILE_MMX;
    case INSN_ST:
        return FILE_X87;
    default:
        return FILE_NONE;
    }
}

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

/* Returns whether operand i is the address of another operand. */
static bool is_base(const struct insn_view *v, unsigned i)
{
    for (unsigned j = 0; j < v->operands; j++)
        if (v->operand[j].field == INSN_REG_BASE && v->operand[i].field == INSN_REG)
            return true;
    return false;
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
    if (is_base(v, i))
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

bool insn_is_pointer(const struct insn_view *v, unsigned number)
{
    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if ((o->kind == INSN_MEMORY || o->kind == INSN_ADDRESS) && o->field == INSN_FIXED &&
            o->number == number)
            return true;
    }
    return false;
}

bool insn_is_selector(const struct insn_operand *o)
{
    return o->kind == INSN_REGISTER && o->field == INSN_FIXED && o->class == INSN_R32 &&
           o->number == PLAN_RCX;
}

bool insn_is_fixed(const struct insn_view *v, unsigned number)
{
    return fixed_of(v, FILE_GENERAL) >> number & 1;
}

bool insn_has_source(const struct insn_test *t)
{
    const struct insn_view *v = &t->view;

    for (unsigned i = 0; i < v->operands && !(v->flags.read & INSN_STATUS); i++) {
        const struct insn_operand *o = &v->operand[i];
        enum insn_file file = insn_file_of(o->class);
        bool chained = t->shape == INSN_CHAIN && is_end(&t->in, i);
        if (o->kind == INSN_REGISTER && !(o->access & INSN_WRITE) && !chained && !is_base(v, i) &&
            (file == FILE_GENERAL || file == FILE_VECTOR || file == FILE_MMX))
            return true;
    }
    return false;
}

/* Gathers, and complex products, are undefined with one register in two places. */
static bool may_be_same(const struct insn_form *f)
{
    const char *name = insn_mnemonic(f);

    return !(f->properties & INSN_CLEARS_MASK) && !str_has(name, "mulc") && !str_has(name, "maddc");
}

static bool has_memory(const struct insn_view *v)
{
    for (unsigned i = 0; i < v->operands; i++)
        if (v->operand[i].kind == INSN_MEMORY && v->operand[i].field != INSN_FIXED)
            return true;
    return false;
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
    return shape == INSN_ONE_LINE && !has_memory(&t->view) ? INSN_NO_SUCH_PAIR : INSN_RUNS;
}
