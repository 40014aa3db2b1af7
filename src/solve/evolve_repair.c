/* Repairing a deal, row after row: each goes straight to its final place.
 *
 * That earlier rows are finished before later ones are looked at is the same as the rules one after the other over the
 * whole matrix: which rows keep apart follows from the rows as they come, and whatever one row loses another gets only
 * by the last two.
 */
#include "solve/evolve.h"

#include "base/assert.h"
#include "base/rng.h"

void orr_repair_begin(orr_breeder *b, uint32_t *start, orr_deal_part *parts)
{
    const orr_deal_rules *d = &b->rules->deal;
    memcpy(b->left, d->capacity, (size_t)d->columns * sizeof *b->left);
    memset(b->claimed, 0, (size_t)d->columns * sizeof *b->claimed);
    b->out_start = start;
    b->out = parts;
    b->n = start[0] = 0;
    b->hash = 0;
}

static void swap(orr_deal_part *a, orr_deal_part *b)
{
    orr_deal_part c = *a;
    *a = *b;
    *b = c;
}

static void in_order(orr_deal_part *part, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0 && part[j - 1].column > part[j].column; j--)
            swap(&part[j - 1], &part[j]);
}

/* Cuts the row behind `most` units and `columns` columns, in random order. Returns how many parts are left. */
static uint32_t cut(uint64_t *random, orr_deal_part *part, uint32_t n, int32_t most, int32_t columns)
{
    uint32_t kept = 0;
    for (; kept < n && most > 0 && (columns == 0 || (int32_t)kept < columns); kept++) {
        swap(&part[kept], &part[kept + orr_draw_below(random, n - kept)]);
        if (part[kept].count > most)
            part[kept].count = (uint16_t)most;
        most -= part[kept].count;
    }
    in_order(part, kept);
    return kept;
}

/* What earlier rows leave of it, moved to the front. Returns how many parts are left, and units in all. */
static uint32_t fit(orr_breeder *b, orr_deal_part *part, uint32_t n, int32_t *units)
{
    uint32_t kept = 0;
    *units = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t *left = &b->left[part[i].column], count = part[i].count < *left ? part[i].count : *left;
        if (count <= 0)
            continue;
        *left -= count;
        *units += count;
        part[kept++] = (orr_deal_part){part[i].column, (uint16_t)count};
    }
    return kept;
}

static uint32_t give_back(orr_breeder *b, const orr_deal_part *part, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        b->left[part[i].column] += part[i].count;
    return 0;
}

/* Where to get more: of its own columns, or of others, the one with the most left; -1: none. */
static int32_t source(const orr_breeder *b, int32_t row, const orr_deal_part *part, uint32_t n, bool own)
{
    const orr_deal_rules *d = &b->rules->deal;
    int32_t best = -1;
    uint32_t at = 0;
    for (int32_t c = 0; c < d->columns; c++) {
        bool has = at < n && part[at].column == c;
        at += has;
        if (has != own || b->left[c] <= 0 || (best >= 0 && b->left[c] <= b->left[best]))
            continue;
        if (own || ((!d->apart || !b->claimed[c]) && (!d->may || d->may(d->self, row, c))))
            best = c;
    }
    return best;
}

static uint32_t add(orr_deal_part *part, uint32_t n, int32_t column, int32_t count)
{
    uint32_t i = 0;
    while (i < n && part[i].column < column)
        i++;
    if (i < n && part[i].column == column) {
        part[i].count = (uint16_t)(part[i].count + count);
        return n;
    }
    memmove(part + i + 1, part + i, (n - i) * sizeof *part);
    part[i] = (orr_deal_part){(uint16_t)column, (uint16_t)count};
    return n + 1;
}

/* A row that on one column shared it with rows that keep apart can't go to a second one. */
static bool may_spread(const orr_breeder *b, const orr_deal_part *part, uint32_t n)
{
    const orr_deal_rules *d = &b->rules->deal;
    if (d->most_columns > 0 && (int32_t)n >= d->most_columns)
        return false;
    return !d->apart || n != 1 || !b->claimed[part[0].column];
}

static uint32_t top_up(orr_breeder *b, int32_t row, orr_deal_part *part, uint32_t n, int32_t missing)
{
    while (missing > 0) {
        int32_t from = source(b, row, part, n, true);
        if (from < 0 && may_spread(b, part, n))
            from = source(b, row, part, n, false);
        if (from < 0)
            return give_back(b, part, n);
        int32_t count = missing < b->left[from] ? missing : b->left[from];
        n = add(part, n, from, count);
        b->left[from] -= count;
        missing -= count;
    }
    return n;
}

static void claim(orr_breeder *b, const orr_deal_part *part, uint32_t n)
{
    if (b->rules->deal.apart && n > 1)
        for (uint32_t i = 0; i < n; i++)
            b->claimed[part[i].column] = true;
}

/* Rows that are apart lose what another has claimed, and claim the rest. */
static uint32_t take(orr_breeder *b, const orr_deal_part *part, uint32_t n, bool apart, orr_deal_part *to, int32_t *units)
{
    uint32_t kept = 0;
    *units = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (apart && b->claimed[part[i].column])
            continue;
        b->claimed[part[i].column] |= apart;
        *units += part[i].count;
        to[kept++] = part[i];
    }
    return kept;
}

/* A few multiplications by an odd number mix well enough: equal hashes are compared. */
static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ (hash >> 29);
}

/* Most rows: one part, of which nothing is cut but what others have. False: it isn't so simple. */
static bool repair_one(orr_breeder *b, int32_t row, orr_deal_part part)
{
    const orr_deal_rules *d = &b->rules->deal;
    int32_t *left = &b->left[part.column], count = part.count < d->most[row] ? part.count : d->most[row];
    count = count < *left ? count : *left;
    if (count <= 0 || (d->least && count < d->least[row]))
        return false;
    *left -= count;
    b->out[b->n++] = (orr_deal_part){part.column, (uint16_t)count};
    b->hash = mixed(b->hash, (uint64_t)row << 32 | (uint64_t)part.column << 16 | (uint64_t)count);
    b->out_start[row + 1] = b->n;
    return true;
}

void orr_repair_row(orr_breeder *b, int32_t row, const orr_deal_part *part, uint32_t n)
{
    if (n == 1 && repair_one(b, row, part[0]))
        return;
    const orr_deal_rules *d = &b->rules->deal;
    orr_deal_part *to = b->out + b->n;
    bool pinned = d->pinned && d->pinned[row];
    int32_t units = 0;
    n = take(b, part, n, d->apart && n > 1 && !pinned, to, &units);
    if (units > d->most[row] || (d->most_columns > 0 && (int32_t)n > d->most_columns))
        n = cut(&b->random, to, n, d->most[row], d->most_columns);
    n = fit(b, to, n, &units);
    if (n && d->least && units < d->least[row] && !pinned) {
        n = top_up(b, row, to, n, d->least[row] - units);
        claim(b, to, n);
    }
    for (uint32_t i = 0; i < n; i++)
        b->hash = mixed(b->hash, (uint64_t)row << 32 | (uint64_t)to[i].column << 16 | to[i].count);
    b->n += n;
    b->out_start[row + 1] = b->n;
}

void orr_deal_repair(const orr_deal_rules *rules, const orr_deal *raw, uint64_t seed, uint32_t *start, orr_deal_part *parts)
{
    ORR_ASSERT(raw->rows == rules->rows, "rows of a deal");
    orr_evolve_rules all = {.deal = *rules};
    orr_breeder b = {.random = seed};
    orr_breeder_init(&b, &all, raw);
    orr_repair_begin(&b, start, parts);
    for (int32_t i = 0; i < raw->rows; i++)
        orr_repair_row(&b, i, raw->parts + raw->start[i], raw->start[i + 1] - raw->start[i]);
    orr_breeder_fini(&b);
}

bool orr_deal_same_row(const orr_deal *a, const orr_deal *b, int32_t row)
{
    uint32_t n = a->start[row + 1] - a->start[row];
    if (n != b->start[row + 1] - b->start[row])
        return false;
    return n == 0 || memcmp(a->parts + a->start[row], b->parts + b->start[row], n * sizeof *a->parts) == 0;
}

int32_t orr_deal_units(const orr_deal *deal, int32_t row)
{
    int32_t units = 0;
    for (uint32_t i = deal->start[row]; i < deal->start[row + 1]; i++)
        units += deal->parts[i].count;
    return units;
}
