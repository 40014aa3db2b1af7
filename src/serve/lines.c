/* A queue of requests: a ring in the order of arrival, or a heap by key and number. */
#include "serve/serving.h"

static orr_req *req_at(const orr_sv_queue *q, uint32_t place)
{
    return (orr_req *)(void *)(q->at + (size_t)place * q->stride);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void grow_ring(orr_sv_queue *q)
{
    const uint32_t cap = q->cap ? q->cap * 2 : 16;
    uint8_t *at = orr_xmalloc((size_t)cap * q->stride);
    const uint32_t first = q->cap - q->head < q->n ? q->cap - q->head : q->n;
    if (q->n)
        memcpy(at, q->at + (size_t)q->head * q->stride, (size_t)first * q->stride);
    if (q->n > first)
        memcpy(at + (size_t)first * q->stride, q->at, (size_t)(q->n - first) * q->stride);
    free(q->at);
    q->at = at;
    q->cap = cap;
    q->head = 0;
}

static uint32_t ring_place(const orr_sv_queue *q, uint32_t i)
{
    return (q->head + i) & (q->cap - 1);
}

static void ring_remove(orr_sv_queue *q, uint32_t i)
{
    for (; i > 0; i--)
        memcpy(req_at(q, ring_place(q, i)), req_at(q, ring_place(q, i - 1)), q->stride);
    q->head = ring_place(q, 1);
    q->n--;
}

/* ---- heaps: at[0..n) and keys[0..n), binary, least key and then least number on top --------------------------- */

static bool before(const orr_sv_queue *q, uint32_t a, uint32_t b)
{
    if (q->keys[a] != q->keys[b])
        return q->keys[a] < q->keys[b];
    return req_at(q, a)->number < req_at(q, b)->number;
}

static void swap(orr_sv_queue *q, uint32_t a, uint32_t b)
{
    uint8_t spare[ORR_SV_STRIDE_MOST];
    const double key = q->keys[a];
    memcpy(spare, req_at(q, a), q->stride);
    memcpy(req_at(q, a), req_at(q, b), q->stride);
    memcpy(req_at(q, b), spare, q->stride);
    q->keys[a] = q->keys[b];
    q->keys[b] = key;
}

static void heap_up(orr_sv_queue *q, uint32_t i)
{
    for (; i > 0 && before(q, i, (i - 1) / 2); i = (i - 1) / 2)
        swap(q, i, (i - 1) / 2);
}

static void heap_down(orr_sv_queue *q, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        for (uint32_t c = 2 * i + 1; c < q->n && c <= 2 * i + 2; c++)
            least = before(q, c, least) ? c : least;
        if (least == i)
            return;
        swap(q, i, least);
        i = least;
    }
}

static void heap_push(orr_sv_queue *q, const uint8_t *record, double key)
{
    if (q->n == q->cap) {
        q->cap = q->cap ? q->cap * 2 : 16;
        q->at = orr_xrealloc(q->at, q->cap, q->stride);
        q->keys = orr_xrealloc(q->keys, q->cap, sizeof *q->keys);
    }
    memcpy(req_at(q, q->n), record, q->stride);
    q->keys[q->n] = key;
    heap_up(q, q->n++);
}

static void heap_remove(orr_sv_queue *q, uint32_t place)
{
    q->n--;
    if (place == q->n)
        return;
    memcpy(req_at(q, place), req_at(q, q->n), q->stride);
    q->keys[place] = q->keys[q->n];
    heap_up(q, place);
    heap_down(q, place);
}

/* Sorted, a heap is a heap still: who looks at the i-th pays once a change. */
static void heap_sort(orr_sv_queue *q)
{
    const uint32_t n = q->n;
    if (q->sorted == q->changes)
        return;
    for (; q->n > 1; heap_down(q, 0)) { /* greatest ends up in front … */
        q->n--;
        swap(q, 0, q->n);
    }
    q->n = n;
    for (uint32_t i = 0; i < n / 2; i++) /* … and is turned round */
        swap(q, i, n - 1 - i);
    q->sorted = q->changes;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

void orr_sv_push(orr_sv_queue *q, const uint8_t *record, double key)
{
    q->changes++;
    if (q->keyed) {
        heap_push(q, record, key);
        return;
    }
    if (q->n == q->cap)
        grow_ring(q);
    memcpy(req_at(q, ring_place(q, q->n++)), record, q->stride);
}

void orr_sv_push_front(orr_sv_queue *q, const uint8_t *record, double key)
{
    if (q->keyed) {
        orr_sv_push(q, record, key);
        return;
    }
    q->changes++;
    if (q->n == q->cap)
        grow_ring(q);
    q->head = (q->head + q->cap - 1) & (q->cap - 1);
    q->n++;
    memcpy(req_at(q, q->head), record, q->stride);
}

void orr_sv_pop(orr_sv_queue *q, uint8_t *out)
{
    q->changes++;
    if (out)
        memcpy(out, req_at(q, q->keyed ? 0 : q->head), q->stride);
    q->emptied += q->n == 1;
    if (q->keyed) {
        heap_remove(q, 0);
        return;
    }
    q->head = ring_place(q, 1);
    q->n--;
}

uint8_t *orr_sv_nth(orr_sv_queue *q, uint32_t i)
{
    if (i >= q->n)
        return NULL;
    if (!q->keyed)
        return (uint8_t *)req_at(q, ring_place(q, i));
    if (i > 0)
        heap_sort(q);
    return (uint8_t *)req_at(q, i);
}

void orr_sv_remove(orr_sv_queue *q, uint32_t i)
{
    q->emptied += q->n == 1;
    if (q->keyed) {
        heap_sort(q);
        q->changes++;
        heap_remove(q, i);
        return;
    }
    q->changes++;
    ring_remove(q, i);
}

void orr_sv_queue_fini(orr_sv_queue *q)
{
    free(q->at);
    free(q->keys);
    *q = (orr_sv_queue){0};
}
