#include "kernel/cpu/msr.h"
#include "kernel/cpu/instructions.h"

/* The instruction at label 1 may fault; execution then continues at label 2. */
#define FIXUP                                                                                      \
    ".pushsection fixups, \"a\"\n\t"                                                               \
    ".long 1b - ., 2f - .\n\t"                                                                     \
    ".popsection\n\t"

bool msr_read(uint32_t msr, uint64_t *v)
{
    uint32_t lo = 0, hi = 0;
    bool done = false;

    __asm__ volatile("1: rdmsr\n\t" FIXUP "movb $1, %0\n"
                     "2:"
                     : "+q"(done), "+a"(lo), "+d"(hi)
                     : "c"(msr));
    *v = (uint64_t)hi << 32 | lo;
    return done;
}

bool msr_write(uint32_t msr, uint64_t v)
{
    bool done = false;

    __asm__ volatile("1: wrmsr\n\t" FIXUP "movb $1, %0\n"
                     "2:"
                     : "+q"(done)
                     : "c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32))
                     : "memory");
    return done;
}

static bool read_here(void *ctx, uint32_t msr, uint64_t *v)
{
    (void)ctx;
    return msr_read(msr, v);
}

static bool write_here(void *ctx, uint32_t msr, uint64_t v)
{
    (void)ctx;
    return msr_write(msr, v);
}

const struct msr_access msr_here = {.read = read_here, .write = write_here};

bool pmc_read(uint32_t index, uint64_t *v)
{
    uint32_t lo = 0, hi = 0;
    bool done = false;

    /* Counts the instructions before RDPMC and none after it. */
    __asm__ volatile("lfence\n"
                     "1: rdpmc\n\t" FIXUP "lfence\n\tmovb $1, %0\n"
                     "2:"
                     : "+q"(done), "+a"(lo), "+d"(hi)
                     : "c"(index)
                     : "memory");
    *v = (uint64_t)hi << 32 | lo;
    return done;
}

bool mem_read(uint64_t address, uint64_t *v)
{
    uint64_t word = 0;
    bool done = false;

    __asm__ volatile("1: movq (%2), %1\n\t" FIXUP "movb $1, %0\n"
                     "2:"
                     : "+q"(done), "+r"(word)
                     : "r"(address)
                     : "memory");
    *v = word;
    return done;
}
