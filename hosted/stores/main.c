/*
 * Finds dead stores, silent stores and silent loads in a row's body: traces one call of it step by
 * step. scripts/baretick stores starts this and prints the result; docs/stores.md.
 *   stores [WORD...] [SUITE/ROW]
 * SUITE/ may be left out if no other suite has a row of that name. With objects= the row is one of
 * theirs; without SUITE/ROW, all of their rows are traced. Words:
 *   objects=PATH    a file or a folder with user rows
 *   operations=N    operations of the call; default: those of a window
 *   steps=N         maximum number of steps
 *   from=SYMBOL to=SYMBOL   counts from the one up to the other
 *   verify=1        searches all memory at each step for unexpected stores
 *   speed=1         reports steps per second, with and without the counting
 * Prints JSON Lines (trace.h); for a row that cannot be traced, an object of type `refused`. Exit
 * status: 0; 1, a call did not return, did not do its work, or changed its caller's state; 3,
 * something was refused; 4, this program itself faulted, and a record `event` says where.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench/api/registry.h"
#include "bench/objects/objects.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "hosted/platform/signal_guard.h"
#include "hosted/platform/process.h"
#include "hosted/stores/trace.h"

enum { GOOD = 0, CUT = 1, USAGE = 3 };

#define STEPS_MOST       10000000 /* takes about a minute */
#define SPEED_ITERATIONS 5
#define ERROR_MAX        4096

static struct words {
    const char *objects, *from, *to, *row;
    uint64_t operations, steps, verify, speed;
} words = {.steps = STEPS_MOST};

static char error[ERROR_MAX];
static struct sink_buf text;
static int status = GOOD;

static void refuse(void)
{
    struct json j;

    JSON_PUT_LINE(&j, output(), JSON_IS("type", "refused"), JSON_IS("why", error));
    status = USAGE;
}

/* --- words ------------------------------------------------------------------------------------ */

static const struct word_of {
    const char *name;
    const char **text;
    uint64_t *number;
} known[] = {
    {"objects=", &words.objects, NULL}, {"from=", &words.from, NULL},
    {"to=", &words.to, NULL},           {"operations=", NULL, &words.operations},
    {"steps=", NULL, &words.steps},     {"verify=", NULL, &words.verify},
    {"speed=", NULL, &words.speed},
};

static bool take_number(const char *word, const char *digits, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(digits, &end, 10);
    if (digits[0] >= '0' && digits[0] <= '9' && !*end && !errno && *number)
        return true;
    fmt(&text.sink, "%s: a number from 1 on is allowed", word);
    return false;
}

static bool take_word(const char *word)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        if (strncmp(word, known[i].name, n) != 0)
            continue;
        if (known[i].number)
            return take_number(word, word + n, known[i].number);
        *known[i].text = word + n;
        return true;
    }
    if (strchr(word, '=') || words.row) {
        fmt(&text.sink, "%s: one row, and the words operations=, steps=, objects= are allowed",
            word);
        return false;
    }
    words.row = word;
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool is_named(const struct bench *b, const char *name)
{
    char whole[100];

    fmt_buf(whole, sizeof whole, "%s/%s", b->suite, b->name);
    return strcmp(name, whole) == 0 || strcmp(name, b->name) == 0;
}

static void say_rows(const char *name, const struct bench *const *rows, size_t n)
{
    fmt(&text.sink, "no row %s in %s; it has", name, words.objects);
    for (size_t i = 0; i < n; i++)
        if (objects_name_of(rows[i]))
            fmt(&text.sink, " %s/%s", rows[i]->suite, rows[i]->name);
}

/* Finds the row, only among user objects if any are given. NULL: a message. */
static const struct bench *find_row(const char *name)
{
    size_t n;
    const struct bench *const *rows = registry(&n), *found = NULL;

    for (size_t i = 0; i < n; i++) {
        if (!is_named(rows[i], name) || (words.objects && !objects_name_of(rows[i])))
            continue;
        if (found) {
            fmt(&text.sink, "%s: %s/%s or %s/%s?", name, found->suite, found->name, rows[i]->suite,
                rows[i]->name);
            return NULL;
        }
        found = rows[i];
    }
    if (!found && words.objects)
        say_rows(name, rows, n);
    else if (!found)
        fmt(&text.sink, "no row %s; `baretick list` has them all", name);
    return found;
}

static void follow(const struct prepared *p)
{
    struct trace t = {.row = p,
                      .steps_most = words.steps,
                      .verify = words.verify,
                      .progress = isatty(STDERR_FILENO)};

    trace_run(&t);
    const char *wrong = NULL;
    if (!t.ended[0])
        wrong = p->returns_status && (int)t.returned ? "the body says that an operation failed"
                                                     : prepare_check(p);
    if (status == GOOD && (t.ended[0] || wrong || t.changed))
        status = CUT;
    if (!show_trace(&t, wrong, output())) {
        fmt(&text.sink, "%s/%s: no memory to show what was counted", p->bench->suite,
            p->bench->name);
        refuse();
    }
    trace_close(&t);
}

/* --- speed ------------------------------------------------------------------------------------ */

/* CPU time of this thread: other programs may run in between. */
static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double rate(uint64_t steps, double began, double best)
{
    double found = (double)steps / (seconds() - began);

    return found > best ? found : best;
}

/* Alternates between the two, so that both see the same machine. */
static void speed(const struct prepared *p)
{
    double bare = 0, whole = 0;
    struct guard_ended ended;
    struct json j;

    for (unsigned i = 0; i < SPEED_ITERATIONS; i++) {
        struct step s = {.function = p->function};
        struct trace t = {.row = p, .steps_most = words.steps};
        memcpy(s.argument, p->argument, sizeof s.argument);
        if (!prepare_object(p, &text.sink))
            return refuse();
        double began = seconds();
        bool came = step_call(&s, &ended);
        bare = rate(s.steps, began, bare);
        if (!prepare_object(p, &text.sink))
            return refuse();
        began = seconds();
        trace_run(&t);
        whole = rate(t.steps, began, whole);
        came = came && !t.ended[0];
        trace_close(&t);
        if (!came) {
            fmt(&text.sink, "its call does not end");
            return refuse();
        }
    }
    JSON_PUT_LINE(&j, output(), JSON_IS("type", "speed"), JSON_IS("bare", (uint64_t)bare),
                  JSON_IS("steps_per_second", (uint64_t)whole));
}

/* --- a run ------------------------------------------------------------------------------------ */

static void run_row(const struct bench *b)
{
    struct prepared p;

    fault_row(b->suite, b->name);
    sink_buf_init(&text, error, sizeof error);
    if (!prepare_row(&p, b, words.operations, words.from, words.to, &text.sink))
        return refuse();
    sink_buf_init(&text, error, sizeof error);
    if (words.speed)
        return speed(&p);
    if (!prepare_object(&p, &text.sink))
        return refuse();
    follow(&p);
}

static void run(void *row)
{
    size_t n;
    const struct bench *const *rows = registry(&n);
    unsigned ran = 0;

    if (row)
        return run_row(row);
    for (size_t i = 0; i < n; i++)
        if (objects_name_of(rows[i])) {
            run_row(rows[i]);
            ran++;
        }
    if (ran == 0) {
        fmt(&text.sink, "no row: name one, or an object that has some");
        refuse();
    }
}

/* A refused part of an object is not a row, so nothing else would report it. */
static bool take_objects(void)
{
    objects_open();
    if (words.objects && !folder_objects(words.objects, &text.sink))
        return false;
    if (!objects_refusals())
        return true;
    fmt(&text.sink, "objects=%s: a part of it cannot be traced", words.objects);
    objects_explain(&text.sink);
    return false;
}

static struct report report; /* global, since signal handlers take no context */

static void end_by_fault(const char *message)
{
    report_event(&report, "fault", message);
    report_failed(&report, "fault", NULL);
    report_end(&report, false);
}

static int trace_words(int argc, char **argv)
{
    const struct bench *row = NULL;
    bool good = true;

    sink_buf_init(&text, error, sizeof error);
    for (int i = 1; good && i < argc; i++)
        good = take_word(argv[i]);
    good = good && take_objects();
    if (good && words.row)
        good = (row = find_row(words.row)) != NULL;
    if (!good || !prepare_open(&text.sink)) {
        refuse();
        output_flush();
        return status;
    }
    report_init(&report, output(), FORMAT_JSONL);
    fault_catch(end_by_fault);
    output_watch();
    exit_guard_open("stores", "a setup");
    prepare_on_stack(run, (void *)row);
    output_flush();
    if (!output_lost())
        return status;
    fprintf(stderr, "stores: standard output: %s\n", output_lost());
    return CUT;
}

int main(int argc, char **argv)
{
    exit_guard_end(trace_words(argc, argv));
}
