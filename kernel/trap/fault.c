#include "kernel/trap/traps.h"
#include "bench/api/platform.h"
#include "kernel/cpu/msr.h"
#include "lib/text/fmt.h"

#define BACKTRACE_FRAMES 16
#define BACKTRACE_WORDS  64
#define CHAIN_FRAMES     64

/* Error code of #PF, SDM vol. 3A figure 4-12. */
enum { PF_PRESENT = 1, PF_WRITE = 2, PF_FETCH = 16 };

/* NULL: reserved. */
static const char *const names[VECTORS] = {
    [0] = "#DE divide error",
    [1] = "#DB debug",
    [2] = "NMI",
    [3] = "#BP breakpoint",
    [4] = "#OF overflow",
    [5] = "#BR bound range exceeded",
    [6] = "#UD invalid opcode",
    [7] = "#NM device not available",
    [8] = "#DF double fault",
    [9] = "coprocessor segment overrun",
    [10] = "#TS invalid TSS",
    [11] = "#NP segment not present",
    [12] = "#SS stack segment fault",
    [13] = "#GP general protection",
    [14] = "#PF page fault",
    [16] = "#MF x87 floating point",
    [17] = "#AC alignment check",
    [18] = "#MC machine check",
    [19] = "#XM SIMD floating point",
    [20] = "#VE virtualization",
    [21] = "#CP control protection",
    [28] = "#HV hypervisor injection",
    [29] = "#VC VMM communication",
    [30] = "#SX security",
};

/* linker.ld */
extern const uint8_t _text[] HIDDEN, _etext[] HIDDEN;

/* Returns a name such as "#UD invalid opcode"; never NULL. */
static const char *trap_name(uint64_t vector)
{
    if (vector >= VECTORS)
        return "no exception";
    return names[vector] ? names[vector] : "reserved exception";
}

void fault_describe(const struct core *c, const struct trap_frame *f, char *text, size_t size)
{
    const bool row = c->row_suite != NULL;

    fmt_buf(text, size, "%s (vector %llu) at %llx while %s%s%s%s", trap_name(f->vector),
            (unsigned long long)f->vector, (unsigned long long)f->rip,
            row ? "running " : "no row was running", row ? c->row_suite : "", row ? "/" : "",
            row ? c->row_name : "");
}

static fault_namer *name_of; /* names addresses in the caller's code */

static void print_address(struct sink *out, const struct handoff *h, uint64_t at)
{
    uint64_t offset;
    const char *name = name_of(at, &offset);

    fmt(out, "%016lx", at);
    if (name)
        fmt(out, " (%s+0x%lx)", name, offset);
    else if (at - h->image_base < h->image_size)
        fmt(out, " (image+0x%lx)", at - h->image_base);
    fmt(out, "\r\n");
}

static void print_core(struct sink *out, const struct core *c)
{
    if (c->index > 0)
        fmt(out, "  on core %u, APIC id %u\r\n", c->index, c->apic_id);
    else if (c->origin)
        fmt(out, "  on a core that was just arriving\r\n");
}

/* Returns whether the address is in the unmapped page below a stack (memory_map.h). */
static bool is_guard(const struct handoff *h, const struct core *c, uint64_t at)
{
    uint64_t guard;

    (void)arena_kernel_stack(h, &guard);
    bool is = at - guard < ARENA_PAGE;
    for (unsigned i = 0; i < CORE_GUARDS; i++)
        is = is || (c->guard[i] && at - c->guard[i] < ARENA_PAGE);
    return is;
}

/* Returns the kind of access in a #PF's error code. */
static const char *access_of(uint64_t error)
{
    if (error & PF_FETCH)
        return "an instruction fetch from";
    return error & PF_WRITE ? "a write to" : "a read of";
}

void fault_what(const struct trap_frame *f, char *text, size_t size)
{
    unsigned long long vector = f->vector;

    if (f->vector != VECTOR_PAGE_FAULT)
        fmt_buf(text, size, "%s (vector %llu)", trap_name(vector), vector);
    else
        fmt_buf(text, size, "%s (vector %llu), %s the %s address %llx,", trap_name(vector), vector,
                access_of(f->error), f->error & PF_PRESENT ? "protected" : "unmapped",
                (unsigned long long)read_cr2());
}

static void print_memory(struct sink *out, const struct handoff *h, const struct core *c,
                         const struct trap_frame *f)
{
    uint64_t at = read_cr2();

    if (f->vector == VECTOR_PAGE_FAULT)
        fmt(out, "  %s %s address %016lx\r\n", access_of(f->error),
            f->error & PF_PRESENT ? "the protected" : "the unmapped", at);
    /* A push to an exhausted stack cannot deliver its #PF, which becomes #DF. */
    if ((f->vector == VECTOR_PAGE_FAULT || f->vector == VECTOR_DOUBLE_FAULT) && is_guard(h, c, at))
        fmt(out, "  stack overflow: %016lx is in the page below a stack\r\n", at);
}

static void print_what(struct sink *out, const struct handoff *h, const struct core *c,
                       const struct trap_frame *f)
{
    const struct machine_check *check = &c->last_check;

    fmt(out, "\r\nFAULT: %s (vector %lu), error code 0x%lx\r\n", trap_name(f->vector), f->vector,
        f->error);
    print_core(out, c);
    print_memory(out, h, c, f);
    if (f->vector == VECTOR_MACHINE_CHECK)
        fmt(out, "  bank %u, status %016lx, address %016lx, MCG_STATUS %lx\r\n", check->bank,
            check->status, check->address, check->mcg_status);
    if (c->row_suite)
        fmt(out, "  while running %s/%s\r\n", c->row_suite, c->row_name);
    else
        fmt(out, "  no row was running\r\n");
}

static void print_registers(struct sink *out, const struct trap_frame *f)
{
    const struct {
        const char *name;
        uint64_t value;
    } r[] = {{"rax", f->rax},     {"rbx", f->rbx},     {"rcx", f->rcx},       {"rdx", f->rdx},
             {"rsi", f->rsi},     {"rdi", f->rdi},     {"rbp", f->rbp},       {"rsp", f->rsp},
             {"r8", f->r8},       {"r9", f->r9},       {"r10", f->r10},       {"r11", f->r11},
             {"r12", f->r12},     {"r13", f->r13},     {"r14", f->r14},       {"r15", f->r15},
             {"cs", f->cs},       {"ss", f->ss},       {"rflags", f->rflags}, {"cr0", read_cr0()},
             {"cr2", read_cr2()}, {"cr3", read_cr3()}, {"cr4", read_cr4()}};
    const unsigned n = sizeof(r) / sizeof(r[0]);

    for (unsigned i = 0; i < n; i++)
        fmt(out, "  %-6s %016lx%s", r[i].name, r[i].value, i % 3 == 2 || i == n - 1 ? "\r\n" : "");
}

static bool is_code(uint64_t at)
{
    return (at >= (uint64_t)_text && at < (uint64_t)_etext) ||
           at - PLATFORM_CODE_VA < PLATFORM_CODE_SIZE;
}

static void print_caller(struct sink *out, const struct handoff *h, const char *how, uint64_t from)
{
    fmt(out, "  %s ", how);
    print_address(out, h, from);
}

/* After a wild jump, frames may be invalid: they are read with a fixup, and must be in the arena
 * and contain a code address. */
static bool read_frame(const struct handoff *h, uint64_t frame, uint64_t *next, uint64_t *from)
{
    return frame - h->arena < h->arena_size && !(frame & 7) && mem_read(frame, next) &&
           mem_read(frame + 8, from) && is_code(*from);
}

/* Returns whether this frame starts a chain of ascending frames. The chain ends with a next pointer
 * of 0, or is too long to be a coincidence. */
static bool is_chain(const struct handoff *h, uint64_t frame)
{
    uint64_t next, from;

    for (unsigned n = 0; n < CHAIN_FRAMES; n++, frame = next) {
        if (!read_frame(h, frame, &next, &from) || (next && next <= frame))
            return false;
        if (!next)
            return true;
    }
    return true;
}

static void walk_frames(struct sink *out, const struct handoff *h, uint64_t frame)
{
    uint64_t next, from;

    for (unsigned n = 0; n < BACKTRACE_FRAMES && read_frame(h, frame, &next, &from); n++) {
        print_caller(out, h, "called from", from);
        frame = next;
    }
}

/* Code without frames, such as a measured body, may use rbp for other values. So every code address
 * on the stack is printed, up to the first frame of a chain. */
static void search_stack(struct sink *out, const struct handoff *h, uint64_t stack)
{
    uint64_t word;
    unsigned n = 0;

    for (unsigned i = 0; i < BACKTRACE_WORDS && n < BACKTRACE_FRAMES; i++, stack += 8) {
        if (is_chain(h, stack)) {
            walk_frames(out, h, stack);
            return;
        }
        if (!mem_read(stack, &word))
            return;
        if (is_code(word)) {
            print_caller(out, h, "on the stack", word);
            n++;
        }
    }
}

static void print_backtrace(struct sink *out, const struct handoff *h, const struct trap_frame *f)
{
    uint64_t word;

    /* After a jump to an invalid address, the return address is on top of the stack, not in a frame
     * yet. */
    if (f->vector == VECTOR_PAGE_FAULT && f->error & PF_FETCH && mem_read(f->rsp, &word) &&
        is_code(word))
        print_caller(out, h, "called from", word);
    if (is_chain(h, f->rbp))
        walk_frames(out, h, f->rbp);
    else
        search_stack(out, h, f->rsp);
}

void fault_print(struct sink *out, const struct handoff *h, const struct core *c,
                 const struct trap_frame *f, fault_namer *namer)
{
    name_of = namer;
    print_what(out, h, c, f);
    fmt(out, "  rip ");
    print_address(out, h, f->rip);
    print_registers(out, f);
    print_backtrace(out, h, f);
}
