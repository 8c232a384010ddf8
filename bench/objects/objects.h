/*
 * The objects of a person's own that this run has: what bench/api/baretick.h declares, from files
 * on the boot volume or in a folder. The platform reads the files; their bytes stay where they are.
 * Their rows join the registry.
 */
#ifndef BENCH_OBJECTS_OBJECTS_H
#define BENCH_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/report.h"

#define OBJECTS_MOST      32         /* files */
#define OBJECTS_ROWS      128        /* rows of all of them */
#define OBJECTS_FILE_MOST (1u << 20) /* bytes of one */
#define OBJECTS_NAME_MOST 64         /* bytes of a file's name that are kept */
#define OBJECTS_REFUSALS  32         /* messages that are kept */

/* The rows that the program's own suites declare as a person would. Before all else. */
void objects_open(void);

/* Whether a file of this name is an object, by objects= (on, off, or a list of globs): it ends in
 * .o, or in .O. */
bool objects_want(const char *choice, const char *name);

/* One more file; the platform hands them over in order of their names. Rows that can be measured
 * are in the registry from here on, the others are refused. */
void objects_take(const char *name, const void *bytes, size_t size);

/* A file that could not be read. Fails the run, as all that is refused. */
void objects_refuse(const char *name, const char *why);

/* The reason for a file of more than OBJECTS_FILE_MOST bytes, and what to do about it. */
extern const char objects_too_large[];

/* Why none is loaded, although there may be some; no failure. The text is kept. */
void objects_leave_out(const char *why);

/* The object that a row came with: its file's name. NULL: the program's own. */
const char *objects_name_of(const struct bench *b);

/* Behind a message that names no row: what was refused, which may be why. */
void objects_explain(struct sink *err);

/* How many times something was refused. */
unsigned objects_refusals(void);
/* What was loaded and what was refused, in lines for people: with `list`. */
void objects_show(struct sink *out);
/* The same in a report, as records `object` and events; what was refused fails the run. */
void objects_tell(struct report *r);

#endif
