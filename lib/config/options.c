#include "lib/config/options.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"
#include "lib/text/words.h"

const char *const method_names[METHOD_COUNT] = {METHOD_CHOICES(WORD_NAME)};
const char *const park_names[] = {PARK_CHOICES(WORD_NAME)};

#define TEXT_OF(x)     #x
#define TEXT_OF_THE(x) TEXT_OF(x) /* a macro's value */

/* Numbers and choices are stored as uint32_t, the type that gcc and clang give an enum without
 * negative values; a field of another size does not compile. */
#define FIELD_OF_4(name)                                                                           \
    (offsetof(struct options, name) +                                                              \
     0 * sizeof(char[sizeof((struct options *)0)->name == 4 ? 1 : -1]))

#define NUMBER(name, lowest, highest, standard_)                                                   \
    .key = #name, .values = #lowest ".." #highest, .standard = #standard_,                         \
    .takes = {OPTION_NUMBER, FIELD_OF_4(name), lowest, highest}
/* A number, or a word, which is stored as 0. With `auto` the value is chosen once the machine is
 * known. */
#define NUMBER_OR_AUTO(name, lowest, highest) NUMBER_OR("auto", name, lowest, highest)
#define NUMBER_OR_OFF(name, lowest, highest)  NUMBER_OR("off", name, lowest, highest)
#define NUMBER_OR(word, name, lowest, highest)                                                     \
    .key = #name, .values = word "|" #lowest ".." #highest, .standard = word,                      \
    .takes = {OPTION_NUMBER_OR_WORD, FIELD_OF_4(name), lowest, highest}
/* From 0 to 1: 0.05, or 50 thousandths. */
#define FRACTION(name, standard_)                                                                  \
    .key = #name, .values = "0.0..1.0|0..1000", .standard = standard_,                             \
    .takes = {OPTION_FRACTION, FIELD_OF_4(name), 0, OPTION_ONE}
/* `words`: the list that defines the field's enum. */
#define CHOICE(name, words, standard_)                                                             \
    .key = #name, .values = WORD_LIST(words), .standard = standard_,                               \
    .takes = {.kind = OPTION_CHOICE, .field = FIELD_OF_4(name)}
#define OTHER(name, kind_, values_, standard_)                                                     \
    .key = #name, .values = values_, .standard = standard_,                                        \
    .takes = {.kind = kind_, .field = offsetof(struct options, name)}
#define GLOBS(name)                    OTHER(name, OPTION_LIST, "GLOB,GLOB,...", "*")
#define TIMERS(name, words, standard_) OTHER(name, OPTION_TIMERS, words, standard_)

#define BY(method) (1u << METHOD_##method)
#define BY_ALL     ((1u << METHOD_COUNT) - 1) /* used with windows, by any method */

/* `meaning`: with the default after it, 79 columns in help. */
static const struct option_doc keys[] = {
    {GLOBS(suite), .meaning = "suites to run (* matches any text, ? one character)"},
    {GLOBS(bench), .meaning = "rows to run, by name"},
    {OTHER(objects, OPTION_FILES, "on|off|GLOB,GLOB,...", "on"),
     .meaning = "objects with user rows, in \\baretick\\objects"},
    {NUMBER_OR_AUTO(samples, 16, 1000000), .methods = BY(DOUBLED) | BY(PLAIN),
     .meaning = "windows per row; auto: " TEXT_OF_THE(SAMPLES_AUTO) "; " TEXT_OF_THE(
         SAMPLES_AUTO_EXACT) " with counted instructions"},
    {NUMBER(rounds, 1, 64, 4), .methods = BY(DOUBLED),
     .meaning = "passes over all rows; a row's windows are spread across them"},
    {NUMBER(retry_budget, 0, 1000, 20), .former = "quiet_budget", .methods = BY(DOUBLED),
     .meaning = "maximum of repeats of shared blocks, per block of the row"},
    {NUMBER(warmup, 0, 1000, 50), .methods = BY(DOUBLED) | BY(PLAIN),
     .meaning = "maximum of warm-up blocks before each row"},
    {CHOICE(recipe, RECIPE_CHOICES, "auto"),
     .meaning = "how the TSC is read; auto: lfence, or the method's own"},
    {CHOICE(method, METHOD_CHOICES, "doubled"), .meaning = "how a figure is computed from windows"},
    {NUMBER(k, 1, 32, 3), .methods = BY(KBEST),
     .meaning = "kbest: the number of smallest samples that must agree"},
    {FRACTION(epsilon, "0.05"), .methods = BY(KBEST),
     .meaning = "kbest: tolerance, a fraction; without a point: thousandths"},
    {NUMBER(most, 32, 1000000, 500), .methods = BY(KBEST), .meaning = "kbest: maximum of samples"},
    {CHOICE(compensate, COMPENSATE_CHOICES, "off"), .methods = BY(KBEST),
     .meaning = "kbest in a process; on: subtract timer interrupts"},
    {NUMBER_OR_AUTO(ensembles, 2, 100000), .methods = BY(ENSEMBLES),
     .meaning = "ensembles: their number; auto: " TEXT_OF_THE(ENSEMBLES_AUTO) "; " TEXT_OF_THE(
         ENSEMBLES_AUTO_EXACT) " if counted"},
    {NUMBER_OR_AUTO(size, 2, 1000000), .methods = BY(ENSEMBLES),
     .meaning = "ensembles: windows in each; auto: " TEXT_OF_THE(SIZE_AUTO) "; " TEXT_OF_THE(
         SIZE_AUTO_EXACT) " if counted"},
    {NUMBER(target, 10, 10000000, 10000), .methods = BY(ADAPTIVE),
     .meaning = "adaptive: microseconds per stretch (mLib: 1000000)"},
    {CHOICE(caches, CACHES_CHOICES, "keep"), .methods = BY_ALL,
     .meaning = "clear: flush code and data before each window"},
    {CHOICE(instructions, INSTRUCTIONS_CHOICES, "auto"), .methods = BY_ALL,
     .meaning = "auto: count each row's instructions by single-stepping"},
    {TIMERS(clock, CLOCK_WORDS, "auto"),
     .meaning = "sources of seconds, in order; auto: " CLOCK_STANDARD},
    {TIMERS(cycle, CYCLE_WORDS, "auto"), .meaning = "core cycle sources; auto: " CYCLE_STANDARD},
    {CHOICE(layout, LAYOUT_CHOICES, "shuffle"), .methods = BY(DOUBLED),
     .meaning = "placements: 16 drawn from seed=, one, or 64 offsets"},
    {NUMBER(seed, 0, 4294967295, 1), .methods = BY(DOUBLED),
     .meaning = "seed for drawing the placements"},
    {OTHER(cores, OPTION_CORES, "bsp|all|types|nodes|N,N-N,...", "bsp"),
     .meaning = "cores that measure; types, nodes: one of each"},
    {CHOICE(share, SHARE_CHOICES, "alone"), .methods = BY_ALL,
     .meaning = "alone: one core at a time; together: also all at once"},
    {CHOICE(park, PARK_CHOICES, "hlt"),
     .meaning = "wait of a core that does not measure; deep: deepest MWAIT"},
    {CHOICE(turbo, SETTING_CHOICES, "keep"),
     .meaning = "off: keep the core clock at or below the base clock"},
    {CHOICE(prefetch, SETTING_CHOICES, "keep"), .meaning = "off: disable the hardware prefetchers"},
    {CHOICE(freq, FREQ_CHOICES, "keep"),
     .meaning = "fix the core clock at base, or at the turbo= maximum"},
    {CHOICE(dma, SETTING_CHOICES, "keep"), .meaning = "off: stop PCI devices from writing memory"},
    {NUMBER_OR_AUTO(quiet_time, 1, 604800),
     .meaning =
         "suite quiet: s; auto: " TEXT_OF_THE(QUIET_TIME_AUTO) "; 0.01 with counted instructions"},
    {NUMBER_OR_OFF(gaps_max, 1, 60000000),
     .meaning = "suite quiet: us; a longer gap fails the run"},
    {NUMBER(time, 1, 3600, 25), .meaning = "suite insn: seconds for its passes over all forms"},
    {NUMBER(deadline, 1, 3600, 60),
     .meaning = "time limit of a row in seconds; in a process: of CPU time"},
    {CHOICE(format, FORMAT_CHOICES, "auto"),
     .meaning = "auto: both; process: table, or jsonl to a pipe or file"},
    {CHOICE(table, TABLE_CHOICES, "auto"), .methods = BY(DOUBLED),
     .meaning =
         "grouped: rows in columns; auto: grouped from " TEXT_OF_THE(TABLE_ROWS_AUTO) " rows on"},
    {CHOICE(hist, HIST_CHOICES, "capped"), .methods = BY(DOUBLED),
     .meaning = "histograms: the " TEXT_OF_THE(HIST_CAP) " fullest bins, all, none"},
    {CHOICE(console, CONSOLE_CHOICES, "auto"),
     .meaning = "consoles of the table; auto: all of them"},
    {OTHER(serial, OPTION_SERIAL, "auto|off|com1..com4|io:PORT|mmio:ADDR:WIDTH:STRIDE", "auto"),
     .meaning = "auto: from SPCR or DBG2, else com1; ,BAUD may follow"},
    {CHOICE(finish, FINISH_CHOICES, "auto"),
     .meaning = "auto: exit QEMU; on a machine halt; return if borrowed"},
    {CHOICE(takeover, TAKEOVER_CHOICES, "auto"),
     .meaning = "borrow: restore the machine; auto: borrow if no screen"},
    {OTHER(upload, OPTION_UPLOAD, "auto|off|URL", "auto"),
     .meaning = "server's folder for the report; auto: the program's own"},
    {NUMBER(once, 0, 4294967295, 0), .meaning = "set by `baretick once`: the number of its run"},
};
#define KEYS (sizeof keys / sizeof keys[0])
_Static_assert(KEYS <= 64, "`given` has a bit for each key");

size_t options_docs(const struct option_doc **docs)
{
    *docs = keys;
    return KEYS;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Finds the key before '=', or in the whole word; *value is what follows '=', or NULL. */
static const struct option_doc *find_key(const char *word, const char **value)
{
    size_t n = str_until(word, '=');

    *value = word[n] == '=' ? word + n + 1 : NULL;
    for (size_t i = 0; i < KEYS; i++)
        if (str_is(keys[i].key, word, n) || (keys[i].former && str_is(keys[i].former, word, n)))
            return &keys[i];
    return NULL;
}

/* The words without a value. */
#define LONE_WORDS "help|list|dump|datasheet"
enum lone { LONE_HELP, LONE_LIST, LONE_DUMP, LONE_DATASHEET, LONE_NONE };

static enum lone find_lone(const char *word)
{
    uint32_t i;

    return str_choice(LONE_WORDS, word, strlen(word), &i) ? (enum lone)i : LONE_NONE;
}

bool options_knows(const char *word)
{
    const char *value;

    return find_lone(word) != LONE_NONE || (find_key(word, &value) != NULL && value != NULL);
}

static void say_words(const char *word, struct sink *err)
{
    size_t n = str_until(word, '=');
    struct near key = near_to(word, n), lone = near_to(word, n);

    for (size_t i = 0; i < KEYS; i++)
        near_try(&key, keys[i].key, strlen(keys[i].key));
    near_try_values(&lone, LONE_WORDS);

    fmt(err, "no such word");
    near_ask(&key, "", "=", err);
    if (word[n] == '\0')
        near_ask(&lone, "", "", err);
    fmt(err, "; `help` lists all words");
}

/* k: the word's key, or NULL. The value of upload= may have a password. */
static void say_place(struct sink *err, const struct word *word, const struct option_doc *k,
                      const char *source, const char *unit, unsigned number)
{
    size_t longest = 64; /* leaves room in a screen's line for the start of the message */

    if (k && k->takes.kind == OPTION_UPLOAD)
        longest = strlen(k->key) + 1;
    fmt(err, "%s, %s %u: \"", source, unit, number);
    str_escape(err, word->at, word->n < longest ? word->n : longest);
    fmt(err, word->cut || word->n > longest ? "...\": " : "\": ");
}

/* Returns false if the word is not a key with a value that it takes. */
static bool take_pair(struct options *o, const char *word)
{
    const char *value;
    const struct option_doc *k = find_key(word, &value);

    if (k == NULL || value == NULL || !option_value_take(o, k, value))
        return false;
    o->given |= 1ull << (k - keys);
    return true;
}

/* Returns false if the word has a value. */
static bool take_lone(struct options *o, const char *word)
{
    switch (find_lone(word)) {
    case LONE_HELP:
        o->help = true;
        return true;
    case LONE_LIST:
        o->list = true;
        return true;
    case LONE_DUMP:
        o->dump = true;
        return true;
    case LONE_DATASHEET:
        for (const char *const *means = datasheet_words; *means; means++)
            take_pair(o, *means);
        return true;
    case LONE_NONE:
        break;
    }
    return false;
}

bool options_take(struct options *o, const struct word *word, const char *source, const char *unit,
                  unsigned number, struct sink *err)
{
    const char *value;
    const struct option_doc *k = find_key(word->at, &value);
    bool whole = !word->bad && !word->open && !word->cut;

    if (whole && (take_lone(o, word->at) || take_pair(o, word->at)))
        return true;

    say_place(err, word, k, source, unit, number);
    if (word->bad)
        fmt(err, "contains bytes that are not text: write UTF-8 or UTF-16");
    else if (word->open)
        fmt(err, "the double quote is not closed on its line");
    else if (k == NULL)
        say_words(word->at, err);
    else if (value == NULL)
        fmt(err, "a value is missing, as in %s=%s", k->key, k->standard);
    else
        option_value_explain(k, value, err);
    return false;
}

bool options_parse_file(struct options *o, const void *bytes, size_t n, const char *source,
                        struct sink *err)
{
    struct words words;
    struct word word;

    words_open(&words, bytes, n, false);
    while (words_next(&words, &word))
        if (!options_take(o, &word, source, "line", word.line, err))
            return false;
    return true;
}

bool options_check_pairs(const struct options *o, struct sink *err)
{
    if (o->takeover == TAKEOVER_EXIT && o->finish == FINISH_RETURN) {
        fmt(err,
            "takeover=exit with finish=return: the firmware cannot continue after boot services "
            "have ended; finish=return needs takeover=borrow or auto");
        return false;
    }
    if (o->dma == SETTING_OFF && (o->takeover == TAKEOVER_BORROW || o->finish == FINISH_RETURN)) {
        fmt(err,
            "dma=off with takeover=borrow or finish=return: the firmware's drivers continue and "
            "need their devices; dma=off needs takeover=exit or auto");
        return false;
    }
    if (o->upload.kind == UPLOAD_URL && (o->takeover == TAKEOVER_EXIT || o->dma == SETTING_OFF)) {
        fmt(err,
            "upload= with takeover=exit or dma=off: the report is sent by the firmware's drivers, "
            "which must continue; upload= needs takeover=borrow or auto, and dma=keep");
        return false;
    }
    return true;
}

bool options_give(const struct options *o, const char *key)
{
    const char *value;
    const struct option_doc *k = find_key(key, &value);

    return k && o->given & 1ull << (k - keys);
}

static void say_methods(struct sink *out, uint32_t methods)
{
    bool first = true;

    for (uint32_t m = 0; m < METHOD_COUNT; m++)
        if (methods & 1u << m) {
            fmt(out, "%smethod=%s", first ? "" : " and ", method_names[m]);
            first = false;
        }
}

/* Writes why this key has no effect with the other words; returns false if it has one. */
static bool is_idle(const struct options *o, const struct option_doc *k,
                    const struct options_rows *rows, struct sink *why)
{
    const void *at = (const char *)o + k->takes.field;

    if (at == &o->seed && rows->curves)
        return false;
    if ((at == &o->quiet_time || at == &o->gaps_max) && !rows->watches) {
        fmt(why, ": suite quiet does not run");
    } else if (at == &o->time && !rows->forms) {
        fmt(why, ": suite insn does not run");
    } else if (k->methods && !rows->windows) {
        fmt(why, ": no row that runs has windows");
    } else if (k->methods && !(k->methods & 1u << o->method)) {
        fmt(why, " with method=%s: it needs ", method_names[o->method]);
        say_methods(why, k->methods);
    } else if (at == &o->seed && o->layout != LAYOUT_SHUFFLE) {
        fmt(why, " with layout=%s: it needs layout=shuffle",
            o->layout == LAYOUT_FIXED ? "fixed" : "sweep");
    } else if (at == &o->share && str_eq(o->cores, "bsp")) {
        fmt(why, " with cores=bsp: only one core measures");
    } else {
        return false;
    }
    return true;
}

void options_without_effect(const struct options *o, const struct options_rows *rows,
                            void (*tell)(void *ctx, const char *message), void *ctx)
{
    for (size_t i = 0; i < KEYS; i++) {
        char message[120];
        struct sink_buf text;
        sink_buf_init(&text, message, sizeof message);
        fmt(&text.sink, "%s= has no effect", keys[i].key);
        if (o->given & 1ull << i && is_idle(o, &keys[i], rows, &text.sink))
            tell(ctx, message);
    }
}

void options_default(struct options *o)
{
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < KEYS; i++)
        option_value_take(o, &keys[i], keys[i].standard);
}
