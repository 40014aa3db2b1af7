/* Breeding deals: populations and their generations.
 *
 * A deal is kept as one list of parts, rows one behind the other, with where each row begins: making a child is a pass
 * over its parents' lists, and nothing is shared or counted. Twice the population is kept: parents, and children until
 * it is known who survives.
 */
#include "solve/evolve.h"

#include "base/assert.h"

#include <math.h>

/* Duplicates among the children of a generation are bred anew, so often; where so many times on end nothing but
 * duplicates comes, there is hardly anything else: few rows with few units. */
enum { ROUNDS = 100, BARREN = 3 };

struct orr_evolve {
    uint64_t seed;
    orr_breeder breeder;
    orr_bred *bred;        /* [2 population]: parents and children */
    int32_t population, n; /* n: parents there are */
    int32_t rows;          /* of parents */
    size_t start_room, part_room; /* of each of `bred` */
    uint32_t *slots;       /* of hashes; number + 1 of who has it, 0: nobody */
    size_t slots_room;
    uint32_t *order, *chosen; /* scratch */
    double (*score)[2];
    double *crowding;
    orr_bred *kept;
    int64_t count;
    orr_deal best;
};

orr_evolve *orr_evolve_create(uint64_t seed)
{
    orr_evolve *e = orr_xcalloc(1, sizeof *e);
    e->seed = seed;
    return e;
}

static void free_bred(orr_evolve *e)
{
    for (int32_t i = 0; e->bred && i < 2 * e->population; i++) {
        free(e->bred[i].start);
        free(e->bred[i].parts);
    }
    free(e->bred);
    free(e->slots);
    free(e->order);
    free(e->chosen);
    free(e->score);
    free(e->crowding);
    free(e->kept);
}

void orr_evolve_destroy(orr_evolve *e)
{
    if (!e)
        return;
    free_bred(e);
    orr_breeder_fini(&e->breeder);
    free(e);
}

int64_t orr_evolve_bred(const orr_evolve *e)
{
    return e->count;
}

orr_evolve_rules orr_evolve_usual(void)
{
    return (orr_evolve_rules){.population = 100, .generations = 100, .cross = 0.9, .reset = 0.1, .thin = 0.1, .drop = 0.1,
                              .deal = {.most_columns = 16, .apart = true}};
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static void new_population(orr_evolve *e, int32_t population)
{
    free_bred(e);
    size_t all = 2 * (size_t)population;
    e->population = population;
    e->n = 0;
    e->start_room = e->part_room = 0;
    e->bred = orr_xcalloc(all, sizeof *e->bred);
    for (e->slots_room = 16; e->slots_room < 4 * all;)
        e->slots_room *= 2;
    e->slots = orr_xcalloc(e->slots_room, sizeof *e->slots);
    e->order = orr_xcalloc(2 * all + 4, sizeof *e->order);
    e->chosen = orr_xcalloc(all, sizeof *e->chosen);
    e->score = orr_xcalloc(all, sizeof *e->score);
    e->crowding = orr_xcalloc(all, sizeof *e->crowding);
    e->kept = orr_xcalloc(all, sizeof *e->kept);
}

/* What parents hold stays. */
static void make_room(orr_evolve *e, const orr_deal_rules *d)
{
    size_t starts = (size_t)d->rows + 1, parts = (size_t)d->columns + 1;
    for (int32_t c = 0; c < d->columns; c++)
        parts += (size_t)d->capacity[c];
    bool more_starts = starts > e->start_room, more_parts = parts > e->part_room;
    for (int32_t i = 0; i < 2 * e->population; i++) {
        if (more_starts)
            e->bred[i].start = orr_xrealloc(e->bred[i].start, starts, sizeof(uint32_t));
        if (more_parts)
            e->bred[i].parts = orr_xrealloc(e->bred[i].parts, parts, sizeof(orr_deal_part));
    }
    e->start_room = more_starts ? starts : e->start_room;
    e->part_room = more_parts ? parts : e->part_room;
}

/* ---- duplicates -------------------------------------------------------------------------------------------------- */

static bool same(const orr_bred *a, const orr_bred *b, int32_t rows)
{
    size_t n = a->start[rows];
    return a->hash == b->hash && n == b->start[rows] &&
           memcmp(a->start, b->start, ((size_t)rows + 1) * sizeof *a->start) == 0 &&
           (n == 0 || memcmp(a->parts, b->parts, n * sizeof *a->parts) == 0);
}

/* Enters this one among the others; false: one like it is there. */
static bool enter(orr_evolve *e, int32_t number)
{
    size_t mask = e->slots_room - 1, at = (size_t)(e->bred[number].hash >> 20) & mask;
    for (; e->slots[at]; at = (at + 1) & mask)
        if (same(&e->bred[e->slots[at] - 1], &e->bred[number], e->rows))
            return false;
    e->slots[at] = (uint32_t)number + 1;
    return true;
}

static void enter_parents(orr_evolve *e)
{
    memset(e->slots, 0, e->slots_room * sizeof *e->slots);
    for (int32_t i = 0; i < e->n; i++)
        enter(e, i);
}

/* ---- the first generation ---------------------------------------------------------------------------------------- */

static orr_deal deal_of(const orr_evolve *e, int32_t number)
{
    return (orr_deal){e->rows, e->bred[number].start, e->bred[number].parts};
}

static void judge(orr_evolve *e, const orr_evolve_rules *rules, int32_t number)
{
    orr_deal deal = deal_of(e, number);
    rules->score(rules->self, &deal, e->bred[number].score);
    ORR_ASSERT(isfinite(e->bred[number].score[0]) && isfinite(e->bred[number].score[1]), "score of a deal");
}

static void swap(orr_bred *a, orr_bred *b)
{
    orr_bred c = *a;
    *a = *b;
    *b = c;
}

/* Repairs `raw`, whose row of row i is from[i], into `number`. Parts of columns that are no more are left out. */
static void adopt(orr_evolve *e, const orr_deal *raw, const int32_t *from, int32_t number)
{
    orr_breeder *b = &e->breeder;
    const orr_deal_rules *d = &b->rules->deal;
    orr_repair_begin(b, e->bred[number].start, e->bred[number].parts);
    for (int32_t i = 0; i < d->rows; i++) {
        int32_t row = d->pinned && d->pinned[i] ? -1 : from ? from[i] : i;
        const orr_deal *source = d->pinned && d->pinned[i] ? &b->present : raw;
        row = source == raw ? row : i;
        b->row.n = 0;
        for (uint32_t k = row < 0 ? 0 : source->start[row]; row >= 0 && k < source->start[row + 1]; k++)
            if (source->parts[k].column < d->columns)
                b->row.at[b->row.n++] = source->parts[k];
        orr_repair_row(b, i, b->row.at, (uint32_t)b->row.n);
    }
    e->bred[number].hash = b->hash;
}

/* Parents of the last call with the rows that are left, without duplicates. */
static void carry_over(orr_evolve *e, const int32_t *from, int32_t rows)
{
    int32_t before = e->rows, n = e->n;
    e->n = 0;
    for (int32_t i = 0; i < n; i++) {
        orr_deal old = {before, e->bred[i].start, e->bred[i].parts};
        adopt(e, &old, from, e->population + i);
    }
    e->rows = rows;
    memset(e->slots, 0, e->slots_room * sizeof *e->slots);
    for (int32_t i = 0; i < n; i++) {
        swap(&e->bred[e->n], &e->bred[e->population + i]);
        e->n += enter(e, e->n);
    }
}

static void begin(orr_evolve *e, const orr_evolve_rules *rules, const orr_deal *present, const int32_t *from)
{
    if (e->population != rules->population)
        new_population(e, rules->population);
    make_room(e, &rules->deal);
    orr_breeder_init(&e->breeder, rules, present);
    e->breeder.random = e->seed;
    if (from && e->n) {
        carry_over(e, from, rules->deal.rows);
    } else {
        e->rows = rules->deal.rows;
        adopt(e, present, NULL, 0);
        e->n = 1;
    }
    for (int32_t i = 0; i < e->n; i++) {
        judge(e, rules, i);
        e->bred[i].crowding = INFINITY;
    }
}

/* ---- generations ------------------------------------------------------------------------------------------------- */

static bool dominates(const orr_bred *a, const orr_bred *b)
{
    return a->score[0] >= b->score[0] && a->score[1] >= b->score[1] &&
           (a->score[0] > b->score[0] || a->score[1] > b->score[1]);
}

static uint32_t winner(orr_evolve *e, uint32_t x, uint32_t y)
{
    const orr_bred *a = &e->bred[x], *b = &e->bred[y];
    if (dominates(a, b))
        return x;
    if (dominates(b, a))
        return y;
    if (a->crowding != b->crowding)
        return a->crowding > b->crowding ? x : y;
    return orr_draw(&e->breeder.random) >> 63 ? x : y;
}

/* Numbers of parents in random order, as often over as need be: everyone is in as many tournaments. */
static void shuffle_parents(orr_evolve *e, size_t need)
{
    size_t n = (size_t)e->n;
    for (size_t done = 0; done < need; done += n)
        for (size_t i = 0; i < n; i++) {
            size_t j = orr_draw_below(&e->breeder.random, (uint32_t)i + 1);
            e->order[done + i] = e->order[done + j];
            e->order[done + j] = (uint32_t)i;
        }
}

/* Breeds one child into `number`, and keeps it if there is none like it. */
static bool try_child(orr_evolve *e, uint32_t a, uint32_t b, int32_t cut, int32_t number)
{
    orr_breed(&e->breeder, &e->bred[a], &e->bred[b], cut, &e->bred[number]);
    e->count++;
    if (!enter(e, number))
        return false;
    judge(e, e->breeder.rules, number);
    return true;
}

/* Two children of each pair until `need` were bred; duplicates are dropped. Returns how many are left. */
static int32_t mate(orr_evolve *e, const orr_evolve_rules *rules, int32_t first, int32_t need)
{
    int32_t kept = 0;
    shuffle_parents(e, 4 * (((size_t)need + 1) / 2));
    for (int32_t i = 0; i < need; i += 2) {
        const uint32_t *four = e->order + 2 * i;
        uint32_t a = winner(e, four[0], four[1]), b = winner(e, four[2], four[3]);
        int32_t cut = (int32_t)orr_draw_below(&e->breeder.random, (uint32_t)rules->deal.rows);
        if (!orr_draw_odds(&e->breeder.random, rules->cross))
            cut = 0;
        else if (rules->crossing == ORR_CROSS_UNIFORM)
            cut = -1;
        kept += try_child(e, b, a, cut, first + kept);
        if (i + 1 < need)
            kept += try_child(e, a, b, cut, first + kept);
    }
    return kept;
}

static int32_t breed_children(orr_evolve *e, const orr_evolve_rules *rules)
{
    int32_t kept = 0, barren = 0;
    enter_parents(e);
    for (int32_t round = 0; round <= ROUNDS && barren < BARREN && kept < rules->population; round++) {
        int32_t more = mate(e, rules, e->population + kept, rules->population - kept);
        barren = more ? 0 : barren + 1;
        kept += more;
    }
    return kept;
}

static void survive(orr_evolve *e, int32_t children)
{
    size_t n = 0;
    for (int32_t i = 0; i < children; i++) /* children follow their parents */
        swap(&e->bred[e->n + i], &e->bred[e->population + i]);
    for (int32_t i = 0; i < e->n + children; i++, n++)
        memcpy(e->score[i], e->bred[i].score, sizeof e->score[i]);
    size_t kept = orr_survivors((const double(*)[2])e->score, n, (size_t)e->population, &e->breeder.random, e->chosen, e->crowding);
    for (size_t i = 0; i < n; i++)
        e->bred[i].crowding = e->crowding[i];
    for (size_t i = 0; i < kept; i++) {
        e->kept[i] = e->bred[e->chosen[i]];
        e->bred[e->chosen[i]].start = NULL;
    }
    for (size_t i = 0, to = kept; i < n; i++)
        if (e->bred[i].start)
            e->kept[to++] = e->bred[i];
    memcpy(e->bred, e->kept, n * sizeof *e->bred);
    e->n = (int32_t)kept;
}

/* Nobody with a greater first score, and if equal second, is in the population. */
static int32_t best_of(const orr_evolve *e)
{
    int32_t best = 0;
    for (int32_t i = 1; i < e->n; i++) {
        const double *a = e->bred[i].score, *b = e->bred[best].score;
        if (a[0] > b[0] || (a[0] == b[0] && a[1] > b[1]))
            best = i;
    }
    return best;
}

const orr_deal *orr_evolve_run(orr_evolve *e, const orr_evolve_rules *rules, const orr_deal *present, const int32_t *from,
                               double score[2])
{
    ORR_ASSERT(rules->population > 0 && rules->deal.columns <= UINT16_MAX && present->rows == rules->deal.rows, "rules of a deal");
    e->count = 0;
    begin(e, rules, present, from);
    for (int32_t i = 1; i < rules->generations && rules->deal.rows > 0; i++) {
        int32_t children = breed_children(e, rules);
        if (children == 0)
            break;
        survive(e, children);
    }
    e->seed = e->breeder.random;
    int32_t best = best_of(e);
    memcpy(score, e->bred[best].score, sizeof e->bred[best].score);
    e->best = deal_of(e, best);
    return &e->best;
}
