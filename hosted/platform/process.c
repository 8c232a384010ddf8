#include "hosted/platform/process.h"
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "lib/text/bytes.h"
#include "lib/text/fmt.h"

const char *const process_wish_names[PROCESS_WISHES] = {"pinned", "locked", "fifo"};

/* Returns the CPU that the text names, -1: not an allowed one. */
static int named_cpu(const char *text, const cpu_set_t *allowed)
{
    char *end;

    errno = 0;
    long cpu = strtol(text, &end, 10);
    bool number = text[0] >= '0' && text[0] <= '9' && !*end && !errno;
    return number && cpu < CPU_SETSIZE && CPU_ISSET((int)cpu, allowed) ? (int)cpu : -1;
}

static int last_cpu(const cpu_set_t *allowed)
{
    int cpu = CPU_SETSIZE - 1;

    while (cpu > 0 && !CPU_ISSET(cpu, allowed))
        cpu--;
    return cpu;
}

static void say_allowed(const char *text, const cpu_set_t *allowed, struct sink *err)
{
    fmt(err,
        "environment, " PROCESS_CPU
        ": \"%.20s\" is not a CPU that this process may use; those are:",
        text);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, allowed))
            fmt(err, " %d", i);
}

static void outcome(struct process *p, enum process_wish wish, int result)
{
    p->wish[wish].had = result == 0;
    p->wish[wish].error = result == 0 ? 0 : errno;
}

struct cpuid_regs process_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;

    (void)ctx;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
}

uint32_t process_microcode(int cpu)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[4096]; /* the line of flags is the longest */
    unsigned revision = 0, now = 0;
    int at = -1;

    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "processor : %d", &at) != 1 && sscanf(line, "microcode : %x", &now) == 1 &&
            at == cpu)
            revision = now;
    }
    fclose(f);
    return revision;
}

#define ENTRY_AT 1 /* not 0 and not the table's: that is aligned to 16 bytes */

struct smbios_file {
    uint8_t bytes[1 << 16];
    size_t n;
};

struct smbios_files {
    struct smbios_file entry, table;
    uint64_t table_at;
};

static bool read_file(struct smbios_file *f, const char *folder, const char *name)
{
    char path[256];

    memset(f, 0, sizeof *f);
    fmt_buf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in)
        return false;
    f->n = fread(f->bytes, 1, sizeof f->bytes, in);
    fclose(in);
    return f->n > 0;
}

static const void *smbios_at(void *ctx, uint64_t address, size_t n)
{
    const struct smbios_files *files = ctx;
    const struct smbios_file *f = address == ENTRY_AT ? &files->entry : &files->table;
    uint64_t from = address == ENTRY_AT ? ENTRY_AT : files->table_at;

    /* The entry's table size is an upper bound: zeros follow the file's bytes. */
    return address == from && n <= sizeof f->bytes ? f->bytes : NULL;
}

bool smbios_files_processors(const char *folder, struct smbios_processors *s)
{
    static struct smbios_files files;
    const struct physmem mem = {smbios_at, &files};
    const uint8_t *entry = files.entry.bytes;

    if (!read_file(&files.entry, folder, "smbios_entry_point") ||
        !read_file(&files.table, folder, "DMI") || files.entry.n < 0x18)
        return false;
    files.table_at = entry[3] == '_' ? le32(entry + 0x18) : le64(entry + 0x10);
    smbios_processors(s, &mem, ENTRY_AT);
    return s->table;
}

void process_board(struct board *b)
{
    static const char *const names[BOARD_FIELDS] = {
        [BOARD_BIOS_VENDOR] = "bios_vendor",     [BOARD_BIOS_VERSION] = "bios_version",
        [BOARD_BIOS_DATE] = "bios_date",         [BOARD_SYSTEM_VENDOR] = "sys_vendor",
        [BOARD_SYSTEM_PRODUCT] = "product_name", [BOARD_BOARD_VENDOR] = "board_vendor",
        [BOARD_BOARD_PRODUCT] = "board_name",
    };

    *b = (struct board){0};
    for (unsigned i = 0; i < BOARD_FIELDS; i++) {
        char path[64];
        fmt_buf(path, sizeof path, "/sys/class/dmi/id/%s", names[i]);
        FILE *f = fopen(path, "r");
        if (!f)
            continue;
        if (fgets(b->text[i], sizeof b->text[i], f))
            b->text[i][strcspn(b->text[i], "\n")] = '\0';
        fclose(f);
    }
    b->asked_processors = smbios_files_processors(SMBIOS_FILES, &b->processors);
}

int process_move(pid_t pid, int cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(pid, sizeof one, &one) == 0 ? 0 : errno;
}

bool process_pin(struct process *p, struct sink *err)
{
    const char *text = getenv(PROCESS_CPU);

    *p = (struct process){0};
    if (sched_getaffinity(0, sizeof p->allowed, &p->allowed) != 0)
        for (int i = 0; i < CPU_SETSIZE; i++)
            CPU_SET(i, &p->allowed); /* more CPUs than a cpu_set_t holds: any CPU will do */
    p->cpus = CPU_COUNT(&p->allowed);
    p->cpu = text ? named_cpu(text, &p->allowed) : last_cpu(&p->allowed);
    if (p->cpu < 0) {
        say_allowed(text, &p->allowed, err);
        return false;
    }

    errno = process_move(0, p->cpu);
    outcome(p, PROCESS_PINNED, errno);
    return true;
}

void process_settle(struct process *p)
{
    outcome(p, PROCESS_LOCKED, mlockall(MCL_CURRENT | MCL_FUTURE));
    /* The lowest real-time priority: above every ordinary program, below the kernel's own
     * threads. */
    struct sched_param priority = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    outcome(p, PROCESS_FIFO, sched_setscheduler(0, SCHED_FIFO, &priority));
}

uint64_t clock_ns(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
