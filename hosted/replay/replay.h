/*
 * What `replay KIND FILE...` decodes, one function a kind: it is given a recorded file's bytes (a
 * block of exactly that size) and adds members to the line's object, or `error` where the bytes
 * cannot be decoded.
 */
#ifndef HOSTED_REPLAY_REPLAY_H
#define HOSTED_REPLAY_REPLAY_H

#include <stddef.h>
#include <stdint.h>
#include "lib/text/json.h"

/* The text form of tests/replay/cpuid: CPUID leaves and MSRs. */
void replay_cpuid(struct json *j, const uint8_t *bytes, size_t n);

/* One raw ACPI table each, header and checksum included. */
void replay_madt(struct json *j, const uint8_t *bytes, size_t n);
void replay_spcr(struct json *j, const uint8_t *bytes, size_t n);
void replay_dbg2(struct json *j, const uint8_t *bytes, size_t n);
void replay_hpet(struct json *j, const uint8_t *bytes, size_t n);
void replay_fadt(struct json *j, const uint8_t *bytes, size_t n);
void replay_srat(struct json *j, const uint8_t *bytes, size_t n);

/*
 * Recorded windows (windows_text.h): one line a launch and body, in the order of their first
 * blocks, each an object with `file`, `launch`, `body`, `cycles` (core cycles an operation), `lo`
 * and `hi` (99% interval for another launch), `shared` (the share of the passes that do not stand
 * between two quiet witnesses), `judged`, and where it is not judged `why`; or, of a file without a
 * line that can be used, one with `file` and `error`. Takes one recording as one core's: the
 * witness's best is found in all of it. A line that is refused is told to `said`, and takes the
 * pass that it stood in along. Returns the exit status that this file asks for.
 */
enum replay_status { REPLAY_DONE = 0, REPLAY_REFUSED_LINES = 1, REPLAY_REFUSED_FILE = 2 };
enum replay_status replay_windows(struct sink *out, struct sink *said, const char *file,
                                  const uint8_t *bytes, size_t n);

/* Member `error`; the format is fmt()'s. Names the thing, its place and what is allowed. */
void replay_error(struct json *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
