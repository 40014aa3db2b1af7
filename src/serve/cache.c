/* Result caches: a table of what is kept and of what is being worked out, and an order in which what is kept goes. */
#include "serve/cache.h"

#include <math.h>

typedef struct entry {
    uint64_t input, hits, seq;
    orr_variant_id variant;
    bool kept;       /* else it is being worked out */
    bool referenced; /* CLOCK */
    int8_t correct;  /* of what is kept */
    double score;
    int32_t heap_place;
    struct entry *newer, *older; /* of those that are kept */
    ORR_VEC(uint8_t) waiters;    /* records that wait for it */
} entry;

struct orr_sv_cache {
    int64_t room, kept; /* items */
    entry **table;      /* open addressing; NULL: nothing there */
    size_t mask, used;
    entry *newest, *oldest, *free; /* free ones by `older` */
    uint64_t seq;
    orr_heap heap; /* by score */
    orr_arena arena;
};

/* ---- where an entry is ------------------------------------------------------------------------------------------- */

static size_t home(const struct orr_sv_cache *c, orr_variant_id variant, uint64_t input)
{
    return (size_t)orr_mix64(input ^ (uint64_t)(uint32_t)variant << 40) & c->mask;
}

static size_t slot_of(const struct orr_sv_cache *c, orr_variant_id variant, uint64_t input)
{
    size_t i = home(c, variant, input);
    while (c->table[i] && (c->table[i]->input != input || c->table[i]->variant != variant))
        i = (i + 1) & c->mask;
    return i;
}

static void grow(struct orr_sv_cache *c)
{
    entry **old = c->table;
    const size_t n = c->mask + 1;
    c->mask = 2 * n - 1;
    c->table = orr_xcalloc(2 * n, sizeof *c->table);
    for (size_t i = 0; i < n; i++)
        if (old[i])
            c->table[slot_of(c, old[i]->variant, old[i]->input)] = old[i];
    free(old);
}

static entry *insert(struct orr_sv_cache *c, orr_variant_id variant, uint64_t input)
{
    entry *x = c->free;
    if (x)
        c->free = x->older;
    else
        x = orr_arena_alloc(&c->arena, sizeof *x);
    uint8_t *at = x->waiters.at;
    const size_t cap = x->waiters.cap;
    *x = (entry){.input = input, .variant = variant, .seq = c->seq++};
    x->waiters.at = at;
    x->waiters.cap = cap;
    if (2 * ++c->used > c->mask)
        grow(c);
    c->table[slot_of(c, variant, input)] = x;
    return x;
}

/* Those behind it that would not be found any more move up. */
static void erase(struct orr_sv_cache *c, entry *x)
{
    size_t hole = slot_of(c, x->variant, x->input);
    for (size_t i = (hole + 1) & c->mask; c->table[i]; i = (i + 1) & c->mask) {
        const size_t at = home(c, c->table[i]->variant, c->table[i]->input);
        if (((i - at) & c->mask) < ((i - hole) & c->mask))
            continue;
        c->table[hole] = c->table[i];
        hole = i;
    }
    c->table[hole] = NULL;
    c->used--;
    x->older = c->free;
    c->free = x;
}

/* ---- who goes ---------------------------------------------------------------------------------------------------- */

static void unlink_entry(struct orr_sv_cache *c, entry *x)
{
    *(x->newer ? &x->newer->older : &c->newest) = x->older;
    *(x->older ? &x->older->newer : &c->oldest) = x->newer;
}

static void link_newest(struct orr_sv_cache *c, entry *x)
{
    x->newer = NULL;
    x->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = x;
    c->newest = x;
}

static bool before(void *self, const void *a, const void *b)
{
    const entry *x = a, *y = b;
    (void)self;
    return x->score != y->score ? x->score < y->score : x->seq < y->seq;
}

static int32_t *heap_place(void *self, void *item)
{
    (void)self;
    return &((entry *)item)->heap_place;
}

static orr_item item_of(const orr_serving *s, const orr_sv_service *v, const entry *x)
{
    const orr_variant *spec = s->variants.at[x->variant].spec;
    const double seconds = spec->profile_count ? orr_exec_seconds(&spec->profiles[0], 1) : 0;
    return (orr_item){.service = v->id,
                      .variant = x->variant,
                      .input = x->input,
                      .bytes = v->spec->cache.item_bytes,
                      .saves = isnan(seconds) ? 0 : seconds};
}

static bool scored(const orr_serving *s)
{
    return s->cache && s->cache->score;
}

/* Asks the module; a number that is none counts as least. */
static double score_of(orr_serving *s, const orr_sv_service *v, const entry *x)
{
    const orr_item item = item_of(s, v, x);
    const double score = s->cache->score(s->seats[ORR_SEAT_CACHE], &item, x->hits);
    return isnan(score) ? -INFINITY : score;
}

static entry *victim(const orr_serving *s, struct orr_sv_cache *c)
{
    if (scored(s))
        return c->heap.at[0];
    while (c->oldest->referenced) { /* each has its second chance once */
        entry *x = c->oldest;
        x->referenced = false;
        unlink_entry(c, x);
        link_newest(c, x);
    }
    return c->oldest;
}

static void evict(orr_serving *s, const orr_sv_service *v)
{
    struct orr_sv_cache *c = v->cache;
    entry *x = victim(s, c);
    const orr_item item = item_of(s, v, x);
    if (s->cache && s->cache->on_evict)
        s->cache->on_evict(s->seats[ORR_SEAT_CACHE], &item, x->score);
    unlink_entry(c, x);
    orr_heap_remove(&c->heap, x);
    c->kept--;
    erase(c, x);
}

static void touch(orr_serving *s, const orr_sv_service *v, entry *x)
{
    x->hits++;
    if (scored(s)) {
        x->score = score_of(s, v, x);
        orr_heap_moved(&v->cache->heap, x);
    } else if (s->cache && (s->cache->flags & ORR_CACHE_CLOCK)) {
        x->referenced = true;
    } else {
        unlink_entry(v->cache, x);
        link_newest(v->cache, x);
    }
}

/* It is known now, and kept if the module admits it. */
static void keep(orr_serving *s, const orr_sv_service *v, entry *x)
{
    struct orr_sv_cache *c = v->cache;
    const orr_item item = item_of(s, v, x);
    if (!c->room || (s->cache && s->cache->admit && !s->cache->admit(s->seats[ORR_SEAT_CACHE], &item))) {
        erase(c, x);
        return;
    }
    while (c->kept >= c->room)
        evict(s, v);
    x->kept = true;
    c->kept++;
    link_newest(c, x);
    if (!scored(s))
        return;
    x->score = score_of(s, v, x);
    orr_heap_add(s->seats[ORR_SEAT_CACHE], &c->heap, x);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static uint64_t input_of(const orr_sv_service *v, const uint8_t *record)
{
    return *(const uint64_t *)(const void *)(record + v->input_at);
}

static void hit(orr_serving *s, orr_sv_service *v, entry *x, const uint8_t *record)
{
    const orr_sv_answer a = {.variant = x->variant,
                             .exec = -1,
                             .start = s->now,
                             .accuracy = s->variants.at[x->variant].spec->accuracy,
                             .correct = x->correct};
    if (((const orr_req *)(const void *)record)->arrival >= s->spec->warm_up)
        v->counts.hits++;
    touch(s, v, x);
    if (v->spec->cache.hit > 0)
        orr_serving_send(s, v, record, &a, v->spec->cache.hit);
    else
        orr_serving_answered(s, v, record, &a);
}

static void join(orr_serving *s, orr_sv_service *v, entry *x, const uint8_t *record)
{
    const size_t n = x->waiters.n;
    ORR_VEC_RESERVE(&x->waiters, n + v->stride);
    memcpy(x->waiters.at + n, record, v->stride);
    x->waiters.n = n + v->stride;
    if (((const orr_req *)(const void *)record)->arrival >= s->spec->warm_up)
        v->counts.joined++;
}

bool orr_serving_cache_ask(orr_serving *s, orr_sv_service *v, uint8_t *record, orr_variant_id variant)
{
    struct orr_sv_cache *c = v->cache;
    const uint64_t input = input_of(v, record);
    entry *x = c->table[slot_of(c, variant, input)];
    if (!x) {
        x = insert(c, variant, input);
        memcpy(record + v->miss_at, &x, sizeof x);
        return false;
    }
    if (x->kept)
        hit(s, v, x, record);
    else
        join(s, v, x, record);
    return true;
}

/* ---- what becomes of a miss -------------------------------------------------------------------------------------- */

/* Takes those who wait for it away; the caller frees them. */
static uint8_t *waiters_of(entry *x, size_t *n)
{
    uint8_t *at = x->waiters.at;
    *n = x->waiters.n;
    x->waiters.at = NULL;
    x->waiters.n = x->waiters.cap = 0;
    return at;
}

static entry *missed(const orr_sv_service *v, const uint8_t *record)
{
    entry *x;
    memcpy(&x, record + v->miss_at, sizeof x);
    return x;
}

void orr_serving_cache_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer)
{
    entry *x = missed(v, record);
    size_t n;
    if (!x)
        return;
    uint8_t *at = waiters_of(x, &n);
    x->correct = answer->correct;
    keep(s, v, x);
    for (size_t i = 0; i < n; i += v->stride) {
        orr_sv_answer a = *answer;
        const orr_time arrival = ((const orr_req *)(const void *)(at + i))->arrival;
        a.start = a.start > arrival ? a.start : arrival;
        orr_serving_answered(s, v, at + i, &a);
    }
    free(at);
}

void orr_serving_cache_dropped(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at_)
{
    entry *x = missed(v, record);
    size_t n;
    if (!x)
        return;
    uint8_t *at = waiters_of(x, &n);
    erase(v->cache, x);
    for (size_t i = 0; i < n; i += v->stride) {
        const orr_time arrival = ((const orr_req *)(const void *)(at + i))->arrival;
        orr_serving_drop_at(s, v, at + i, why, at_ > arrival ? at_ : arrival);
    }
    free(at);
}

/* ---- made and gone ----------------------------------------------------------------------------------------------- */

struct orr_sv_cache *orr_serving_cache_create(const orr_service *spec)
{
    const orr_result_cache *of = &spec->cache;
    if (of->items <= 0)
        return NULL;
    struct orr_sv_cache *c = orr_xcalloc(1, sizeof *c);
    const int64_t fit = of->bytes > 0 && of->item_bytes > 0 ? of->bytes / of->item_bytes : of->items;
    c->room = fit < of->items ? fit : of->items;
    c->mask = 63;
    c->table = orr_xcalloc(c->mask + 1, sizeof *c->table);
    c->heap = (orr_heap){.before = before, .place = heap_place};
    return c;
}

void orr_serving_cache_destroy(struct orr_sv_cache *c)
{
    if (!c)
        return;
    for (size_t i = 0; i <= c->mask; i++)
        if (c->table[i])
            ORR_VEC_FREE(&c->table[i]->waiters);
    for (entry *x = c->free; x; x = x->older)
        ORR_VEC_FREE(&x->waiters);
    free(c->table);
    orr_arena_fini(&c->arena);
    free(c);
}
