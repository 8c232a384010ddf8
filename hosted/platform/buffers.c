#include "hosted/platform/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "bench/api/registry.h"
#include "lib/config/status.h"
#include "lib/text/fmt.h"
#include "hosted/platform/signal_guard.h"

#define PAGE     4096
#define STACK_VA (PLATFORM_DATA_VA + (16ull << 20)) /* of the guard page below the stack */

/* Maps private memory at this address, or with 0 shared memory anywhere. */
static void *map(struct memory *m, const char *what, uint64_t address, size_t size, int rights)
{
    int flags = address ? MAP_PRIVATE | MAP_FIXED_NOREPLACE : MAP_SHARED;
    void *p = mmap((void *)address, size, rights, flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    /* A kernel before 4.17 takes the address as a hint. */
    if (p != MAP_FAILED && (!address || (uint64_t)p == address))
        return p;
    if (!m->what) {
        m->error = p == MAP_FAILED ? errno : EEXIST;
        m->what = what;
    }
    return NULL;
}

static void touch(uint64_t address, size_t size)
{
    for (size_t at = 0; at < size; at += PAGE) {
        volatile uint8_t *byte = (volatile uint8_t *)(address + at);
        *byte = *byte;
    }
}

void memory_touch(void)
{
    touch(PLATFORM_DATA_VA, registry_data_size());
    touch(STACK_VA + PAGE, MEMORY_STACK_SIZE);
}

/* QEMU's user emulation refuses to change the rights of no page. */
static void code_rights(const struct platform *p, size_t bytes, int rights)
{
    if (bytes == 0 || mprotect(p->code.at, bytes, rights) == 0)
        return;
    char what[96];
    fmt_buf(what, sizeof what, "the code buffer's rights cannot be changed: %s", strerror(errno));
    fault_end(what);
}

/* Bytes from the start of the code buffer. The kernel visits each page whose rights change; for all
 * of the buffer that takes longer than writing code. */
static size_t executable;

static void code_write(const struct platform *p)
{
    code_rights(p, executable, PROT_READ | PROT_WRITE);
    executable = 0;
}

static void code_exec(const struct platform *p, size_t bytes)
{
    executable = (bytes + PAGE - 1) / PAGE * PAGE;
    code_rights(p, executable, PROT_READ | PROT_EXEC);
}

struct memory memory_map(struct platform *p, size_t sample_words)
{
    const int data = PROT_READ | PROT_WRITE;
    struct memory m = {0};

    p->code.at = map(&m, "the code buffer", PLATFORM_CODE_VA, PLATFORM_CODE_SIZE, data);
    p->data = map(&m, "the data buffer", PLATFORM_DATA_VA, registry_data_size(), data);
    map(&m, "the stack's guard page", STACK_VA, PAGE, PROT_NONE);
    m.stack = map(&m, "the stack", STACK_VA + PAGE, MEMORY_STACK_SIZE, data);
    p->memory = map(&m, "the sample memory", 0, sample_words * sizeof *p->memory, data);
    p->code.write = code_write;
    p->code.execute = code_exec;
    return m;
}

/* makecontext() passes only ints. */
static void (*call)(void *);
static void *call_argument;

static void enter(void)
{
    call(call_argument);
}

void memory_on_stack(const struct memory *m, void (*f)(void *), void *argument)
{
    ucontext_t here, there;

    call = f;
    call_argument = argument;
    if (getcontext(&there) != 0) {
        perror("baretick: getcontext");
        exit(STATUS_FAULTED);
    }
    there.uc_stack.ss_sp = m->stack;
    there.uc_stack.ss_size = MEMORY_STACK_SIZE;
    there.uc_link = &here;
    makecontext(&there, enter, 0);
    swapcontext(&here, &there);
}
