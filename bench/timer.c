#include "bench/timer.h"
#include "lib/fmt.h"
#include "lib/json.h"

void timer_choose(struct timer_choice *c, const struct timer_list *l, const char *words,
                  timer_source *source)
{
    *c = (struct timer_choice){0};
    for (unsigned i = 0; i < l->n; i++) {
        struct timer_refusal *r = &c->refusal[c->refusals];
        struct timer *t = source(l->id[i], &r->why);
        if (t)
            r->why = t->start(t);
        if (t && !r->why) {
            c->used = t;
            return;
        }
        timer_name(words, l->id[i], r->name);
        c->refusals++;
    }
}

void timer_release(struct timer_choice *c)
{
    if (c->used && c->used->stop)
        c->used->stop(c->used);
    c->used = NULL;
}

bool timer_read(struct timer_choice *c, uint64_t *count)
{
    for (unsigned i = 0; c->used && i < TIMER_TRIES; i++) {
        enum timer_status status = c->used->read(c->used, count);
        if (status == TIMER_OK)
            return true;
        if (status == TIMER_FAILED)
            break;
        c->again++;
    }
    c->failed++;
    return false;
}

void timer_show(const struct timer_choice *c, const char *label, struct sink *out)
{
    fmt(out, "%-9s %s\r\n", label, c->used ? c->used->name : "none of the list starts");
    for (unsigned i = 0; i < c->refusals; i++)
        fmt(out, "          not %s: %s\r\n", c->refusal[i].name, c->refusal[i].why);
}

void timer_record(const struct timer_choice *c, const char *kind, struct json *j)
{
    char refused[24];
    if (c->used)
        json_str(j, kind, c->used->name);
    if (c->refusals == 0)
        return;
    fmt_buf(refused, sizeof refused, "%s_refused", kind);
    json_array(j, refused);
    for (unsigned i = 0; i < c->refusals; i++) {
        json_object(j, NULL);
        json_str(j, "name", c->refusal[i].name);
        json_str(j, "why", c->refusal[i].why);
        json_close(j);
    }
    json_close(j);
}
