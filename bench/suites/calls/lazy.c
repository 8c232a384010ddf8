/* Lazy binding: the loaded objects, and the rows. lazy.h describes the calls. */
#include "bench/suites/calls/lazy.h"
#include "bench/suites/calls/calls.h"
#include "lib/object/gnu_hash.h"
#include "lib/text/mem.h"

/*
 * The exports of a program and its two libraries, in the order of search, and the functions that
 * the program calls by its PLT. The name that is looked up, strncat, fails at the first bit of the
 * first object's filter and at the second bit of the second's; in the third it is third in its
 * chain.
 */
static const char imports[] = "malloc printf strncat free";
static const char program[] = "environ optarg optind stderr stdin stdout";
static const char libm[] =
    "acos asin atan atan2 cbrt ceil copysign cos cosh erf exp exp2 expm1 fabs floor fmax fmin fmod "
    "frexp hypot ldexp lgamma log log10 log1p log2 modf pow remainder rint round sin sinh sqrt tan "
    "tanh tgamma trunc";
static const char libc[] =
    "abort abs access atexit atoi atol bsearch calloc clearerr close dup dup2 exit fclose fdopen "
    "feof ferror fflush fgetc fgets fopen fprintf fputc fputs fread free fseek fstat ftell fwrite "
    "getc getcwd getenv getopt getpid gettimeofday isatty kill lseek malloc memchr memcmp memcpy "
    "memmove memset mkdir mmap munmap open perror pipe printf putc putchar puts qsort raise read "
    "realloc remove rename setlocale signal sleep snprintf sprintf sscanf stat strcasecmp strcat "
    "strchr strcmp strcpy strcspn strdup strerror strlen strncasecmp strncat strncmp strncpy "
    "strpbrk strrchr strspn strstr strtod strtok strtol strtoul system time tolower toupper unlink "
    "usleep vfprintf vsnprintf waitpid write";

#define OBJECTS 3
#define SYMBOLS 128       /* most symbols of an object */
#define STRINGS 1024      /* bytes of its string table, ... */
#define SECTION (STRINGS) /* ... and of its .gnu.hash */
_Static_assert(1 + sizeof imports + sizeof program <= STRINGS, "the program's strings");
_Static_assert(1 + sizeof libm <= STRINGS && 1 + sizeof libc <= STRINGS, "a library's strings");

struct loaded {
    struct lazy_map map;
    struct lazy_symbol symbol[SYMBOLS];
    uint64_t hash[SECTION / 8];
    char strings[STRINGS];
    uint32_t symbols, used; /* bytes of strings */
};

/* The contents of the object's room. */
struct calls_lazy {
    struct loaded object[OBJECTS];
    struct lazy_rela slot[LAZY_IMPORTS];
    bool stored;               /* a first call has left the function's address in the slot */
    const char *name[SYMBOLS]; /* while an object is made */
    uint32_t order[SYMBOLS];
};
_Static_assert(sizeof(struct calls_lazy) <= OBJECT_ROOM, "the room");

/* --- the objects ------------------------------------------------------------------------------ */

/* Adds the words of a text to the string table, their places to `name`. Returns their number. */
static uint32_t add_strings(struct loaded *l, const char *words, const char *name[])
{
    uint32_t count = 0;

    for (bool begins = true; *words; words++) {
        if (begins)
            name[count++] = l->strings + l->used;
        begins = *words == ' ';
        l->strings[l->used++] = begins ? '\0' : *words;
    }
    l->strings[l->used++] = '\0';
    return count;
}

static void add_symbol(struct loaded *l, const char *name, uint16_t section, uint64_t value)
{
    if (l->symbols == SYMBOLS)
        __builtin_trap();
    l->symbol[l->symbols++] = (struct lazy_symbol){
        .name = (uint32_t)(name - l->strings),
        .info = 1 << 4 | 2, /* STB_GLOBAL, STT_FUNC */
        .section = section,
        .value = value,
    };
}

/* Begins an object without symbols, except the null symbol, which is first. */
static void begin(struct loaded *l)
{
    memset(l, 0, sizeof *l);
    l->symbols = l->used = 1;
    l->map.base = (uint64_t)(uintptr_t)l;
    l->map.symbol = l->symbol;
    l->map.strings = l->strings;
}

/* Adds the imports: undefined symbols, and a relocation for the slot of each. */
static void import(struct calls_lazy *lazy, struct loaded *l)
{
    uint32_t count = add_strings(l, imports, lazy->name);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t slot = (uint64_t)(uintptr_t)&calls_lazy_got[3 + i];
        lazy->slot[i] = (struct lazy_rela){
            .offset = slot - l->map.base, .type = 7, .symbol = l->symbols}; /* JUMP_SLOT */
        add_symbol(l, lazy->name[i], 0, 0);
    }
    l->map.slot = lazy->slot;
}

/* Adds the exports: the symbols of its hash section, all of them functions that do nothing. */
static void export(struct calls_lazy *lazy, struct loaded *l, const char *words)
{
    uint32_t count = add_strings(l, words, lazy->name);
    struct gnu_hash h = {0};

    if (count <= SYMBOLS)
        h = gnu_hash_build(l->hash, sizeof l->hash, l->symbols, lazy->name, count, lazy->order);
    if (!h.bloom)
        __builtin_trap();
    for (uint32_t i = 0; i < count; i++)
        add_symbol(l, lazy->name[lazy->order[i]], 1,
                   (uint64_t)(uintptr_t)calls_callee - l->map.base);
    l->map.buckets = h.buckets;
    l->map.words_mask = h.words - 1;
    l->map.shift = h.shift;
    l->map.bloom = h.bloom;
    l->map.bucket = h.bucket;
    l->map.chain = h.chain - h.first;
}

static bool is_callee(const struct calls_lazy *lazy, const char *name)
{
    const struct loaded *asks = &lazy->object[0];
    const char *wanted = asks->strings + asks->symbol[lazy->slot[LAZY_CALLEE].symbol].name;
    while (*name && *name == *wanted)
        name++, wanted++;

    return *name == *wanted;
}

/* Loads all objects; the symbol that is called is the function that counts. */
static void load(struct calls_lazy *lazy)
{
    static const char *const exports[OBJECTS] = {program, libm, libc};

    for (uint32_t i = 0; i < OBJECTS; i++) {
        struct loaded *l = &lazy->object[i];
        begin(l);
        if (i == 0)
            import(lazy, l);
        export(lazy, l, exports[i]);
        l->map.next = i + 1 < OBJECTS ? &lazy->object[i + 1].map : NULL;
    }
    struct loaded *last = &lazy->object[OBJECTS - 1];
    for (uint32_t i = 1; i < last->symbols; i++)
        if (is_callee(lazy, last->strings + last->symbol[i].name))
            last->symbol[i].value = (uint64_t)(uintptr_t)calls_callee_inc - last->map.base;
}

/* --- the rows --------------------------------------------------------------------------------- */

/* Loads the objects and makes the first call, before the first window. */
static void load_and_call_by(struct object *o, void (*resolver)(void))
{
    struct calls_lazy *lazy = o->room;

    load(lazy);
    calls_lazy_got[1] = (uint64_t)(uintptr_t)&lazy->object[0].map;
    calls_lazy_got[2] = (uint64_t)(uintptr_t)resolver;
    calls_lazy_plt(o);
    lazy->stored = calls_lazy_got[3 + LAZY_CALLEE] == (uint64_t)(uintptr_t)calls_callee_inc;
    o->counter = 0;
}

static void load_and_call(struct object *o)
{
    load_and_call_by(o, calls_lazy_resolve);
}

static void load_and_call_c(struct object *o)
{
    load_and_call_by(o, calls_lazy_resolve_c);
}

static const char *called(const struct object *o, uint64_t operations, uint64_t bound)
{
    const struct calls_lazy *lazy = o->room;

    if (o->counter != operations)
        return "the counter is not the number of operations";
    if (!lazy->stored)
        return "the resolver did not store the function's address in the slot";
    return calls_lazy_bound == bound ? NULL : "the resolver did not run as often as it must";
}

static const char *bound_each(const struct object *o, uint64_t operations)
{
    return called(o, operations, operations + 1); /* plus the call before the first window */
}

static const char *bound_once(const struct object *o, uint64_t operations)
{
    return called(o, operations, 1);
}

/*
 * Before each call of lazy_first the slot is reset by a store, which the empty loop makes too: it
 * is subtracted. Fewest instructions: a call and its return; the look-up hashes 7 characters.
 */
#define LAZY(name_, function_, ops_, least_, setup_, check_, ...)                                  \
    BENCH(calls, name_, .window.form = FORM_FUNCTION, .ops = ops_, .function = function_,          \
          .empty_function = function_##_empty, .setup = setup_,                                    \
          .needs.room_bytes = sizeof(struct calls_lazy), .check = check_,                          \
          .proof.least_instructions = least_, .proof.errors_are_wrong = true, __VA_ARGS__)
#define FIRST "call by a PLT whose slot leads to the dynamic linker: GNU hash, slot bound, ++*x"

LAZY(lazy_later, calls_lazy_later, 1000, 2, load_and_call, bound_once,
     .shown.compared_with = "direct_inc",
     .what = "call by a PLT whose slot the dynamic linker has bound, ++*x");
LAZY(lazy_first, calls_lazy_first, 100, 7, load_and_call, bound_each,
     .shown.compared_with = "lazy_later", .what = FIRST);
LAZY(lazy_first_c, calls_lazy_first, 100, 7, load_and_call_c, bound_each,
     .shown.compared_with = "lazy_later", .what = FIRST ", the look-up in C");
