/* NSGA-II's survival, for two scores (Deb, Pratap, Agarwal, Meyarivan 2002).
 *
 * With two scores nobody has to be compared with everybody: by falling first score, then falling second, each deal belongs to the
 * first rank whose latest member doesn't dominate it, and that is found by bisection. Those of a rank then come with rising second
 * score, so that neighbours by one score are neighbours by the other.
 */
#include "solve/evolve.h"

#include <math.h>

typedef struct point {
    double first, second;
    int32_t rank;
    uint32_t at;
} point;

static int by_scores(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_rank(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static point *points_of(const double (*score)[2], size_t n)
{
    point *points = orr_xmalloc(n * sizeof *points + 1);
    for (size_t i = 0; i < n; i++)
        points[i] = (point){score[i][0], score[i][1], 0, (uint32_t)i};
    return points;
}

/* `a` isn't behind `b` in order, so that its first score is no less. */
static bool dominates(const point *a, const point *b)
{
    return a->second > b->second || (a->second == b->second && a->first > b->first);
}

static void rank_points(point *points, size_t n)
{
    if (n == 0)
        return;
    qsort(points, n, sizeof *points, by_scores);
    const point **last = orr_xmalloc(n * sizeof *last); /* by rank */
    int32_t ranks = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t low = 0, high = ranks;
        while (low < high) {
            int32_t middle = (low + high) / 2;
            if (dominates(last[middle], &points[i]))
                low = middle + 1;
            else
                high = middle;
        }
        points[i].rank = low;
        last[low] = &points[i];
        ranks += low == ranks;
    }
    free(last);
}

void orr_pareto_ranks(const double (*score)[2], size_t n, int32_t *rank)
{
    point *points = points_of(score, n);
    rank_points(points, n);
    for (size_t i = 0; i < n; i++)
        rank[points[i].at] = points[i].rank;
    free(points);
}

static bool equal(const point *a, const point *b)
{
    return a->first == b->first && a->second == b->second;
}

/* Of a rank, in order: by falling first and rising second score. */
static void crowd(const point *points, size_t n, double *crowding)
{
    double wide = points[0].first - points[n - 1].first, high = points[n - 1].second - points[0].second;
    size_t before = 0; /* the last one with other scores, where there is one */
    for (size_t i = 0; i < n;) {
        size_t next = i + 1;
        while (next < n && equal(&points[i], &points[next]))
            crowding[points[next++].at] = n > 2 ? 0 : INFINITY;
        bool end = i == 0 || next == n;
        double apart = end ? INFINITY
                           : ((points[before].first - points[next].first) / wide +
                              (points[next].second - points[before].second) / high) / 2;
        crowding[points[i].at] = n > 2 && i == 0 && next == n ? 0 : apart;
        before = i;
        i = next;
    }
}

static void crowd_ranks(const point *points, size_t n, double *crowding)
{
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && points[next].rank == points[i].rank;)
            next++;
        crowd(points + i, next - i, crowding);
    }
}

void orr_crowding(const double (*score)[2], const int32_t *rank, size_t n, double *crowding)
{
    point *points = points_of(score, n);
    for (size_t i = 0; i < n; i++)
        points[i].rank = rank[i];
    if (n)
        qsort(points, n, sizeof *points, by_rank);
    crowd_ranks(points, n, crowding);
    free(points);
}

/* Of a rank that has no room for all: those in less crowded places, equal ones by lot. */
static void least_crowded(point *points, size_t n, uint64_t *random, const double *crowding)
{
    for (size_t i = 0; i < n; i++) {
        points[i].first = crowding[points[i].at];
        points[i].second = (double)(orr_draw(random) >> 11);
    }
    qsort(points, n, sizeof *points, by_scores);
}

/* By rank, those of a rank in the order in which they are; in other memory. */
static point *in_ranks(point *points, size_t n)
{
    uint32_t *first = orr_xcalloc(n + 2, sizeof *first); /* by rank */
    point *sorted = orr_xmalloc(n * sizeof *sorted + 1);
    for (size_t i = 0; i < n; i++)
        first[points[i].rank + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; i < n; i++)
        sorted[first[points[i].rank]++] = points[i];
    free(first);
    free(points);
    return sorted;
}

size_t orr_survivors(const double (*score)[2], size_t n, size_t most, uint64_t *random, uint32_t *chosen, double *crowding)
{
    point *points = points_of(score, n);
    rank_points(points, n);
    points = in_ranks(points, n);
    crowd_ranks(points, n, crowding);
    for (size_t i = 0, next; i < n && i < most; i = next) {
        for (next = i + 1; next < n && points[next].rank == points[i].rank;)
            next++;
        if (next > most)
            least_crowded(points + i, next - i, random, crowding);
    }
    size_t kept = n < most ? n : most;
    for (size_t i = 0; i < kept; i++)
        chosen[i] = points[i].at;
    free(points);
    return kept;
}
