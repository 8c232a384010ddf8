/* The CPUID leaves of tests/replay/cpuid, for lib/cpu.h: CPU 0's, the first record of a leaf. */
#ifndef TESTS_CPUID_FILE_H
#define TESTS_CPUID_FILE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/cpu.h"

struct cpuid_file {
    unsigned n;
    struct {
        uint32_t leaf, subleaf;
        struct cpuid_regs regs;
    } record[400];
};

static inline void cpuid_file_read(struct cpuid_file *f, const char *path)
{
    char line[200];
    FILE *in = fopen(path, "r");
    f->n = 0;
    if (in == NULL) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, in) != NULL) {
        uint32_t v[6];
        if (sscanf(line,
                   "cpuid 0 %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32,
                   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]) != 6)
            continue;
        if (f->n == sizeof f->record / sizeof f->record[0]) {
            fprintf(stderr, "%s: more than %u leaves\n", path, f->n);
            exit(1);
        }
        f->record[f->n].leaf = v[0];
        f->record[f->n].subleaf = v[1];
        f->record[f->n++].regs = (struct cpuid_regs){v[2], v[3], v[4], v[5]};
    }
    fclose(in);
}

/* A cpuid_fn. Zeros for what was not recorded, as CPUs do with leaves that they do not have. */
static inline struct cpuid_regs cpuid_file_get(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    const struct cpuid_file *f = ctx;
    for (unsigned i = 0; i < f->n; i++)
        if (f->record[i].leaf == leaf && f->record[i].subleaf == subleaf)
            return f->record[i].regs;
    return (struct cpuid_regs){0};
}

#endif
