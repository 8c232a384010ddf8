/* Locks that nobody else wants: the price of being safe. */
#include "baretick.h"

struct locks {
    uint32_t taken;
    uint32_t next, serving;
};

static void reset(struct baretick_object *o)
{
    struct locks *l = (struct locks *)o->room;

    l->taken = l->next = l->serving = 0;
}

static void lock_swap(struct locks *l)
{
    while (__atomic_exchange_n(&l->taken, 1, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}

static void unlock_swap(struct locks *l)
{
    __atomic_store_n(&l->taken, 0, __ATOMIC_RELEASE);
}

static void lock_ticket(struct locks *l)
{
    uint32_t mine = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&l->serving, __ATOMIC_ACQUIRE) != mine)
        __builtin_ia32_pause();
}

static void unlock_ticket(struct locks *l)
{
    __atomic_store_n(&l->serving, l->serving + 1, __ATOMIC_RELEASE);
}

BARETICK_STATEMENT(spinlock, none, "++*x, without a lock", 1000, .check = baretick_counted)
{
    o->counter++;
}

BARETICK_STATEMENT(spinlock, swap, "++*x in a lock by XCHG", 1000, .room = sizeof(struct locks),
                   .setup = reset, .check = baretick_counted, .compared_with = "none",
                   .least_instructions = 3)
{
    lock_swap((struct locks *)o->room);
    o->counter++;
    unlock_swap((struct locks *)o->room);
}

BARETICK_STATEMENT(spinlock, ticket, "++*x in a lock by LOCK XADD", 1000,
                   .room = sizeof(struct locks), .setup = reset, .check = baretick_counted,
                   .compared_with = "none", .least_instructions = 3)
{
    lock_ticket((struct locks *)o->room);
    o->counter++;
    unlock_ticket((struct locks *)o->room);
}
