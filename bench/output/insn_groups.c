#include "bench/output/insn_groups.h"
#include "lib/insn/form.h"
#include "lib/text/fmt.h"
#include "lib/text/bytes.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

void insn_end_name(const struct insn_end *e, struct sink *out)
{
    static const char *const parts[] = {
        [INSN_DATA] = "", [INSN_BASE_PART] = "b", [INSN_INDEX_PART] = "i"};

    if (e->part == INSN_FLAGS_PART)
        fmt(out, "f");
    else
        fmt(out, "%u%s", e->operand, parts[e->part]);
}

void insn_pair_name(const struct insn_cell *c, struct sink *out)
{
    insn_end_name(&c->id.in, out);
    fmt(out, ">");
    insn_end_name(&c->id.out, out);
}

void insn_why_not(const struct insn_row *row, struct sink *out)
{
    if (row->why == INSN_CPU_LACKS)
        fmt(out, "the CPU does not have %s", insn_feature_names[row->lacks]);
    else if (row->why != INSN_RUNS)
        fmt(out, "%s", insn_why_texts[row->why]);
    else
        fmt(out, "the time of time= was over, or the run was stopped");
}

/* Drops the blank after each comma. */
static void close_up(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        *to++ = *from;
        from += *from == ',' && from[1] == ' ';
    }
    *to = '\0';
}

/* Writes what follows the mnemonic in a form's name, which may be nothing, without the blank after
 * a comma: "r64,m64". */
static void insn_rest_name(const struct insn_row *row, struct sink *out)
{
    char head[INSN_NAME_MOST], name[INSN_NAME_MOST];
    struct sink_buf begins, whole;

    sink_buf_init(&begins, head, sizeof head);
    insn_name_head(insn_form(row->form), &begins.sink);
    sink_buf_init(&whole, name, sizeof name);
    insn_row_name(row, &whole.sink);
    close_up(name);
    fmt(out, "%s", name + begins.used + (name[begins.used] == ' '));
}

void insn_pairs_name(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    const char *between = "";

    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        if (c->id.kind != INSN_TEST_LATENCY)
            continue;
        fmt(out, "%s", between);
        insn_pair_name(c, out);
        between = " ";
    }
}

#define COMMON_BYTES (INSN_NAME_MOST + INSN_PAIRS_MOST)

void insn_groups_clear(struct insn_groups *g, const struct insn_table *t, bool pairs)
{
    g->t = t;
    g->pairs = pairs;
    g->rows = g->groups = 0;
}

/* Writes the part of a form that forms of other mnemonics may share. Returns its length. */
static size_t common(const struct insn_groups *g, unsigned i, char to[COMMON_BYTES])
{
    struct sink_buf text;

    sink_buf_init(&text, to, COMMON_BYTES);
    insn_rest_name(g->row[i], &text.sink);
    fmt(&text.sink, "\n");
    if (g->pairs)
        insn_pairs_name(g->t, g->row[i], &text.sink);
    return text.used + 1; /* with the NUL, which ends it */
}

static void head_of(const struct insn_row *row, char to[INSN_NAME_MOST])
{
    struct sink_buf text;

    sink_buf_init(&text, to, INSN_NAME_MOST);
    insn_name_head(insn_form(row->form), &text.sink);
}

static bool have_one_head(const struct insn_row *a, const struct insn_row *b)
{
    char of_a[INSN_NAME_MOST], of_b[INSN_NAME_MOST];

    head_of(a, of_a);
    head_of(b, of_b);
    return str_eq(of_a, of_b);
}

void insn_groups_add(struct insn_groups *g, const struct insn_row *row)
{
    char text[COMMON_BYTES];
    unsigned i = g->rows++;

    g->row[i] = row;
    if (i == 0 || !have_one_head(g->row[i - 1], row)) {
        g->group[g->groups] = (struct insn_group){(uint8_t)i, 0, (uint8_t)g->groups, 0};
        g->groups++;
    }
    struct insn_group *last = &g->group[g->groups - 1];
    last->rows++;
    size_t n = common(g, i, text);
    last->key = crc32_update(last->key, text, n);
}

static bool are_like(const struct insn_groups *g, const struct insn_group *a,
                     const struct insn_group *b)
{
    char of_a[COMMON_BYTES], of_b[COMMON_BYTES];

    if (a->rows != b->rows || a->key != b->key)
        return false;
    for (unsigned i = 0; i < a->rows; i++) {
        common(g, a->first + i, of_a);
        common(g, b->first + i, of_b);
        if (!str_eq(of_a, of_b))
            return false;
    }
    return true;
}

void insn_groups_match(struct insn_groups *g)
{
    for (unsigned i = 0; i < g->groups; i++) {
        unsigned k = 0;
        while (!are_like(g, &g->group[k], &g->group[i]))
            k++; /* ends at i */
        g->group[i].like = (uint8_t)k;
    }
}

static uint32_t key_of(const struct insn_groups *g)
{
    uint32_t key = 0;

    for (unsigned i = 0; i < g->groups; i++) {
        const struct insn_group *group = &g->group[i];
        char head[INSN_NAME_MOST];
        head_of(g->row[group->first], head);
        key = crc32_update(key, head, strlen(head) + 1);
        key = crc32_update(key, &group->rows, sizeof group->rows);
        key = crc32_update(key, &group->key, sizeof group->key);
    }
    return key;
}

const uint64_t *insn_groups_written(const struct insn_groups *g, struct insn_written *written,
                                    uint64_t seq)
{
    uint32_t key = key_of(g);

    for (unsigned i = 0; i < written->n; i++)
        if (written->record[i].key == key)
            return &written->record[i].seq;
    if (written->n < INSN_WRITTEN_MOST) {
        written->record[written->n].seq = seq;
        written->record[written->n++].key = key;
    }
    return NULL;
}

static void record_operands(const struct insn_groups *g, const struct insn_group *group,
                            struct json *j)
{
    for (unsigned i = 0; i < group->rows; i++) {
        struct json_text text;
        json_text_begin(&text, j, NULL);
        insn_rest_name(g->row[group->first + i], &text.sink);
        json_text_end(&text);
    }
}

void insn_groups_record(const struct insn_groups *g, struct json *j)
{
    char head[INSN_NAME_MOST];

    json_array(j, "forms");
    for (unsigned i = 0; i < g->groups; i++) {
        head_of(g->row[g->group[i].first], head);
        json_array(j, NULL);
        json_str(j, NULL, head);
        if (g->group[i].like != i)
            json_u64(j, NULL, g->group[i].like);
        else
            record_operands(g, &g->group[i], j);
        json_close(j);
    }
    json_close(j);
}

/* Counts what is written to it. */
struct counter {
    struct sink sink;
    uint64_t bytes;
};

static void count(struct sink *self, const char *bytes, size_t n)
{
    (void)bytes;
    ((struct counter *)self)->bytes += n;
}

uint64_t insn_groups_bytes(const struct insn_groups *g)
{
    struct counter counter = {.sink.write = count};
    struct json j;

    json_line_begin(&j, &counter.sink);
    insn_groups_record(g, &j);
    return counter.bytes;
}

bool insn_groups_spelled(const struct insn_groups *g, unsigned i)
{
    unsigned k = 0;

    while (g->group[k].first + g->group[k].rows <= i)
        k++;
    return g->group[k].like == k;
}
