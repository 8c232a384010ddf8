#include "bench/api/report.h"
#include "bench/api/declare.h"
#include "lib/text/fmt.h"

void report_init(struct report *r, struct sink *out, enum format format)
{
    *r = (struct report){.out = out,
                         .records = out,
                         .format = format,
                         .columns = REPORT_COLUMNS,
                         .check = {.shape = &report_shape}};
}

void report_records_only(struct report *r, bool error)
{
    r->verdict_line = r->format == FORMAT_LINES || (error && r->format == FORMAT_AUTO);
    r->format = FORMAT_JSONL;
}

void report_failed(struct report *r, const char *what, const char *of)
{
    if (r->failures < REPORT_FAILED_NAMES)
        fmt_buf(r->failed[r->failures], sizeof r->failed[0], "%s%s%s", what, of ? "/" : "",
                of ? of : "");
    r->failures++;
}

bool report_table(const struct report *r)
{
    return r->format == FORMAT_AUTO || r->format == FORMAT_BOTH || r->format == FORMAT_TABLE;
}

bool report_lines(const struct report *r)
{
    return r->format == FORMAT_LINES;
}

bool report_says(const struct report *r)
{
    return report_table(r) || report_lines(r);
}

void report_progress(struct report *r, const char *line)
{
    if (!r->live)
        return;
    fmt(r->live, "\r%-79s", line);
    r->progress = true;
}

bool report_progress_stays(struct report *r, const char *line)
{
    if (!r->steady)
        return false;
    fmt(r->steady, "progress  %s\r\n", line);
    return true;
}

void report_fresh_line(struct report *r)
{
    if (r->progress)
        fmt(r->live, "\r%79s\r", "");
    r->progress = false;
}

static void begin(struct report *r, struct json *j, const char *type)
{
    report_fresh_line(r);
    json_begin(j, r->records, r->seq++, type);
    json_expect(j, &r->check, type);
}

bool report_record(struct report *r, struct json *j, const char *type)
{
    if (r->format == FORMAT_TABLE || r->format == FORMAT_LINES)
        return false;
    begin(r, j, type);
    return true;
}

bool report_event_record(struct report *r, struct json *j, const char *kind, const char *message)
{
    if (!report_record(r, j, "event"))
        return false;
#include "bench/api/fields/event.def"
    return true;
}

bool report_event_begin(struct report *r, struct json *j, const char *kind, const char *message)
{
    if (report_says(r)) {
        report_fresh_line(r);
        fmt(r->out, "%s: %s\r\n", kind, message);
    }
    return report_event_record(r, j, kind, message);
}

void report_event(struct report *r, const char *kind, const char *message)
{
    struct json j;

    if (report_event_begin(r, &j, kind, message))
        json_end(&j);
}

void report_eventf(struct report *r, const char *kind, const char *format, ...)
{
    char message[512];
    struct sink_buf text;
    va_list list;

    sink_buf_init(&text, message, sizeof message);
    va_start(list, format);
    fmt_list(&text.sink, format, list, NULL);
    va_end(list);
    report_event(r, kind, message);
}

#define MACHINE_LINES 32 /* of a recording in one record: 2 KB */

static void put_machine_line(struct report_machine *m)
{
    m->line[m->n] = '\0';
    m->n = 0;
    if (m->lines == 0) {
        if (!report_record(m->r, &m->record, "machine"))
            return;
        json_array(&m->record, "lines");
    }
    json_str(&m->record, NULL, m->line);
    m->all++;
    if (++m->lines == MACHINE_LINES)
        report_machine_end(m);
}

static void write_machine(struct sink *self, const char *bytes, size_t n)
{
    struct report_machine *m = (struct report_machine *)self; /* sink is its first member */

    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\n')
            put_machine_line(m);
        else if (m->n < sizeof m->line - 1)
            m->line[m->n++] = bytes[i];
}

void report_machine_begin(struct report_machine *m, struct report *r)
{
    *m = (struct report_machine){.sink = {write_machine}, .r = r};
}

void report_machine_end(struct report_machine *m)
{
    if (m->lines == 0)
        return;
    m->lines = 0;
    json_close(&m->record);
    json_end(&m->record);
}

void report_selftest(struct report *r, const char *name, enum selftest result, const char *detail)
{
    static const char *const words[] = {"PASS", "FAIL", "not judged"};
    static const char *const values[] = {"pass", "fail", "not judged"};
    struct json line, *j = &line;

    if (result == SELFTEST_FAIL)
        report_failed(r, "self-test", name);
    if (report_says(r)) {
        report_fresh_line(r);
        fmt(r->out, "self-test %-16s %s: %s\r\n", name, words[result], detail);
    }
    if (report_record(r, j, "selftest")) {
#include "bench/api/fields/selftest.def"
        json_end(j);
    }
}

/* Reports an undeclared or wrong field: a defect of the program. The measurements are kept. */
static void tell_odd_field(struct report *r)
{
    if (r->check.odd[0] != '\0')
        report_eventf(r, "mistake", "%s in bench/api/fields", r->check.odd);
}

/* Writes "154 rows", after a comma if something precedes it. */
static void put_count(uint64_t n, const char *what, const char *of, bool *any, struct sink *out)
{
    fmt(out, "%s%llu %s%s%s", *any ? ", " : "", (unsigned long long)n, what, n == 1 ? "" : "s", of);
    *any = true;
}

/* Writes how much was measured: "154 rows", or "63 curves, 6634 forms of instructions". */
static void put_measured(const struct report *r, struct sink *out)
{
    bool any = false;

    if (r->rows || (!r->curves && !r->forms))
        put_count(r->rows, "row", "", &any, out);
    if (r->curves)
        put_count(r->curves, "curve", "", &any, out);
    if (r->forms)
        put_count(r->forms, "form", " of instructions", &any, out);
}

static void show_verdict(struct report *r, const char *verdict, bool stopped)
{
    fmt(r->out, "verdict: %s (", verdict);
    put_measured(r, r->out);
    fmt(r->out, ", %llu failures", (unsigned long long)r->failures);
    if (r->unproven)
        fmt(r->out, ", the work of %llu not judged", (unsigned long long)r->unproven);
    if (r->counts_smis)
        fmt(r->out, ", %llu SMIs", (unsigned long long)r->smis);
    fmt(r->out, stopped ? ", stopped)\r\n" : ")\r\n");
}

void report_end(struct report *r, bool stopped)
{
    enum verdict { PASS, FAIL, STOPPED };
    static const char *const words[] = {"pass", "fail", "stopped"};
    static const char *const shouts[] = {"PASS", "FAIL", "STOPPED"};
    enum verdict verdict = r->failures ? FAIL : stopped ? STOPPED : PASS;
    struct json line, *j = &line;

    tell_odd_field(r);
    /* Written before the record, because the record's end tells a reader that the report is
     * complete. */
    if (report_lines(r) || r->verdict_line)
        fmt(r->out, "BT run/verdict@0 %llu failures %s\r\n", (unsigned long long)r->failures,
            verdict == PASS ? "pass" : "fail");
    begin(r, j, "end");
#include "bench/api/fields/end.def"
    json_end(j);
    if (report_says(r))
        show_verdict(r, shouts[verdict], stopped);
}
