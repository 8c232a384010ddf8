#include "lib/firmware/numa.h"
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/image.h"
#include "tests/unit/lib/firmware/recorded_table.h"

/* Nodes from tables of real machines (tests/replay/acpi), and from tables that are wrong. */

static struct numa n;

static const struct acpi_table none;

TEST(recorded_tables_have_their_nodes)
{
    static const struct {
        const char *name;
        unsigned nodes, cpus_of_last;
        uint32_t last_domain, last_cpu;
        uint64_t mib; /* of the last node */
    } cases[] = {
        {"SRAT-634504dc84", 8, 8, 7, 0x8f, 16384},
        {"SRAT-79abd82f1a", 4, 20, 4, 0x79, 16384}, /* domains from 1 on */
        {"SRAT-902213de1a", 1, 12, 0, 0x0b, 133632},
        {"SRAT-fd50bf572e", 1, 4, 0, 3, 8191},
    };

    EACH_CASE (c, cases) {
        struct acpi_table srat = load(c->name);
        assert_true(numa_read(&n, &srat, &none));
        assert_string_equal(n.from, "srat");
        assert_int_equal(n.nodes, c->nodes);
        assert_int_equal(n.domain[n.nodes - 1], c->last_domain);
        assert_int_equal(n.cpus_of[n.nodes - 1], c->cpus_of_last);
        assert_int_equal(n.cpu[n.cpus - 1].id, c->last_cpu);
        assert_int_equal(numa_of_cpu(&n, c->last_cpu), n.nodes - 1);
        assert_int_equal(numa_of_cpu(&n, 0xffff), NUMA_NONE);
        assert_false(n.has_distances);
        for (unsigned i = 0; i < n.ranges; i++) {
            const struct numa_range *r = &n.range[i];
            assert_int_equal(numa_of_memory(&n, r->base), r->node);
            assert_int_equal(numa_of_memory(&n, r->base + r->bytes - 1), r->node);
        }
        numa_count(&n, 0, UINT64_MAX);
        assert_int_equal(n.bytes[n.nodes - 1] >> 20, c->mib);
        assert_int_equal(n.error.text[0], '\0');
        drop(&srat);
    }
}

/* --- made tables ------------------------------------------------------------------------------ */

enum { SRAT_HEAD = 48, MEMORY = 40, CPU = 16, SLIT_HEAD = 44 };

/* A table with a CPU and a range of memory of each domain, domain after domain; flags of memory. */
static struct acpi_table srat_of(const uint32_t *domain, unsigned count, uint32_t flags)
{
    uint32_t bytes = SRAT_HEAD + count * (MEMORY + CPU);
    uint8_t *b = calloc(1, bytes), *at = b + SRAT_HEAD;

    b[8] = 3;
    for (unsigned i = 0; i < count; i++) {
        at[1] = CPU;
        at[2] = (uint8_t)domain[i];
        at[3] = (uint8_t)i;
        at[4] = 1;
        at += CPU;
        at[0] = 1;
        at[1] = MEMORY;
        put_le(at + 2, domain[i], 4);
        put_le(at + 8, i * 0x1000ull, 8);
        put_le(at + 16, 0x1000, 8);
        put_le(at + 28, flags, 4);
        at += MEMORY;
    }
    return (struct acpi_table){b, bytes};
}

static struct acpi_table slit_of(uint64_t domains, uint32_t room)
{
    uint8_t *b = calloc(1, SLIT_HEAD + room);

    put_le(b + 36, domains, 8);
    for (uint32_t i = 0; i < room; i++)
        b[SLIT_HEAD + i] = domains && i % domains == i / domains ? 10 : (uint8_t)(20 + i);
    return (struct acpi_table){b, SLIT_HEAD + room};
}

TEST(nodes_are_numbered_as_their_domains_ascend)
{
    static const uint32_t domain[] = {2, 0};
    struct acpi_table srat = srat_of(domain, 2, 1), slit = slit_of(3, 9);

    assert_true(numa_read(&n, &srat, &slit));
    assert_int_equal(n.nodes, 2);
    assert_int_equal(n.domain[0], 0);
    assert_int_equal(numa_of_cpu(&n, 0), 1);
    assert_int_equal(numa_of_memory(&n, 0x1fff), 0);
    assert_int_equal(numa_of_memory(&n, 0x2000), NUMA_NONE);
    assert_true(n.has_distances);
    assert_int_equal(n.distance[0][0], 10);
    assert_int_equal(n.distance[0][1], 22); /* of domains 0 and 2 */
    assert_int_equal(n.distance[1][0], 26);
    numa_count(&n, 0x800, 0x1000);
    assert_int_equal(n.bytes[0], 0x800);
    assert_int_equal(n.bytes[1], 0x800);
    drop(&srat);
    drop(&slit);
}

TEST(persistent_memory_has_no_range)
{
    static const uint32_t domain[] = {0, 1};

    for (uint32_t flags = 3; flags <= 5; flags += 2) { /* hot-plug, non-volatile */
        struct acpi_table srat = srat_of(domain, 2, flags);
        assert_true(numa_read(&n, &srat, &none));
        assert_int_equal(n.nodes, 2);
        assert_int_equal(n.ranges, flags == 3 ? 2 : 0);
        drop(&srat);
    }
}

TEST(wrong_tables_say_what_is_wrong)
{
    static const uint32_t domain[] = {0, 1};

    static const struct {
        uint64_t domains;
        uint32_t room;
        uint8_t first; /* of the matrix */
        const char *error;
    } cases[] = {
        {2, 3, 10, "SLIT offset 36: number of domains 2"},
        {1, 4, 10, "SLIT offset 36: number of domains 1"},
        {0, 4, 10, "SLIT offset 36: number of domains 0"},
        {1ull << 63, 4, 10, "SLIT offset 36: number of domains"},
        {2, 4, 11, "SLIT offset 44: distance 11, allowed 10"},
        {2, 4, 0, "SLIT offset 44: distance 0, allowed 10"},
    };
    struct acpi_table srat = srat_of(domain, 2, 1), short_slit = {srat.bytes, SLIT_HEAD - 1},
                      short_srat = {srat.bytes, SRAT_HEAD - 1}, empty = {srat.bytes, SRAT_HEAD};

    EACH_CASE (c, cases) {
        struct acpi_table slit = slit_of(c->domains, c->room);
        ((uint8_t *)(uintptr_t)slit.bytes)[SLIT_HEAD] = c->first;
        assert_true(numa_read(&n, &srat, &slit));
        assert_false(n.has_distances);
        assert_non_null(strstr(n.error.text, c->error));
        drop(&slit);
    }
    assert_true(numa_read(&n, &srat, &short_slit));
    assert_false(n.has_distances || n.error.text[0] == '\0');
    assert_false(numa_read(&n, &short_srat, &none));
    assert_int_not_equal(n.error.text[0], '\0');
    assert_null(n.from);
    assert_false(numa_read(&n, &empty, &none));
    assert_false(numa_is_divided(&n));
    drop(&srat);
}

TEST(what_does_not_fit_is_counted)
{
    uint32_t domain[NUMA_NODES + 2];

    for (unsigned i = 0; i < NUMA_NODES + 2; i++)
        domain[i] = NUMA_NODES + 2 - i;

    struct acpi_table srat = srat_of(domain, NUMA_NODES + 2, 1);

    assert_true(numa_read(&n, &srat, &none));
    assert_int_equal(n.nodes, NUMA_NODES);
    assert_int_equal(n.left_out, 2); /* nodes, each with a CPU and a range */
    assert_int_equal(numa_of_cpu(&n, NUMA_NODES + 1), NUMA_NONE);
    drop(&srat);
}
