#include "kernel/borrow.h"
#include "bench/registry.h"
#include "kernel/cpu_setup.h"
#include "kernel/cpu_state.h"

/* kernel/entry.asm */
int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back) HIDDEN;
_Noreturn void entry_return(uint64_t back, int status) HIDDEN;

/* For the stick, measured over all suites: a record with a capped histogram has 3 KiB on average and
 * 7 at the most, without one 1.5; what a row adds to the table is two or three lines. */
#define RECORD_BYTES      (8u << 10)
#define RECORD_BYTES_FULL (64u << 10)
#define TEXT_BYTES        (1u << 10)
#define HEAD_BYTES        (64u << 10) /* what is said once: the run, self-tests, a line a core */
#define LOG_MAX           (16u << 20) /* of each of the two */

static struct cpu_state firmware;
static uint64_t back; /* the stack that kernel_borrow() was called on */

static void on_own_stack(void *handoff)
{
    kernel_main(handoff);
}

static uint64_t log_size(const struct options *o, unsigned cores, uint64_t bytes)
{
    struct core_list named;
    uint64_t size, rows = 0;
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++)
        rows += registry_selects(o, all[i]);
    if (core_list_parse(&named, o->cores))
        rows *= core_list_count(&named, cores);
    size = arena_cost(HEAD_BYTES + rows * bytes);
    return size < LOG_MAX ? size : LOG_MAX;
}

static uint64_t records_size(const struct options *o, unsigned cores)
{
    return log_size(o, cores, o->hist == HIST_FULL ? RECORD_BYTES_FULL : RECORD_BYTES);
}

static uint64_t text_size(const struct options *o, unsigned cores)
{
    return log_size(o, cores, TEXT_BYTES);
}

uint64_t borrow_arena_need(const struct options *o, unsigned cores)
{
    return records_size(o, cores) + text_size(o, cores) + arena_cost(sizeof(struct irq_opened));
}

void borrow_log(struct machine *m)
{
    const struct options *o = &m->handoff->options;
    uint64_t records = records_size(o, m->handoff->cores), text = text_size(o, m->handoff->cores);
    char *at = arena_take(&m->arena, records + text);

    if (!at)
        return;
    report_log_init(&m->log, at, records, at + records, text);
    m->handoff->log = &m->log;
    console_add(&m->console, &m->log.sink);
    console_add(&m->records, &m->log.sink);
}

int kernel_borrow(struct handoff *h)
{
    uint64_t guard;
    int status;

    cpu_state_save(&firmware);
    cpu_state_cet_off(&firmware);
    cpu_setup();
    status = entry_visit(h, arena_kernel_stack(h, &guard), on_own_stack, &back);
    cpu_state_restore(&firmware);
    cpu_state_cet_on(&firmware);
    return status;
}

_Noreturn void borrow_end(struct machine *m, enum exit_status status)
{
    lfence_restore(m->lfence);
    irq_restore(&m->irq, &m->paging, m->madt);
    mce_restore(&m->mce, &m->cpu);
    serial_release(&m->serial);
    entry_return(back, status);
}
