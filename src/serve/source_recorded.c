/* Arrivals that were recorded: counts of bins, and lists of requests or bins.
 *
 * Requests of a bin are laid out one after the other in bounded memory. Uniform draws in ascending order: of k that
 * are left, the first lies beyond x with probability ((1 - y) / (1 - x))^k. Gaps of a law that are scaled into the
 * bin need their sum first: the bin's stream is run through twice.
 */
#include "serve/source_parts.h"

#include <math.h>

orr_time orr_pull_scaled(const orr_pull *p, orr_time t)
{
    const double speed = p->source->speed;
    return speed == 1 || !(speed > 0) ? t : orr_pull_time(0, floor((double)t / speed + 0.5));
}

/* ---- one bin ---- */

/* Gaps that don't vary are equal ones. */
static orr_bin_law law_of(const orr_source *s)
{
    return s->within == ORR_BIN_GAMMA && !(s->cv > 0) ? ORR_BIN_EVEN : s->within;
}

static void open_bin(orr_pull *p, orr_time start, orr_time width, uint64_t count)
{
    orr_pull_bin *b = &p->bin;
    *b = (orr_pull_bin){.start = orr_pull_scaled(p, start), .count = count};
    b->width = orr_pull_scaled(p, orr_time_add(start, width)) - b->start;
    uint64_t key = orr_draw_at(p->within, p->place);
    b->draws = orr_mix64(key);
    if (law_of(p->source) != ORR_BIN_GAMMA)
        return;
    double sum = 0;
    key = b->draws;
    for (uint64_t i = 0; i <= count; i++)
        sum += orr_draw_gamma(&key, p->source->cv);
    b->unit = sum > 0 ? 1 / sum : 0;
}

static double next_part(orr_pull *p)
{
    orr_pull_bin *b = &p->bin;
    const double left = (double)(b->count - b->done);
    const orr_bin_law law = law_of(p->source);
    if (law == ORR_BIN_EVEN)
        return ((double)b->done + 0.5) / (double)b->count;
    if (law == ORR_BIN_GAMMA)
        return b->x + b->unit * orr_draw_gamma(&b->draws, p->source->cv);
    return b->x - (1 - b->x) * expm1(log(orr_draw_next(&b->draws)) / left);
}

/* The next request of the bin; there must be one. Bins that overlap don't turn time back. */
static orr_time next_of_bin(orr_pull *p)
{
    orr_pull_bin *b = &p->bin;
    b->x = next_part(p);
    b->done++;
    const orr_time inside = (orr_time)(b->x * (double)b->width);
    const orr_time at = orr_time_add(b->start, inside < b->width ? inside : b->width > 0 ? b->width - 1 : 0);
    return at > p->last ? at : p->last;
}

void orr_pull_counts(orr_pull *p)
{
    const orr_source *s = p->source;
    for (p->ready = 0; p->ready < ORR_PULL_ROW; p->ready++) {
        while (p->bin.done == p->bin.count && p->place < s->bins) {
            open_bin(p, orr_time_mul(s->bin, (int64_t)p->place), s->bin, s->counts[p->place]);
            p->place++;
        }
        if (p->bin.done == p->bin.count)
            return;
        p->at[p->ready] = p->last = next_of_bin(p);
    }
}

/* ---- a list ---- */

/* Joins all records of one bin. */
static void open_records(orr_pull *p)
{
    const orr_source *s = p->source;
    const orr_time start = s->list[p->place].arrival;
    uint64_t count = 0;
    size_t to = p->place;
    p->bin_in = p->bin_out = 0;
    p->bin_says_in = p->bin_says_out = true;
    for (; to < s->listed && s->list[to].arrival == start && (to == p->place || s->bin > 0); to++) {
        const orr_trace_request *r = &s->list[to];
        count += r->count;
        p->bin_says_in &= r->tokens_in >= 0;
        p->bin_says_out &= r->tokens_out >= 0;
        p->bin_in += r->tokens_in >= 0 ? (uint64_t)r->tokens_in : 0;
        p->bin_out += r->tokens_out >= 0 ? (uint64_t)r->tokens_out : 0;
    }
    open_bin(p, start, s->bin, count);
    p->place = to;
}

/* The i-th of `count` equal parts of a whole, the first ones greater by one where it must be. */
static int64_t part(bool says, uint64_t whole, uint64_t count, uint64_t i)
{
    return says ? (int64_t)(whole / count + (i < whole % count)) : -1;
}

/* Requests of the same blocks are the same input. */
static void carry(orr_pull *p, const orr_trace_request *r)
{
    p->tokens_in = part(p->bin_says_in, p->bin_in, p->bin.count, p->bin.done);
    p->tokens_out = part(p->bin_says_out, p->bin_out, p->bin.count, p->bin.done);
    p->known_input = r->block_count > 0 && p->bin.count == 1;
    if (p->known_input)
        p->input = orr_hash64(0, r->blocks, r->block_count * sizeof *r->blocks);
}

void orr_pull_list(orr_pull *p)
{
    p->ready = 0;
    while (p->bin.done == p->bin.count && p->place < p->source->listed)
        open_records(p);
    if (p->bin.done == p->bin.count)
        return;
    carry(p, &p->source->list[p->place - 1]);
    p->at[0] = p->last = next_of_bin(p);
    p->ready = 1;
}
