// Rows as a person may bring them, in C++17 or later. SUITE is given.
#include "baretick.h"

#define ROW(...)       BARETICK_ROW(__VA_ARGS__)
#define STATEMENT(...) BARETICK_STATEMENT(__VA_ARGS__)

namespace
{
template <typename Word> struct product {
    Word x;
    void step()
    {
        __asm__ volatile(".rept 10\n\timul %0, %0\n\t.endr" : "+r"(x) : : "cc");
    }
};

int chain(uint64_t n, baretick_object *)
{
    product<uint64_t> p{3};
    for (; n; n--)
        p.step();
    return 0;
}

constexpr uint64_t words = 512;
uint64_t expected;

void fill(baretick_object *o)
{
    auto *room = static_cast<uint64_t *>(o->room);
    expected = 0;
    for (uint64_t i = 0; i < words; i++)
        expected += room[i] = i * 7 + 1;
}

// A class with a table of virtual functions: addresses in read-only data.
struct adder {
    virtual void add(uint64_t) = 0;
    virtual uint64_t total() const = 0;
};
struct plain final : adder {
    uint64_t so_far = 0;
    void add(uint64_t x) override { so_far += x; }
    uint64_t total() const override { return so_far; }
};

int sum(uint64_t n, baretick_object *o)
{
    for (; n; n--) {
        plain p;
        adder *a = &p;
        BARETICK_HIDE(a);
        for (uint64_t i = 0; i < words; i++)
            a->add(static_cast<const uint64_t *>(o->room)[i]);
        o->counter = a->total();
        BARETICK_CLOBBER();
    }
    return 0;
}

const char *summed(const baretick_object *o, uint64_t)
{
    return o->counter == expected ? nullptr : "the sum is wrong";
}
} // namespace

ROW(SUITE, chain, "ten products, each of the one before", .body = chain, .ops = 500);
ROW(SUITE, sum, "512 virtual calls", .body = sum, .ops = 20, .room = words * 8, .setup = fill,
    .check = summed, .unit = "byte", .units = words * 8);

STATEMENT(SUITE, count, "++*x", 1000, .check = baretick_counted)
{
    o->counter++;
}

#ifdef BREAKS /* a row more */
#define BREAKABLE(...) BARETICK_BREAKABLE(__VA_ARGS__)
BREAKABLE(SUITE, breaks, "++*x, or every fourth time a break that adds it", 1000,
          (.check = baretick_counted), o->counter++, {
              for (int each = 0; each < 2; each++) { // a loop's own break is that loop's
                  BARETICK_HIDE(each);
                  break;
              }
              if (n % 4 == 1)
                  break;
              o->counter++;
          });
#endif
