/* What a body can change and no window restores. CFLAGS: no function here has a stack canary, which
 * would be read through FS. */
#include "hosted/platform/signal_guard.h"
#include <asm/prctl.h>
#include <asm/unistd_64.h>
#include <cpuid.h>
#include <linux/rseq.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/text/fmt.h"

/* --- protection keys of memory ---------------------------------------------------------------- */

#define OSPKE 0x10 /* CPUID leaf 7 ECX: the system has set CR4.PKE; Intel SDM vol. 2A CPUID */

#define AT_RSEQ_SIZE 27 /* AT_RSEQ_FEATURE_SIZE of linux/auxvec.h, since Linux 6.3 */
#define RSEQ_FIRST   32 /* the size of the area before that; sizes are multiples of it */

static bool has_keys;
static uint32_t own_keys;

static uint32_t read_pkru(void)
{
    uint32_t value, zero;

    __asm__ volatile("rdpkru" : "=a"(value), "=d"(zero) : "c"(0));
    return value;
}

static void write_pkru(uint32_t value)
{
    __asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0) : "memory");
}

/* The size must be that of the registration: that of the first version, or what the kernel asks
 * for. */
static void end_rseq(void)
{
    char *area = (char *)__builtin_thread_pointer() + __rseq_offset;
    uint64_t asked = (getauxval(AT_RSEQ_SIZE) + RSEQ_FIRST - 1) / RSEQ_FIRST * RSEQ_FIRST;

    if (__rseq_size == 0) /* the library has registered none */
        return;
    if (syscall(SYS_rseq, area, RSEQ_FIRST, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) != 0)
        syscall(SYS_rseq, area, asked, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

void keys_open(void)
{
    uint32_t eax, ebx, ecx, edx;

    has_keys = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && ecx & OSPKE;
    if (!has_keys)
        return;
    own_keys = read_pkru();
    end_rseq();
}

bool keys_put_back(void)
{
    if (!has_keys || read_pkru() == own_keys)
        return false;
    write_pkru(own_keys);
    return true;
}

/* --- FS and GS -------------------------------------------------------------------------------- */

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
