/* The README's table of options is the table in lib/config/options.c, row by row. */
#include "lib/config/options.h"
#include "tests/unit/read_file.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* `|` parts alternatives here and cells there. */
static void cell(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    for (; *text != '\0' && used + 3 < size; text++) {
        if (*text == '|')
            out[used++] = '\\';
        out[used++] = *text;
    }
    out[used] = '\0';
}

static void every_option_has_its_row(void **state)
{
    (void)state;
    size_t size, n;
    uint8_t *bytes = read_file("README.md", &size);
    char *readme = calloc(size + 1, 1);
    assert_non_null(readme);
    memcpy(readme, bytes, size);
    free(bytes);
    const struct option_doc *docs;
    n = options_docs(&docs);
    const char *at = strstr(readme, "<!-- options -->\n");
    assert_non_null(at);
    at = strstr(at, "| --- |");
    assert_non_null(at);
    at = strchr(at, '\n') + 1;
    for (size_t i = 0; i < n; i++) {
        char row[512] = "| `";
        strcat(strcat(row, docs[i].key), "=` | `");
        cell(row, sizeof row, docs[i].values);
        strcat(row, "` | `");
        cell(row, sizeof row, docs[i].standard);
        strcat(strcat(strcat(row, "` | "), docs[i].meaning), " |\n");
        if (strncmp(at, row, strlen(row)) != 0)
            fail_msg("README.md, options: expected this row:\n%s", row);
        at += strlen(row);
    }
    assert_int_equal(strncmp(at, "<!-- /options -->", 17), 0);
    free(readme);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_option_has_its_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
