#include "lib/config/timer_list.h"

#include "lib/config/near.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

_Static_assert(CLOCK_IDS < TIMER_LIST_MAX && CYCLE_IDS < TIMER_LIST_MAX,
               "a list of timers has no room for all of them and auto");

const struct timer_kind timer_clocks = {"clock", CLOCK_WORDS, CLOCK_STANDARD, CLOCK_IDS};
const struct timer_kind timer_cycles = {"cycle", CYCLE_WORDS, CYCLE_STANDARD, CYCLE_IDS};

/* Returns the id of these n bytes; TIMER_LIST_MAX: no id. */
static unsigned id_of(const char *words, const char *bytes, size_t n)
{
    const char *word;
    size_t length;

    for (unsigned id = 0; (length = str_alternative(words, id, &word)) > 0; id++)
        if (length == n && memcmp(word, bytes, n) == 0)
            return id;
    return TIMER_LIST_MAX;
}

static enum timer_list_fault add(struct timer_list *l, const char *words, const char *at, size_t n)
{
    unsigned id = id_of(words, at, n);

    if (n == 0)
        return TIMER_LIST_EMPTY;
    if (id == TIMER_LIST_MAX)
        return TIMER_LIST_UNKNOWN;
    for (unsigned i = 0; i < l->n; i++)
        if (l->id[i] == id)
            return TIMER_LIST_TWICE;
    l->id[l->n++] = (uint8_t)id;
    return TIMER_LIST_FINE;
}

enum timer_list_fault timer_list_parse(struct timer_list *l, const char *words, const char *text,
                                       const char **at, size_t *n)
{
    struct timer_list found = {0};

    for (;; text += *n + 1) {
        *at = text;
        *n = str_until(text, ',');
        enum timer_list_fault fault = add(&found, words, text, *n);
        if (fault != TIMER_LIST_FINE)
            return fault;
        if (text[*n] == '\0')
            break;
    }
    *l = found;
    return TIMER_LIST_FINE;
}

static bool names(const struct timer_list *l, unsigned id)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->id[i] == id)
            return true;
    return false;
}

struct timer_order timer_list_order(const struct timer_list *l, const struct timer_kind *kind)
{
    struct timer_order order = {.goes_on = names(l, kind->ids)};
    struct timer_list standard = {0};
    const char *at;
    size_t n;

    timer_list_parse(&standard, kind->words, kind->standard, &at, &n);
    for (unsigned i = 0; i < l->n; i++) {
        if (l->id[i] != kind->ids)
            order.list.id[order.list.n++] = l->id[i];
        for (unsigned k = 0; l->id[i] == kind->ids && k < standard.n; k++)
            if (!names(l, standard.id[k]))
                order.list.id[order.list.n++] = standard.id[k];
    }
    return order;
}

void timer_list_explain(const char *words, const char *text, struct sink *out)
{
    struct timer_list l;
    struct near near;
    const char *at;
    size_t n;

    switch (timer_list_parse(&l, words, text, &at, &n)) {
    case TIMER_LIST_FINE:
        return;
    case TIMER_LIST_EMPTY:
        fmt(out, "an item is empty");
        return;
    case TIMER_LIST_UNKNOWN:
        near = near_to(at, n);
        near_try_values(&near, words);
        fmt(out, "it does not contain \"");
        str_escape(out, at, n);
        fmt(out, "\"");
        near_ask(&near, "", "", out);
        return;
    case TIMER_LIST_TWICE:
        fmt(out, "\"");
        str_escape(out, at, n);
        fmt(out, "\" occurs twice");
        return;
    }
}

void timer_name(const char *words, unsigned id, char out[TIMER_NAME_MAX])
{
    const char *word;
    size_t n = str_alternative(words, id, &word);

    str_copy(out, TIMER_NAME_MAX, word, n);
}

void timer_list_text(const struct timer_list *l, const char *words, char out[TIMER_LIST_TEXT])
{
    struct sink_buf text;
    char name[TIMER_NAME_MAX];

    sink_buf_init(&text, out, TIMER_LIST_TEXT);
    for (unsigned i = 0; i < l->n; i++) {
        timer_name(words, l->id[i], name);
        fmt(&text.sink, "%s%s", i ? "," : "", name);
    }
}
