#include "hosted/platform/guard.h"
#include <cpuid.h>
#include <linux/rseq.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OSPKE 0x10 /* CPUID leaf 7 ECX: the system has set CR4.PKE; Intel SDM vol. 2A CPUID */

#define AT_RSEQ_SIZE 27 /* AT_RSEQ_FEATURE_SIZE of linux/auxvec.h, since Linux 6.3 */
#define RSEQ_FIRST   32 /* the size of the area before that; sizes are multiples of it */

static bool has_keys;
static uint32_t own;

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
    own = read_pkru();
    end_rseq();
}

bool keys_put_back(void)
{
    if (!has_keys || read_pkru() == own)
        return false;
    write_pkru(own);
    return true;
}
