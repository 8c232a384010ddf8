/*
 * replay KIND FILE...: decodes recorded bytes with lib/ and prints one JSON object per file on one
 * line, `file` first; for windows one per launch and body. A file that cannot be read or decoded
 * gives an `error` member. Exit 0 when every file was decoded or refused, 1 when the output could
 * not be written, 2 for a wrong command line. Windows are judged by line: exit 1 when a line was
 * refused, 2 when a file could not be read or had no usable line; stderr says which and why.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"

#define FILE_MAX (1u << 28) /* the largest known recording, of windows, has 9 MB */

static const struct kind {
    const char *name;
    const char *table; /* not NULL: the signature of an ACPI table */
    bool lines;        /* its own lines, not one object per file */
} kinds[] = {
    {.name = "cpuid"},
    {.name = "windows", .lines = true},
    {.name = "madt", .table = "APIC"},
    {.name = "spcr", .table = "SPCR"},
    {.name = "dbg2", .table = "DBG2"},
    {.name = "hpet", .table = "HPET"},
    {.name = "fadt", .table = "FACP"},
    {.name = "srat", .table = "SRAT"},
};

#define KINDS (sizeof kinds / sizeof kinds[0])

static void to_stdout(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout); /* errors show in ferror() at the end */
}

static void to_stderr(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stderr);
}

/* Reads the whole file into a block of exactly its size, so that a sanitizer detects the first
 * access beyond it. NULL on failure; errno then has the reason. */
static uint8_t *read_whole(FILE *in, size_t *n)
{
    size_t room = 4096;
    uint8_t *bytes = malloc(room);

    *n = 0;
    while (bytes != NULL) {
        *n += fread(bytes + *n, 1, room - *n, in);
        if (*n < room)
            break;
        if (room >= FILE_MAX) {
            free(bytes);
            errno = EFBIG;
            return NULL;
        }
        room *= 2;
        uint8_t *more = realloc(bytes, room);
        if (more == NULL)
            free(bytes);
        bytes = more;
    }
    if (bytes != NULL && ferror(in)) {
        free(bytes);
        return NULL;
    }
    uint8_t *exact = bytes != NULL ? realloc(bytes, *n > 0 ? *n : 1) : NULL;
    return exact != NULL ? exact : bytes;
}

static void decode(struct json *j, const struct kind *k, const uint8_t *bytes, size_t n)
{
    if (bytes != NULL && k->table != NULL)
        replay_acpi(j, k->table, bytes, n);
    else if (bytes != NULL)
        replay_cpuid(j, bytes, n);
}

static void one_object(const struct kind *k, const char *path, const uint8_t *bytes, size_t n,
                       struct sink *out)
{
    struct json j;
    char error[400] = "";

    if (bytes == NULL)
        fmt_buf(error, sizeof error, "%s: %s", path, strerror(errno));
    JSON_LINE_OF(&j, out,
                 JSON_PUT(&j, JSON_IS("file", path), JSON_IF(bytes == NULL, "error", error)),
                 decode(&j, k, bytes, n));
}

static enum replay_status replay(const struct kind *k, const char *path, struct sink *out)
{
    struct sink said = {to_stderr};
    enum replay_status status = REPLAY_DONE;
    size_t n = 0;

    errno = 0;
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = in != NULL ? read_whole(in, &n) : NULL;
    if (bytes == NULL && k->lines) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        status = REPLAY_REFUSED_FILE;
    }
    if (bytes != NULL && k->lines)
        status = replay_windows(out, &said, path, bytes, n);
    else
        one_object(k, path, bytes, n, out);
    free(bytes);
    if (in != NULL)
        fclose(in);
    return status;
}

static int usage(const char *what, const char *word)
{
    if (what != NULL)
        fprintf(stderr, "replay: %s%s%s\n", what, word != NULL ? ": " : "",
                word != NULL ? word : "");
    fputs("usage: replay KIND FILE...; KIND is one of:", stderr);
    for (size_t i = 0; i < KINDS; i++)
        fprintf(stderr, " %s", kinds[i].name);
    fputs("\nexit status: 0, 1 if the output could not be written, 2 for a wrong command line; of"
          " windows also\n1 if a line was refused, 2 if a file could not be read or had no line"
          " that could be used\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct sink out = {to_stdout};
    const struct kind *k = NULL;

    if (argc < 2)
        return usage("no kind given", NULL);
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            k = &kinds[i];
    if (k == NULL)
        return usage("no such kind", argv[1]);
    if (argc < 3)
        return usage("no file given", NULL);
    enum replay_status worst = REPLAY_DONE;
    for (int i = 2; i < argc; i++) {
        enum replay_status status = replay(k, argv[i], &out);
        worst = status > worst ? status : worst;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "replay: the output could not be written: %s\n", strerror(errno));
        return 1;
    }
    return (int)worst;
}
