/* The nodes of a system, from made folders like /sys/devices/system/node. */
#include "hosted/platform/process.h"
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "tests/unit/cmocka_unit.h"

static char top[32];
static struct numa n;

static void write_file(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void add_node(unsigned node, const char *cpus, const char *distances, const char *memory)
{
    char name[96];

    snprintf(name, sizeof name, "%s/node%u", top, node);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(name, sizeof name, "node%u/cpulist", node);
    write_file(name, cpus);
    snprintf(name, sizeof name, "node%u/distance", node);
    write_file(name, distances);
    snprintf(name, sizeof name, "node%u/meminfo", node);
    write_file(name, memory);
}

static void make_folder(void)
{
    strcpy(top, "/tmp/baretick-nodes-XXXXXX");
    assert_non_null(mkdtemp(top));
}

static void remove_folder(void)
{
    char command[96];

    snprintf(command, sizeof command, "rm -r '%s'", top);
    assert_int_equal(system(command), 0);
}

BEFORE_EACH(make_folder);
AFTER_EACH(remove_folder);

TEST(nodes_have_their_cpus_memory_and_distances)
{
    write_file("online", "0,2\n");
    add_node(0, "0-1,4\n", "10 21\n", "Node 0 MemTotal:       65536 kB\nNode 0 MemFree: 1 kB\n");
    add_node(2, "\n", "31 10\n", "\nNode 2 MemTotal:       1024 kB\n"); /* without a CPU */
    assert_true(nodes_read(&n, top));
    assert_string_equal(n.from, "sysfs");
    assert_int_equal(n.nodes, 2);
    assert_int_equal(n.domain[1], 2);
    assert_int_equal(n.cpus_of[0], 3);
    assert_int_equal(n.cpus_of[1], 0);
    assert_int_equal(numa_of_cpu(&n, 4), 0);
    assert_int_equal(numa_of_cpu(&n, 2), NUMA_NONE);
    assert_int_equal(n.bytes[0], 64 << 20);
    assert_int_equal(n.bytes[1], 1 << 20);
    assert_true(n.has_distances);
    assert_int_equal(n.distance[0][1], 21);
    assert_int_equal(n.distance[1][0], 31);
}

TEST(a_folder_that_says_less_is_read_as_far_as_it_goes)
{
    assert_false(nodes_read(&n, top));
    assert_null(n.from);
    write_file("online", "no list\n");
    assert_false(nodes_read(&n, top));
    write_file("online", "0-1\n");
    add_node(0, "0\n", "10\n", "");
    assert_true(nodes_read(&n, top)); /* node 1 has no folder */
    assert_int_equal(n.nodes, 2);
    assert_false(n.has_distances);
    assert_int_equal(n.bytes[0] + n.bytes[1], 0);
    assert_int_equal(n.cpus, 1);
}

/* --- mbind ------------------------------------------------------------------------------------ */

static struct {
    long number;
    const unsigned long *mask;
    int mode;
    bool refuses;
} asked;

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list args;

    va_start(args, number);
    (void)va_arg(args, void *);
    (void)va_arg(args, uint64_t);
    asked.number = number;
    asked.mode = va_arg(args, int);
    asked.mask = va_arg(args, const unsigned long *);
    assert_int_equal(asked.mask[0], 1ul << 2);
    va_end(args);
    errno = EPERM;
    return asked.refuses ? -1 : 0;
}

TEST(memory_is_asked_for_by_the_systems_number)
{
    uint8_t page[1];

    write_file("online", "0,2\n");
    assert_true(nodes_read(&n, top));
    assert_true(nodes_bind(&n, 1, page, 4096));
    assert_int_equal(asked.number, SYS_mbind);
    assert_int_equal(asked.mode, 2); /* MPOL_BIND */
    asked.refuses = true;
    assert_false(nodes_bind(&n, 1, page, 4096));
    assert_int_equal(errno, EPERM);
    assert_false(nodes_bind(&n, 2, page, 4096)); /* there is no such node */
}
