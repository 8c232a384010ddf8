#include "hosted/stores/trace.h"
#include <string.h>
#include "bench/api/kind.h"
#include "bench/api/registry.h"
#include "bench/engine/guard.h"
#include "bench/engine/compiled.h"
#include "bench/engine/place.h"
#include "bench/engine/window.h"
#include "lib/text/fmt.h"
#include "hosted/platform/signal_guard.h"
#include "hosted/platform/process.h"

#define SETUP_SECONDS 20

extern const struct unit unit_loop_iteration;

static struct memory memory;
static struct options options;
static struct platform platform;
static struct compiled compiled;
static struct placed placed;
static struct engine engine = {.p = &platform, .facts.o = &options, .compiled = &compiled};
static struct bench row;          /* copy of the row with `ops` set to the requested number */
static uint64_t body, body_bytes; /* of a row in NASM */
static struct row checked;        /* the result of its check */

bool prepare_open(struct sink *err)
{
    memory = memory_map(&platform, 1);
    if (memory.what) {
        fmt(err, "%s: %s", memory.what, strerror(memory.error));
        return false;
    }
    options_default(&options);
    options.layout = LAYOUT_FIXED;
    compiled_init(&compiled);
    guard_open(&platform, SETUP_SECONDS, 0);
    return true;
}

void prepare_on_stack(void (*f)(void *), void *argument)
{
    memory_on_stack(&memory, f, argument);
}

/* --- whether it can be called ----------------------------------------------------------------- */

static bool is_possible(const struct bench *b, uint64_t n, struct sink *err)
{
    fmt(err, "%s/%s: ", b->suite, b->name);
    if (b->needs.platform & NEED_RING0) {
        fmt(err, "it needs ring 0; a process has ring 3");
        return false;
    }
    if (!bench_has_body(b)) {
        fmt(err, "%s, so there is no call of a body to trace",
            b->kind ? b->kind->no_body : "its windows are empty");
        return false;
    }
    uint64_t grain = bench_step_grain(b),
             most = b->window.most_ops ? b->window.most_ops : UINT32_MAX;
    if (n % grain == 0 && n <= most)
        return true;
    fmt(err, "%llu operations: ", (unsigned long long)n);
    fmt(err, "1 to %llu", (unsigned long long)most);
    if (grain > 1)
        fmt(err, " in multiples of %llu", (unsigned long long)grain);
    fmt(err, " are allowed");
    return false;
}

/* --- what is called --------------------------------------------------------------------------- */

/* Returns the address of a symbol of the row's object; 0: not placed. */
static uint64_t symbol_address(const char *name)
{
    const struct elf_set *s = &compiled.set;

    for (uint32_t i = 0; i < s->elf->symbols; i++) {
        struct elf_symbol symbol = elf_symbol(s->elf, i);
        for (uint32_t k = 0; strcmp(symbol.name, name) == 0 && k < s->parts; k++)
            if (s->part[k].section == symbol.section)
                return s->part[k].address + symbol.value;
    }
    return 0;
}

static bool mark(uint64_t *address, const char *name, struct sink *err)
{
    *address = name ? symbol_address(name) : 0;
    if (!name || *address)
        return true;
    fmt(err, "no symbol %s in what it calls", name);
    return false;
}

static bool call_function(struct prepared *p, const char *from, const char *to, struct sink *err)
{
    p->function = compiled_address(&compiled, BENCH_CODE_FUNCTION);
    p->argument[0] = p->operations;
    p->argument[1] = (uint64_t)placed.object;
    p->returns_status = true;
    return mark(&p->from, from, err) && mark(&p->to, to, err);
}

/* A body in NASM is in a window: it begins at its loop's head or its first copy. */
static bool call_window(struct prepared *p, struct sink *err)
{
    const struct placed_kind *kind = &placed.kind[KIND_BODY];
    const struct window_spec spec = {.recipe = RECIPE_PLAIN, .before = row.window.history};
    uint64_t bytes = row.window.unit ? row.window.unit->size : 0;

    if (!kind->fn) {
        fmt(err, "it has no window");
        return false;
    }
    memcpy(&p->function, &kind->fn, sizeof p->function);
    p->argument[0] = (uint64_t)placed.object;
    p->argument[1] = (uint64_t)kind->function;
    p->argument[2] = kind->iterations;
    p->argument[4] = WINDOW_STACK;
    body = (uint64_t)p->function + window_body(&spec);
    body_bytes = bench_is_loop(&row) ? bytes + unit_loop_iteration.size : bytes * row.ops;
    p->from = body;
    p->to = body + body_bytes;
    return true;
}

bool prepare_row(struct prepared *p, const struct bench *b, uint64_t operations, const char *from,
                 const char *to, struct sink *err)
{
    uint64_t n = operations ? operations : b->ops;

    *p = (struct prepared){.bench = b, .operations = n};
    if (!is_possible(b, n, err))
        return false;
    row = *b;
    row.ops = (uint32_t)n;
    row.window.not_doubled = true;
    if (!place_row(&engine, &row, RECIPE_PLAIN, &placed, 0, 1)) {
        fmt(err, "%s", place_why(&engine));
        return false;
    }
    return bench_is_function(&row) ? call_function(p, from, to, err) : call_window(p, err);
}

/* --- before and after ------------------------------------------------------------------------- */

/* Calls what a window calls before its body. Returns what it changed, like place_object(). */
static uint32_t call_before(void)
{
    const void *before = compiled_address(&compiled, BENCH_CODE_BEFORE);

    return before ? (uint32_t)window_call(before, placed.object, 0).changed : 0;
}

struct changed {
    uint32_t setup, before;
};

static void set_up(void *ctx)
{
    struct changed *c = ctx;

    c->setup = place_object(&placed);
    if (bench_is_function(&row))
        c->before = call_before();
}

static void say_ended(const struct guard_ended *ended, struct sink *out)
{
    if (ended->by == GUARD_DEADLINE)
        fmt(out, "ran longer than %d seconds", SETUP_SECONDS);
    else if (ended->by == GUARD_STOPPED)
        fmt(out, "was stopped");
    else
        fmt(out, "faulted: %s at %llx", ended->what, (unsigned long long)ended->at);
}

static bool is_kept(const struct prepared *p, const char *who, uint32_t changed, struct sink *err)
{
    if (!changed)
        return true;
    fmt(err, "%s/%s: its %s changed ", p->bench->suite, p->bench->name, who);
    window_kept_text(changed, err);
    return false;
}

bool prepare_object(const struct prepared *p, struct sink *err)
{
    struct changed c = {0, 0};
    struct guard_ended ended;

    guard_row_begin(0);
    bool back = guard_call(set_up, &c, &ended);
    guard_row_end();
    if (back)
        return is_kept(p, "setup", c.setup, err) && is_kept(p, "before", c.before, err);
    fmt(err, "%s/%s: its setup ", p->bench->suite, p->bench->name);
    say_ended(&ended, err);
    return false;
}

/* Also reads the check's text in the guarded call, where it may fault. */
static void check(void *ctx)
{
    const struct prepared *p = ctx;

    check_work(&placed, p->operations, &checked);
}

const char *prepare_check(const struct prepared *p)
{
    static char why[200];
    struct prepared checking = *p;
    struct guard_ended ended;
    struct sink_buf text;

    checked = (struct row){.out.bench = p->bench};
    guard_row_begin(0);
    bool back = guard_call(check, &checking, &ended);
    guard_row_end();
    if (back)
        return checked.out.why;
    sink_buf_init(&text, why, sizeof why);
    fmt(&text.sink, "its check ");
    say_ended(&ended, &text.sink);
    return why;
}

static struct prepare_place place_in_window(uint64_t address)
{
    uint64_t callee = (uint64_t)placed.callee;

    if (address - PLATFORM_CODE_VA >= PLATFORM_CODE_SIZE)
        return (struct prepare_place){0};
    if (address - body < body_bytes)
        return (struct prepare_place){.symbol = "body", .offset = address - body};
    if (callee && address - callee < row.window.callee->size)
        return (struct prepare_place){.symbol = "callee", .offset = address - callee};
    return (struct prepare_place){.symbol = "window", .offset = address - PLATFORM_CODE_VA};
}

struct prepare_place prepare_place_of(uint64_t address)
{
    const struct elf_set *s = &compiled.set;
    struct prepare_place place = {0};

    if (!bench_is_function(&row))
        return place_in_window(address);
    const struct elf_part *part = elf_part_at(s, address);
    if (!part)
        return place;
    place.section = elf_section(s->elf, part->section).name;
    place.into = address - part->address;
    place.symbol = elf_name_at(s, address, &place.offset);
    return place;
}

unsigned prepare_stretches(struct prepare_stretch out[2])
{
    out[0] = (struct prepare_stretch){platform.data, registry_data_size()};
    out[1] = (struct prepare_stretch){memory.stack, MEMORY_STACK_SIZE};
    return 2;
}
