/*
 * From ring 3 to ring 0 and back. The whole window runs in ring 3. Each way has the rows `plain`;
 * `cr3`, which changes the page table at both ends, as kernels do against Meltdown; `pcid`, which
 * does so without flushing the TLB; `verw`, which clears buffers before the return, as they do
 * against MDS and TSA; `ibrs`, which sets IBRS in ring 0; and `fred`, by FRED instead of the IDT.
 * MSRs and their values: SDM vol. 3A sections 5.8.7 and 5.8.8; vol. 4 table 2-2; APM vol. 2 section
 * 6.1.
 */
#include "bench/suites/events/events.h"

#define MSR_SYSENTER_CS  0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_EFER         0xc0000080
#define EFER_SCE         (1u << 0)
#define MSR_STAR         0xc0000081
#define MSR_LSTAR        0xc0000082
#define MSR_SFMASK       0xc0000084
#define MSR_SPEC_CTRL    0x48
#define SPEC_CTRL_IBRS   (1u << 0)
#define CR4_PCIDE        (1ull << 17)
#define CR3_NO_FLUSH     (1ull << 63) /* SDM vol. 3A section 4.10.4.1 */
#define KERNEL_PCID      1

/* Selectors of the room's GDT (room.c): SYSCALL, SYSENTER and INT load CS 80h, and SS 88h or null.
 * SYSRET adds 8 and 16 to its selector, SYSEXIT 32 and 40 to that of SYSENTER. */
#define RING0_CODE  0x80ull
#define SYSRET_BASE 0x93ull
/* AC, NT, IOPL, DF, IF, TF: SDM vol. 1 section 3.4.3. SYSCALL clears them. */
#define FLAGS_CLEARED 0x47700

extern const struct unit unit_events_syscall, unit_events_sysenter, unit_events_int,
    unit_events_read, unit_events_access, unit_events_ud2, unit_events_endless;

static void by_int(struct object *o)
{
    events_ring3(o);
}

/* The first MSR gets the handler's address. */
static void by_syscall(struct object *o)
{
    events_ring3(o);
    events_msr(o, MSR_LSTAR, 0);
    events_msr(o, MSR_STAR, SYSRET_BASE << 48 | RING0_CODE << 32);
    events_msr(o, MSR_SFMASK, FLAGS_CLEARED);
    events_msr(o, MSR_EFER, privileged_rdmsr(MSR_EFER) | EFER_SCE);
}

/* Ring 0 needs no stack. */
static void by_sysenter(struct object *o)
{
    events_ring3(o);
    events_msr(o, MSR_SYSENTER_EIP, 0);
    events_msr(o, MSR_SYSENTER_CS, RING0_CODE);
    events_msr(o, MSR_SYSENTER_ESP, 0);
}

/* The values that the handler loads into CR3: r8 in ring 0, r9 before it returns. */
static void with_cr3(struct object *o)
{
    privileged_registers(o)->r8 = events_room(o)->cr3.before;
    privileged_registers(o)->r9 = events_room(o)->cr3.during;
}

static void with_pcid(struct object *o)
{
    with_cr3(o);
    privileged_registers(o)->r8 |= KERNEL_PCID | CR3_NO_FLUSH;
    privileged_registers(o)->r9 |= CR3_NO_FLUSH;
    events_room(o)->cr4.during |= CR4_PCIDE;
}

static void with_ibrs(struct object *o)
{
    uint64_t found = privileged_rdmsr(MSR_SPEC_CTRL);

    privileged_registers(o)->r8 = (uint32_t)found;
    privileged_registers(o)->r9 = found >> 32;
    privileged_registers(o)->r10 = (uint32_t)found | SPEC_CTRL_IBRS;
}

/* Returns with the supervisor page of the page table in r8. */
static void forbidden(struct object *o)
{
    events_ring3(o);
    privileged_registers(o)->r8 = events_room(o)->cr3.before & TABLES_FRAME;
}

/* APM vol. 3, SYSENTER. */
static const char *lacks_sysenter(const struct cpu *cpu)
{
    return cpu_is_amd(cpu) ? "needs SYSENTER in 64-bit mode, which AMD's CPUs do not have" : NULL;
}

/* What FRED needs of SYSCALL: the segments of both rings, and that it is enabled. */
static void with_fred(struct object *o, const struct unit *handler)
{
    events_ring3(o);
    events_fred(o, handler);
    events_msr(o, MSR_STAR, SYSRET_BASE << 48 | RING0_CODE << 32);
    events_msr(o, MSR_EFER, privileged_rdmsr(MSR_EFER) | EFER_SCE);
}

static const struct bench_family ways = {{"plain", "cr3", "pcid", "verw", "ibrs", "fred"}};
enum { PLAIN, CR3, PCID, VERW, IBRS, FRED };

#define USER(name_, instructions_, what_, unit_, handler_, setup_, ...)                            \
    EVENTS_ROW(name_, instructions_, "in ring 3: " what_, .ops = PRIVILEGED_OPS,                   \
               .window.unit = &unit_events_##unit_, .window.callee = &unit_events_##handler_,      \
               .window.history = &unit_events_user_on, .window.after = &unit_events_user_off,      \
               .setup = setup_, __VA_ARGS__)

#define VARIANT(way_, suffix_, column_, instructions_, what_, handler_, ...)                       \
    static void by_##way_##_with_##suffix_(struct object *o)                                       \
    {                                                                                              \
        by_##way_(o);                                                                              \
        with_##suffix_(o);                                                                         \
    }                                                                                              \
    USER(user_##way_##_##suffix_, instructions_, what_, way_, handler_,                            \
         by_##way_##_with_##suffix_, .arg = VECTOR_INT, .shown.family = &ways,                     \
         .shown.line = #way_, .shown.column = column_, __VA_ARGS__)

/* `instructions_` and `ibrs_` are those of the rows `plain` and `ibrs`. */
#define WAY(way_, instructions_, ibrs_, what_, msrs_, feature_, lacks_)                            \
    extern const struct unit unit_events_entry_##way_, unit_events_entry_##way_##_cr3,             \
        unit_events_entry_##way_##_ibrs, unit_events_entry_##way_##_verw;                          \
    USER(user_##way_, instructions_, what_, way_, entry_##way_, by_##way_, .arg = VECTOR_INT,      \
         .shown.family = &ways, .shown.line = #way_, .shown.column = PLAIN,                        \
         .needs.touches = {msrs_}, .needs.features = {feature_}, .needs.lacks = lacks_);           \
    VARIANT(way_, cr3, CR3, (instructions_) + 2, what_ "; other page tables in ring 0",            \
            entry_##way_##_cr3, .needs.touches = {msrs_}, .needs.features = {feature_},            \
            .needs.lacks = lacks_);                                                                \
    VARIANT(way_, pcid, PCID, (instructions_) + 2, what_ "; other page tables and PCID in ring 0", \
            entry_##way_##_cr3, .needs.touches = {msrs_},                                          \
            .needs.features = {FEATURE_PCID, feature_}, .needs.lacks = lacks_);                    \
    USER(user_##way_##_verw, (instructions_) + 1, what_ "; VERW before the return", way_,          \
         entry_##way_##_verw, by_##way_, .arg = VECTOR_INT, .shown.family = &ways,                 \
         .shown.line = #way_, .shown.column = VERW, .needs.touches = {msrs_},                      \
         .needs.features = {FEATURE_VERW, feature_}, .needs.lacks = lacks_);                       \
    VARIANT(way_, ibrs, IBRS, ibrs_, what_ "; IBRS in ring 0", entry_##way_##_ibrs,                \
            .needs.touches = {MSR_SPEC_CTRL, msrs_}, .needs.features = {FEATURE_IBRS, feature_},   \
            .needs.lacks = lacks_);                                                                \
    extern const struct unit unit_events_fred_user_##way_;                                         \
    static void by_##way_##_with_fred(struct object *o)                                            \
    {                                                                                              \
        with_fred(o, &unit_events_fred_user_##way_);                                               \
    }                                                                                              \
    EVENTS_ROW(user_##way_##_fred, (instructions_) + 2, "in ring 3: " what_ "; by FRED",           \
               .ops = PRIVILEGED_OPS, .window.unit = &unit_events_##way_,                          \
               .window.history = &unit_events_fred_user_on, .window.after = &unit_events_user_off, \
               .setup = by_##way_##_with_fred, .arg = VECTOR_INT, .shown.family = &ways,           \
               .shown.line = #way_, .shown.column = FRED,                                          \
               .needs.touches = {MSR_FRED_CONFIG, MSR_FRED_STKLVLS, MSR_FRED_RSP0, MSR_STAR},      \
               .needs.features = {FEATURE_FRED, feature_}, .needs.lacks = lacks_)

#define SYSCALL_MSRS  MSR_STAR, MSR_LSTAR, MSR_SFMASK
#define SYSENTER_MSRS MSR_SYSENTER_CS, MSR_SYSENTER_ESP, MSR_SYSENTER_EIP

WAY(syscall, 3, 11, "syscall, and sysret", SYSCALL_MSRS, FEATURE_NONE, NULL);
WAY(sysenter, 5, 15, "sysenter, and sysexit", SYSENTER_MSRS, FEATURE_SEP, lacks_sysenter);
WAY(int, 3, 9, "int n, and iretq", 0, FEATURE_NONE, NULL);
USER(user_pf, 4, "#PF by a read of a page of ring 0, and iretq", read, access, forbidden,
     .arg = VECTOR_PF);

/* Deliberate failures (bench/suites/provoke.c). */
#define PROVOKE(name_, what_, unit_, on_, setup_, ...)                                             \
    BENCH(provoke, name_, .what = what_ ": the row fails, exit status 2",                          \
          .window.form = FORM_STRAIGHT, .ops = 1, .on_request = true,                              \
          .needs.platform = NEED_RING0, .proof.not_stepped = EVENTS_NOT_STEPPED,                   \
          .window.unit = &unit_events_##unit_, .window.callee = &unit_events_access,               \
          .window.history = &unit_events_##on_, .window.after = &unit_events_user_off,             \
          .setup = setup_, .arg = VECTOR_INT, __VA_ARGS__)
PROVOKE(ring3_endless, "a loop that never ends in ring 3", endless, user_on, by_int);
PROVOKE(ring3_ud2, "an undefined instruction in ring 3", ud2, user_on, by_int);
PROVOKE(ring3_fred_ud2, "an undefined instruction in ring 3, with FRED", ud2, fred_user_on,
        by_int_with_fred, .needs.features = {FEATURE_FRED});
