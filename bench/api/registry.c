#include "bench/api/registry.h"
#include "bench/api/kind.h"
#include "bench/api/platform.h"
#include "lib/text/words.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"
#include "lib/text/mem.h"

/* Set by linker.ld around section `baretick_rows` (by the linker itself in a hosted ELF). */
extern const struct bench *__start_baretick_rows[], *__stop_baretick_rows[];

static bool precedes(const struct bench *a, const struct bench *b)
{
    int order = str_order(a->suite, b->suite);

    return order < 0 || (order == 0 && str_order(a->name, b->name) < 0);
}

static const struct bench *rows[REGISTRY_MOST];
static size_t rows_used;

/* Inserts the row at its place in the order. */
static void insert(const struct bench *b)
{
    size_t at = rows_used++;

    for (; at > 0 && precedes(b, rows[at - 1]); at--)
        rows[at] = rows[at - 1];
    rows[at] = b;
}

static void take_own(void)
{
    const struct bench **built_in = __start_baretick_rows;

    if (rows_used > 0)
        return;
    while (built_in < __stop_baretick_rows && rows_used < REGISTRY_MOST)
        insert(*built_in++);
}

const struct bench *const *registry(size_t *n)
{
    take_own();
    *n = rows_used;
    return rows;
}

bool registry_add(const struct bench *b, const char **why)
{
    take_own();
    for (size_t i = 0; i < rows_used; i++)
        if (str_eq(rows[i]->suite, b->suite) && str_eq(rows[i]->name, b->name)) {
            *why = "a row with this suite and name exists";
            return false;
        }
    if (rows_used == REGISTRY_MOST) {
        *why = "the registry is full";
        return false;
    }
    insert(b);
    return true;
}

#define PAGE 4096u

size_t registry_data_size(void)
{
    size_t n, room = OBJECT_ROOM;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (all[i]->needs.room_bytes > room)
            room = all[i]->needs.room_bytes;
    return PLATFORM_DATA_SIZE + (room > OBJECT_ROOM ? (room + PAGE - 1) / PAGE * PAGE : 0);
}

/* Returns whether the list names this row's suite literally. */
static bool asked_for(const char *list, const struct bench *b)
{
    char pattern[OPTIONS_LIST_MAX];

    for (size_t i = 0; glob_list_at(list, i, pattern, sizeof pattern); i++)
        if (str_eq(pattern, b->suite) || (b->former_suite && str_eq(pattern, b->former_suite)))
            return true;
    return false;
}

static bool in_suites(const char *list, const struct bench *b)
{
    return glob_list_match(list, b->suite) ||
           (b->former_suite && glob_list_match(list, b->former_suite));
}

static bool selects(const char *suites, const char *names, const struct bench *b)
{
    if (b->on_request && !asked_for(suites, b))
        return false;
    return in_suites(suites, b) &&
           (glob_list_match(names, b->name) || (b->has_part && b->has_part(names)) ||
            (b->code && b->code->args_of && glob_list_match(names, b->code->args_of)));
}

void registry_settle(struct options *o)
{
    const char *cores = NULL;

    take_own();
    if (options_give(o, "cores"))
        return;
    for (size_t i = 0; i < rows_used; i++) {
        if (!registry_selects(o, rows[i]))
            continue;
        cores = rows[i]->kind ? rows[i]->kind->cores : NULL;
        if (!cores)
            return;
    }
    if (cores)
        str_copy(o->cores, sizeof o->cores, cores, strlen(cores));
}

bool registry_selects(const struct options *o, const struct bench *b)
{
    return selects(o->suite, o->bench, b);
}

static bool selects_any(const char *suites, const char *names)
{
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (selects(suites, names, rows[i]))
            return true;
    return false;
}

/* Returns the row's name without its argument. */
static const char *name_of(const struct bench *b)
{
    return b->code && b->code->args_of ? b->code->args_of : b->name;
}

/* Suggests the suite whose name is nearest to this one, or the nearest row of these suites. */
static void ask_name(struct sink *err, const char *suites, const char *name)
{
    struct near near = near_to(name, strlen(name));
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++) {
        if (!suites)
            near_try(&near, rows[i]->suite, strlen(rows[i]->suite));
        else if (selects(suites, "*", rows[i]))
            near_try(&near, name_of(rows[i]), strlen(name_of(rows[i])));
    }
    near_ask(&near, "", "", err);
}

static void say_suites(struct sink *err)
{
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (i == 0 || !str_eq(rows[i]->suite, rows[i - 1]->suite))
            fmt(err, " %s", rows[i]->suite);
}

/* Most names in a message; `list` shows all of them. */
#define NAMES_SAID 40

static void say_names(struct sink *err, const char *suites)
{
    size_t n, found = 0;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (selects(suites, "*", rows[i]) && found++ < NAMES_SAID)
            fmt(err, " %s", rows[i]->name);
    for (size_t i = 0; i < n; i++)
        if (rows[i]->has_part && selects(suites, "*", rows[i]))
            fmt(err, "; and parts of %s, such as %s", rows[i]->name, rows[i]->part);
    if (found > NAMES_SAID)
        fmt(err, " and %zu more, which list shows", found - NAMES_SAID);
}

/* Returns the first suite that matches the pattern and has such rows that run on request. */
static const char *on_request_by(const char *pattern, const char *names)
{
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (rows[i]->on_request && in_suites(pattern, rows[i]) &&
            glob_list_match(names, rows[i]->name))
            return rows[i]->suite;
    return NULL;
}

static void say_no_suite(struct sink *err, const char *suites, const char *pattern)
{
    const char *on_request = on_request_by(pattern, "*");

    if (on_request) {
        fmt(err, "suite=%s: the rows of %s run only when suite= names it in full: suite=%s", suites,
            on_request, on_request);
        return;
    }
    fmt(err, "suite=%s: no suite is called \"%s\"", suites, pattern);
    ask_name(err, NULL, pattern);
    fmt(err, "; there are:");
    say_suites(err);
}

static void say_no_row(struct sink *err, const struct options *o, const char *pattern)
{
    const char *on_request = on_request_by(o->suite, pattern);

    if (on_request) {
        fmt(err, "bench=%s: \"%s\" of %s runs only when suite= names it in full: suite=%s",
            o->bench, pattern, on_request, on_request);
        return;
    }
    fmt(err, "bench=%s: no row of suite=%s is called \"%s\"", o->bench, o->suite, pattern);
    ask_name(err, o->suite, pattern);
    fmt(err, "; there are:");
    say_names(err, o->suite);
}

bool registry_check(const struct options *o, struct sink *err)
{
    char pattern[OPTIONS_LIST_MAX];

    for (size_t i = 0; glob_list_at(o->suite, i, pattern, sizeof pattern); i++)
        if (!selects_any(pattern, "*")) {
            say_no_suite(err, o->suite, pattern);
            return false;
        }
    for (size_t i = 0; glob_list_at(o->bench, i, pattern, sizeof pattern); i++)
        if (!selects_any(o->suite, pattern)) {
            say_no_row(err, o, pattern);
            return false;
        }
    return true;
}

/* Returns whether all rows of the suite that begins at index `first` run on request. */
static bool all_on_request(const struct bench *const *rows, size_t n, size_t first)
{
    for (size_t i = first; i < n && str_eq(rows[i]->suite, rows[first]->suite); i++)
        if (!rows[i]->on_request)
            return false;
    return true;
}

void registry_list(struct sink *out)
{
    bool all = false;
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++) {
        const struct bench *b = rows[i];
        if (i == 0 || !str_eq(b->suite, rows[i - 1]->suite)) {
            all = all_on_request(rows, n, i);
            fmt(out, "%s%s%s\r\n", i ? "\r\n" : "", b->suite,
                all ? "  (only when suite= names it)" : "");
        }
        fmt(out, "  %-24s %s%s\r\n", b->name, b->what,
            b->on_request && !all ? "  (only when suite= names its suite)" : "");
    }
    fmt(out, "\r\n%zu rows\r\n", n);
}
