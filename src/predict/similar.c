/* Ratcliff and Metzener, "Pattern matching: the gestalt approach", Dr. Dobb's Journal, July 1988. */
#include "predict/similar.h"

#include <string.h>

/* Half-open ranges: from..to of a from 0, of b from 1. */
typedef struct range {
    size_t a, a_end, b, b_end;
} range;

static size_t length_of(const char *s)
{
    size_t n = strlen(s);
    return n < ORR_SIMILAR_LENGTH ? n : ORR_SIMILAR_LENGTH;
}

void orr_similar_to(orr_similar *b, const char *text)
{
    memset(b, 0, sizeof *b);
    b->length = length_of(text);
    for (size_t j = 1; j <= b->length; j++) {
        unsigned char byte = (unsigned char)text[j - 1];
        b->counts[byte]++;
        b->before[j] = b->last[byte];
        b->last[byte] = (uint8_t)j;
    }
}

/* A turn a byte of a. Equal bytes of b are met from the right, so that runs of the turn before are still there; of
 * equal blocks the first in a counts, and of those that end at the same byte of a the leftmost in b. */
static range longest(orr_similar *b, const char *a, range in)
{
    range best = {in.a, in.a, in.b, in.b};
    b->turn++;
    for (size_t i = in.a; i < in.a_end; i++) {
        b->turn++;
        for (size_t j = b->last[(unsigned char)a[i]]; j >= in.b; j = b->before[j]) {
            if (j >= in.b_end)
                continue;
            size_t run = j > in.b && b->turns[j - 1] == b->turn - 1 ? b->runs[j - 1] + 1u : 1;
            b->turns[j] = b->turn;
            b->runs[j] = (uint8_t)run;
            size_t length = best.a_end - best.a;
            if (run > length || (run == length && best.a_end == i + 1))
                best = (range){i + 1 - run, i + 1, j + 1 - run, j + 1};
        }
    }
    return best;
}

/* As deep as there are bytes in the shorter one at most. */
static size_t matched(orr_similar *b, const char *a, range in)
{
    if (in.a == in.a_end || in.b == in.b_end)
        return 0;
    range m = longest(b, a, in);
    if (m.a == m.a_end)
        return 0;
    return m.a_end - m.a + matched(b, a, (range){in.a, m.a, in.b, m.b}) +
           matched(b, a, (range){m.a_end, in.a_end, m.b_end, in.b_end});
}

static double ratio(size_t matches, size_t na, size_t nb)
{
    return na + nb ? 2.0 * (double)matches / (double)(na + nb) : 1;
}

double orr_similarity(orr_similar *b, const char *a)
{
    size_t n = length_of(a);
    return ratio(matched(b, a, (range){0, n, 1, b->length + 1}), n, b->length);
}

double orr_similarity_bound(const orr_similar *b, const char *a)
{
    uint8_t left[256];
    size_t n = length_of(a), common = 0;
    memcpy(left, b->counts, sizeof left);
    for (size_t i = 0; i < n; i++) {
        uint8_t *count = &left[(unsigned char)a[i]];
        if (*count == 0)
            continue;
        common++;
        --*count;
    }
    return ratio(common, n, b->length);
}
