#include "hosted/platform/guard.h"
#include <asm/prctl.h>
#include <asm/unistd_64.h>
#include <stdint.h>
#include "lib/text/fmt.h"

/* CFLAGS: no function in this file has a stack canary, which would be read through FS. */

enum { FS, GS, SEGMENTS };

struct segment {
    uint16_t selector;
    uint64_t base;
};

static const char *const names[SEGMENTS] = {"the FS base", "the GS base"};
static struct segment own[SEGMENTS];
static bool kept, changed[SEGMENTS];

/* arch_prctl(2) without the library's errno. */
static void base_call(int code, uint64_t argument)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(__NR_arch_prctl), "D"(code), "S"(argument)
                     : "rcx", "r11", "memory");
}

static struct segment read_segment(unsigned i)
{
    struct segment s = {0, 0};

    base_call(i == FS ? ARCH_GET_FS : ARCH_GET_GS, (uint64_t)(uintptr_t)&s.base);
    if (i == FS)
        __asm__ volatile("mov %%fs, %0" : "=r"(s.selector));
    else
        __asm__ volatile("mov %%gs, %0" : "=r"(s.selector));
    return s;
}

/* Loading a selector changes the base. */
static void write_segment(unsigned i, const struct segment *s)
{
    if (i == FS)
        __asm__ volatile("mov %0, %%fs" : : "r"((uint32_t)s->selector));
    else
        __asm__ volatile("mov %0, %%gs" : : "r"((uint32_t)s->selector));
    base_call(i == FS ? ARCH_SET_FS : ARCH_SET_GS, s->base);
}

void segments_keep(void)
{
    for (unsigned i = 0; i < SEGMENTS; i++) {
        own[i] = read_segment(i);
        changed[i] = false;
    }
    kept = true;
}

void segments_drop(void)
{
    kept = false;
}

bool segments_put_back(void)
{
    bool any = false;

    for (unsigned i = 0; kept && i < SEGMENTS; i++) {
        struct segment now = read_segment(i);
        if (now.selector == own[i].selector && now.base == own[i].base)
            continue;
        write_segment(i, &own[i]);
        changed[i] = any = true;
    }
    return any;
}

void segments_tell(struct sink *out)
{
    const char *before = "";

    for (unsigned i = 0; i < SEGMENTS; i++) {
        if (!changed[i])
            continue;
        fmt(out, "%s%s", before, names[i]);
        before = ", ";
        changed[i] = false;
    }
}
