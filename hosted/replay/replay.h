/*
 * The decoders of `replay KIND FILE...`, one function per kind. A decoder gets the bytes of a
 * recorded file (a block of exactly that size) and adds members to the line's object, or `error` if
 * the bytes cannot be decoded: the thing, its place and what is allowed.
 */
#ifndef HOSTED_REPLAY_REPLAY_H
#define HOSTED_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "lib/stats/witness_rule.h"
#include "lib/text/json.h"

/* The text form of tests/replay/cpuid: CPUID leaves and MSRs. */
void replay_cpuid(struct json *j, const uint8_t *bytes, size_t n);

/* A raw ACPI table, including header and checksum. `signature` begins with that of the table: APIC,
 * FACP, HPET, SPCR, DBG2 or SRAT. */
void replay_acpi(struct json *j, const char *signature, const uint8_t *bytes, size_t n);
struct acpi;
/* The same for each of these tables that is valid, as an object of its name. */
void replay_acpi_tables(struct json *j, const struct acpi *a);

/*
 * Writes one object per launch and body of recorded windows (windows_pass.c below), one per line,
 * in the order of their first blocks; replay_windows.c declares its members. A file without a
 * usable line gives one object with `file` and `error`. A recording is treated as one core's: the
 * witness's best is found in all of it. A refused line is reported to `said` and discards the pass
 * that it was in. Returns the exit status for this file.
 */
enum replay_status { REPLAY_DONE = 0, REPLAY_REFUSED_LINES = 1, REPLAY_REFUSED_FILE = 2 };
enum replay_status replay_windows(struct sink *out, struct sink *said, const char *file,
                                  const uint8_t *bytes, size_t n);

/*
 * --- replay_cpuid.c ---
 * The text recordings of tests/replay/cpuid, and a cpuid_fn that answers from them. A line is one
 * of
 *   cpuid CPU LEAF SUBLEAF EAX EBX ECX EDX    all hexadecimal but CPU
 *   msr ADDRESS VALUE                         CPU 0's; VALUE is `fault` if RDMSR faulted
 *   # anything
 * or one of replay_machine.c below, or empty, and ends in LF, CR LF or the text's end. Blanks
 * separate words. Older recorders wrote all subleaves of a leaf in sequence with subleaf 0: the
 * n-th of these is subleaf n. CPUs other than 0 have only the leaves that differ; CPU 0 answers for
 * the rest.
 */

#define DUMP_CPU_MAX 65535 /* the highest CPU number; no machine is near it */

struct dump_leaf {
    uint32_t cpu, leaf, subleaf;
    struct cpuid_regs regs;
};

struct dump_msr {
    uint32_t address;
    bool fault;
    uint64_t value;
};

/*
 * --- replay_machine.c ---
 * The other lines of a recording, which `dump` makes (boot/dump.c) and docs/dump.md describes;
 * numbers are hexadecimal but TYPE:
 *   bytes ADDRESS BYTES                  physical memory; BYTES without blanks
 *   zeros ADDRESS COUNT                  the same, of zeros
 *   rsdp ADDRESS                         where the firmware's tables begin; smbios and smbios3 too
 *   memory TYPE START SIZE ATTRIBUTE     an entry of the firmware's memory map
 *   pci SEGMENT BUS DEVICE FUNCTION VENDOR ID CLASS SUBSYSTEM
 */
struct dump_block;
struct machine_dump {
    struct dump_block *block; /* of memory */
    size_t blocks;
    uint64_t rsdp, smbios, smbios3; /* 0: none */
    unsigned regions, functions;
    uint64_t conventional; /* bytes */
};

struct line;
/* Takes a line with this first word; `l` is the rest. Returns NULL, or what is wrong with it. */
const char *machine_line(struct machine_dump *m, struct line word, struct line l);
void machine_free(struct machine_dump *m);
/* Writes what lib/ decodes, as far as it was recorded: acpi, smbios, memory, pci_functions. */
void machine_record(struct json *j, const struct machine_dump *m);

struct cpuid_dump {
    struct machine_dump machine;
    struct dump_leaf *leaf;
    struct dump_msr *msr;
    uint32_t *cpu; /* the distinct CPU numbers, in the order of their first lines */
    size_t leaves, msrs, cpus;
};

/* Parses a recording. False: a line has another form, or CPU 0 has no CPUID record; `error` then
 * names the line. Free in both cases. */
bool cpuid_dump_parse(struct cpuid_dump *d, const uint8_t *text, size_t n, char *error,
                      size_t size);
void cpuid_dump_free(struct cpuid_dump *d);

struct dump_cpu {
    const struct cpuid_dump *dump;
    uint32_t cpu;
};

/* A cpuid_fn; its context is a struct dump_cpu. Returns zeros for leaves that were not recorded, as
 * CPUs do for leaves that they lack. */
struct cpuid_regs cpuid_dump_get(void *cpu, uint32_t leaf, uint32_t subleaf);
/* Returns whether the recording has this leaf for this CPU itself. */
bool cpuid_dump_has(const struct dump_cpu *cpu, uint32_t leaf, uint32_t subleaf);
/* Returns false if RDMSR faulted or was not recorded. The context is a struct dump_cpu too: the
 * MSRs of CPU 0 answer for all. */
bool cpuid_dump_rdmsr(void *cpu, uint32_t address, uint64_t *value);

/*
 * --- windows_pass.c ---
 * Recorded windows: reads their text, and groups the blocks into passes, those between two readings
 * of the witness. Finds whether either reading shows a neighbour. The witness is the program's own
 * (lib/stats/witness_rule.h).
 * 
 * A line is one block, sixteen consecutive windows of one kind:
 *   LAUNCH MICROSECONDS BODY PLACEMENT KIND T T ... T     sixteen differences in ticks of the TSC
 * All numbers are decimal, blanks separate words. A line may also be empty or begin with #. Lines
 * end in LF, CR LF or with the text. Kinds: W 512 NOPs; R and R2 500 and 1000 dependent additions;
 * B and B2 the body, 500 and 1000 copies; E the empty window. Bodies with an E2 are loops: B has
 * 1000 and B2 2000 iterations, E and E2 are empty loops with the same numbers.
 */

#define WINDOWS_BLOCK      16
#define WINDOWS_NOPS       512
#define WINDOWS_ADDS       500          /* in R2 minus those in R */
#define WINDOWS_OPS        500          /* in B2 minus those in B; ... */
#define WINDOWS_ITERATIONS 1000         /* ... for a loop */
#define WINDOWS_BODY       32           /* bytes of a body's name, including the NUL */
#define WINDOWS_TICKS_MOST (1ull << 48) /* of a window; more than a day */

enum windows_kind {
    WINDOWS_W,
    WINDOWS_E,
    WINDOWS_E2,
    WINDOWS_R,
    WINDOWS_R2,
    WINDOWS_B,
    WINDOWS_B2
};
#define WINDOWS_KINDS 7

struct windows_block {
    uint32_t launch, placement;
    uint32_t body; /* index in windows_text.body */
    enum windows_kind kind;
    bool after_refused; /* the line before it was refused */
    uint64_t ticks[WINDOWS_BLOCK];
};

struct windows_text {
    struct windows_block *block;
    size_t blocks;
    char (*body)[WINDOWS_BODY]; /* in the order of their first lines */
    size_t bodies;
    size_t refused; /* number of lines of no valid form */
};

/* The blocks from one witness to the next, out and back. */
struct pass {
    uint32_t launch, body, placement;
    double sum[WINDOWS_KINDS];
    unsigned n[WINDOWS_KINDS];
    double r[2], r2[2];        /* the ruler's first blocks and its last */
    struct moments witness[2]; /* the NOP windows before and after it, in ticks */
    double level[2], noise[2]; /* of the witnesses, core cycles per NOP */
    bool shared, shown;
};

struct windows_run {
    struct windows_text text;
    struct pass *pass;
    size_t passes;
    struct witness witness;
    double step;
    double window; /* cost of the window itself, core cycles */
};

/* Returns the mean of a pass's blocks of a kind, in ticks per window; UNKNOWN: it has no such
 * block. */
static inline double windows_mean(const struct pass *p, enum windows_kind k)
{
    return p->n[k] ? p->sum[k] / p->n[k] : UNKNOWN;
}

/*
 * Reads a text, and derives the TSC's step, the passes, and which of them were shared. For an
 * invalid line, the reason goes to `said`, one message per line as `replay: FILE: line N: why`, for
 * the first 20 of them, then their number. The other lines are used. False: there is no block, or
 * no memory; `error` then says why. Close it in both cases.
 */
bool windows_open(struct windows_run *run, const char *file, const uint8_t *text, size_t n,
                  struct sink *said, char *error, size_t size);
void windows_close(struct windows_run *run);

#endif
