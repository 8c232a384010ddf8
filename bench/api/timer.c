#include "bench/api/timer.h"
#include "bench/api/tsc.h"
#include "bench/api/report.h"
#include "lib/text/fmt.h"

const char timer_of_a_process[] = "needs an operating system; only the Linux program has it";

void timer_choose(struct timer_choice *c, const struct timer_order *order,
                  const struct timer_kind *kind, timer_source *source, void *context)
{
    const struct timer_list *l = &order->list;

    *c = (struct timer_choice){0};
    for (unsigned i = 0; i < l->n && !c->required; i++) {
        struct timer_refusal *r = &c->refusal[c->refusals];
        struct timer *t = source(context, l->id[i], &r->why);
        if (t)
            r->why = t->start(t);
        if (t && !r->why) {
            c->used = t;
            return;
        }
        timer_name(kind->words, l->id[i], r->name);
        c->refusals++;
        c->required = !order->goes_on;
    }
}

bool timer_check(const struct timer_choice *c, const struct timer_list *list,
                 const struct timer_kind *kind, struct sink *err)
{
    char text[TIMER_LIST_TEXT];

    if (!c->required)
        return true;
    const struct timer_refusal *r = &c->refusal[c->refusals - 1];
    timer_list_text(list, kind->words, text);
    fmt(err,
        "%s=%s: %s does not start: %s; %s=%s,auto tries the next timer; `list` shows which start",
        kind->key, text, r->name, r->why, kind->key, text);
    return false;
}

void timer_release(struct timer_choice *c)
{
    if (c->used && c->used->stop)
        c->used->stop(c->used);
    c->used = NULL;
}

enum timer_status timer_read_whole(struct timer *t, uint64_t *count, uint64_t *again)
{
    for (unsigned i = 0; i < TIMER_TRIES; i++) {
        enum timer_status status = t->read(t, count);
        if (status != TIMER_AGAIN)
            return status;
        ++*again;
    }
    return TIMER_AGAIN;
}

bool timer_read(struct timer_choice *c, uint64_t *count)
{
    if (c->used && timer_read_whole(c->used, count, &c->again) == TIMER_OK)
        return true;
    c->failed++;
    return false;
}

void timer_show(const struct timer_choice *c, const char *label, struct sink *out)
{
    fmt(out, "%-9s %s\r\n", label, c->used ? c->used->name : "none of the list can be used:");
    for (unsigned i = 0; i < c->refusals; i++)
        fmt(out, "          not %s: %s\r\n", c->refusal[i].name, c->refusal[i].why);
}

static const char *always(struct timer *t)
{
    (void)t;
    return NULL;
}

static enum timer_status read_rdtscp(struct timer *t, uint64_t *count)
{
    (void)t;
    *count = tsc_now_rdtscp();
    return TIMER_OK;
}

struct timer *cycle_plain(unsigned id, bool has_rdtscp, const char **why)
{
    static struct timer plain[CYCLE_IDS] = {
        [CYCLE_RULER] = {.name = "ruler", .start = always},
        [CYCLE_TSC] = {.name = "tsc", .start = always},
        [CYCLE_NULL] = {.name = "null", .start = always},
        [CYCLE_RDTSCP] = {.name = "rdtscp", .start = always, .read = read_rdtscp, .bits = 64},
    };

    *why = id == CYCLE_RDTSCP && !has_rdtscp ? "the CPU has no RDTSCP (CPUID 8000_0001h EDX[27])"
                                             : NULL;
    return *why ? NULL : &plain[id];
}
