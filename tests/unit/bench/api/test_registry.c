#include "bench/api/registry.h"
#include "bench/api/bench.h"
#include "bench/api/kind.h"
#include "tests/unit/lib/config/made_options.h"

static const struct kind watch = {.cores = "all"}, team;

BENCH(quiet, gaps, .what = "w", .kind = &watch, .ops = 1, .on_request = true);
BENCH(planted_quiet, gaps, .what = "w", .kind = &watch, .ops = 1, .on_request = true);
BENCH(calls, direct, .what = "w", .window.form = FORM_LOOP, .ops = 1);
BENCH(cores, pingpong, .what = "w", .kind = &team, .ops = 1);

TEST(rows_of_one_kind_alone_decide_the_default_of_cores)
{
    static const struct {
        const char *words, *cores;
    } cases[] = {{"", "bsp"},
                 {"suite=quiet", "all"},
                 {"suite=planted_quiet", "all"},
                 {"suite=quiet,planted_quiet", "all"},
                 {"suite=quiet cores=bsp", "bsp"},
                 {"cores=1-2 suite=quiet", "1-2"},
                 {"suite=quiet,calls", "bsp"},
                 {"suite=calls,quiet bench=gaps", "all"},
                 {"suite=cores", "bsp"},
                 {"suite=quiet suite=calls", "bsp"},
                 {"suite=unknown", "bsp"}};
    struct options o;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(parse(&o, cases[i].words));
        registry_settle(&o);
        assert_string_equal(o.cores, cases[i].cores);
    }
}
