"""C source of rows whose work depends on what was done before: the figure is of other work than a fresh call's."""

WORK = "uint64_t x = o->counter; for (int j = 0; j < {turns}; j++) {{ x ^= x << 13; x ^= x >> 7; BARETICK_HIDE(x); }}"

# The statements of an operation, {work}, until {most} operations are done; by what keeps it from being done again.
UNTIL_USED_UP = {
    "log": "if (used < {most}) {{ {work} entry[used++] = x; }}",
    "cache": "uint64_t at = o->counter % {most}; if (!entry[at]) {{ {work} entry[at] = x | 1; }}",
    "set": "uint64_t key = o->counter * 7 % {most}; if (!(entry[key / 64] >> key % 64 & 1)) "
           "{{ {work} entry[key / 64] |= 1ull << key % 64; BARETICK_HIDE(x); }}",
    "saturated": "if (used != {most}) {{ used++; {work} BARETICK_HIDE(x); }}",
    "argument": "uint64_t argument = o->counter < {most} ? o->counter : {most}; if (used != argument + 1) "
                "{{ {work} used = argument + 1; BARETICK_HIDE(x); }}",
    "grows": "if (o->counter >= {most}) {{ {work} BARETICK_HIDE(x); }}",
}  # fmt: skip
MOSTS = (5, 64, 200, 900)
PARTS = ((1, 2, 3), (8, 16, 40), (64, 90))  # turns; an object has at most 128 rows
# Operations of a window; a call does the first of them only. Twice as many do not all do their work.
EARLY = ((100, 60), (100, 100), (100, 150), (100, 190), (60, 70))
TABLES = (300, 1000, 3000)  # entries that a call makes first

HEAD = "static uint64_t entry[1024], used;\n"
STATEMENT = 'BARETICK_STATEMENT(history, {name}, "depends on its history", 100) {{ {does} o->counter++; }}\n'
EARLY_CALL = """static int {name}(uint64_t n, struct baretick_object *o)
{{ for (uint64_t i = 0; i < n && i < {most}; i++) {{ {work} BARETICK_HIDE(x); }} return 0; }}
BARETICK_ROW(history, {name}, "depends on its history", .body = {name}, .ops = {ops});
"""
TABLE_CALL = """static int {name}(uint64_t n, struct baretick_object *o)
{{ for (uint64_t i = 0; i < {most}; i++) {{ entry[i % 1024] = i * i; BARETICK_CLOBBER(); }}
for (uint64_t i = 0; i < n; i++) {{ {work} BARETICK_HIDE(x); }} return 0; }}
BARETICK_ROW(history, {name}, "depends on its history", .body = {name}, .ops = 10);
"""
# The cures of docs/own-code.md: a ring that is never full, and data that is made new before each window.
CURED = """BARETICK_STATEMENT(history, ring, "never full", 100) {{ {work} entry[used++ % 1024] = x; o->counter++; }}
static void empties(struct baretick_object *o) {{ (void)o; used = 0; }}
static int refills(uint64_t n, struct baretick_object *o)
{{ for (uint64_t i = 0; i < n; i++) {{ if (used < 200) {{ {work} entry[used++] = x; }} }} return 0; }}
BARETICK_ROW(history, emptied, "emptied before each window", .body = refills, .ops = 100, .before = empties);
"""


def source(part):
    """Returns the source, the names of the rows whose work depends on it, and those of cured ones."""
    text, names = HEAD, []

    def add(form, name, **values):
        nonlocal text
        text += form.format(name=name, **values)
        names.append(name)

    for turns in part:
        work = WORK.format(turns=turns)
        for family, does in UNTIL_USED_UP.items():
            for most in MOSTS:
                add(STATEMENT, f"{family}_{most}_{turns}", does=does.format(work=work, most=most))
        for ops, most in EARLY if turns < 8 else ():
            add(EARLY_CALL, f"early_{ops}_{most}_{turns}", work=work, ops=ops, most=most)
        for most in TABLES if turns < 8 else ():
            add(TABLE_CALL, f"table_{most}_{turns}", work=work, most=most)
    return text + CURED.format(work=WORK.format(turns=4)), names, ["ring", "emptied"]
