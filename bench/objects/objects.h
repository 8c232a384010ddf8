/*
 * The user objects of this run: rows that bench/api/baretick.h declares, from files on the boot
 * volume or in a folder. The platform reads the files and keeps their bytes in place. Their rows
 * are added to the registry.
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
#define OBJECTS_FILE_MOST (1u << 20) /* bytes of one file */
#define OBJECTS_NAME_MOST 64         /* bytes of a file's name that are kept */
#define OBJECTS_REFUSALS  32         /* messages that are kept */

/* Adds the rows of the program's suites that are declared like user rows. Called first. */
void objects_open(void);

/* Returns whether a file of this name is a wanted object: objects= (on, off, or a list of globs)
 * selects it, and it ends in .o or .O. */
bool objects_want(const char *choice, const char *name);

/* Takes one file; the platform passes the files in order of their names. Valid rows are added to
 * the registry, the others are refused. */
void objects_take(const char *name, const void *bytes, size_t size);

/* Refuses a file that could not be read. This fails the run, as every refusal does. */
void objects_refuse(const char *name, const char *why);

/* The reason for refusing a file of more than OBJECTS_FILE_MOST bytes, and what to do about it. */
extern const char objects_too_large[];

/* Records why no object is loaded although some may exist; no failure. Does not copy the text. */
void objects_leave_out(const char *why);

/* Returns the file name of the object that a row came with. NULL: a built-in row. */
const char *objects_name_of(const struct bench *b);

/* Adds the refused objects and rows to a message about a missing row: they may be the reason. */
void objects_explain(struct sink *err);

/* Returns the number of refusals. */
unsigned objects_refusals(void);
/* Writes what was loaded and what was refused, for `list`. */
void objects_show(struct sink *out);
/* The same in a report, as records `object` and events; a refusal fails the run. */
void objects_tell(struct report *r);

#endif
