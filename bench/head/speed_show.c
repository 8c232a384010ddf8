#include "bench/head/speed_show.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

static void percent(struct sink *out, double v)
{
    num_f64(out, v, 4, 0);
    fmt(out, "%%");
}

static double error_percent(const struct speed_facts *f)
{
    return f->error_hz / f->measured_hz * 100;
}

static void show_known(const struct speed_facts *f, unsigned i, struct sink *out)
{
    const struct speed_stated *s = &f->speed[i];

    fmt(out, "          %-16s ", speed_names[i]);
    num_f64(out, (double)s->hz / 1e6, 3, 0);
    fmt(out, " MHz");
    if (s->compared) {
        fmt(out, ", %s", s->off_ppm < 0 ? "" : "+");
        percent(out, (double)s->off_ppm / 1e4);
        fmt(out, ": %s", speed_verdicts[s->verdict]);
    }
    fmt(out, "\r\n");
}

/* Writes the absent ones that have one reason in one line. */
static void show_absent(const struct speed_facts *f, unsigned i, struct sink *out)
{
    const char *why = f->speed[i].why_not;

    for (unsigned k = SPEED_CPUID16_BASE; k < i; k++)
        if (f->speed[k].hz == 0 && str_eq(f->speed[k].why_not, why))
            return;
    fmt(out, "          absent:");
    for (unsigned k = i; k < SPEEDS; k++)
        if (f->speed[k].hz == 0 && str_eq(f->speed[k].why_not, why))
            fmt(out, "%s %s", k > i ? "," : "", speed_names[k]);
    fmt(out, " (%s)\r\n", why);
}

void speed_show(const struct speed_facts *f, struct sink *out)
{
    if (f->measured_by) {
        fmt(out, "speeds    as stated; difference from the TSC measured by %s, +- ",
            f->measured_by);
        percent(out, error_percent(f));
        fmt(out, "\r\n");
    } else {
        fmt(out, "speeds    as stated; not judged: %s\r\n", f->why_not);
    }
    for (unsigned i = 0; i < SPEEDS; i++)
        if (f->speed[i].hz)
            show_known(f, i, out);
    /* The reasons for leaf 15h and the other sources of the TSC are in the lines of the sources. */
    for (unsigned i = SPEED_CPUID16_BASE; i < SPEEDS; i++)
        if (f->speed[i].hz == 0)
            show_absent(f, i, out);
    if (f->unlike)
        fmt(out, "          SMBIOS has several processors, which differ: the first is shown\r\n");
}

void speed_record(const struct speed_facts *f, struct json *j)
{
    json_array(j, "speeds");
    for (unsigned i = 0; i < SPEEDS; i++) {
        const struct speed_stated *s = &f->speed[i];
        json_object(j, NULL);
        json_str(j, "name", speed_names[i]);
        json_str(j, "verdict", speed_verdicts[s->verdict]);
        if (s->hz)
            json_u64(j, "hz", s->hz);
        else
            json_str(j, "why_not", s->why_not);
        if (s->compared) {
            json_f64(j, "off_percent", (double)s->off_ppm / 1e4, 4);
            json_f64(j, "off_half_percent", error_percent(f), 6);
        }
        json_close(j);
    }
    json_close(j);
}
