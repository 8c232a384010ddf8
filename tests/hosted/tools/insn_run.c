/*
 * Executes every form of lib/insn that this CPU has: independent copies, as many as a body may
 * have, with distinct and with the same registers, and the chain of each pair of operands; in an
 * area of memory that nothing else is in, between pages without rights. Copies with broken
 * dependencies have the other history of registers; each form is also run next to each blocker.
 *   insn_run           a line of JSON with counts; before it a line for each that faulted
 *   insn_run GLOB      only forms whose names match, and a line for each test
 * Exit status: 0, 1 where something could not be set up.
 */
#include <cpuid.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/insn/program.h"
#include "lib/insn/form.h"
#include "lib/insn/tests.h"

enum { FEW = 16, REPEATS_OF_CHAIN = 64 }; /* a chain through an address moves on in the string */
enum { CODE_SIZE = 1 << 18, GUARD = 1 << 16, SIGNAL_STACK = 1 << 16, SECONDS = 2 };

static struct insn_links links;
static struct insn_support support;
static struct insn_place place = {.links = &links};
static uint8_t *code, *area;
static sigjmp_buf back;
static const char *only;

static struct {
    unsigned forms, lacking, not_run, ran, faulted, pairs, pairs_ran, pairs_faulted, not_encoded;
    unsigned mixes, mixes_faulted;
    unsigned why[INSN_WHYS];
} counts;

static void write_out(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout);
}

static struct sink out = {write_out};

static void on_signal(int number)
{
    siglongjmp(back, number);
}

static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;

    (void)ctx;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
}

static uint64_t read_xcr0(void)
{
    uint32_t low, high;

    if (!(cpuid(NULL, 1, 0).ecx >> 27 & 1))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* --- running --------------------------------------------------------------------------------- */

static void put_bytes(struct insn_code *to, const void *bytes, size_t n)
{
    memcpy(to->at + to->used, bytes, n);
    to->used += n;
}

enum { NO_BLOCKER = BLOCKERS };

/* A function around setup and body. False: it cannot be encoded. */
static bool build(const struct insn_test *t, unsigned blocker)
{
    static const uint8_t enter[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};
    static const uint8_t leave[] = {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d,
                                    0x41, 0x5c, 0x5d, 0x5b, 0xc3};
    struct insn_code to = {.at = code, .size = CODE_SIZE - sizeof leave};
    bool many = t->shape == INSN_DISTINCT && !(t->view.form->properties & INSN_REP);

    place.repeats = t->shape == INSN_CHAIN ? REPEATS_OF_CHAIN : INSN_REPEAT_MOST;

    put_bytes(&to, enter, sizeof enter);
    insn_setup(&to, &place, t);
    struct insn_contents contents = {BODY_STRAIGHT, many ? INSN_COPIES_MOST : FEW, 0, 0};
    if (blocker != NO_BLOCKER)
        contents = (struct insn_contents){BODY_MIXED, INSN_MIX_MOST / 2, INSN_MIX_MOST / 2,
                                          (enum insn_blocker)blocker};
    insn_body(&to, &place, t, &contents);
    if (to.full || to.refused)
        return false;
    put_bytes(&to, leave, sizeof leave);
    return true;
}

/* 0, or the signal that ended it. */
static int run(const struct insn_test *t)
{
    void (*volatile function)(void);

    uint8_t *volatile entry = code;

    memcpy((void *)&function, (void *)&entry, sizeof function);
    insn_fill(area, &t->view, INSN_USUAL);
    memcpy(area + INSN_ITERATIONS_AT, &(uint64_t){1}, sizeof(uint64_t));
    alarm(SECONDS);
    int number = sigsetjmp(back, 1);
    if (number == 0)
        function();
    else
        __asm__ volatile("cld\n\tfninit\n\temms");
    alarm(0);
    return number;
}

static void say_end(const struct insn_end *e)
{
    static const char *const parts[] = {
        [INSN_DATA] = "", [INSN_BASE_PART] = ".base", [INSN_INDEX_PART] = ".index"};

    if (e->part == INSN_FLAGS_PART)
        printf("flags");
    else
        printf("%u%s", e->operand, parts[e->part]);
}

static void say(const struct insn_test *t, const char *what)
{
    insn_name(t->view.form, t->view.decoration, &out);
    if (t->shape == INSN_CHAIN) {
        printf("\t");
        say_end(&t->in);
        printf(" -> ");
        say_end(&t->out);
    } else {
        printf("\t%s", t->shape == INSN_SAME       ? "same"
                       : t->shape == INSN_ONE_LINE ? "one line"
                                                   : "distinct");
    }
    printf("\t%s\n", what);
}

static void attempt(const struct insn_test *t, enum insn_why why, unsigned *ran, unsigned *faulted)
{
    if (why != INSN_RUNS || !build(t, NO_BLOCKER)) {
        why = why == INSN_RUNS ? INSN_NOT_ENCODABLE : why;
        counts.why[why]++;
        if (only)
            say(t, insn_why_texts[why]);
        return;
    }
    int number = run(t);
    ++*(number ? faulted : ran);
    if (number || only)
        say(t, number ? strsignal(number) : "ran");
}

static void run_pairs(const struct insn_form *f, unsigned decoration)
{
    struct insn_end in[INSN_ENDS_MOST], to[INSN_ENDS_MOST];
    struct insn_view v;

    insn_view(&v, f, decoration);
    unsigned ins = insn_inputs(&v, in), outs = insn_outputs(&v, to);
    for (unsigned i = 0; i < ins * outs; i++) {
        struct insn_test t;
        enum insn_why why = insn_latency(&t, f, decoration, in[i / outs], to[i % outs], false);
        counts.pairs++;
        attempt(&t, why, &counts.pairs_ran, &counts.pairs_faulted);
    }
}

/* Next to the blockers that the CPU has. */
static void run_mixes(const struct insn_form *f, unsigned decoration)
{
    const struct insn_test_id id = {.kind = INSN_TEST_MIXED};
    struct insn_test t;

    for (unsigned b = 0; b < BLOCKERS; b++) {
        const struct insn_form *blocker = links.form[insn_blocker_links[b]];
        if (insn_test(&t, f, decoration, &id) != INSN_RUNS || !insn_can_mix(&t.view) ||
            insn_lacks(&support, blocker) != INSN_FEATURES || !build(&t, b))
            continue;
        int number = run(&t);
        counts.mixes++;
        counts.mixes_faulted += number != 0;
        if (number)
            say(&t, strsignal(number));
    }
}

static void run_form(const struct insn_form *f, unsigned decoration)
{
    static const struct {
        enum insn_shape shape;
        bool breaks;
    } shapes[] = {
        {INSN_DISTINCT, false}, {INSN_MIXED, true}, {INSN_SAME, false}, {INSN_ONE_LINE, false}};
    struct insn_test t;

    counts.forms++;
    if (f->why != INSN_RUNS) {
        counts.not_run++;
        return;
    }
    if (insn_lacks(&support, f) != INSN_FEATURES) {
        counts.lacking++;
        return;
    }
    unsigned faulted = counts.faulted;
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        place.history = shapes[i].breaks ? HISTORY_OTHER : HISTORY_USUAL;
        attempt(&t, insn_throughput(&t, f, decoration, shapes[i].shape, shapes[i].breaks),
                &counts.ran, &counts.faulted);
    }
    place.history = HISTORY_USUAL;
    if (counts.faulted > faulted)
        return;
    run_pairs(f, decoration);
    run_mixes(f, decoration);
}

static bool is_wanted(const struct insn_form *f, unsigned decoration)
{
    char name[128];
    struct sink_buf to;

    sink_buf_init(&to, name, sizeof name);
    insn_name(f, decoration, &to.sink);
    return !only || fnmatch(only, name, 0) == 0;
}

/* --- the whole ------------------------------------------------------------------------------- */

static void *pages(size_t size, int rights)
{
    uint8_t *at = mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED || mprotect(at + GUARD, size, rights) != 0) {
        perror("insn_run: memory");
        exit(1);
    }
    return at + GUARD;
}

static void set_up(void)
{
    static const int numbers[] = {SIGILL, SIGSEGV, SIGFPE, SIGBUS, SIGTRAP, SIGALRM};
    stack_t stack = {.ss_sp = malloc(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};

    if (!stack.ss_sp || sigaltstack(&stack, NULL) != 0)
        exit(1);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    code = pages(CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
    area = pages(INSN_AREA_SIZE, PROT_READ | PROT_WRITE);
    place.area = (uint64_t)(uintptr_t)area;
    insn_support(&support, cpuid, NULL, read_xcr0());
    place.avx2 = support.has[INSN_AVX2];
    place.vectors = support.avx512_on ? 512 : support.avx_on ? 256 : 128;
    const char *missing = insn_links_find(&links);
    if (missing) {
        fprintf(stderr, "insn_run: no form is named %s\n", missing);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    set_up();
    for (unsigned i = 0; i < insn_count(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST];
        unsigned n = insn_decorations(insn_form(i), decorations);
        for (unsigned k = 0; k < n; k++)
            if (is_wanted(insn_form(i), decorations[k]))
                run_form(insn_form(i), decorations[k]);
    }
    printf("{\"forms\":%u,\"not_run\":%u,\"lacking\":%u,\"ran\":%u,\"faulted\":%u,"
           "\"pairs\":%u,\"pairs_ran\":%u,\"pairs_faulted\":%u,\"no_chain\":%u,"
           "\"not_encodable\":%u,\"no_memory\":%u,\"mixes\":%u,\"mixes_faulted\":%u}\n",
           counts.forms, counts.not_run, counts.lacking, counts.ran, counts.faulted, counts.pairs,
           counts.pairs_ran, counts.pairs_faulted, counts.why[INSN_NO_CHAIN],
           counts.why[INSN_NOT_ENCODABLE], counts.why[INSN_NO_SUCH_PAIR], counts.mixes,
           counts.mixes_faulted);
    return 0;
}
