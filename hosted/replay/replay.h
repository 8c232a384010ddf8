/*
 * The decoders of `replay KIND FILE...`, one function per kind. A decoder gets the bytes of a
 * recorded file (a block of exactly that size) and adds members to the line's object, or `error` if
 * the bytes cannot be decoded: the thing, its place and what is allowed.
 */
#ifndef HOSTED_REPLAY_REPLAY_H
#define HOSTED_REPLAY_REPLAY_H

#include <stddef.h>
#include <stdint.h>
#include "lib/text/json.h"

/* The text form of tests/replay/cpuid: CPUID leaves and MSRs. */
void replay_cpuid(struct json *j, const uint8_t *bytes, size_t n);

/* A raw ACPI table, including header and checksum. `signature` begins with that of the table: APIC,
 * FACP, HPET, SPCR, DBG2 or SRAT. */
void replay_acpi(struct json *j, const char *signature, const uint8_t *bytes, size_t n);

/*
 * Writes one object per launch and body of recorded windows (windows_pass.h), one per line, in the
 * order of their first blocks:
 *   file, launch, body
 *   cycles   core cycles per operation
 *   lo, hi   the 99% interval for another launch
 *   shared   the share of passes that are not between two exclusive readings of the witness
 *   judged   and `why` if it is not judged
 * A file without a usable line gives one object with `file` and `error`. A recording is treated as
 * one core's: the witness's best is found in all of it. A refused line is reported to `said` and
 * discards the pass that it was in. Returns the exit status for this file.
 */
enum replay_status { REPLAY_DONE = 0, REPLAY_REFUSED_LINES = 1, REPLAY_REFUSED_FILE = 2 };
enum replay_status replay_windows(struct sink *out, struct sink *said, const char *file,
                                  const uint8_t *bytes, size_t n);

#endif
