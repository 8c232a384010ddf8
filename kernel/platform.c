#include "kernel/platform.h"
#include "kernel/clock/clocks.h"
#include "kernel/console/keyboard.h"
#include "kernel/cores/deadline.h"
#include "kernel/cores/run.h"
#include "kernel/cores/time.h"
#include "kernel/trap/guard.h"

/* The functions of struct platform take no context: there is one machine, and the callers, on every
 * core and in every suite, need not carry it. */
static struct machine *machine;
static struct platform_cores others;

static void code_write(void)
{
    paging_code_write(&machine->paging);
}

static void code_exec(void)
{
    paging_code_exec(&machine->paging);
}

static bool stop_key(void)
{
    return serial_stop_key(&machine->serial) || (machine->keyboard && keyboard_stop_key());
}

/* The serial port has it already. */
static void show(void)
{
    if (core_current() == machine->boot_core)
        screen_paint(&machine->screen);
}

/* Painting is done before a row's first window, never between two; where other cores measure,
 * before they are called: see run() and together(). */
static void row_begin(const char *suite, const char *name)
{
    struct core *c = core_current();

    if (c == machine->boot_core)
        screen_paint(&machine->screen);
    c->row_suite = suite;
    c->row_name = name;
    thermal_begin(&machine->thermal, &c->thermal);
    deadline_begin(c);
}

static void row_end(void)
{
    struct core *c = core_current();

    deadline_end(c);
    c->row_suite = c->row_name = NULL;
    thermal_end(&machine->thermal, &c->thermal);
}

/* A core that did not come up has no rows. */
static void row_show(struct sink *out, unsigned core)
{
    thermal_row_show(&machine->cores.core[core]->thermal, out);
}

static void row_record(struct json *j, unsigned core)
{
    thermal_row_record(&machine->cores.core[core]->thermal, j);
}

struct guarded_call {
    const struct core *core;
    void (*fn)(void *ctx);
    void *ctx;
    bool late; /* it was not begun */
};

/* An NMI that came before the guard found nothing to leave. */
static void run_unless_late(void *ctx)
{
    struct guarded_call *call = ctx;

    call->late = deadline_passed(call->core);
    if (!call->late)
        call->fn(call->ctx);
}

static bool guarded(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    struct core *c = core_current();
    struct guarded_call call = {c, fn, ctx, false};

    if (guard_call(c, run_unless_late, &call, ended) && !call.late)
        return true;
    if (call.late)
        *ended =
            (struct guard_ended){.by = GUARD_DEADLINE, .at = (uint64_t)__builtin_return_address(0)};
    return false;
}

static uint64_t nmis(void)
{
    const struct core *c = core_current();

    return c->nmis + c->machine_checks;
}

static uint64_t own_nmis(void)
{
    return core_current()->own_nmis;
}

/* A counter that could not be measured against, for the reason it had then, is no clock. */
static struct timer *clock(unsigned id, const char **why)
{
    const struct tsc_clock *measured = &machine->clock;
    unsigned source = clocks_source((enum clock_id)id);

    if (source != CLOCK_SOURCES && !measured->source[source].known) {
        *why = measured->source[source].why_not;
        return NULL;
    }
    if (source == CLOCK_SOURCES && !measured->hz) {
        *why = counters_tsc_unknown;
        return NULL;
    }
    *why = NULL;
    return &machine->counters.timer[id];
}

static struct timer *cycle(unsigned id, const char **why)
{
    return core_cycles_timer(&core_current()->cycles, id, why);
}

static const char *run(unsigned i, void (*fn)(void *ctx, unsigned core), void *ctx)
{
    if (i > 0)
        screen_paint(&machine->screen);
    return cores_run(&machine->cores, i, fn, ctx);
}

static const char *together(const unsigned *list, unsigned n, void (*fn)(void *ctx, unsigned core),
                            void *ctx)
{
    if (n > 1 || list[0] > 0)
        screen_paint(&machine->screen);
    return cores_together(&machine->cores, list, n, fn, ctx);
}

static bool wake(unsigned i, int64_t *ticks)
{
    return time_wake(&machine->cores, i, ticks);
}

static bool ipi(unsigned i, int64_t *ticks)
{
    return time_ipi(&machine->cores, i, ticks);
}

/* NULL where there is no other core that could be called. */
static const struct platform_cores *other_cores(void)
{
    const struct cores *c = &machine->cores;

    if (c->count == 1 || c->why_alone)
        return NULL;
    others = (struct platform_cores){
        .count = c->count,
        .facts = c->facts,
        .place = c->place,
        .parked = park_name(&c->parking),
        .run = run,
        .together = together,
        .wake = wake,
        .ipi = ipi,
    };
    return &others;
}

static const char *lacks_nothing(unsigned needs)
{
    (void)needs;
    return NULL;
}

const char *platform_init(struct platform *p, struct machine *m)
{
    size_t words = bench_memory_need(&m->handoff->options, m->cores.count);
    uint64_t *memory = arena_take(&m->arena, words * sizeof(*memory)); /* zeroed: touched */

    if (!memory)
        return "sample memory: the arena is too small";
    machine = m;
    *p = (struct platform){
        .name = "uefi",
        .cpu = &m->cpu,
        .clock = clock,
        .cycle = cycle,
        .code = (uint8_t *)PLATFORM_CODE_VA,
        .data = (uint8_t *)PLATFORM_DATA_VA,
        .code_write = code_write,
        .code_exec = code_exec,
        .memory = memory,
        .out = &m->console.sink,
        .stop_key = stop_key,
        .show = show,
        .stop_keys = "q or Esc",
        .row_begin = row_begin,
        .row_end = row_end,
        .guarded = guarded,
        .image = m->handoff->image_base,
        .image_size = m->handoff->image_size,
        .nmis = nmis,
        .own_nmis = own_nmis,
        .smis = m->quiet.smi_counter ? quiet_smis : NULL,
        .row_show = row_show,
        .row_record = row_record,
        .lacks = lacks_nothing,
        .cores = other_cores(),
    };
    return NULL;
}
