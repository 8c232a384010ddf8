/*
 * Deliberate failures: to show what each looks like, and to check that a script detects the exit
 * status. They run only when suite= names the suite, best one at a time, with bench=.
 */
#include "bench/kinds/kinds.h"
#include "bench/api/counted.h"
#include "bench/kinds/team.h"

static int wrong_body(uint64_t n, struct object *o)
{
    o->counter += n - 1; /* one operation short */
    return 0;
}

static int error_body(uint64_t n, struct object *o)
{
    o->counter += n;
    return o->counter % 3 == 0;
}

static int undefined_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    __asm__ volatile("ud2");
    return 0;
}

static int divide_body(uint64_t n, struct object *o)
{
    (void)o;
    uint32_t zero = 0, result = (uint32_t)n;
    __asm__ volatile("xor %%edx, %%edx; div %1" : "+a"(result) : "r"(zero) : "edx", "cc");
    return (int)result;
}

static int null_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    volatile uint32_t *nowhere;
    __asm__("xor %0, %0"
            : "=r"(nowhere)); /* hidden from the compiler, which knows what NULL means */
    return (int)*nowhere;
}

/* Reads a non-canonical address, which no page table can map. */
static int protection_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    uint64_t value;
    __asm__ volatile("mov (%1), %0" : "=r"(value) : "r"(1ull << 62));
    return (int)value;
}

/* Never returns. Changes rbx and RFLAGS.DF first, as any body may. */
static int endless_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    __asm__ volatile("xor %%ebx, %%ebx; not %%rbx; std; 0: jmp 0b" : : : "rbx", "memory");
    return 0;
}

/* A setup and a check that never return. */
static void endless_setup(struct object *o)
{
    (void)o;
    __asm__ volatile("0: jmp 0b");
}

static const char *endless_check(const struct object *o, uint64_t operations)
{
    (void)o, (void)operations;
    __asm__ volatile("0: jmp 0b");
    return NULL;
}

static void undefined_setup(struct object *o)
{
    (void)o;
    __asm__ volatile("ud2");
}

/* Calls data, which is not executable: the object begins with a RET that must not run. */
static int execute_data_body(uint64_t n, struct object *o)
{
    (void)n;
    o->counter = 0xc3;
    __asm__ volatile("call *%0" : : "r"(o) : "memory");
    return 0;
}

/* Writes to code, which is not writable: an instruction of this function. */
static int write_code_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    __asm__ volatile("0: lea 0b(%%rip), %%rax; movb $0x90, (%%rax)" : : : "rax", "memory");
    return 0;
}

/* Overflows the stack into its guard page: a double fault, which is handled on a separate stack. */
static int stack_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    __asm__ volatile("0: push %rax; jmp 0b");
    return 0;
}

/* IA32_SYSENTER_CS (SDM vol. 4 table 2-2), which the program never uses. */
#define MSR_CHANGED 0x174

static int msr_body(uint64_t n, struct object *o)
{
    (void)n, (void)o;
    __asm__ volatile("rdmsr; xor $8, %%eax; wrmsr" : : "c"(MSR_CHANGED) : "eax", "edx", "cc");
    return 0;
}

#define PROVOKE(name_, what_, ...)                                                                 \
    BENCH(provoke, name_, .what = what_, .window.form = FORM_FUNCTION, .ops = 1,                   \
          .on_request = true, .proof.may_be_elided = true, __VA_ARGS__)

PROVOKE(wrong, "a body that leaves one operation out: the run fails, exit status 2",
        .function = wrong_body, .check = check_counted);
PROVOKE(errors, "every third operation fails: counted, its sample omitted", .function = error_body,
        .check = check_counted);
PROVOKE(endless, "a body that never ends: the row fails after deadline=, exit status 2",
        .function = endless_body);
PROVOKE(ud2, "an undefined instruction: the row fails, exit status 2", .function = undefined_body);
PROVOKE(divide, "a division by zero: the row fails, exit status 2", .function = divide_body);
PROVOKE(null, "a read of address 0: the row fails, exit status 2", .function = null_body);
PROVOKE(protection, "a read of no address: the row fails, exit status 2",
        .function = protection_body);
PROVOKE(execute_data, "a call into data: the row fails, exit status 2",
        .function = execute_data_body);
PROVOKE(write_code, "a write into code: the row fails, exit status 2", .function = write_code_body);
PROVOKE(stack, "a stack overflow: a double fault ends the run, exit status 4; in a process 2",
        .function = stack_body);
PROVOKE(msr, "an MSR that the row declares and does not restore: the row fails, exit status 2",
        .function = msr_body, .needs.touches = {MSR_CHANGED}, .needs.platform = NEED_RING0,
        .window.not_doubled = true);
PROVOKE(endless_setup, "a setup that never ends: the row fails after deadline=, exit status 2",
        .function = error_body, .setup = endless_setup);
PROVOKE(endless_check, "a check that never ends: the same", .function = error_body,
        .check = endless_check);
PROVOKE(ud2_setup, "an undefined instruction in a setup: the row fails, exit status 2",
        .function = error_body, .setup = undefined_setup);
PROVOKE(setup, "the same without a guard: the run ends, exit status 4", .function = error_body,
        .setup = undefined_setup, .faults_outside = true);

/* Batches of rows of several cores: all cores except the first fail. */
static bool endless_batch(struct team *c, unsigned place, unsigned n)
{
    (void)c, (void)n;
    if (place > 0)
        __asm__ volatile("0: jmp 0b");
    return true;
}

static bool undefined_batch(struct team *c, unsigned place, unsigned n)
{
    (void)c, (void)n;
    if (place > 0)
        __asm__ volatile("ud2");
    return true;
}

/* DR0 takes any value, and DR7 does not enable it: SDM vol. 3B section 18.2. */
static bool changed_batch(struct team *c, unsigned place, unsigned n)
{
    (void)c, (void)n;
    if (place > 0)
        __asm__ volatile("mov %0, %%dr0" : : "r"((uint64_t)place));
    return true;
}

static uint64_t counted_all(const struct team *c, unsigned cores)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < cores; i++)
        sum += c->core[i].operations;
    return sum;
}

static void endless_meet(struct team *c)
{
    team_contention(c, endless_batch, 1, counted_all);
}

static void undefined_meet(struct team *c)
{
    team_contention(c, undefined_batch, 1, counted_all);
}

static void changed_meet(struct team *c)
{
    team_contention(c, changed_batch, 1, counted_all);
}

#define PROVOKE_CORES(name_, what_, meet_, ...)                                                    \
    BENCH(provoke_cores, name_, .what = what_, .kind = &kind_team, .ops = 1, .on_request = true,   \
          .of = &(const struct bench_team_row){meet_}, __VA_ARGS__)

PROVOKE_CORES(endless, "cores meet, and all but the first never end: exit status 2", endless_meet);
PROVOKE_CORES(ud2, "the same, and all but the first execute an undefined instruction",
              undefined_meet);
PROVOKE_CORES(changed, "the same, and all but the first change DR0", changed_meet,
              .needs.platform = NEED_RING0);
