#include "hosted/platform/process.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "bench/objects/objects.h"
#include "lib/text/fmt.h"

#define PATH_MOST 4096

static const char *read_all(FILE *f, uint8_t *bytes, size_t *size)
{
    *size = fread(bytes, 1, OBJECTS_FILE_MOST + 1, f);
    if (ferror(f))
        return strerror(errno);
    return *size > OBJECTS_FILE_MOST ? objects_too_large : NULL;
}

/* The bytes are kept: rows are placed from them. */
static void take(const char *path, const char *name)
{
    struct stat is;
    bool regular = stat(path, &is) == 0 && S_ISREG(is.st_mode); /* a FIFO would wait forever */
    FILE *f = regular ? fopen(path, "rb") : NULL;
    uint8_t *bytes = malloc(OBJECTS_FILE_MOST + 1), *fit;
    size_t size = 0;
    const char *why = !regular       ? "no regular file"
                      : !f || !bytes ? strerror(errno)
                                     : read_all(f, bytes, &size);

    if (f)
        fclose(f);
    if (why) {
        free(bytes);
        objects_refuse(name, why);
        return;
    }
    fit = realloc(bytes, size ? size : 1);
    objects_take(name, fit ? fit : bytes, size);
}

static int is_object(const struct dirent *entry)
{
    return objects_want("on", entry->d_name);
}

static void take_folder(const char *folder, struct dirent **entries, int n)
{
    char path[PATH_MOST];

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        take(path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* Compares the bytes of the names, independent of the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool folder_objects(const char *path, struct sink *err)
{
    struct dirent **entries;
    struct stat is;

    if (strcmp(path, "on") == 0 || strcmp(path, "off") == 0)
        return true;
    if (stat(path, &is) != 0) {
        fmt(err, "objects=%s: %s; a folder or an object is allowed", path, strerror(errno));
        return false;
    }
    if (!S_ISDIR(is.st_mode)) {
        const char *slash = strrchr(path, '/');
        take(path, slash ? slash + 1 : path);
        return true;
    }
    int n = scandir(path, &entries, is_object, by_name);
    if (n < 0) {
        fmt(err, "objects=%s: %s", path, strerror(errno));
        return false;
    }
    if (n == 0) {
        free(entries);
        fmt(err, "objects=%s: no file there ends in .o", path);
        return false;
    }
    take_folder(path, entries, n);
    return true;
}
