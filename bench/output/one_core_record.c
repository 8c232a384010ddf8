#include "bench/output/one_core_record.h"
#include "bench/output/show.h"
#include "lib/text/json.h"

bool one_core_record_begin(struct report *r, struct json *j, const char *type,
                           const struct outcome *out)
{
    if (!report_record(r, j, type))
        return false;
    json_str(j, "suite", out->bench->suite);
    json_str(j, "name", out->bench->name);
    json_u64(j, "core", out->core);
    return true;
}

bool one_core_record_status(struct json *j, const struct outcome *out)
{
    json_str(j, "status", record_status[out->status]);
    json_str(j, "why", out->why);
    return out->status == ROW_OK;
}

void one_core_record_end(struct json *j, const struct run_facts *run, const struct outcome *out)
{
    if (run->counts_smis)
        json_u64(j, "smis", out->smis);
    json_u64(j, "nmis", out->nmis);
    if (run->kept->record)
        run->kept->record(out->kept, j);
    json_end(j);
}

void one_core_record_shared(struct json *j, const int64_t *point, size_t n)
{
    if (n == 0)
        return;
    json_array(j, "shared");
    for (size_t i = 0; i < n; i++)
        json_i64(j, NULL, point[i]);
    json_close(j);
}
