/*
 * The UEFI phase: what its steps share. Firmware is alive throughout; boot/main.c has the steps in
 * order, boot/leave.c ends the phase. Everything here is compiled for general registers only, since
 * a firmware may hand over a machine whose SSE is off. Source of every call: UEFI
 * specification 2.10.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "boot/conout.h"
#include "boot/memmap.h"
#include "kernel/handoff.h"
#include "lib/cpu.h"

struct boot {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *st;
    EFI_BOOT_SERVICES *bs;
    EFI_LOADED_IMAGE *loaded; /* NULL: the firmware does not say */
    struct conout conout;
    struct memmap map;
    struct handoff *handoff;
    char error[2048]; /* why nothing is measured; empty: nothing is wrong */
};

/* Before all else: pointers in the image's data are wrong until it returns. */
void boot_relocate(void);
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

/* The CPU by its CPUID. */
void boot_cpu(struct cpu *cpu);

/* Options from \baretick.conf on the boot volume, then from the load options. False: b->error. */
bool boot_options(struct boot *b);
/* What firmware knows of the machine and will not tell later. */
void boot_facts(struct boot *b);
/* How many cores there are, and a place below 1 MiB for them to start in. Never fails: without
 * either, one core it is. */
void boot_cores(struct boot *b);
/* The arena. False: b->error. */
bool boot_arena(struct boot *b);
/* Ends boot services; interrupts are off from there on. False: nothing of firmware may be called
 * any more. */
bool boot_leave(struct boot *b);

/* Answers `help`, `list` or b->error instead of measuring, and gives everything back. */
EFI_STATUS boot_answer(struct boot *b);
/* Boot services are half gone and would not end: says so on serial and stops for good. */
_Noreturn void boot_stuck(struct boot *b);

#endif
