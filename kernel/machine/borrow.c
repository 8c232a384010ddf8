#include "kernel/machine/borrow.h"
#include "bench/api/registry.h"
#include "bench/cores/crowd.h"
#include "kernel/cores/lent.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/cpu_state.h"

/* kernel/cpu/entry.asm */
int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back) HIDDEN;
_Noreturn void entry_return(uint64_t back, int status) HIDDEN;

/* For the stick. Over calls and baseline a row's record has 700 bytes and its histogram 14 a bin at
 * the most; in the table it has some 140, and a kilobyte where a short run shows all of each. */
#define RECORD_BYTES (4u << 10)
#define BIN_BYTES    16u
#define BINS_CAPPED  256u        /* README, hist= */
#define BINS_AUTO    2048u       /* as many windows as samples=auto takes at the most */
#define TEXT_BYTES   (2u << 10)  /* of a row */
#define HEAD_BYTES   (64u << 10) /* the run, self-tests, events; 10 KiB were measured */
#define CORE_BYTES   (4u << 10)  /* what a core tells of itself; 1100 were measured */
#define PAIR_BYTES   64u         /* of a matrix: two cores, three figures */
#define LOG_MAX      (16u << 20) /* of each buffer; a report beyond it is cut, and says so */

static uint64_t back; /* the stack that kernel_borrow() was called on */

static void on_own_stack(void *handoff)
{
    kernel_main(handoff);
}

static uint64_t log_size(const struct options *o, unsigned cores, uint64_t bytes)
{
    struct core_list named;
    uint64_t size, rows = 0, pairs = 0;
    unsigned at_it = core_list_parse(&named, o->cores) ? core_list_count(&named, cores) : 1;
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++) {
        bool selected = registry_selects(o, all[i]);
        rows += selected;
        pairs += selected && all[i]->form == FORM_CORES ? crowd_pairs(at_it) : 0;
    }
    size = arena_cost(HEAD_BYTES + cores * CORE_BYTES + rows * at_it * bytes + pairs * PAIR_BYTES);
    return size < LOG_MAX ? size : LOG_MAX;
}

static uint64_t records_size(const struct options *o, unsigned cores)
{
    uint64_t full = o->samples ? o->samples : BINS_AUTO;

    return log_size(o, cores,
                    RECORD_BYTES + BIN_BYTES * (o->hist == HIST_FULL ? full : BINS_CAPPED));
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
    struct cpu_state firmware;
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
    lent_home(m);
    lfence_restore(m->lfence);
    irq_restore(&m->irq, &m->paging, m->madt);
    mce_restore(&m->mce, &m->cpu);
    serial_release(&m->serial);
    entry_return(back, status);
}
