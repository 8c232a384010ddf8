/*
 * Flags, segments, descriptor tables and far transfers. Sources: SDM vol. 3A sections 3.4.4 (bases
 * of FS and GS), 3.5.1 (GDTR), 6.8.1 (IF), 8.2.2 (the TSS's descriptor); vol. 2 for instructions.
 */
#include "bench/suites/privileged/privileged.h"

#define MSR_FS_BASE 0xc0000100
#define MSR_GS_BASE 0xc0000101

#define UNITS(a, b, c, d, e, f)                                                                    \
    extern const struct unit unit_privileged_##a, unit_privileged_##b, unit_privileged_##c,        \
        unit_privileged_##d, unit_privileged_##e, unit_privileged_##f
UNITS(cli, sti_cli, pushf_popf, popf_if, stac_clac, swapgs);
UNITS(lgdt, lidt, lldt, ltr, sgdt, str);
UNITS(verr, verw, verw_memory, load_ds, load_es, load_ss);
UNITS(load_fs, load_gs, restore_fs, restore_gs, far_return, far_pointer);
extern const struct unit unit_privileged_far_call, unit_privileged_far_callee;

#define ROW(name_, instructions_, what_, unit_, ...)                                               \
    PRIVILEGED_ROW(name_, instructions_, what_, .ops = PRIVILEGED_OPS,                             \
                   .window.unit = &unit_privileged_##unit_, __VA_ARGS__)
#define LOADED(name_, instructions_, what_, unit_, setup_, ...)                                    \
    ROW(name_, instructions_, what_, unit_, .window.history = &unit_privileged_load,               \
        .setup = setup_, __VA_ARGS__)

/* --- flags: every source of interrupts is masked, so IF may be set for a moment --------------- */

ROW(cli, 1, "cli, IF clear already", cli);
ROW(sti_cli, 2, "sti and cli", sti_cli);
PRIVILEGED_ANY_RING(pushf_popf, 2, "pushfq and popfq of the same flags", .ops = PRIVILEGED_OPS,
                    .window.unit = &unit_privileged_pushf_popf);
ROW(popf_if, 5, "two pushfq, or, a popfq that sets IF and one that clears it", popf_if);
ROW(stac_clac, 2, "stac and clac", stac_clac, .needs.features = {FEATURE_SMAP});

/* --- descriptor tables ------------------------------------------------------------------------ */

struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static void store_gdt(struct object *o)
{
    __asm__ volatile("sgdt %0" : "=m"(*(struct table_register *)privileged_memory(o)));
}

static void store_idt(struct object *o)
{
    __asm__ volatile("sidt %0" : "=m"(*(struct table_register *)privileged_memory(o)));
}

static void find_ldt(struct object *o)
{
    uint32_t selector;

    __asm__ volatile("sldt %0" : "=r"(selector));
    privileged_registers(o)->r8 = selector;
}

static void find_tss(struct object *o)
{
    struct table_register gdt;
    uint32_t selector;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    __asm__ volatile("str %0" : "=r"(selector));
    privileged_registers(o)->r8 = selector;
    privileged_registers(o)->r9 = gdt.base + selector;
}

LOADED(lgdt, 1, "lgdt of the same table", lgdt, store_gdt);
LOADED(lidt, 1, "lidt of the same table", lidt, store_idt);
LOADED(lldt, 1, "lldt of the null selector", lldt, find_ldt);
LOADED(ltr, 2, "ltr of the same TSS, and an and that marks it available", ltr, find_tss);
LOADED(sgdt, 1, "sgdt", sgdt, NULL);
ROW(str, 1, "str r32", str);

/* --- segments --------------------------------------------------------------------------------- */

static void find_data(struct object *o)
{
    privileged_registers(o)->r8 = privileged_ss();
}

/* Rows of any ring: the selector is that of the stack, which every program has. */
#define VERIFIES(name_, what_, unit_, setup_)                                                      \
    PRIVILEGED_ANY_RING(name_, 1, what_, .ops = PRIVILEGED_OPS,                                    \
                        .window.unit = &unit_privileged_##unit_,                                   \
                        .window.history = &unit_privileged_load, .setup = setup_)
VERIFIES(verr, "verr r16, a data segment", verr, find_data);
VERIFIES(verw, "verw r16, a data segment", verw, find_data);
VERIFIES(verw_memory, "verw m16, a data segment: clears CPU buffers if the CPU does so",
         verw_memory, find_data);

#define LOADS(name_, reg_)                                                                         \
    static void keep_##reg_(struct object *o)                                                      \
    {                                                                                              \
        privileged_registers(o)->r8 = privileged_##reg_();                                         \
    }                                                                                              \
    LOADED(name_, 1, "mov " #reg_ ", r32, the same selector", name_, keep_##reg_)
LOADS(load_ds, ds);
LOADS(load_es, es);
LOADS(load_ss, ss);

static void keep_with_base(struct object *o, uint64_t selector, uint64_t base)
{
    *privileged_registers(o) = (struct privileged_registers){
        .r8 = privileged_ss(), .r9 = selector, .r10 = (uint32_t)base, .r11 = base >> 32};
}

static void keep_fs(struct object *o)
{
    keep_with_base(o, privileged_fs(), privileged_rdmsr(MSR_FS_BASE));
}

static void keep_gs(struct object *o)
{
    keep_with_base(o, privileged_gs(), privileged_rdmsr(MSR_GS_BASE));
}

LOADED(load_fs, 1, "mov fs, r32, a data segment", load_fs, keep_fs,
       .window.after = &unit_privileged_restore_fs, .needs.touches = {MSR_FS_BASE});
LOADED(load_gs, 1, "mov gs, r32, a data segment", load_gs, keep_gs,
       .window.after = &unit_privileged_restore_gs, .needs.touches = {MSR_GS_BASE});
ROW(swapgs, 2, "swapgs, and swapgs back", swapgs);

/* --- far transfers ---------------------------------------------------------------------------- */

static void find_code(struct object *o)
{
    privileged_registers(o)->r8 = privileged_cs();
}

/* APM vol. 3, CALL (Far): no 64-bit offset. */
static const char *lacks_far_call(const struct cpu *cpu)
{
    return cpu_is_amd(cpu)
               ? "needs a far call with an offset of 64 bits, which AMD's CPUs do not have"
               : NULL;
}

LOADED(far_return, 4, "push of CS and an address, and retf to it", far_return, find_code);
ROW(far_call, 2, "call far m16:64, and retf", far_call,
    .window.history = &unit_privileged_far_pointer, .window.callee = &unit_privileged_far_callee,
    .setup = find_code, .needs.lacks = lacks_far_call);
