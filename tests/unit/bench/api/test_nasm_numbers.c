/*
 * Numbers that NASM and C both have: each %define of a plain number, in NASM sources that share
 * some with C, is equal to the one in C.
 */
#include "bench/api/baretick.h"
#include "bench/api/bench.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/stream.h"
#include "bench/suites/calls/lazy.h"
#include "bench/suites/calls/many.h"
#include "bench/suites/events/events.h"
#include "bench/suites/privileged/privileged.h"
#include "bench/engine/window.h"
#include "kernel/cpu/instructions.h"
#include "kernel/devices/irq.h"
#include "kernel/devices/device_registers.h"
#include "tests/unit/read_file.h"
#include "tests/unit/cmocka_unit.h"

struct number {
    const char *name;
    unsigned long value;
};

static const struct number *find(const struct number *numbers, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(numbers[i].name, name) == 0)
            return &numbers[i];
    return NULL;
}

/* Each of the n numbers is in the file once, and the file has no others. */
static void expect(const char *path, const struct number *numbers, size_t n)
{
    size_t size, found = 0;
    uint8_t *bytes = read_file(path, &size);
    char *text = calloc(size + 1, 1);

    assert_non_null(text);
    memcpy(text, bytes, size);
    free(bytes);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char name[64], value[64], *end;
        if (sscanf(line, "%%define %63s %63s", name, value) != 2)
            continue;
        unsigned long number = strtoul(value, &end, 0);
        if (*end != '\0') /* a register, or a sum of others */
            continue;
        const struct number *known = find(numbers, n, name);
        if (!known)
            fail_msg("%s: this test does not know what %s is in C", path, name);
        else if (known->value != number)
            fail_msg("%s: %s is %lu, in C %lu", path, name, number, known->value);
        found++;
    }
    assert_int_equal(found, n);
    free(text);
}
#define EXPECT(path, ...)                                                                          \
    do {                                                                                           \
        const struct number numbers[] = {__VA_ARGS__};                                             \
        expect(path, numbers, sizeof numbers / sizeof *numbers);                                   \
    } while (0)

TEST(fixups_and_offsets_are_those_of_c)
{
    EXPECT("bench/engine/unit.inc", {"FIXUP_CALLEE", FIXUP_CALLEE}, {"FIXUP_STUB", FIXUP_STUB},
           {"FIXUP_SLOT", FIXUP_SLOT}, {"FIXUP_TAG", FIXUP_TAG}, {"FIXUP_HEAD", FIXUP_HEAD},
           {"FIXUP_FRAME", FIXUP_FRAME}, {"FIXUP_ARG", FIXUP_ARG},
           {"FRAME_FAILED", offsetof(struct window_frame, failed)},
           {"FRAME_START", offsetof(struct window_frame, start)},
           {"FRAME_RSP", offsetof(struct window_frame, rsp)},
           {"FRAME_BODY_RSP", offsetof(struct window_frame, body_rsp)},
           {"FRAME_FLAGS", offsetof(struct window_frame, flags)},
           {"FRAME_MXCSR", offsetof(struct window_frame, mxcsr)},
           {"FRAME_CONTROL", offsetof(struct window_frame, control)},
           {"FRAME_X87", offsetof(struct window_frame, x87)},
           {"FRAME_NEXT", offsetof(struct window_frame, next)},
           {"FRAME_KEPT", offsetof(struct window_frame, kept)},
           {"FRAME_BEFORE", offsetof(struct window_frame, before)},
           {"FRAME_BEFORE_FLAGS", offsetof(struct window_frame, before_flags)},
           {"FRAME_VA", PLATFORM_DATA_VA + WINDOW_FRAME_AT},
           {"OBJECT_ARG", offsetof(struct object, arg)},
           {"OBJECT_COUNTER", offsetof(struct object, counter)},
           {"OBJECT_VTABLE", offsetof(struct object, vtable)},
           {"OBJECT_SLOT", offsetof(struct object, slot)},
           {"OBJECT_ROOM", offsetof(struct object, room)},
           {"VTABLE_METHOD", offsetof(struct vtable, method)});
}

TEST(offsets_in_bodies_are_those_of_the_c_structs)
{
    EXPECT("bench/suites/calls/lazy.asm", {"IMPORTS", LAZY_IMPORTS}, {"CALLEE", LAZY_CALLEE},
           {"GOT_MAP", 8}, {"GOT_RESOLVER", 16}, {"GOT_SLOTS", 24},
           {"MAP_BASE", offsetof(struct lazy_map, base)},
           {"MAP_SYMBOL", offsetof(struct lazy_map, symbol)},
           {"MAP_STRINGS", offsetof(struct lazy_map, strings)},
           {"MAP_SLOT", offsetof(struct lazy_map, slot)},
           {"MAP_BUCKETS", offsetof(struct lazy_map, buckets)},
           {"MAP_MASK", offsetof(struct lazy_map, words_mask)},
           {"MAP_SHIFT", offsetof(struct lazy_map, shift)},
           {"MAP_BLOOM", offsetof(struct lazy_map, bloom)},
           {"MAP_BUCKET", offsetof(struct lazy_map, bucket)},
           {"MAP_CHAIN", offsetof(struct lazy_map, chain)},
           {"MAP_NEXT", offsetof(struct lazy_map, next)},
           {"RELA_OFFSET", offsetof(struct lazy_rela, offset)},
           {"RELA_SYMBOL", offsetof(struct lazy_rela, symbol)},
           {"SYMBOL_NAME", offsetof(struct lazy_symbol, name)},
           {"SYMBOL_VALUE", offsetof(struct lazy_symbol, value)});
    assert_int_equal(sizeof(struct lazy_rela), 24);
    assert_int_equal(sizeof(struct lazy_symbol), 24);
    EXPECT("bench/suites/privileged/privileged.inc", {"PRIVILEGED_MEMORY", PRIVILEGED_MEMORY});
#define AT(name_, field_) {"ROOM_" name_, offsetof(struct events_room, field_)}
    EXPECT("bench/suites/events/events.inc", {"VECTOR_INT", VECTOR_INT},
           {"VECTOR_LEAVE", VECTOR_LEAVE}, AT("READING", reading), AT("GATE", gate),
           AT("CR3", cr3.during), AT("CR4", cr4), AT("DR0", dr0), AT("DR7", dr7), AT("DR6", dr6),
           AT("MSRS", msr), AT("DS", ds), AT("ES", es), AT("SS", ss), AT("EXPECTED", expected),
           AT("NMI", nmi), AT("GDT", gdt), AT("GDT_BEFORE", gdt_before), AT("IDT", idt),
           AT("IDT_BEFORE", idt_before), AT("CS", cs), {"ROOM_IDT_PAGE", TABLES_PAGE},
           {"BEFORE", offsetof(struct events_value, before)},
           {"MSR_VALUE", offsetof(struct events_msr, value)},
           {"MSR_SIZE", sizeof(struct events_msr)}, {"USER_CS", EVENTS_USER_CS},
           {"USER_SS", EVENTS_USER_SS}, {"HANDLER_ENTRY", 8}, {"UD2_BYTES", 2}, {"MOVE_BYTES", 3});
#undef AT
    EXPECT("bench/suites/events/faults.asm", {"LOOKS", 1000000}, {"APIC_ICR", LAPIC_ICR},
           {"APIC_ICR_HIGH", LAPIC_ICR_HIGH}, {"X2APIC_ICR", MSR_X2APIC + LAPIC_ICR / 16},
           {"ICR_NMI", ICR_NMI});
    EXPECT("bench/suites/devices/devices.asm", {"PORT_POST", 0x80}, {"PORT_PIC_MASK", 0x21},
           {"PORT_PIT", PIT_CHANNEL0}, {"PORT_PIT_COMMAND", PIT_COMMAND}, {"PCI_ADDRESS", 0xcf8},
           {"PCI_DATA", 0xcfc}, {"HPET_COUNTER", HPET_COUNTER}, {"APIC_ID", LAPIC_ID},
           {"APIC_TPR", 0x80}, {"APIC_EOI", LAPIC_EOI}, {"APIC_TIMER", 0x390});
    EXPECT("bench/suites/privileged/msr.asm", {"LVT_TIMER", LAPIC_LVT_TIMER},
           {"X2APIC_LVT_TIMER", MSR_X2APIC + LAPIC_LVT_TIMER / 16}, {"MSR_TSC_DEADLINE", 0x6e0});
    EXPECT("bench/suites/privileged/cache.asm", {"LINE", 64}, {"LINES", 2048});
    EXPECT("bench/suites/privileged/segments.asm", {"MSR_FS_BASE", MSR_FS_BASE},
           {"MSR_GS_BASE", MSR_GS_BASE}, {"FLAG_IF", RFLAGS_IF}, {"TSS_BUSY", 0xfd});
    EXPECT("bench/suites/calls/many.asm", {"ORDER_LENGTH", CALLS_ORDER}, {"ORDER_TAIL", CALLS_TAIL},
           {"TARGETS", CALLS_TARGETS}, {"CASES", CALLS_CASES});
}

TEST(iterations_of_walks_are_those_of_c)
{
    EXPECT("bench/kinds/chase.asm", {"CHASE_UNROLL", CHASE_UNROLL});
    EXPECT("bench/kinds/stream.asm", {"STREAM_UNROLL", STREAM_UNROLL});
    EXPECT("bench/kinds/near.asm", {"NEAR_UNROLL", NEAR_UNROLL});
}

TEST(an_objects_row_is_that_of_c)
{
#define AT(name_, field_) {"BARETICK_AT_" name_, offsetof(struct baretick_row, field_)}
    EXPECT("bench/api/baretick.inc", {"BARETICK_VERSION", BARETICK_VERSION},
           {"BARETICK_COUNTER", offsetof(struct baretick_object, counter)},
           {"BARETICK_ROOM", offsetof(struct baretick_object, room)},
           {"BARETICK_ARG", offsetof(struct baretick_object, arg)},
           {"BARETICK_RING0", BARETICK_RING0}, {"BARETICK_NOT_DOUBLED", BARETICK_NOT_DOUBLED},
           {"BARETICK_COLD", BARETICK_COLD}, {"BARETICK_MAY_BE_ELIDED", BARETICK_MAY_BE_ELIDED},
           {"BARETICK_MAY_VANISH", BARETICK_MAY_VANISH}, AT("VERSION", version), AT("SIZE", size),
           AT("SUITE", suite), AT("NAME", name), AT("WHAT", what), AT("BODY", body),
           AT("EMPTY", empty), AT("OPS", ops), AT("GRAIN", grain), AT("MOST_OPS", most_ops),
           AT("ROOM", room), AT("NEEDS", needs), AT("FLAGS", flags), AT("SETUP", setup),
           AT("CHECK", check), AT("FLOOR", floor), AT("TRUTH", truth),
           AT("COMPARED_WITH", compared_with), AT("UNIT", unit), AT("UNITS", units),
           AT("RESERVED", reserved), AT("LEAST_INSTRUCTIONS", least_instructions),
           AT("BEFORE", before), AT("ARGS_FROM", args.from), AT("ARGS_TO", args.to),
           AT("ARGS_MULTIPLY", args.multiply), AT("ARGS_STEP", args.step),
           AT("ARGS_LIST", args.list), {"BARETICK_ROW_SIZE", sizeof(struct baretick_row)});
}

TEST(the_trampolines_registers_are_those_of_c)
{
    /* Its GDT is separate: three descriptors after the null one. */
    EXPECT("kernel/cores/trampoline.asm", {"CR0_PE_ET", CR0_PE | CR0_ET}, {"MSR_EFER", MSR_EFER},
           {"SELECTOR_32", 1 * 8}, {"SELECTOR_DATA", 2 * 8}, {"SELECTOR_64", 3 * 8});
}
