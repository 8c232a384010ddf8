#include "lib/cpu/topology.h"
#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "lib/firmware/acpi_tables.h"

#define HTT                  (1u << 28) /* leaf 1 EDX */
#define LEVEL(type, subleaf) ((type) << 8 | (subleaf))

static struct core_place place(void)
{
    struct dump_cpu boot;
    struct cpu c = made_cpu(&boot);
    struct core_place p;

    topology_place(&p, &c, cpuid_dump_get, &boot);
    return p;
}

static void expect(struct core_place p, uint32_t id, uint32_t package, uint32_t core,
                   uint32_t thread)
{
    assert_int_equal(p.apic_id, id);
    assert_int_equal(p.package, package);
    assert_int_equal(p.core, core);
    assert_int_equal(p.thread, thread);
}

static void level(uint32_t leaf, uint32_t subleaf, uint32_t type, uint32_t bits, uint32_t id)
{
    made_leaf_of(0, leaf, subleaf, (struct cpuid_regs){bits, 1, LEVEL(type, subleaf), id});
}

/* Thread, core, module, tile, die: the last level's bits are the package's. */
TEST(leaf_1f_gives_levels_and_ids_above_255)
{
    made_vendor("GenuineIntel", 0x1f);
    made_model(6, 0xcf, 0x07ff0800, 0, HTT);
    level(0x1f, 0, 1, 1, 0x12345);
    level(0x1f, 1, 2, 4, 0x12345);
    level(0x1f, 2, 3, 5, 0x12345);
    level(0x1f, 3, 5, 9, 0x12345);
    level(0x0b, 0, 1, 1, 7); /* is not asked where 1Fh answers */
    expect(place(), 0x12345, 0x12345 >> 9, (0x12345 & 0x1ff) >> 1, 1);
}

TEST(leaf_b_is_used_where_1f_is_empty)
{
    made_vendor("GenuineIntel", 0x1f);
    made_model(6, 0xcf, 0x07ff0800, 0, HTT);
    made_leaf(0x1f, 0, 0, 0, 0);
    level(0x0b, 0, 1, 2, 0x4b);
    level(0x0b, 1, 2, 6, 0x4b);
    expect(place(), 0x4b, 1, 2, 3);
    /* A first level without CPUs means that the leaf is not there. */
    made.leaf[3].regs.ebx = 0;
    expect(place(), 7, 0, 0, 7); /* leaf 1: 255 ids a package, one core as leaf 4 has no cache */
}

/* Fields that only a broken hypervisor would give: nothing shifts by 32 and more. */
TEST(random_curves_have_a_bounded_number_of_levels)
{
    made_vendor("GenuineIntel", 0x0b);
    made_model(6, 0x55, 0, 0, HTT);
    level(0x0b, 0, 1, 31, ~0u);
    level(0x0b, 1, 2, 1, ~0u); /* fewer bits than the level below */
    expect(place(), ~0u, 1, 0, 0x7fffffff);
}

TEST(legacy_leaves_give_package_core_and_thread)
{
    /* ids a package, leaf 4 EAX, id -> package, core, thread */
    static const struct {
        uint32_t ids, eax, edx, id, package, core, thread;
    } cases[] = {
        {4, 1u << 26 | 0x121, HTT, 7, 1, 1, 1},   /* two cores of two threads */
        {2, 0x121, HTT, 3, 1, 0, 1},              /* one core of two threads */
        {4, 3u << 26 | 0x121, HTT, 6, 1, 2, 0},   /* four cores */
        {4, 3u << 26 | 0x121, 0, 6, 6, 0, 0},     /* no HTT: one CPU per package */
        {6, 2u << 26 | 0x121, HTT, 0xb, 1, 1, 1}, /* both rounded up: 8 ids, 4 cores */
        {1, 7u << 26 | 0x121, HTT, 3, 3, 0, 0},   /* more cores than ids */
        {4, 3u << 26, HTT, 7, 1, 0, 3},           /* no cache in leaf 4, so no cores either */
    };
    EACH_CASE (c, cases) {
        made_vendor("GenuineIntel", 4);
        made_model(0xf, 6, c->id << 24 | c->ids << 16, 0, c->edx);
        made_leaf(4, c->eax, 0, 0, 0);
        expect(place(), c->id, c->package, c->core, c->thread);
    }
}

static void amd_extended(const char *vendor, uint32_t family, uint32_t model, uint32_t ext8_ecx,
                         uint32_t threads)
{
    made_vendor(vendor, 0xd);
    made_model(family, model, 0x05100800, 0, HTT);
    made_leaf(0x80000000, 0x8000001e, 0, 0, 0);
    made_leaf(0x80000001, 0, 0, 1u << 22, 0);
    made_leaf(0x80000008, 0x3030, 0, ext8_ecx, 0);
    made_leaf(0x8000001e, 0x25, (threads - 1) << 8, 0, 0);
}

/* Node 3, of 2 nodes a package. */
TEST(amd_tells_the_node)
{
    amd_extended("AuthenticAMD", 0x17, 1, 0x400f, 2);
    made.leaf[made.leaves - 1].regs.ecx = 1 << 8 | 3;
    assert_int_equal(place().node, 3);
    amd_extended("HygonGenuine", 0x18, 1, 0x400f, 2);
    assert_int_equal(place().node, 0);
    amd_extended("AuthenticAMD", 0x17, 1, 0x400f, 2);
    made.leaf[2].regs.eax = 0x8000001d;
    assert_int_equal(place().node, -1);
    amd_extended("GenuineIntel", 6, 0xcf, 0x400f, 2);
    assert_int_equal(place().node, -1);
}

TEST(amd_leaves_give_package_core_and_thread)
{
    amd_extended("AuthenticAMD", 0x17, 1, 0x400f, 2);
    expect(place(), 0x25, 2, 2, 1);
    /* Bulldozer: two cores a module, no threads. */
    amd_extended("AuthenticAMD", 0x15, 1, 0x500f, 2);
    struct core_place p = place();
    expect(p, 0x25, 1, 5, 0);
    assert_int_equal(p.module, 2);
    /* Without topology extensions: leaf 1's id. K8 says cores, less one, and no width. */
    amd_extended("AuthenticAMD", 0x0f, 0x6b, 0x0001, 2);
    made.leaf[3].regs.ecx = 0;
    expect(place(), 5, 2, 1, 0);
    /* Hygon's sockets begin at bit 6, its guests' where CPUID says. */
    amd_extended("HygonGenuine", 0x18, 0, 0x400f, 2);
    expect(place(), 0x25, 0, 0x12, 1);
    made.leaf[4].regs.ecx = 0x501f;
    expect(place(), 0x25, 0, 0x12, 1);
    made.leaf[4].regs.ecx = 0x400f;
    made.leaf[1].regs.ecx |= 1u << 31;
    expect(place(), 0x25, 2, 2, 1);
}

TEST(core_types_are_decoded)
{
    static const struct {
        uint32_t eax;
        enum core_type type;
    } intel[] = {{0x40000001, CORE_TYPE_PERFORMANCE},
                 {0x20000003, CORE_TYPE_EFFICIENCY},
                 {0x60000000, CORE_TYPE_UNKNOWN},
                 {0, CORE_TYPE_UNKNOWN}};
    EACH_CASE (c, intel) {
        made_vendor("GenuineIntel", 0x1a);
        made_model(6, 0x97, 0, 0, 0);
        made_leaf(0x1a, c->eax, 0, 0, 0);
        assert_int_equal(place().type, c->type);
    }
    static const struct {
        uint32_t eax, ebx, ecx;
        enum core_type type;
    } amd_cores[] = {{1u << 30, 0, 0x100, CORE_TYPE_PERFORMANCE},
                     {1u << 30, 1u << 28, 0x100, CORE_TYPE_EFFICIENCY},
                     {1u << 30, 2u << 28, 0x100, CORE_TYPE_UNKNOWN},
                     {1u << 30, 1u << 28, 0, CORE_TYPE_UNKNOWN}, /* no core level */
                     {0, 1u << 28, 0x100, CORE_TYPE_UNKNOWN}};   /* all alike */
    EACH_CASE (c, amd_cores) {
        made_vendor("AuthenticAMD", 0x10);
        made_model(0x1a, 0x24, 0, 0, 0);
        made_leaf(0x80000000, 0x80000028, 0, 0, 0);
        made_leaf(0x80000026, c->eax, c->ebx, c->ecx, 0);
        assert_int_equal(place().type, c->type);
    }
}

TEST(without_leaves_the_id_is_a_package)
{
    made_none();
    expect(place(), 0, 0, 0, 0);
    made_vendor("Unheard of..", 1);
    made_model(6, 1, 0x03020000, 0, HTT);
    expect(place(), 3, 1, 0, 1);
}

#define PLACE(id, package_, module_, core_, thread_, type_)                                        \
    .apic_id = id, .package = package_, .module = module_, .core = core_, .thread = thread_,       \
    .type = CORE_TYPE_##type_
/* Two packages: one core with two threads and one without, in each; one CPU listed twice. */
TEST(packages_cores_and_threads_are_counted_once)
{
    const struct core_place cpus[] = {
        {PLACE(0x10, 1, 0, 0, 0, PERFORMANCE)}, {PLACE(0x00, 0, 0, 0, 0, PERFORMANCE)},
        {PLACE(0x01, 0, 0, 0, 1, PERFORMANCE)}, {PLACE(0x08, 0, 4, 4, 0, EFFICIENCY)},
        {PLACE(0x11, 1, 0, 0, 1, PERFORMANCE)}, {PLACE(0x01, 0, 0, 0, 1, PERFORMANCE)},
        {PLACE(0x18, 1, 4, 4, 0, EFFICIENCY)},
    };
    const size_t n = COUNT_OF(cpus);
    struct topology t;

    topology_count(&t, cpus, n);
    assert_int_equal(t.logical_cpus, 6);
    assert_int_equal(t.packages, 2);
    assert_int_equal(t.modules, 4);
    assert_int_equal(t.cores, 4);
    assert_int_equal(t.threads_per_core, 2);
    assert_int_equal(t.type[CORE_TYPE_PERFORMANCE].cores, 2);
    assert_int_equal(t.type[CORE_TYPE_PERFORMANCE].logical_cpus, 4);
    assert_int_equal(t.type[CORE_TYPE_EFFICIENCY].cores, 2);
    assert_int_equal(t.type[CORE_TYPE_UNKNOWN].logical_cpus, 0);
    assert_int_equal(topology_sharing(cpus, n, 0x01, 0), 1);
    assert_int_equal(topology_sharing(cpus, n, 0x01, 1), 2);
    assert_int_equal(topology_sharing(cpus, n, 0x01, 4), 3);
    assert_int_equal(topology_sharing(cpus, n, 0x01, 32), 6);
    assert_int_equal(topology_sharing(cpus, n, 0x20, 1), 0);
    topology_count(&t, cpus, 0);
    assert_int_equal(t.logical_cpus + t.cores + t.packages + t.threads_per_core, 0);
}

TEST(bits_hold_the_number_of_ids)
{
    const uint32_t cases[][2] = {{0, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {~0u, 32}};

    EACH_CASE (c, cases)
        assert_int_equal(topology_bits((*c)[0]), (*c)[1]);
}

#define ROOM 8

static uint32_t ids[ROOM];

static struct cores_list list_of(const struct madt_cpu *cpu, unsigned n, uint32_t boot)
{
    struct cores_list l = {.id = ids, .room = ROOM};

    memset(ids, 0xee, sizeof(ids));
    cores_list(&l, &(struct cores_known){.cpu = cpu, .cpus = n}, boot);
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

TEST(ids_that_no_core_can_have_are_left_out)
{
    /* A laptop with two cores lists eight more, each with this id. */
    static const struct madt_cpu cpu[] = {
        {CPU(0)},        {CPU(1)},       {CPU(0x17161514)}, {AGAIN(0x17161514)},
        {CPU(0x100000)}, {CPU(0xfffff)}, {CPU(0x1514)},     {CPU(0x14)}};
    static const struct madt_cpu met[] = {{CPU(0)}, {CPU(1)}, {EMPTY(0xfffff)}};
    struct cores_list l = list_of(cpu, 8, 0);

    assert_int_equal(l.count, 5);
    assert_int_equal(l.invalid, 2);
    assert_int_equal(l.invalid_id, 0x17161514);
    assert_true(cores_need_x2apic(&l));
    for (unsigned mets = 0; mets <= 3; mets++) {
        /* A firmware that has met one core has not looked for others. */
        const unsigned counts[] = {5, 5, 2, 3};
        cores_list(&l, &(struct cores_known){cpu, 8, 0, 0, met, mets}, 0);
        assert_int_equal(l.count, counts[mets]);
        assert_int_equal(l.invalid, 7 - counts[mets]);
        assert_int_equal(cores_need_x2apic(&l), mets != 2);
        assert_int_equal(l.left_out, 0);
    }
}

TEST(ids_of_mp_services_that_the_madt_contradicts_are_not_used)
{
    static const struct madt_cpu cpu[] = {{CPU(0)}, {EMPTY(1)}, {CPU(2)}, {CPU(4)}};
    static const struct madt_cpu index[] = {{CPU(0)}, {CPU(1)}, {CPU(2)}};
    static const struct madt_cpu no_boot[] = {{CPU(2)}, {CPU(4)}};
    static const struct madt_cpu same[] = {{CPU(0)}, {AGAIN(0)}, {AGAIN(0)}};
    static const struct madt_cpu two[] = {{CPU(0)}, {CPU(2)}};
    static const struct cores_known cases[] = {
        {cpu, 4, 0, 0, index, 3}, {cpu, 4, 0, 0, no_boot, 2}, {cpu, 4, 0, 0, same, 3}};
    struct cores_list l = {.id = ids, .room = ROOM};

    EACH_CASE (c, cases) {
        cores_list(&l, c, 0);
        assert_int_equal(l.count, 3);
        assert_int_equal(l.invalid, 0);
    }
    cores_list(&l, &(struct cores_known){cpu, 4, 0, 0, two, 2}, 0);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.invalid_id, 4);
}

TEST(entries_that_the_decoder_did_not_keep_are_counted)
{
    static const struct madt_cpu cpu[] = {{CPU(0)}, {EMPTY(1)}};
    struct cores_list l = {.id = ids, .room = ROOM};

    cores_list(&l, &(struct cores_known){.cpu = cpu, .cpus = 2, .empty = 5, .left_out = 7}, 0);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.disabled, 6);
    assert_int_equal(l.left_out, 7);
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
