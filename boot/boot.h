/*
 * The UEFI phase: its steps, in the order of boot/main.c, and what they share. Firmware is alive
 * throughout; boot/leave.c ends the phase. All of it is compiled for general registers only, since
 * a firmware may hand over a machine whose SSE is off. Source of every call: UEFI specification
 * 2.10.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/objects/objects.h"
#include "boot/conout.h"
#include "boot/memmap.h"
#include "kernel/console/serial.h"
#include "kernel/machine/leave.h"
#include "kernel/memory/acpi_mem.h"
#include "kernel/memory/handoff.h"
#include "kernel/trap/traps.h"
#include "lib/cpu/cpu.h"
#include "lib/firmware/acpi.h"

struct boot {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *st;
    EFI_BOOT_SERVICES *bs;
    EFI_LOADED_IMAGE *loaded; /* NULL: the firmware does not say */
    struct conout conout;
    struct memmap map;
    struct handoff *handoff;
    struct borrowed_traps *traps;  /* NULL: the firmware's own are loaded */
    EFI_EVENT lent_done;           /* signalled when the firmware has its other cores again */
    uint8_t *object[OBJECTS_MOST]; /* the objects' bytes */
    unsigned objects;
    bool keep_memory; /* a core that did not come back may still use what the kernel had */
    char error[2048]; /* why nothing is measured; empty: nothing is wrong */
    struct sink_buf error_sink;
};

/* Begins b->error anew, and returns what to write it to. */
struct sink *boot_error(struct boot *b);

/* Fills `b` with what every step needs. False (said on ConOut): not even that can be had. */
bool boot_open(struct boot *b, EFI_HANDLE image, EFI_SYSTEM_TABLE *st);
/* Gives back what boot_open and the steps have taken. */
void boot_close(struct boot *b);

/* A protocol on a handle; NULL where there is none. Needs no closing (UEFI 7.3.9, GET_PROTOCOL). */
void *boot_protocol(const struct boot *b, EFI_HANDLE handle, const EFI_GUID *guid);
/* Pool memory of LoaderData; NULL: none left. */
void *boot_alloc(const struct boot *b, size_t size);
void boot_free(const struct boot *b, void *at);
/* A status in words: "device error (EFI status 0x8000000000000007)". */
void boot_status(struct sink *out, EFI_STATUS status);

/* The ACPI tables, as far as they can be believed. Must stay where it is: acpi points to memory. */
struct boot_acpi {
    struct acpi_mem memory;
    struct acpi acpi;
};
void boot_acpi(const struct boot *b, struct boot_acpi *a);
/* The CPU by its CPUID. */
void boot_cpu(struct cpu *cpu);

/* --- the steps --- */

/* What firmware knows of the machine and cannot be asked later. */
void boot_facts(struct boot *b);
/* Options from \baretick.conf on the boot volume, then from the load options. False: b->error. */
bool boot_options(struct boot *b);
/* Objects of \baretick\objects on the boot volume, as objects= says. Never fails: what cannot be
 * loaded is told in the report. */
void boot_objects(struct boot *b);
/* How many cores there are, and a place below 1 MiB for them to start in. Never fails: where the
 * firmware tells neither, there is one core. */
void boot_cores(struct boot *b);
/* Decides whether the machine is borrowed: handoff.borrowed. */
void boot_takeover(struct boot *b);
/* The arena. False: b->error. */
bool boot_arena(struct boot *b);

/* Ends boot services; interrupts are off from there on. False: nothing of firmware may be called
 * any more. */
bool boot_leave(struct boot *b);
/* Boot services are half gone and would not end: says so on serial and stops for good. */
_Noreturn void boot_stuck(struct boot *b);

/* Runs the kernel while boot services are held. False: b->error. Else *status is what it ended
 * with, and the firmware goes on as if nothing had happened, but that NMIs are still counted. */
bool boot_borrow(struct boot *b, enum exit_status *status);
/* What follows a borrowed machine's report: the files, then what finish= asks for. Gives everything
 * back where it returns. */
EFI_STATUS boot_after(struct boot *b, enum exit_status status);

/* Answers `help`, `list` or b->error instead of measuring, and gives everything back. */
EFI_STATUS boot_answer(struct boot *b);

/* --- parts of them --- */

/* Holds the firmware: no event is notified, no interrupt comes, until boot_unhold. */
struct boot_hold {
    EFI_TPL tpl;
    uint64_t flags;
};
struct boot_hold boot_hold(const struct boot *b);
void boot_unhold(const struct boot *b, struct boot_hold held);

/* From the first of them to the second an NMI is counted, and does not stop the machine in the
 * firmware's handler (kernel/trap/traps.h). */
void boot_guard(struct boot *b);
void boot_unguard(struct boot *b);

/* Sends the firmware's other cores into a procedure in which they wait for the kernel, and waits,
 * bounded, until they are there: handoff.lent, or handoff.lent_refused. */
void boot_lend(struct boot *b);
/* Waits, bounded, until the firmware has them back; says so where it has not. */
void boot_lend_end(struct boot *b);
/* The report's log into the next baretick\NNNN.jsonl and .txt on the volume that the program was
 * loaded from; says on the firmware's console what became of it. Whether a file has it. */
bool boot_stick(struct boot *b);

/* The serial port behind I/O ports. One in memory is left alone: the firmware may not have mapped
 * it, and its own console is on it. */
struct serial boot_serial(const struct boot *b);
/* Whether the address of serial=mmio: can be a device's. False: b->error. */
bool boot_serial_check(struct boot *b);
/* Whether one in memory may be there: options or tables name it. */
bool boot_serial_in_memory(const struct boot *b);
/* Waits for a key, bounded, where the screen is cleared as soon as the program returns. A shell
 * does not clear it. */
void boot_let_read(struct boot *b);

#endif
