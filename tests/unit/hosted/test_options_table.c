/* The table of options in the documentation is lib/config/options.c's, row by row. It is in one
 * file, README.md or one of docs/, between <!-- options --> and <!-- /options -->. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
int conf_main(int argc, char **argv);
#define main conf_main
#include "hosted/tools/conf.c"
#undef main

#include <glob.h>
#include "tests/unit/read_file.h"
#include "tests/unit/cmocka_unit.h"

static const char begin[] = "<!-- options -->\n", end[] = "<!-- /options -->";

static char *text_of(const char *path)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    char *text = calloc(size + 1, 1);

    assert_non_null(text);
    memcpy(text, bytes, size);
    free(bytes);
    return text;
}

/* Returns the line that differs, from 1; 0: none; -1: the table has no end. */
static long compare(const char *at, const char *table)
{
    const char *stop = strstr(at, end);

    if (stop == NULL)
        return -1;
    size_t n = strlen(table);
    if ((size_t)(stop - at) == n && memcmp(at, table, n) == 0)
        return 0;
    long line = 1;
    for (; *at == *table && *at != '\0'; at++, table++)
        line += *at == '\n';
    return line;
}

/* Memory is freed before this, because a list of leaks would hide the message. */
static void must_be_true(const char *path, long line)
{
    if (line < 0)
        fail_msg("%s: %s is missing", path, end);
    if (line > 0)
        fail_msg("%s: line %ld of the table of options is not what lib/config/options.c says. "
                 "`make options-table` regenerates it",
                 path, line);
}

TEST(the_documented_table_is_true)
{
    char *table, bad[64] = "";
    long line = 0;
    size_t size, found = 0;
    glob_t papers;
    FILE *out = open_memstream(&table, &size);

    assert_non_null(out);
    write_table(out);
    assert_int_equal(fclose(out), 0);

    assert_int_equal(glob("README.md", 0, NULL, &papers), 0);
    assert_int_equal(glob("docs/*.md", GLOB_APPEND, NULL, &papers), 0);
    for (size_t i = 0; i < papers.gl_pathc; i++) {
        char *text = text_of(papers.gl_pathv[i]), *at = strstr(text, begin);
        if (at != NULL) {
            found++;
            line = compare(at + strlen(begin), table);
            snprintf(bad, sizeof bad, "%s", papers.gl_pathv[i]);
        }
        free(text);
    }
    globfree(&papers);
    free(table);
    assert_int_equal(found, 1);
    must_be_true(bad, line);
}
