#include "bench/engine.h"
#include "lib/fmt.h"
#include "lib/mem.h"

#define HITS_MAX 16 /* ranges of windows that an NMI or machine check fell into */

/* One kind of window of a row: the body's, or the empty one that is subtracted. */
struct kind {
    window_fn fn;
    const void *function; /* goes to the window's r13 */
    uint64_t turns;
    bool can_fail; /* a C body, whose result counts */

    uint64_t *samples; /* in the order taken, failed ones left out */
    size_t n, wanted;
    uint64_t windows; /* run so far, warm-up included */
    uint32_t errors;
    unsigned hits;
    struct {
        size_t from, to;
    } hit[HITS_MAX];

    struct summary summary;
    double location; /* mean of the undisturbed */
    uint32_t disturbed;
};

size_t bench_samples_need(const struct options *o)
{
    /* A row: both kinds' samples, one sorted copy, scratch. The probe: one kind, copy, scratch. */
    size_t row = 4 * (size_t)o->samples, probe = 3 * PROBE_WINDOWS;
    return row > probe ? row : probe;
}

void engine_init(struct engine *e, const struct platform *p, const struct options *o)
{
    *e = (struct engine){
        .p = p,
        .o = o,
        .object = (struct object *)(void *)p->data,
        .recipe = o->recipe == RECIPE_AUTO ? cpu_default_recipe(p->cpu) : o->recipe,
        .xfence_is_lfence = p->cpu->vendor == VENDOR_INTEL,
        .execution = EXEC_SILICON,
        .step = 1,
    };
}

static struct window_result run_window(struct engine *e, struct kind *k)
{
    k->windows++;
    return k->fn(e->object, k->function, k->turns);
}

/* A block of windows of one kind; a sample is kept unless its operation failed. */
static void take_block(struct engine *e, struct kind *k)
{
    size_t left = k->wanted - k->n - k->errors;
    size_t todo = left < ENGINE_BLOCK ? left : ENGINE_BLOCK;
    size_t from = k->n;
    uint64_t nmis = e->p->nmis();
    for (size_t i = 0; i < todo; i++) {
        struct window_result r = run_window(e, k);
        if (k->can_fail && (uint32_t)r.failed)
            k->errors++;
        else
            k->samples[k->n++] = r.ticks;
    }
    if (e->p->nmis() == nmis)
        return;
    if (k->hits < HITS_MAX)
        k->hit[k->hits++].from = from;
    k->hit[k->hits - 1].to = k->n; /* a full list: the last range grows */
}

static bool is_done(const struct kind *k)
{
    return !k || k->n + k->errors >= k->wanted;
}

/* Mean of one warm-up block. */
static double warm_block(struct engine *e, struct kind *k)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ENGINE_BLOCK; i++)
        sum += run_window(e, k).ticks;
    return (double)sum / ENGINE_BLOCK;
}

static bool is_steady(const struct engine *e, double a, double b)
{
    return a - b < e->step && b - a < e->step;
}

/*
 * METHOD: three fenced reads, then blocks of both kinds until two successive ones differ by less
 * than one step, at most warmup=.
 */
static void warm_up(struct engine *e, struct kind *body, struct kind *empty, struct row *row)
{
    for (int i = 0; i < 3; i++)
        run_window(e, empty ? empty : body);

    double last_body = 0, last_empty = 0;
    while (row->warmup_blocks < e->o->warmup && !row->steady) {
        double now_empty = empty ? warm_block(e, empty) : 0;
        double now_body = warm_block(e, body);
        row->steady = row->warmup_blocks > 0 && is_steady(e, now_body, last_body) &&
                      is_steady(e, now_empty, last_empty);
        last_body = now_body;
        last_empty = now_empty;
        row->warmup_blocks++;
    }
}

/* Blocks of one kind, the kinds in ABBA order (METHOD: Samples). */
static void take_samples(struct engine *e, struct kind *body, struct kind *empty)
{
    for (unsigned i = 0; !is_done(body) || !is_done(empty); i++) {
        bool outer = i % 4 == 0 || i % 4 == 3;
        struct kind *k = outer && empty ? empty : body;
        if (!is_done(k))
            take_block(e, k);
    }
}

static bool was_hit(const struct kind *k, size_t i)
{
    for (unsigned h = 0; h < k->hits; h++)
        if (i >= k->hit[h].from && i < k->hit[h].to)
            return true;
    return false;
}

/* Summary, location and disturbed windows of a kind; leaves the samples ascending in `sorted`. */
static void evaluate(const struct engine *e, struct kind *k, uint64_t *sorted, uint64_t *scratch)
{
    memcpy(sorted, k->samples, k->n * sizeof *sorted);
    stats_sort(sorted, k->n);
    k->summary = stats_summary(sorted, k->n, scratch);

    double above = stats_disturbed_above(&k->summary, e->step), sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < k->n; i++)
        if ((double)k->samples[i] <= above && !was_hit(k, i)) {
            sum += (double)k->samples[i];
            kept++;
        }
    k->disturbed = (uint32_t)(k->n - kept);
    k->location = kept ? sum / (double)kept : k->summary.median;
}

double engine_location(struct engine *e, window_fn fn, const void *function, size_t n)
{
    uint64_t *samples = e->p->samples;
    struct kind k = {.fn = fn, .function = function, .samples = samples, .wanted = n};
    warm_block(e, &k);
    while (!is_done(&k))
        take_block(e, &k);
    evaluate(e, &k, samples + n, samples + 2 * n);
    return k.location;
}

extern const struct unit unit_call_function;

/* A row's two windows in the code buffer, and what its body calls. */
struct placed {
    window_fn body, empty; /* empty NULL: nothing is subtracted */
    const void *callee;
};

#define APART  4096 /* callee_apart: a page of its own */
#define BEHIND 64   /* else: a line of its own, just before the window */

static window_fn place_window(struct code *code, struct window_spec spec, const struct bench *b,
                              const char *kind)
{
    char name[96]; /* the text behind the window's tag */
    fmt_buf(name, sizeof name, "%s/%s/%s", b->suite, b->name, kind);
    spec.name = name;
    return code_window(code, &spec);
}

/* Builds both windows and what they call; false when the code buffer is too small. */
static bool place(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *at)
{
    bool function = b->form == FORM_FUNCTION;
    struct window_spec spec = {
        .recipe = recipe,
        .xfence_is_lfence = e->xfence_is_lfence,
        .slot = &e->object->slot,
        .loop = b->form == FORM_LOOP,
    };
    struct code code;
    *at = (struct placed){0};
    code_begin(&code, e->p);

    bool fits = true;
    if (b->callee) {
        spec.callee = at->callee = code_unit(&code, b->callee, BEHIND, &spec);
        if (b->callee_apart)
            code_skip(&code, APART);
        fits = at->callee != NULL;
    }
    if (b->stub) {
        spec.stub = code_unit(&code, b->stub, BEHIND, &spec);
        fits = fits && spec.stub;
    }

    if (b->form != FORM_EMPTY) {
        struct window_spec empty = spec;
        if (b->empty_function) {
            empty.unit = &unit_call_function;
            empty.copies = 1;
        }
        at->empty = place_window(&code, empty, b, "E");
        fits = fits && at->empty;
        spec.unit = function ? &unit_call_function : b->unit;
        spec.copies = b->form == FORM_STRAIGHT ? b->ops : 1;
    }
    at->body = place_window(&code, spec, b, "B");
    code_end(&code);
    return fits && at->body;
}

/* The object as the generated bodies expect it: everything leads to the callee. */
static void prepare_object(struct engine *e, const struct bench *b, const void *callee)
{
    struct object *o = e->object;
    memset(o, 0, sizeof *o);
    if (callee) {
        memcpy(&o->slot, &callee, sizeof o->slot);
        memcpy(&o->table.first, &callee, sizeof o->table.first);
        memcpy(&o->table.method, &callee, sizeof o->table.method);
        o->vtable = &o->table;
    }
    if (b->setup)
        b->setup(o);
}

static const void *code_address(body_fn f)
{
    const void *p;
    memcpy(&p, &f, sizeof p);
    return p;
}

static void judge(struct engine *e, const struct bench *b, const struct kind *body, struct row *row)
{
    if (b->check)
        row->why = b->check(e->object, body->windows * b->ops);
    if (!row->why && body->n == 0)
        row->why = "every operation failed";
    if (!row->why && b->errors_are_wrong && body->errors)
        row->why = "an operation returned an error";
    if (row->why)
        row->status = ROW_WRONG;
}

void engine_row(struct engine *e, const struct bench *b, struct row *row)
{
    *row = (struct row){
        .bench = b,
        .recipe = b->form == FORM_EMPTY ? b->recipe : e->recipe,
    };
    row->why = cpu_lacks(e->p->cpu, row->recipe);
    if (row->why) {
        row->status = ROW_UNSUPPORTED;
        return;
    }
    struct placed at;
    if (!place(e, b, row->recipe, &at)) {
        row->status = ROW_WRONG;
        row->why = "the row's windows do not fit the code buffer";
        return;
    }
    prepare_object(e, b, at.callee);

    size_t n = e->o->samples;
    uint64_t *samples = e->p->samples, *sorted = samples + 2 * n, *scratch = samples + 3 * n;
    struct kind body = {
        .fn = at.body,
        .function = b->form == FORM_FUNCTION ? code_address(b->function) : at.callee,
        .turns = b->ops,
        .can_fail = b->form == FORM_FUNCTION,
        .samples = samples,
        .wanted = n,
    };
    struct kind empty = {
        .fn = at.empty,
        .function = b->empty_function ? code_address(b->empty_function) : NULL,
        .turns = b->ops,
        .samples = samples + n,
        .wanted = n,
    };
    struct kind *subtracted = at.empty ? &empty : NULL;

    e->p->row(b->suite, b->name);
    warm_up(e, &body, subtracted, row);
    take_samples(e, &body, subtracted);
    e->p->row(NULL, NULL);

    row->errors = body.errors;
    judge(e, b, &body, row);
    if (body.n == 0)
        return;
    if (subtracted) {
        evaluate(e, &empty, sorted, scratch);
        row->empty = empty.summary;
    }
    evaluate(e, &body, sorted, scratch);
    row->ticks = body.summary;
    row->disturbed = body.disturbed;
    row->sorted = sorted;
    row->has_net = subtracted != NULL;
    row->net = row->has_net ? body.location - empty.location : 0;
}

double row_per_op(const struct row *row)
{
    return row->net / (double)row->bench->ops;
}
