#include "hosted/platform/process.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/config/choices.h"

#define BIND 2 /* MPOL_BIND of mbind(2), which glibc does not declare */

/* Reads a file of a folder up to its first line end. False: it cannot be read, or it is longer. */
static bool read_line(const char *folder, const char *name, char *text, size_t size)
{
    char path[256];
    FILE *f = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path
                  ? fopen(path, "re")
                  : NULL;
    bool good = f && fgets(text, (int)size, f) && strchr(text, '\n');

    if (f)
        fclose(f);
    if (good)
        *strchr(text, '\n') = '\0';
    return good;
}

/* Reads a list like "0-3,8". An empty list is one. */
static bool read_list(const char *folder, const char *name, struct core_list *l)
{
    char text[4096];

    memset(l, 0, sizeof *l);
    return read_line(folder, name, text, sizeof text) &&
           (text[0] == '\0' || core_list_parse(l, text));
}

static void read_cpus(struct numa *n, unsigned node, const char *folder)
{
    struct core_list cpus;

    if (!read_list(folder, "cpulist", &cpus))
        return;
    for (unsigned i = 0; i < CORE_LIST_MAX && n->cpus < NUMA_CPUS; i++)
        if (core_list_has(&cpus, i)) {
            n->cpu[n->cpus++] = (struct numa_cpu){i, (int)node};
            n->cpus_of[node]++;
        }
}

/* Returns the bytes of a line like "Node 0 MemTotal:  123 kB"; 0: there is no such line. */
static uint64_t read_memory(const char *folder, const char *name)
{
    char path[256], line[128], found[32];
    uint64_t kib = 0;
    FILE *f = snprintf(path, sizeof path, "%s/meminfo", folder) < (int)sizeof path
                  ? fopen(path, "re")
                  : NULL;

    while (f && kib == 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "Node %*u %31[^:]: %" SCNu64 " kB", found, &kib) != 2 ||
            strcmp(found, name) != 0)
            kib = 0;
    if (f)
        fclose(f);
    return kib << 10;
}

/* A line has a number for each node that is online, in their order. */
static bool read_distances(struct numa *n, unsigned node, const char *folder)
{
    char text[4096], *at = text, *end;

    if (!read_line(folder, "distance", text, sizeof text))
        return false;
    for (unsigned i = 0; i < n->nodes; i++, at = end) {
        unsigned long d = strtoul(at, &end, 10);
        if (end == at || d > UINT8_MAX)
            return false;
        n->distance[node][i] = (uint8_t)d;
    }
    return true;
}

bool nodes_read(struct numa *n, const char *folder)
{
    struct core_list online;
    char at[200];

    memset(n, 0, sizeof *n);
    if (!read_list(folder, "online", &online))
        return false;
    for (unsigned i = 0; i < CORE_LIST_MAX; i++)
        if (core_list_has(&online, i))
            (void)numa_add(n, i);
    n->has_distances = n->nodes > 0;
    for (unsigned i = 0; i < n->nodes; i++) {
        snprintf(at, sizeof at, "%s/node%" PRIu32, folder, n->domain[i]);
        read_cpus(n, i, at);
        n->bytes[i] = read_memory(at, "MemTotal");
        n->has_distances = read_distances(n, i, at) && n->has_distances;
    }
    n->from = n->nodes > 0 ? "sysfs" : NULL;
    return n->nodes > 0;
}

uint64_t nodes_free(const struct numa *n, unsigned node)
{
    char at[64];

    snprintf(at, sizeof at, NODES_FOLDER "/node%" PRIu32, n->domain[node]);
    uint64_t bytes = read_memory(at, "MemFree");
    return bytes ? bytes : UINT64_MAX;
}

bool nodes_bind(const struct numa *n, unsigned node, void *at, uint64_t bytes)
{
    enum { BITS = 8 * sizeof(unsigned long) };
    unsigned long mask[CORE_LIST_MAX / BITS] = {0};

    if (node >= n->nodes || n->domain[node] >= CORE_LIST_MAX)
        return false;
    mask[n->domain[node] / BITS] = 1ul << n->domain[node] % BITS;
    return syscall(SYS_mbind, at, bytes, BIND, mask, CORE_LIST_MAX, 0) == 0;
}
