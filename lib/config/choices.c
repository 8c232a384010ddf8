#include "lib/config/choices.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

const char *const recipe_names[RECIPE_COUNT + 1] = {RECIPE_CHOICES(WORD_NAME)};

/* Reads a decimal number below CORE_LIST_MAX; *text moves to the byte after it. */
static bool number(const char **text, unsigned *value)
{
    size_t n = 0;
    uint64_t v = 0;

    while ((*text)[n] >= '0' && (*text)[n] <= '9')
        n++;
    if (!str_number(*text, n, 10, CORE_LIST_MAX - 1, &v))
        return false;
    *text += n;
    *value = (unsigned)v;
    return true;
}

/* "3" or "1-4". */
static bool range(struct core_list *l, const char **text)
{
    unsigned from, to;

    if (!number(text, &from))
        return false;
    to = from;
    if (**text == '-') {
        ++*text;
        if (!number(text, &to) || to < from)
            return false;
    }
    for (unsigned i = from; i <= to; i++)
        l->bits[i / 64] |= 1ull << i % 64;
    return true;
}

bool core_list_parse(struct core_list *l, const char *text)
{
    memset(l, 0, sizeof *l);
    l->all = str_eq(text, "all");
    l->types = str_eq(text, "types");
    l->nodes = str_eq(text, "nodes");
    if (l->all || l->types || l->nodes)
        return true;
    if (str_eq(text, "bsp"))
        text = "0";
    for (;;) {
        if (!range(l, &text))
            return false;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

bool core_list_has(const struct core_list *l, unsigned core)
{
    return l->all || l->types || l->nodes ||
           (core < CORE_LIST_MAX && (l->bits[core / 64] >> core % 64 & 1));
}

unsigned core_list_count(const struct core_list *l, unsigned count)
{
    unsigned n = 0, most = l->types ? CORE_LIST_TYPES : l->nodes ? CORE_LIST_NODES : count;

    for (unsigned i = 0; i < count; i++)
        n += core_list_has(l, i);
    return n < most ? n : most;
}

unsigned core_list_meet(const struct core_list *l, unsigned count)
{
    return l->types || l->nodes ? count : core_list_count(l, count);
}

bool core_list_beyond(const struct core_list *l, unsigned count, struct sink *out)
{
    bool any = false;

    for (unsigned i = count; !l->all && !l->types && !l->nodes && i < CORE_LIST_MAX; i++) {
        unsigned from = i;
        if (!core_list_has(l, i))
            continue;
        while (core_list_has(l, i + 1))
            i++;
        fmt(out, any ? ",%u" : "%u", from);
        if (i > from)
            fmt(out, "-%u", i);
        any = true;
    }
    return any;
}

/* The PC's four, in the order of the BIOS data area. */
static const struct {
    const char *name;
    uint16_t port;
} com[] = {{"com1", 0x3f8}, {"com2", 0x2f8}, {"com3", 0x3e8}, {"com4", 0x2e8}};

/* Reads the number before `end`, a colon or the text's end; *rest moves past `end`. */
static bool next_number(const char **rest, char end, uint64_t *v)
{
    char number[SERIAL_CHOICE_TEXT];
    size_t n = str_until(*rest, ':');
    bool whole = (*rest)[n] == end && str_copy(number, sizeof number, *rest, n);

    *rest += n + 1;
    return whole && str_u64(number, v);
}

static bool parse_mmio(struct serial_choice *c, const char *text)
{
    uint64_t width, stride;

    c->kind = SERIAL_MMIO;
    if (!next_number(&text, ':', &c->address) || !next_number(&text, ':', &width) ||
        !next_number(&text, '\0', &stride))
        return false;
    if (width != 1 && width != 2 && width != 4)
        return false;
    if (stride < width || stride > 8 || (stride & (stride - 1)) != 0)
        return false;
    c->width = (uint8_t)width;
    c->stride = (uint8_t)stride;
    return c->address >= SERIAL_MMIO_MIN && c->address <= SERIAL_MMIO_MAX &&
           c->address % width == 0;
}

static bool parse_place(struct serial_choice *c, const char *text)
{
    if (str_eq(text, "auto")) {
        c->kind = SERIAL_AUTO;
        return true;
    }
    if (str_starts(text, "mmio:"))
        return parse_mmio(c, text + 5);
    c->kind = SERIAL_PORT;
    for (size_t i = 0; i < sizeof com / sizeof com[0]; i++) {
        if (str_eq(text, com[i].name)) {
            c->port = com[i].port;
            return true;
        }
    }
    uint32_t port;
    if (!str_starts(text, "io:") || !str_u32(text + 3, &port))
        return false;
    c->port = (uint16_t)port;
    return port >= SERIAL_IO_MIN && port <= SERIAL_IO_MAX;
}

bool serial_choice_parse(struct serial_choice *c, const char *text)
{
    struct serial_choice parsed = {.kind = SERIAL_OFF, .baud = SERIAL_BAUD_MAX};

    if (str_eq(text, "off")) {
        *c = parsed;
        return true;
    }
    size_t n = str_until(text, ',');
    char place[SERIAL_CHOICE_TEXT] = "";
    if (!str_copy(place, sizeof place, text, n) || !parse_place(&parsed, place))
        return false;
    if (text[n] == ',') {
        if (!str_u32(text + n + 1, &parsed.baud))
            return false;
        if (parsed.baud < SERIAL_BAUD_MIN || parsed.baud > SERIAL_BAUD_MAX ||
            SERIAL_BAUD_MAX % parsed.baud != 0)
            return false;
        parsed.baud_given = true;
    }
    *c = parsed;
    return true;
}

void serial_choice_text(const struct serial_choice *c, char *out, size_t size)
{
    if (c->kind == SERIAL_OFF)
        fmt_buf(out, size, "off");
    else if (c->kind == SERIAL_AUTO)
        fmt_buf(out, size, "auto,%u", c->baud);
    else if (c->kind == SERIAL_PORT)
        fmt_buf(out, size, "io:0x%x,%u", c->port, c->baud);
    else if (c->baud_given)
        fmt_buf(out, size, "mmio:0x%llx:%u:%u,%u", (unsigned long long)c->address, c->width,
                c->stride, c->baud);
    else
        fmt_buf(out, size, "mmio:0x%llx:%u:%u", (unsigned long long)c->address, c->width,
                c->stride);
}

_Static_assert(CLOCK_IDS < TIMER_LIST_MAX && CYCLE_IDS < TIMER_LIST_MAX,
               "a list of timers has no room for all of them and auto");

const struct timer_kind timer_clocks = {"clock", CLOCK_WORDS, CLOCK_STANDARD, CLOCK_IDS};
const struct timer_kind timer_cycles = {"cycle", CYCLE_WORDS, CYCLE_STANDARD, CYCLE_IDS};

static enum timer_list_fault add(struct timer_list *l, const char *words, const char *at, size_t n)
{
    uint32_t id;

    if (n == 0)
        return TIMER_LIST_EMPTY;
    if (!str_choice(words, at, n, &id))
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
