#include "bench/output/one_core_record.h"
#include "bench/output/show.h"
#include "lib/text/json.h"

bool one_core_record_begin(struct report *r, struct json *j, const char *type,
                           const struct row *row)
{
    if (!report_record(r, j, type))
        return false;
    json_str(j, "suite", row->bench->suite);
    json_str(j, "name", row->bench->name);
    json_u64(j, "core", row->core);
    return true;
}

bool one_core_record_status(struct json *j, const struct row *row)
{
    json_str(j, "status", record_status[row->status]);
    json_str(j, "why", row->why);
    return row->status == ROW_OK;
}

void one_core_record_end(struct json *j, const struct run_facts *run, const struct row *row)
{
    if (run->counts_smis)
        json_u64(j, "smis", row->smis);
    json_u64(j, "nmis", row->nmis);
    if (run->kept->record)
        run->kept->record(row->kept, j);
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
