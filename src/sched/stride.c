/* Stride scheduling: a heap of passes. A turn takes clients off it in order and puts all of them back. */
#include "sched/ctx.h"

static bool goes_before(void *self, const void *x_client, const void *y_client)
{
    const orr_stride_client *x = x_client, *y = y_client;
    (void)self;
    return x->pass != y->pass ? x->pass < y->pass : x->order < y->order;
}

static int32_t *place_of(void *self, void *client)
{
    (void)self;
    return &((orr_stride_client *)client)->place;
}

void orr_stride_join(orr_ctx *ctx, orr_stride *s, orr_stride_client *client)
{
    s->heap.before = goes_before;
    s->heap.place = place_of;
    client->pass += s->now;
    client->order = ++s->joined;
    orr_heap_add(ctx, &s->heap, client);
}

void orr_stride_leave(orr_stride *s, orr_stride_client *client)
{
    if (orr_heap_remove(&s->heap, client))
        client->pass -= s->now;
}

void orr_stride_charge(orr_stride *s, orr_stride_client *client, double amount, double tickets)
{
    const double step = amount / tickets;
    if (step > s->longest)
        s->longest = step;
    client->pass += step;
    if (client->pass < s->now - s->longest)
        client->pass = s->now - s->longest;
    orr_heap_moved(&s->heap, client);
}

static void make_room(orr_ctx *ctx, orr_stride *s)
{
    if (s->heap.count <= s->room)
        return;
    s->room = 2 * s->heap.count;
    s->asked = orr_alloc_memory(ctx, (size_t)s->room * sizeof(orr_stride_client *));
}

void orr_stride_turn(orr_ctx *ctx, orr_stride *s, orr_offer (*offer)(void *self, void *item), void *self)
{
    int32_t n = 0;
    orr_offer answer = ORR_OFFER_ASIDE;
    double reached = s->now;
    make_room(ctx, s);
    while (answer != ORR_OFFER_FULL && s->heap.count > 0) {
        orr_stride_client *c = s->heap.at[0];
        orr_heap_remove(&s->heap, c);
        s->asked[n++] = c;
        answer = offer(self, c->item);
        if (answer == ORR_OFFER_TOOK && c->pass > reached)
            reached = c->pass;
    }
    s->now = reached;
    for (int32_t i = 0; i < n; i++)
        orr_heap_add(ctx, &s->heap, s->asked[i]);
}
