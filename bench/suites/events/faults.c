/*
 * Events of ring 0. Each has three rows: the round trip; the delivery, up to the handler's reading
 * of the TSC; and the return, from that reading on. Vectors and error codes: SDM vol. 3A section
 * 6.15. #DB and NMI switch the stack (IST), as in most kernels.
 */
#include "bench/suites/events/events.h"

#define NOWHERE (1ull << 62) /* not canonical: SDM vol. 1 section 3.3.7.1 */
/* DR7: SDM vol. 3B section 18.2.4, breakpoint 0: enabled (G0), 1 byte, on writes. */
#define DR7_WRITES  (1ull << 1 | 1ull << 16)
#define XAPIC_ID    0x20 /* and the destination in ICR: SDM vol. 3A sections 11.4.6, 11.6.1 */
#define XAPIC_ID_AT 24
#define X2APIC_ID   0x802 /* SDM vol. 3A section 11.12.1.2 */

extern const struct unit unit_events_int, unit_events_int3, unit_events_ud2, unit_events_read,
    unit_events_write, unit_events_execute, unit_events_nmi_xapic, unit_events_nmi_x2apic;

static void plain(struct object *o)
{
    struct tables_copy t;

    events_ring0(o, &t);
}

/* Lets r8 point to the room's page, and removes these rights of it. */
static void page_without(struct object *o, uint64_t rights)
{
    struct tables_copy t;
    uint64_t page = (uint64_t)(uintptr_t)events_page(o);

    events_ring0(o, &t);
    uint64_t *entry = tables_entry(&t, page, 0);
    if (entry)
        *entry &= ~rights;
    privileged_registers(o)->r8 = page;
}

static void absent(struct object *o)
{
    page_without(o, TABLES_PRESENT);
}

static void read_only(struct object *o)
{
    page_without(o, TABLES_WRITABLE);
}

/* No data is executable. */
static void data(struct object *o)
{
    page_without(o, 0);
}

static void nowhere(struct object *o)
{
    plain(o);
    privileged_registers(o)->r8 = NOWHERE;
}

static void watched(struct object *o)
{
    uint64_t page = (uint64_t)(uintptr_t)events_page(o);

    plain(o);
    privileged_registers(o)->r8 = page;
    events_room(o)->dr0.during = page;
    events_room(o)->dr7.during |= DR7_WRITES;
}

static void xapic(struct object *o)
{
    uint64_t registers = privileged_apic();
    uint32_t id = *(volatile uint32_t *)(uintptr_t)(registers + XAPIC_ID) >> XAPIC_ID_AT;

    plain(o);
    privileged_registers(o)->r8 = registers;
    privileged_registers(o)->r9 = id << XAPIC_ID_AT;
}

static void x2apic(struct object *o)
{
    plain(o);
    privileged_registers(o)->r9 = (uint32_t)privileged_rdmsr(X2APIC_ID);
}

static const struct bench_family parts = {{"round trip", "delivery", "return"}};
enum { ROUND_TRIP, DELIVERY, RETURN };

/* The handler's reading is that of this recipe. */
#define SPLIT .not_doubled = true, .own_recipe = true, .recipe = RECIPE_LFENCE

#define PART(name_, instructions_, what_, part_, line_, handler_, after_, ops_, ...)               \
    extern const struct unit unit_events_##handler_;                                               \
    EVENTS_ROW(name_, instructions_, what_, .family = &parts, .line = line_, .column = part_,      \
               .ops = ops_, .callee = &unit_events_##handler_, .history = &unit_events_on,         \
               .after = &unit_events_##after_, __VA_ARGS__)

/* `before_` and `from_` are the instructions of the delivery and of the return. A fault's own
 * instruction is not executed, so it may be that no instruction comes before the handler. */
#define EVENT(name_, instructions_, before_, from_, what_, handler_, vector_, unit_, setup_, ...)  \
    PART(name_, instructions_, what_ ", and the return", ROUND_TRIP, #name_, handler_, off,        \
         PRIVILEGED_OPS, .arg = vector_, .unit = &unit_events_##unit_, .setup = setup_,            \
         __VA_ARGS__);                                                                             \
    PART(name_##_delivery, before_, what_ ", up to the handler", DELIVERY, #name_,                 \
         handler_##_delivery, delivered, 1, SPLIT, .arg = vector_,                                 \
         .may_be_elided = (before_) == 0, .unit = &unit_events_##unit_, .setup = setup_,           \
         __VA_ARGS__);                                                                             \
    PART(name_##_return, from_, what_ ", from the handler on", RETURN, #name_, handler_##_return,  \
         returned, 1, SPLIT, .arg = vector_, .unit = &unit_events_##unit_, .setup = setup_,        \
         __VA_ARGS__)

EVENT(int, 3, 1, 1, "int n", trap, VECTOR_INT, int, plain);
EVENT(bp, 4, 1, 2, "#BP by int3, and a nop", trap, VECTOR_BP, int3, plain);
EVENT(ud, 3, 0, 1, "#UD by ud2", undefined, VECTOR_UD, ud2, plain);
EVENT(gp, 4, 0, 1, "#GP by a read of a non-canonical address", access, VECTOR_GP, read, nowhere);
EVENT(pf_absent, 4, 0, 1, "#PF by a read of a page that is not present", access, VECTOR_PF, read,
      absent);
EVENT(pf_write, 4, 0, 1, "#PF by a write to a read-only page", access, VECTOR_PF, write, read_only);
EVENT(pf_execute, 6, 2, 1, "#PF by a jump to a no-execute page", fetch, VECTOR_PF, execute, data,
      .features = {FEATURE_NX});
EVENT(db, 3, 1, 1, "#DB by a write to a watched address", trap, VECTOR_DB, write, watched);
EVENT(nmi, 13, 8, 4, "NMI from the local APIC to itself (xAPIC)", nmi, VECTOR_NMI, nmi_xapic, xapic,
      .lacks = privileged_lacks_xapic);
EVENT(nmi_x2apic, 15, 10, 4, "NMI from the local APIC to itself (x2APIC)", nmi, VECTOR_NMI,
      nmi_x2apic, x2apic, .lacks = privileged_lacks_x2apic);

/* FRED replaces the IDT: Intel 346446. */
static const char *lacks_fred(const struct cpu *cpu)
{
    (void)cpu;
    return "is not measured: the program has no handlers for FRED, since no machine was there to "
           "test them";
}

EVENTS_ROW(int_fred, 0, "int n, and the return, by FRED instead of the IDT", .ops = PRIVILEGED_OPS,
           .unit = &unit_events_int, .features = {FEATURE_FRED}, .lacks = lacks_fred);
