/* Children: rows of two parents, mutated, repaired.
 *
 * Elements that are zero mutate, too, and there are many: which of them are chosen is drawn as gaps between chosen
 * ones, whose lengths are geometric, so that the work is in proportion to those chosen.
 */
#include "solve/evolve.h"

#include <math.h>

void orr_breeder_init(orr_breeder *b, const orr_evolve_rules *rules, const orr_deal *present)
{
    size_t columns = (size_t)rules->deal.columns, rows = (size_t)rules->deal.rows;
    b->rules = rules;
    b->present = *present;
    b->start = orr_xrealloc(b->start, rows + 1, sizeof *b->start);
    b->used = orr_xrealloc(b->used, columns + 1, sizeof *b->used);
    b->holders = orr_xrealloc(b->holders, columns + 1, sizeof *b->holders);
    b->open = orr_xrealloc(b->open, columns + 1, sizeof *b->open);
    b->chance = orr_xrealloc(b->chance, columns + 1, sizeof *b->chance);
    b->left = orr_xrealloc(b->left, columns + 1, sizeof *b->left);
    b->claimed = orr_xrealloc(b->claimed, columns + 1, sizeof *b->claimed);
    ORR_VEC_RESERVE(&b->row, columns + 1);
    b->special = orr_xrealloc(b->special, rows + 1, sizeof *b->special);
    b->even = rows > 1 ? 1 / log1p(-1.0 / (double)rows) : 0;
}

void orr_breeder_fini(orr_breeder *b)
{
    free(b->start);
    free(b->special);
    free(b->used);
    free(b->holders);
    free(b->open);
    free(b->chance);
    free(b->left);
    free(b->claimed);
    ORR_VEC_FREE(&b->parts);
    ORR_VEC_FREE(&b->row);
}

static bool is_pinned(const orr_breeder *b, int32_t row)
{
    return b->rules->deal.pinned && b->rules->deal.pinned[row];
}

/* ---- rows of the parents --------------------------------------------------------------------------------------- */

static void copy_rows(orr_breeder *b, const uint32_t *start, const orr_deal_part *parts, int32_t from, int32_t to)
{
    uint32_t first = start[from], n = start[to] - first, at = (uint32_t)b->parts.n;
    if (from >= to)
        return;
    for (int32_t j = from; j < to; j++)
        b->start[j] = start[j] - first + at;
    ORR_VEC_RESERVE(&b->parts, at + n);
    if (n)
        memcpy(b->parts.at + at, parts + first, n * sizeof *parts);
    b->parts.n += n;
}

/* Rows of two parents, with `cut` between them. */
static void copy_crossed(orr_breeder *b, const orr_bred *first, const orr_bred *second, int32_t cut, int32_t from, int32_t to)
{
    if (cut >= 0) {
        copy_rows(b, first->start, first->parts, from, to < cut ? to : cut);
        copy_rows(b, second->start, second->parts, from > cut ? from : cut, to);
        return;
    }
    for (int32_t j = from; j < to; j++) {
        const orr_bred *parent = orr_draw(&b->random) >> 63 ? first : second;
        copy_rows(b, parent->start, parent->parts, j, j + 1);
    }
}

/* Drops some of the parts of the row that was copied last. */
static void thin_row(orr_breeder *b, int32_t row)
{
    size_t kept = b->start[row];
    for (size_t i = kept; i < b->parts.n; i++)
        if (!orr_draw_odds(&b->random, b->rules->drop))
            b->parts.at[kept++] = b->parts.at[i];
    b->parts.n = kept;
}

/* Odds as a bound on 32 random bits. */
static uint64_t bound(double odds)
{
    return (uint64_t)(odds * 0x1p32);
}

/* The rows that are reset or thinned out, in order: bit 1 and bit 0 of what is beside the row's number. Returns how
 * many. */
static int32_t choose_rows(orr_breeder *b)
{
    const orr_evolve_rules *rules = b->rules;
    uint64_t reset = bound(rules->reset), thin = bound(rules->thin);
    int32_t n = 0;
    for (int32_t j = 0; j < rules->deal.rows; j++) {
        uint64_t bits = orr_draw(&b->random);
        uint32_t how = (uint32_t)((bits & UINT32_MAX) < reset) << 1 | (uint32_t)(bits >> 32 < thin);
        how = is_pinned(b, j) ? 2 : how;
        b->special[n] = (uint64_t)j << 2 | how;
        n += how != 0; /* without a branch: it would be guessed wrong */
    }
    return n;
}

static void mix(orr_breeder *b, const orr_bred *first, const orr_bred *second, int32_t cut)
{
    size_t columns = (size_t)b->rules->deal.columns;
    int32_t specials = choose_rows(b), next = 0;
    b->parts.n = 0;
    for (int32_t i = 0; i < specials; i++) {
        int32_t row = (int32_t)(b->special[i] >> 2);
        copy_crossed(b, first, second, cut, next, row);
        next = row + 1;
        if (b->special[i] & 2)
            copy_rows(b, b->present.start, b->present.parts, row, next);
        else
            copy_crossed(b, first, second, cut, row, next);
        if (b->special[i] & 1)
            thin_row(b, row);
    }
    copy_crossed(b, first, second, cut, next, b->rules->deal.rows);
    b->start[b->rules->deal.rows] = (uint32_t)b->parts.n;
    memset(b->used, 0, columns * sizeof *b->used);
    memset(b->holders, 0, columns * sizeof *b->holders);
    for (size_t i = 0; i < b->parts.n; i++) {
        b->used[b->parts.at[i].column] += b->parts.at[i].count;
        b->holders[b->parts.at[i].column]++;
    }
}

/* ---- growth ------------------------------------------------------------------------------------------------------ */

/* On to the next chosen one of the elements (row, open column), counted row by row. */
static void skip(orr_breeder *b)
{
    double unit = (double)((orr_draw(&b->random) >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    double gap = b->rules->deal.rows > 1 ? log(unit) * b->even : 0;
    double at = (double)b->next_open + gap;
    if (at >= (double)b->opens * (double)(b->rules->deal.rows - b->next_row)) {
        b->next_row = INT32_MAX;
        return;
    }
    uint64_t whole = (uint64_t)at;
    if (whole >= (uint64_t)b->opens) {
        b->next_row += (int32_t)(whole / (uint64_t)b->opens);
        whole %= (uint64_t)b->opens;
    }
    b->next_open = (int32_t)whole;
}

static void find_open(orr_breeder *b)
{
    const orr_deal_rules *d = &b->rules->deal;
    double even = 1.0 / (double)d->rows;
    b->opens = 0;
    for (int32_t c = 0; c < d->columns; c++) {
        b->chance[c] = -1;
        if (b->used[c] >= d->capacity[c])
            continue;
        b->open[b->opens++] = (uint16_t)c;
        double share = b->holders[c] ? 1.0 / (double)b->holders[c] : 0;
        b->chance[c] = even + share - even * share;
    }
    b->next_row = b->opens ? 0 : INT32_MAX;
    b->next_open = 0;
    if (b->opens)
        skip(b);
}

static uint16_t grown(orr_breeder *b, int32_t column, int32_t count)
{
    int32_t most = b->rules->deal.capacity[column];
    return (uint16_t)(count < most ? count + (int32_t)orr_draw_below(&b->random, (uint32_t)(most - count) + 1) : count);
}

/* Appends the chosen elements of this row among the open columns before `column`, passing over that one: a part that
 * the row has is chosen by other odds. */
static void new_parts(orr_breeder *b, int32_t row, int32_t column)
{
    const orr_deal_rules *d = &b->rules->deal;
    while (b->next_row == row && b->open[b->next_open] <= column) {
        uint16_t at = b->open[b->next_open];
        uint16_t count = at == column ? 0 : grown(b, at, 0);
        if (count > 0 && (!d->may || d->may(d->self, row, at)))
            b->row.at[b->row.n++] = (orr_deal_part){at, count};
        b->next_open++; /* if that is the last one, the next row's first */
        skip(b);
    }
}

static void grow_row(orr_breeder *b, int32_t row, const orr_deal_part *part, uint32_t n)
{
    b->row.n = 0;
    if (b->next_row < row) { /* rows before it don't grow */
        b->next_row = row;
        b->next_open = 0;
        skip(b);
    }
    for (uint32_t i = 0; i < n; i++) {
        orr_deal_part grows = part[i];
        new_parts(b, row, grows.column);
        if (b->chance[grows.column] > 0 && orr_draw_odds(&b->random, b->chance[grows.column]))
            grows.count = grown(b, grows.column, grows.count);
        b->row.at[b->row.n++] = grows;
    }
    new_parts(b, row, UINT16_MAX);
}

void orr_breed(orr_breeder *b, const orr_bred *first, const orr_bred *second, int32_t cut, orr_bred *child)
{
    mix(b, first, second, cut);
    find_open(b);
    orr_repair_begin(b, child->start, child->parts);
    for (int32_t j = 0; j < b->rules->deal.rows; j++) {
        uint32_t n = b->start[j + 1] - b->start[j];
        const orr_deal_part *part = n ? b->parts.at + b->start[j] : NULL;
        if (b->opens && (n || b->next_row <= j) && !is_pinned(b, j)) {
            grow_row(b, j, part, n);
            part = b->row.at;
            n = (uint32_t)b->row.n;
        }
        if (n)
            orr_repair_row(b, j, part, n);
        else
            b->out_start[j + 1] = b->n;
    }
    child->hash = b->hash;
}
