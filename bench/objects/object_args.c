#include "bench/objects/object_args.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* Inserts a value, ascending, without duplicates. False: there is no more room. */
static bool add(struct object_args *values, uint64_t value)
{
    uint32_t at = values->count;

    while (at > 0 && values->value[at - 1] >= value)
        at--;
    if (at < values->count && values->value[at] == value)
        return true;
    if (values->count == OBJECT_ARGS_MOST)
        return false;
    for (uint32_t i = values->count++; i > at; i--)
        values->value[i] = values->value[i - 1];
    values->value[at] = (uint32_t)value;
    return true;
}

static bool add_list(const struct baretick_args *args, struct object_args *values)
{
    bool fits = true;

    for (unsigned i = 0; i < BARETICK_ARGS_LIST && args->list[i]; i++)
        fits = fits && add(values, args->list[i]);
    return fits;
}

/* Adds `from`, each from + k * step below `to`, and `to`. */
static bool add_steps(const struct baretick_args *args, struct object_args *values)
{
    bool fits = true;

    for (uint64_t v = args->from; fits && v < args->to; v += args->step)
        fits = add(values, v);
    return fits && add(values, args->to);
}

/* Adds `from`, the powers of `multiply` between the two, and `to`, as Google Benchmark's Range. */
static bool add_powers(const struct baretick_args *args, struct object_args *values)
{
    bool fits = add(values, args->from);

    for (uint64_t v = 1; fits && v < args->to; v *= args->multiply)
        if (v > args->from)
            fits = add(values, v);
    return fits && add(values, args->to);
}

static bool is_given(const struct baretick_args *args)
{
    return args->from || args->to || args->multiply || args->step || args->list[0];
}

bool object_args_list(const struct baretick_args *args, struct object_args *values,
                      struct sink *why)
{
    bool range = args->from || args->to || args->multiply || args->step, fits;

    values->count = 0;
    if (!is_given(args))
        return true;
    if (range && args->list[0])
        fmt(why, "args has a list and a range; one of them is allowed");
    else if (args->multiply && args->step)
        fmt(why, "args has multiply and step; one of them is allowed");
    else if (range && args->to <= args->from)
        fmt(why, "args.to is %u; more than args.from, %u, is allowed", args->to, args->from);
    else if (range && args->multiply < 2 && !args->step)
        fmt(why, "args.multiply is %u; 2 and more are allowed, or args.step in its place",
            args->multiply);
    else {
        fits = !range       ? add_list(args, values)
               : args->step ? add_steps(args, values)
                            : add_powers(args, values);
        if (fits)
            return true;
        fmt(why, "args is a range of more than %u values", OBJECT_ARGS_MOST);
    }
    return false;
}

/* Writes "name/8". */
static bool name_of(char *out, const char *name, uint32_t arg, struct sink *why)
{
    char whole[OBJECT_NAME_MOST + sizeof "/4294967295"];
    size_t used = fmt_buf(whole, sizeof whole, "%s/%u", name, arg);

    if (str_copy(out, OBJECT_NAME_MOST + 1, whole, used))
        return true;
    fmt(why, "the name %s has %zu bytes; at most %u are allowed", whole, used, OBJECT_NAME_MOST);
    return false;
}

bool object_args_apply(struct bench *b, struct bench_code *code, struct object_names *names,
                       uint32_t arg, struct sink *why)
{
    uint64_t units = (uint64_t)b->shown.base_per_op * arg;

    code->args_of = b->name;
    code->arg = arg;
    if (!name_of(names->name, b->name, arg, why) ||
        (b->shown.compared_with &&
         !name_of(names->compared_with, b->shown.compared_with, arg, why)))
        return false;
    if (units > UINT32_MAX) {
        fmt(why, "units is %u for each 1 of the argument, %llu for %u; at most %u are allowed",
            b->shown.base_per_op, (unsigned long long)units, arg, UINT32_MAX);
        return false;
    }
    b->name = names->name;
    b->shown.compared_with = b->shown.compared_with ? names->compared_with : NULL;
    b->shown.base_per_op = (uint32_t)units;
    b->shown.base_unit = units ? b->shown.base_unit : NULL;
    return true;
}
