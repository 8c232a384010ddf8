#include "lib/cpu/topology.h"
#include "lib/firmware/acpi_tables.h"
#include "tests/unit/cmocka_unit.h"

#define ROOM 8

static uint32_t ids[ROOM];

static struct cores_list list_of(const struct madt_cpu *cpu, unsigned n, uint32_t boot)
{
    struct cores_list l = {.id = ids, .room = ROOM};

    memset(ids, 0xee, sizeof(ids));
    cores_list(&l, &(struct cores_known){cpu, n}, boot);
    return l;
}

#define CPU(id_)   .id = (id_), .enabled = true, .usable = true
#define EMPTY(id_) .id = (id_)
#define AGAIN(id_) .id = (id_), .enabled = true, .duplicate = true

TEST(the_boot_core_comes_first)
{
    static const struct madt_cpu cpu[] = {{CPU(0)}, {CPU(2)}, {CPU(5)}, {CPU(4)}};
    struct cores_list l = list_of(cpu, 4, 5);

    assert_int_equal(l.count, 4);
    assert_true(l.boot_listed);
    assert_int_equal(l.id[0], 5);
    assert_int_equal(l.id[1], 0);
    assert_int_equal(l.id[2], 2);
    assert_int_equal(l.id[3], 4);
    assert_int_equal(cores_find(&l, 4), 3);
    assert_int_equal(cores_find(&l, 1), l.count);
}

TEST(entries_that_are_not_a_core_are_left_out)
{
    static const struct madt_cpu cpu[] = {
        {CPU(0)},
        {EMPTY(1)},
        {AGAIN(0)},
        {CPU(3)},
        {.id = 7, .online_capable = true},
        {AGAIN(3)},
        {.id = 255, .enabled = true},   /* type 0's "everybody": names no processor */
        {.id = 255, .duplicate = true}, /* empty slots share one id */
        {.id = 0xffffffff, .x2apic = true},
    };
    struct cores_list l = list_of(cpu, 9, 0);

    assert_int_equal(l.count, 2);
    assert_int_equal(l.duplicates, 2);
    assert_int_equal(l.disabled, 5);
    assert_int_equal(l.left_out, 0);
}

TEST(a_boot_core_that_is_not_listed_is_added)
{
    static const struct madt_cpu cpu[] = {{CPU(1)}, {CPU(2)}};
    struct cores_list l = list_of(cpu, 2, 9);

    assert_false(l.boot_listed);
    assert_int_equal(l.count, 3);
    assert_int_equal(l.id[0], 9);
    l = list_of(NULL, 0, 9);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.id[0], 9);
}

TEST(cores_without_room_are_counted)
{
    struct madt_cpu cpu[ROOM + 3];

    for (uint32_t i = 0; i < ROOM + 3; i++)
        cpu[i] = (struct madt_cpu){CPU(i)};
    /* The boot core is listed after the others, which must not take its place. */
    struct cores_list l = list_of(cpu, ROOM + 3, ROOM + 2);

    assert_int_equal(l.count, ROOM);
    assert_int_equal(l.left_out, 3);
    assert_int_equal(l.id[0], ROOM + 2);
    assert_true(l.boot_listed);
}

TEST(large_ids_need_x2apic)
{
    static const struct madt_cpu small[] = {{CPU(0)}, {CPU(254)}};
    static const struct madt_cpu large[] = {{CPU(0)},
                                            {.id = 255, .x2apic = true, .usable = true},
                                            {.id = 0x10000, .x2apic = true, .usable = true}};
    struct cores_list l = list_of(small, 2, 0);

    assert_false(cores_need_x2apic(&l));
    l = list_of(large, 3, 0);
    assert_int_equal(l.count, 3);
    assert_int_equal(l.id[2], 0x10000);
    assert_true(cores_need_x2apic(&l));
    assert_true(cores_reachable(254, false));
    assert_false(cores_reachable(255, false));
    assert_false(cores_reachable(256, false));
    assert_true(cores_reachable(255, true));
    assert_true(cores_reachable(0x10000, true));
}

TEST(the_quickest_round_trip_gives_the_tsc_offset)
{
    struct tsc_offset o = {0};

    tsc_offset_add(&o, 1000, 1600, 1200); /* 500 ahead, +-100 */
    assert_int_equal(o.ahead, 500);
    assert_int_equal(o.error, 100);
    tsc_offset_add(&o, 2000, 9000, 4000); /* slower: says less */
    assert_int_equal(o.ahead, 500);
    tsc_offset_add(&o, 5000, 5030, 5021); /* 20 ahead, +-11: half of an odd round is rounded up */
    assert_int_equal(o.ahead, 20);
    assert_int_equal(o.error, 11);
    assert_int_equal(o.rounds, 3);
}

TEST(an_offset_may_be_negative_and_cross_zero)
{
    struct tsc_offset o = {0};

    tsc_offset_add(&o, 1ull << 63, (1ull << 63) - 4000, (1ull << 63) + 100);
    assert_int_equal(o.ahead, -4050);
    o = (struct tsc_offset){0};
    tsc_offset_add(&o, 100, -50ull, 200); /* its counter has not reached zero yet */
    assert_int_equal(o.ahead, -200);
    assert_int_equal(o.error, 50);
}

TEST(different_features_are_named)
{
    struct core_features boot = {{1, 2, 0x400, 0, 0, 0, 0, 0}}, here = boot;
    char text[160], small[24];

    assert_false(cores_differ_features(&boot, &here, text, sizeof(text)));
    assert_string_equal(text, "");
    here.word[2] = 0x10;
    here.word[7] = 8;
    assert_true(cores_differ_features(&boot, &here, text, sizeof(text)));
    assert_string_equal(text, "CPUID 7.EBX 00000010 here only, 00000400 on the boot core only; "
                              "CPUID 80000001.EDX 00000008 here only");
    assert_true(cores_differ_features(&boot, &here, small, sizeof(small)));
    assert_int_equal(strlen(small), sizeof(small) - 1);
}

TEST(different_mtrrs_are_named)
{
    struct mtrr boot = {.enabled = true, .default_type = 6, .variables = 2}, here = boot;
    char text[160];

    boot.variable[1].mask = here.variable[1].mask = 0x800;
    assert_false(cores_differ_mtrr(&boot, &here, text, sizeof(text)));
    assert_string_equal(text, "");
    here.variable[1].base = 6;
    here.fixed[10] = 1;
    here.default_type = 0;
    assert_true(cores_differ_mtrr(&boot, &here, text, sizeof(text)));
    assert_string_equal(text, "default type; fixed ranges; variable range 1");
    here = boot;
    here.variables = 1; /* a core that lacks the second range */
    here.tom2 = 1;
    assert_true(cores_differ_mtrr(&boot, &here, text, sizeof(text)));
    assert_string_equal(text, "TOM2; variable range 1");
    here = boot;
    here.variables = 3; /* one more, unused: the same to memory */
    assert_false(cores_differ_mtrr(&boot, &here, text, sizeof(text)));
}
